// Command mcpgo serves the tools with only mcp-go, the library that the measured server uses.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"basecamp-mcp/internal/bench/peers/work"
)

func main() { work.Main(newServer) }

func newServer(s work.Settings) (http.Handler, error) {
	bare := server.NewMCPServer("bench", "1.0.0", server.WithToolCapabilities(false))
	for _, d := range s.Tools {
		tool := mcp.NewToolWithRawSchema(d.Name, d.Description, d.InputSchema)
		tool.RawOutputSchema, tool.Title = d.OutputSchema, d.Title
		if err := json.Unmarshal(d.Annotations, &tool.Annotations); err != nil {
			return nil, fmt.Errorf("decode the annotations of %s: %w", d.Name, err)
		}
		bare.AddTool(tool, call(s.Upstream))
	}
	return server.NewStreamableHTTPServer(bare, server.WithStateLess(true)), nil
}

func call(upstream *work.Upstream) server.ToolHandlerFunc {
	return func(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		arguments, err := json.Marshal(request.Params.Arguments)
		if err != nil {
			return nil, err
		}
		answer, err := upstream.Call(ctx, request.Params.Name, arguments)
		if err != nil {
			return nil, err
		}
		text, err := json.Marshal(answer)
		if err != nil {
			return nil, err
		}
		return mcp.NewToolResultStructured(answer, string(text)), nil
	}
}
