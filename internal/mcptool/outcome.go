package mcptool

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"

	"basecamp-mcp/internal/audit"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/toolanswer"
)

// Outcome is the end of a call, independent of any protocol.
type Outcome struct {
	// Answer is the tool's result, or the failure in the form that clients read.
	toolanswer.Answer
	IsError bool
	Message string       // what to do next; only of a failure
	Fault   *fault.Error // only of a failure

	meta *mcp.Meta
	// asks and requires replace everything else: what the user must do first.
	asks     *mcp.CallToolResult
	requires *elicitationRequired
}

// code returns the error code that the caller got, or audit.OK.
func (o *Outcome) code() string {
	if o.Fault == nil {
		return audit.OK
	}
	return string(toolanswer.ErrorCode(o.Fault))
}

// defect reports whether something failed through a defect of this server.
func (o *Outcome) defect() bool {
	return o.Fault != nil && o.Fault.Code == fault.InternalError || slices.ContainsFunc(o.Failed, toolanswer.ItemError.IsDefect)
}

// cause returns the details that only the log shows, or nil.
func (o *Outcome) cause() error {
	var causes []error
	if o.Fault != nil {
		causes = append(causes, loggable(o.Fault.Code, o.Fault.Unwrap()))
	}
	for _, e := range o.Failed {
		causes = append(causes, loggable(e.Code, e.Cause))
	}
	return errors.Join(causes...)
}

// loggable returns the cause if the code does not explain itself.
func loggable(code fault.Code, cause error) error {
	if code == fault.InternalError || code == fault.UpstreamError {
		return cause
	}
	return nil
}

// result returns the outcome as MCP shows it. A success has structured content, one text block with
// the same JSON, and then the images. A failure has text only: some clients check
// structuredContent against the output schema even if isError is set. An error means that the user
// must open a link first.
func (o *Outcome) result(ctx context.Context) (*mcp.CallToolResult, error) {
	switch {
	case o.asks != nil:
		return o.asks, nil
	case o.requires != nil:
		return nil, o.requires
	}
	r := &mcp.CallToolResult{Content: []mcp.Content{mcp.NewTextContent(string(o.JSON))}, IsError: o.IsError}
	r.Meta = o.meta
	if !o.IsError {
		r.StructuredContent = json.RawMessage(o.JSON)
	}
	for _, image := range o.Images {
		r.Content = append(r.Content, mcp.NewImageContent(base64.StdEncoding.EncodeToString(image.Data), image.MIMEType))
	}
	return r, nil
}
