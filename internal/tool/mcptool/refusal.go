package mcptool

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/toolanswer"
)

// refusal is the error that replaces mcp-go's. mcp-go has one code for all failures of prompts and
// resources, and describes parameters that it cannot parse by the names of its Go types. The
// refusal is filled in while mcp-go works; it is empty if mcp-go's own answer stands.
type refusal struct {
	Code    int         `json:"code"`
	Message string      `json:"message"`
	Data    refusalData `json:"data"`

	status int
}

type refusalData struct {
	ErrorCode         fault.Code        `json:"error_code"`
	Retryable         bool              `json:"retryable"`
	RetryAfterSeconds int               `json:"retry_after_seconds,omitempty"`
	URI               string            `json:"uri,omitempty"`
	Validation        []fault.Violation `json:"validation,omitempty"`
	Candidates        []fault.Candidate `json:"candidates,omitempty"`
	Nearest           []fault.Candidate `json:"nearest,omitempty"`
	Link              *fault.Link       `json:"link,omitempty"`
	// Elicitations are the links that the client must open for its user before it calls again.
	Elicitations []mcp.ElicitationParams `json:"elicitations,omitempty"`
}

// refuse fills in the refusal of a request to an endpoint that serves a selection. mcp-go calls it
// with an error before it answers with that error.
func (s *Server) refuse(ctx context.Context, chosen Selection, method mcp.MCPMethod, request any, err error) {
	answer := answerIn(ctx)
	if answer == nil {
		return
	}
	uri := ""
	if reading, ok := request.(*mcp.ReadResourceRequest); ok {
		uri = reading.Params.URI
	}
	f, known := errors.AsType[*fault.Error](err)
	_, unparsable := errors.AsType[*server.UnparsableMessageError](err)
	_, badCursor := errors.AsType[base64.CorruptInputError](err)
	switch {
	case known:
	case badCursor:
		f = fault.New(fault.InvalidInput, "cursor must be the nextCursor of the page before; leave it out to start from the beginning")
	case unparsable:
		f = fault.New(fault.InvalidInput, "%s", formOf(method))
	case errors.Is(err, server.ErrResourceNotFound):
		f = unknownResource(uri)
	case errors.Is(err, server.ErrPromptNotFound):
		asked, _ := request.(*mcp.GetPromptRequest)
		f = unknownPrompt(asked.Params.Name)
	case errors.Is(err, server.ErrToolNotFound):
		asked, _ := request.(*mcp.CallToolRequest)
		f = s.unknownTool(chosen, asked.Params.Name)
	default:
		return
	}
	r := &answer.refused
	*r = newRefusal(modern(ctx), method, uri, f)
	if required, ok := errors.AsType[*elicitationRequired](err); ok {
		r.Code, r.Data.Elicitations = mcp.URL_ELICITATION_REQUIRED, []mcp.ElicitationParams{required.request}
	}
}

// newRefusal returns the refusal of a request for a fault. uri is the URI of the resource, or "". A
// URI longer than any of this server is not repeated.
func newRefusal(modern bool, method mcp.MCPMethod, uri string, f *fault.Error) refusal {
	if len(uri) > mostURI {
		uri = ""
	}
	code := rpcCode(modern, method, f.Code)
	return refusal{status: rpcStatus(modern, code), Code: code, Message: f.Message, Data: refusalData{
		ErrorCode: toolanswer.ErrorCode(f), Retryable: f.Retryable, RetryAfterSeconds: toolanswer.Seconds(f), URI: uri,
		Validation: f.Validation, Candidates: f.Candidates, Nearest: f.Nearest, Link: f.Link,
	}}
}

func unknownPrompt(name string) *fault.Error {
	return fault.New(fault.NotFound, "there is no prompt %s here; prompts/list returns the prompts", plaintext.Quote(name))
}

// formOf returns the form that the params of a method must have.
func formOf(method mcp.MCPMethod) string {
	switch method {
	case mcp.MethodPromptsGet:
		return "params must be name, a string, and arguments, an object of strings"
	case mcp.MethodResourcesRead:
		return "params must be uri, a string"
	case mcp.MethodCompletionComplete:
		return `params must be ref, which is {"type":"ref/prompt","name"} or {"type":"ref/resource","uri"}, and argument, which is {"name","value"}; all strings`
	}
	return "params do not have the form of " + string(method)
}

// rpcCode returns the protocol's code for a fault. A fault that the client can avoid by asking for
// something else is one of the params. The legacy era has a separate code for a missing resource.
func rpcCode(modern bool, method mcp.MCPMethod, code fault.Code) int {
	switch code {
	case fault.NotFound:
		if method == mcp.MethodResourcesRead && !modern {
			return mcp.RESOURCE_NOT_FOUND
		}
		return mcp.INVALID_PARAMS
	case fault.InvalidInput, fault.Ambiguous, fault.ToolNotEnabled:
		return mcp.INVALID_PARAMS
	}
	return mcp.INTERNAL_ERROR
}

// rpcStatus returns the HTTP status of an error. The legacy era always has 200.
func rpcStatus(modern bool, code int) int {
	if modern && code == mcp.INVALID_PARAMS {
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// write answers the request with that ID. It ignores mcp-go's answer, which is empty if the client
// has disconnected.
func (r refusal) write(w http.ResponseWriter, id json.RawMessage) {
	w.Header().Set("Content-Type", jsonType)
	w.WriteHeader(r.status)
	_, _ = w.Write(toolanswer.MustEncode(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   refusal         `json:"error"`
	}{mcp.JSONRPC_VERSION, id, r}))
}
