package mcptool

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"basecamp-mcp/internal/own/calls"
	"basecamp-mcp/internal/serve/mcphttp"
)

// endpoint answers POSTed messages with mcp-go, but a plain tools/list and ping itself: mcp-go
// would encode every tool for each tools/list.
type endpoint struct {
	server *Server
	mcp    *server.StreamableHTTPServer
	lists  lists
}

func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	body, _ := io.ReadAll(r.Body) // the guard has read it from the client
	m := mcphttp.Read(body)
	version := r.Header.Get(mcp.HeaderProtocolVersion)
	meta, ok := plain(m, r.Header)
	if !ok {
		e.pass(w, r, body, m, start)
		return
	}
	head, end := e.result(m.Method, version)
	writeReady(w, slices.Concat([]byte(beforeID), m.ID, head), end)
	e.server.logMethod(r.Context(), m.Method, meta.ClientInfo(), servedVersion(version), calls.OK, start)
}

// result returns what follows the ID in a ready answer, in two parts. The second, which is the same
// for all callers, is the longer one.
func (e *endpoint) result(method, version string) (head, end []byte) {
	switch {
	case method == string(mcp.MethodPing):
		return nil, emptyResult
	case version == mcp.ProtocolVersion20260728:
		return e.lists.modern, e.lists.tools()
	}
	return e.lists.legacy, e.lists.tools()
}

const (
	beforeID  = `{"jsonrpc":"2.0","id":`
	resultKey = `,"result":`
)

var emptyResult = []byte(resultKey + "{}}\n")

// writeReady writes an answer in two parts. It does not copy the second, which is long.
func writeReady(w http.ResponseWriter, head, end []byte) {
	w.Header().Set("Content-Type", jsonType)
	w.Header().Set("Content-Length", strconv.Itoa(len(head)+len(end)))
	_, _ = w.Write(head) // an error means that the client has disconnected
	_, _ = w.Write(end)
}

// pass lets mcp-go answer or refuse. A tool gets its arguments as the client sent them: mcp-go
// would parse them several times, and would refuse a number too large for a float64 with the name
// of a Go type.
func (e *endpoint) pass(w http.ResponseWriter, r *http.Request, body []byte, m mcphttp.Message, start time.Time) {
	version := r.Header.Get(mcp.HeaderProtocolVersion)
	answer := &wholeAnswer{ResponseWriter: w, protocol: servedVersion(version), arguments: m.Arguments}
	if m.Arguments != nil {
		at := cap(body) - cap(m.Arguments) // they are a part of the body
		body = slices.Concat(body[:at], []byte("{}"), body[at+len(m.Arguments):])
	}
	if uri := uriOf(m); isReadable(uri) {
		ctx := context.WithValue(r.Context(), answerKey{}, answer)
		e.mcp.Handle(answer, &server.HTTPRequest{Method: r.Method, URL: r.URL, Header: r.Header, Body: body, Context: ctx})
	} else {
		answer.refused = newRefusal(version == mcp.ProtocolVersion20260728, mcp.MethodResourcesRead, uri, unknownResource(uri))
	}
	if answer.refused.Code != 0 {
		answer.refused.write(w, m.ID)
	}
	if !answer.logged {
		e.server.logPassed(r.Context(), m, answer, start)
	}
}

// plain reports whether a message is a tools/list or a ping that mcp-go would answer with a result,
// and returns what the client says about itself. mcp-go knows how to refuse the others. The
// stateless era has no ping.
func plain(m mcphttp.Message, header http.Header) (meta *mcp.Meta, ok bool) {
	lists := m.Method == string(mcp.MethodToolsList)
	if !lists && m.Method != string(mcp.MethodPing) || m.ID == nil {
		return nil, false
	}
	var params mcp.PaginatedParams
	if m.Params != nil && json.Unmarshal(m.Params, &params) != nil || params.Cursor != "" {
		return nil, false
	}
	meta = params.Meta
	version, methods := header.Get(mcp.HeaderProtocolVersion), header["Mcp-Method"]
	if version != mcp.ProtocolVersion20260728 {
		return meta, meta.ProtocolVersion() == "" && (version == "" || slices.Contains(legacyVersions, version))
	}
	return meta, lists && meta.ProtocolVersion() == version && meta.ClientCapabilities() != nil &&
		len(methods) == 1 && methods[0] == m.Method && header["Mcp-Name"] == nil
}

// uriOf returns the URI that a resources/read asks for, as mcp-go reads it, and "" for any other
// message.
func uriOf(m mcphttp.Message) string {
	var params struct {
		URI string `json:"uri"`
	}
	if m.Method == string(mcp.MethodResourcesRead) {
		_ = json.Unmarshal(m.Params, &params) // mcp-go refuses params that cannot be parsed
	}
	return params.URI
}

type answerKey struct{}

// answerIn returns the answer to the message under ctx, or nil outside MCP.
func answerIn(ctx context.Context) *wholeAnswer {
	answer, _ := ctx.Value(answerKey{}).(*wholeAnswer)
	return answer
}

// wholeAnswer is the answer of mcp-go to one message. It tells mcp-go that it cannot stream, so
// that every POST is answered with one JSON body. It discards that body if the endpoint refuses the
// request in its own words.
type wholeAnswer struct {
	http.ResponseWriter
	arguments json.RawMessage // of a tools/call, as the client sent them; nil if mcp-go has them
	protocol  string          // the supported version that the header of the message names, or ""
	logged    bool            // the log has the line of the message
	refused   refusal
	status    int
	held      bytes.Buffer // the body, if the request is refused or not yet logged
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
	if w.refused.Code != 0 || !w.logged {
		_, _ = w.held.Write(p)
	}
	if w.refused.Code != 0 {
		return len(p), nil
	}
	return w.ResponseWriter.Write(p)
}
