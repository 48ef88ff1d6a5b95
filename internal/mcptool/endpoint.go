package mcptool

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"basecamp-mcp/internal/mcphttp"
)

// endpoint answers POSTed messages with mcp-go, but a plain tools/list, ping and tools/call itself.
// Any unusual request goes to mcp-go, which knows how to refuse it. The files plain*.go hold the
// hand-made paths:
//   - plainrequest.go reads a message without decoding it, and remembers clients. mcp-go decodes a
//     call several times, and what a client says about itself takes longer than the rest of it.
//   - plainlist.go makes the list of tools once. mcp-go encodes every tool for each tools/list, ten
//     times as long as the rest of the answer.
//   - plaincall.go writes an answer from the result's JSON. mcp-go encodes that several times.
//
// writePlain does not copy what is the same for all callers.
type endpoint struct {
	server   *Server
	mcp      *server.StreamableHTTPServer
	lists    lists
	tools    map[string]Tool // by each name that a call can use
	readOnly bool
	serverIs []byte // the members that a result has in the stateless era, up to its content
}

func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	body, valid, err := readBody(r)
	if err != nil {
		http.Error(w, "the request body ended early", http.StatusBadRequest)
		return
	}
	plain, ok := e.server.clients.readPlain(r.Header, body, valid)
	tool, known := e.tools[plain.tool]
	switch {
	case !ok || plain.method == mcp.MethodToolsCall && !known:
		e.pass(w, r, body, start)
	case plain.method == mcp.MethodToolsCall:
		e.call(w, r, body, plain, tool)
	default:
		head, end := e.result(plain)
		writePlain(w, plain.id, head, end)
		e.server.logPlain(r, plain, start)
	}
}

// readBody reads the body of a request, and reports whether it is known to be JSON in UTF-8. The
// guard's body is: the guard has read and checked the whole of it.
func readBody(r *http.Request) (body []byte, valid bool, err error) {
	if c, ok := r.Body.(interface{ Checked() []byte }); ok {
		return c.Checked(), true, nil
	}
	body, err = io.ReadAll(r.Body)
	return body, false, err
}

// pass lets mcp-go answer or refuse.
func (e *endpoint) pass(w http.ResponseWriter, r *http.Request, message []byte, start time.Time) {
	var m rpcMessage
	_ = json.Unmarshal(message, &m) // mcp-go refuses a message that cannot be parsed
	version := r.Header.Get(mcp.HeaderProtocolVersion)
	answer := &wholeAnswer{ResponseWriter: w, log: logState{protocol: servedVersion(version), logged: outcomeIn(r.Context()) != nil}}
	if uri := m.uri(); isReadable(uri) {
		ctx, body := m.takeArguments(r.Context(), message)
		ctx = context.WithValue(context.WithValue(ctx, refusalKey{}, &answer.refused), logStateKey{}, &answer.log)
		e.mcp.Handle(answer, &server.HTTPRequest{Method: r.Method, URL: r.URL, Header: r.Header, Body: body, Context: ctx})
	} else {
		answer.refused = newRefusal(version == mcp.ProtocolVersion20260728, mcp.MethodResourcesRead, uri, unknownResource(uri))
	}
	if answer.refused.Code != 0 {
		answer.refused.write(w, m.id())
	}
	if !answer.log.logged {
		e.server.logPassed(r.Context(), message, answer, start)
	}
}

// result returns what follows the ID in an answer, in two parts. The second, which is the same for
// all callers, is the longer one.
func (e *endpoint) result(p plainRequest) (head, end []byte) {
	switch {
	case p.method == mcp.MethodPing:
		return nil, emptyResult
	case p.modern:
		return e.lists.modern, e.lists.tools()
	}
	return e.lists.legacy, e.lists.tools()
}

const (
	beforeID  = `{"jsonrpc":"2.0","id":`
	resultKey = `,"result":`
)

var emptyResult = []byte(resultKey + "{}}\n")

// writePlain writes an answer whose end is the same for all callers. It does not copy the end.
func writePlain(w http.ResponseWriter, id json.RawMessage, afterID, end []byte) {
	head := slices.Concat([]byte(beforeID), id, afterID)
	declareJSON(w.Header(), len(head)+len(end))
	_, _ = w.Write(head) // an error means that the client has disconnected
	_, _ = mcphttp.WriteConstant(w, end)
}

// rpcMessage holds the members of a JSON-RPC message, undecoded.
type rpcMessage map[string]json.RawMessage

// id returns the ID for the answer: null if the message has none.
func (m rpcMessage) id() json.RawMessage {
	if id := m["id"]; id != nil {
		return id
	}
	return json.RawMessage("null")
}

func (m rpcMessage) method() (method mcp.MCPMethod) {
	_ = json.Unmarshal(m["method"], &method)
	return method
}

// uri returns the URI that a resources/read asks for, as mcp-go reads it, and "" for any other
// message.
func (m rpcMessage) uri() string {
	var params struct {
		URI string `json:"uri"`
	}
	if m.method() == mcp.MethodResourcesRead {
		_ = json.Unmarshal(m["params"], &params) // mcp-go refuses a message that cannot be parsed
	}
	return params.URI
}

type argumentsKey struct{}

// takeArguments moves the arguments of a tools/call from the body into the context, where the tool
// finds them as the client sent them. mcp-go would parse them several times, and would refuse a
// number too large for a float64 with the name of a Go type.
func (m rpcMessage) takeArguments(ctx context.Context, body []byte) (context.Context, []byte) {
	var params map[string]json.RawMessage
	if m.method() != mcp.MethodToolsCall || json.Unmarshal(m["params"], &params) != nil || params["arguments"] == nil {
		return ctx, body
	}
	arguments := params["arguments"]
	params["arguments"] = json.RawMessage("{}")
	without := maps.Clone(m)
	var err error
	if without["params"], err = json.Marshal(params); err != nil {
		return ctx, body
	}
	encoded, err := json.Marshal(without)
	if err != nil {
		return ctx, body
	}
	return context.WithValue(ctx, argumentsKey{}, arguments), encoded
}

// argumentsOf returns the arguments of a call: those from takeArguments, or those that mcp-go read.
func argumentsOf(ctx context.Context, request mcp.CallToolRequest) json.RawMessage {
	if arguments, ok := ctx.Value(argumentsKey{}).(json.RawMessage); ok {
		return arguments
	}
	return request.Params.RawArguments
}

// wholeAnswer tells mcp-go that it cannot stream, so that every POST is answered with one JSON
// body. It discards that body if the endpoint refuses the request in its own words.
type wholeAnswer struct {
	http.ResponseWriter
	refused refusal
	log     logState
	status  int
	held    bytes.Buffer // the body, if the request is refused or not yet logged
}

func (*wholeAnswer) Flush()          {}
func (*wholeAnswer) CanStream() bool { return false }

func (w *wholeAnswer) WriteHeader(status int) {
	w.status = status
	if w.refused.Code == 0 {
		w.ResponseWriter.WriteHeader(status)
	}
}

func (w *wholeAnswer) Write(p []byte) (int, error) {
	if w.refused.Code != 0 || !w.log.logged {
		_, _ = w.held.Write(p)
	}
	if w.refused.Code != 0 {
		return len(p), nil
	}
	return w.ResponseWriter.Write(p)
}
