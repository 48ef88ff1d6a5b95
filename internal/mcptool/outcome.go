package mcptool

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"

	"basecamp-mcp/internal/audit"
	"basecamp-mcp/internal/fault"
)

// Outcome is how a call ended, in no protocol's terms.
type Outcome struct {
	// JSON is the tool's result, or the failure as [fault.Error] is told to clients: compact, and an object either way.
	JSON    []byte
	IsError bool
	Message string       // of a failure: what to do next
	Fault   *fault.Error // of a failure

	meta *mcp.Meta
	asks *mcp.CallToolResult // instead of all else: what the client's person has to do first
}

// CallTool runs a tool for the caller in ctx, for doors that do not speak MCP. It is a tools/call in all but the wire: the
// same validation, scope check, time budget, idempotency, log line and audit, and whatever goes wrong is an Outcome. False
// when there is no such tool, or none that readOnly allows; then nothing was done, and nothing is written down.
//
// It does not know toolsets or HTTP: which of the tools a door offers is checked before, with Scope for its 403.
func (s *Server) CallTool(ctx context.Context, name string, arguments json.RawMessage, readOnly bool) (*Outcome, bool) {
	tool, ok := s.tools[name]
	if !ok || readOnly && tool.Effect != Reads {
		return nil, false
	}
	return s.call(ctx, toolCall{tool: tool, arguments: arguments, door: audit.Bridge, readOnly: readOnly}), true
}

// result is the outcome as MCP tells it: an answer is structured content and the same JSON as one text block, for clients
// that read text. A failure is text alone: some clients check structuredContent against the output schema even when isError
// is set.
func (o *Outcome) result() *mcp.CallToolResult {
	if o.asks != nil {
		return o.asks
	}
	r := &mcp.CallToolResult{Content: []mcp.Content{mcp.NewTextContent(string(o.JSON))}, IsError: o.IsError}
	r.Meta = o.meta
	if !o.IsError {
		r.StructuredContent = json.RawMessage(o.JSON)
	}
	return r
}
