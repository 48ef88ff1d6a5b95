package mcptool

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"basecamp-mcp/internal/fault"
)

// refusal is the error a request is answered with in place of mcp-go's, which has one code for whatever a prompt or a resource
// fails with, and tells of parameters it cannot read by the names of its Go types. It is filled in while mcp-go works, and
// empty when mcp-go's own answer stands.
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
}

type refusalKey struct{}

// refuse is the hook in which mcp-go tells of an error before it answers with it.
func refuse(ctx context.Context, _ any, method mcp.MCPMethod, request any, err error) {
	r, ok := ctx.Value(refusalKey{}).(*refusal)
	if !ok {
		return
	}
	uri := ""
	if reading, ok := request.(*mcp.ReadResourceRequest); ok {
		uri = reading.Params.URI
	}
	f, known := errors.AsType[*fault.Error](err)
	_, unparsable := errors.AsType[*server.UnparsableMessageError](err)
	switch {
	case known:
	case unparsable:
		f = fault.New(fault.InvalidInput, "%s", formOf(method))
	case errors.Is(err, server.ErrResourceNotFound):
		f = nothingAt(uri)
	case errors.Is(err, server.ErrPromptNotFound):
		asked, _ := request.(*mcp.GetPromptRequest)
		f = noPrompt(asked.Params.Name)
	default:
		return
	}
	*r = newRefusal(modern(ctx), method, uri, f)
}

// newRefusal returns the refusal of a request of either era for a fault; uri is that of a resource, else "". It repeats no
// URI that is longer than ours.
func newRefusal(modern bool, method mcp.MCPMethod, uri string, f *fault.Error) refusal {
	if len(uri) > mostURI {
		uri = ""
	}
	code := rpcCode(modern, method, f.Code)
	return refusal{status: rpcStatus(modern, code), Code: code, Message: f.Message, Data: refusalData{
		ErrorCode: errorCode(f), Retryable: f.Retryable, RetryAfterSeconds: seconds(f), URI: uri,
		Validation: f.Validation, Candidates: f.Candidates,
	}}
}

func noPrompt(name string) *fault.Error {
	return fault.New(fault.NotFound, "there is no prompt %s here; prompts/list has those there are", show(name))
}

// formOf says what the params of a method have to be.
func formOf(method mcp.MCPMethod) string {
	switch method {
	case mcp.MethodPromptsGet:
		return "params must be name, a string, and arguments, an object of strings"
	case mcp.MethodResourcesRead:
		return "params must be uri, a string"
	case mcp.MethodCompletionComplete:
		return `params must be ref, which is {"type":"ref/prompt","name"} or {"type":"ref/resource","uri"}, and argument, which is {"name","value"}; all strings`
	}
	return "params are not of the form that " + string(method) + " has"
}

// rpcCode is the protocol's code for a fault. What can be mended by asking for something else is the fault of the params; the
// legacy era has a code of its own for a resource that is not there.
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

// modern reports whether the request is of the stateless era.
func modern(ctx context.Context) bool {
	info := server.RequestProtocolInfoFromContext(ctx)
	return info != nil && info.Modern
}

// rpcStatus is the HTTP status of an error: the legacy era has none but 200.
func rpcStatus(modern bool, code int) int {
	if modern && code == mcp.INVALID_PARAMS {
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// write answers the request of that id. It does not look at what mcp-go has answered, which is nothing once the client has gone.
func (r refusal) write(w http.ResponseWriter, id json.RawMessage) {
	w.Header().Set("Content-Type", jsonType)
	w.WriteHeader(r.status)
	_, _ = w.Write(mustEncode(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   refusal         `json:"error"`
	}{mcp.JSONRPC_VERSION, id, r}))
}
