// Command gosdk serves the tools with the official Go SDK.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"basecamp-mcp/internal/bench/peers/work"
)

func main() { work.Main(newServer) }

func newServer(s work.Settings) (http.Handler, error) {
	server := mcp.NewServer(&mcp.Implementation{Name: "bench", Version: "1.0.0"}, nil)
	for _, d := range s.Tools {
		tool := &mcp.Tool{Name: d.Name, Title: d.Title, Description: d.Description, InputSchema: d.InputSchema}
		if len(d.OutputSchema) > 0 {
			tool.OutputSchema = d.OutputSchema
		}
		if err := json.Unmarshal(d.Annotations, &tool.Annotations); err != nil {
			return nil, fmt.Errorf("decode the annotations of %s: %w", d.Name, err)
		}
		server.AddTool(tool, call(s.Upstream))
	}
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true}), nil
}

func call(upstream *work.Upstream) mcp.ToolHandler {
	return func(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		answer, err := upstream.Call(ctx, request.Params.Name, request.Params.Arguments)
		if err != nil {
			return nil, err
		}
		encoded, err := json.Marshal(answer)
		if err != nil {
			return nil, err
		}
		return &mcp.CallToolResult{
			Content:           []mcp.Content{&mcp.TextContent{Text: string(encoded)}},
			StructuredContent: json.RawMessage(encoded),
		}, nil
	}
}
