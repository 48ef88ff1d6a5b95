package mcptool

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"

	"basecamp-mcp/internal/own/calls"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/tool/toolanswer"
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

// code returns the error code that the caller got, or calls.OK.
func (o *Outcome) code() string {
	if o.Fault == nil {
		return calls.OK
	}
	return string(toolanswer.ErrorCode(o.Fault))
}

// forget takes the code of a call out of the answer: nothing undoes it.
func (o *Outcome) forget(code string) {
	o.JSON = bytes.Replace(o.JSON, []byte(`"`+toolanswer.UndoField+`":"`+code+`",`), nil, 1)
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

// definition is a tool in the form of the Anthropic Messages API.
type definition struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema"`
}

// Definitions returns the tools of a selection (see [Server.Handler]) as the JSON list that the
// Messages API accepts, in the order of tools/list.
func (s *Server) Definitions(chosen Selection) json.RawMessage {
	definitions := []definition{}
	for _, tool := range s.selectedTools(chosen) {
		definitions = append(definitions, definition{tool.Name, tool.Description, tool.InputSchema()})
	}
	slices.SortFunc(definitions, func(a, b definition) int { return cmp.Compare(a.Name, b.Name) })
	return toolanswer.MustEncode(definitions)
}

// Tool returns a function that executes a tool_use block with a tool of the selection, for the
// caller in its context. It does what a tools/call does: the same validation, scope check, time
// budget, idempotency, log line and record. It returns {is_error: false, result}, with images
// if there are any, or {is_error: true, error}, where error is the message, with the other fields
// of a failure. ok is false if the selection has no such tool.
func (s *Server) Tool(chosen Selection, name string) (run func(context.Context, json.RawMessage) json.RawMessage, ok bool) {
	tool, ok := s.part(chosen).tools[name]
	if !ok {
		return nil, false
	}
	return func(ctx context.Context, arguments json.RawMessage) json.RawMessage {
		return s.call(ctx, toolCall{tool: tool, arguments: arguments, channel: calls.Bridge, readOnly: chosen.ReadOnly}).bridgeJSON()
	}, true
}

// bridgedImage is an image as the source of an image block of the Anthropic Messages API.
type bridgedImage struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      string `json:"data"`
}

type bridgedResult struct {
	IsError bool            `json:"is_error"`
	Result  json.RawMessage `json:"result"`
	Images  []bridgedImage  `json:"images,omitempty"`
}

// bridgedFailure is a failure with its message in error, where a tool_result needs it. A tool's own
// error object has no place there; error_code has its code.
type bridgedFailure struct {
	IsError           bool            `json:"is_error"`
	Error             string          `json:"error"`
	ErrorCode         fault.Code      `json:"error_code"`
	Retryable         bool            `json:"retryable"`
	RetryAfterSeconds int             `json:"retry_after_seconds,omitempty"`
	Data              json.RawMessage `json:"data,omitempty"`
}

func (o *Outcome) bridgeJSON() json.RawMessage {
	if !o.IsError {
		answer := bridgedResult{Result: o.JSON}
		for _, image := range o.Images {
			answer.Images = append(answer.Images, bridgedImage{"base64", image.MIMEType, base64.StdEncoding.EncodeToString(image.Data)})
		}
		return toolanswer.MustEncode(answer)
	}
	var answer bridgedFailure
	_ = json.Unmarshal(o.JSON, &answer) // all but the error, which is an object
	answer.IsError, answer.Error = true, o.Message
	return toolanswer.MustEncode(answer)
}
