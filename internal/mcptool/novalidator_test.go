package mcptool_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

func TestValidation_ByMCPGoFailsEveryCallWhereItIsSwitchedOn(t *testing.T) {
	for check, on := range map[string]server.ServerOption{"input": server.WithInputSchemaValidation(), "output": server.WithOutputSchemaValidation()} {
		m := server.NewMCPServer("test", "1", on)
		tool := mcp.NewToolWithRawSchema("try", "Tries.", json.RawMessage(`{"type":"object"}`))
		tool.RawOutputSchema = json.RawMessage(`{"type":"object"}`)
		m.AddTool(tool, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultStructured(map[string]any{"a": 1}, `{"a":1}`), nil
		})
		answer := m.HandleMessage(t.Context(), json.RawMessage(
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"try","arguments":{"a":1}}}`))
		said := string(must(json.Marshal(answer)))
		if !strings.Contains(said, check+" schema validation failed: no JSON Schema validator is linked in") {
			t.Errorf("%s: %s", check, said)
		}
	}
}
