package mcptool

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

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

	images []Image
	failed []ItemError // the entries of a batch that failed
	meta   *mcp.Meta
	asks   *mcp.CallToolResult // instead of all else: what the client's person has to do first
}

// defect reports whether something failed by a fault of ours.
func (o *Outcome) defect() bool {
	return o.Fault != nil && o.Fault.Code == fault.InternalError || slices.ContainsFunc(o.failed, ItemError.defect)
}

// cause is what the log has to say beyond what the caller was told; nil for nothing.
func (o *Outcome) cause() error {
	var causes []error
	if o.Fault != nil {
		causes = append(causes, loggable(o.Fault.Code, o.Fault.Unwrap()))
	}
	for _, e := range o.failed {
		causes = append(causes, loggable(e.Code, e.Cause))
	}
	return errors.Join(causes...)
}

// loggable is the cause where the code does not explain itself.
func loggable(code fault.Code, cause error) error {
	if code == fault.InternalError || code == fault.UpstreamError {
		return cause
	}
	return nil
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
	return s.call(ctx, toolCall{tool: tool, arguments: arguments, channel: audit.Bridge, readOnly: readOnly}), true
}

// result is the outcome as MCP tells it: an answer is structured content and the same JSON as one text block, for clients
// that read text, and then its images. A failure is text alone: some clients check structuredContent against the output schema even when isError
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
	for _, image := range o.images {
		r.Content = append(r.Content, image.content())
	}
	return r
}
