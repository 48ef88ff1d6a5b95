package mcptool

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"basecamp-mcp/internal/own/calls"
	"basecamp-mcp/internal/serve/mcphttp"
	"basecamp-mcp/internal/text/rawjson"
)

// endpoint answers POSTed messages with mcp-go, but a plain tools/list, ping and tools/call itself.
// The lists are ready: mcp-go would encode every tool for each tools/list. A call runs its tool
// without mcp-go, whose session for each message and five readings of it allocate more than twice
// as much as the rest of a small call.
type endpoint struct {
	server   *Server
	mcp      *server.StreamableHTTPServer
	lists    lists
	tools    map[string]Tool // by each name that a call can use
	readOnly bool
	about    map[string]any // the _meta of a result of the stateless era
}

func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	body, _ := io.ReadAll(r.Body) // the guard has read it from the client
	m := mcphttp.Read(body)
	version := r.Header.Get(mcp.HeaderProtocolVersion)
	meta, ok := plain(m, r.Header)
	tool, known := e.tools[m.Tool]
	switch isCall := m.Method == string(mcp.MethodToolsCall); {
	case !ok || isCall && !known:
		e.pass(w, r, body, m, &wholeAnswer{}, start)
	case isCall:
		e.call(w, r, body, m, tool, meta)
	default:
		head, end := e.result(m.Method, version)
		writeReady(w, slices.Concat([]byte(beforeID), m.ID, head), end)
		e.server.logMethod(r.Context(), m.Method, meta.ClientInfo(), servedVersion(version), calls.OK, start)
	}
}

// call runs a tool and writes its outcome as mcp-go would. mcp-go writes one that has more than a
// text.
func (e *endpoint) call(w http.ResponseWriter, r *http.Request, body []byte, m mcphttp.Message, tool Tool, meta *mcp.Meta) {
	client := &server.RequestProtocolInfo{}
	if meta.ProtocolVersion() != "" {
		client = &server.RequestProtocolInfo{
			Modern: true, ProtocolVersion: meta.ProtocolVersion(), ClientInfo: meta.ClientInfo(),
			ClientCapabilities: meta.ClientCapabilities(), LogLevel: meta.LogLevel(),
		}
	}
	answer := &wholeAnswer{protocol: servedVersion(r.Header.Get(mcp.HeaderProtocolVersion))}
	ctx := server.WithRequestProtocolInfo(context.WithValue(r.Context(), answerKey{}, answer), client)
	o := e.server.call(ctx, toolCall{tool: tool, offered: e.tools, arguments: m.Arguments, channel: calls.MCP, readOnly: e.readOnly})
	result := textResult{Content: []textContent{{"text", string(o.JSON)}}, IsError: o.IsError}
	switch {
	case o.asks != nil || o.requires != nil || o.meta != nil || len(o.Images) > 0:
		answer.called = o
		e.pass(w, r, body, m, answer, time.Now())
		return
	case ctx.Err() != nil: // mcp-go writes nothing to a client that has disconnected
		return
	case client.Modern:
		result.Meta, result.ResultType = e.about, mcp.ResultTypeComplete
	}
	if !o.IsError {
		result.Structured = o.JSON
	}
	writeReady(w, slices.Concat([]byte(beforeID), m.ID, []byte(resultKey), encode(result)), []byte("}\n"))
}

// textResult is a result of one text, with its members in the order of mcp-go.
type textResult struct {
	Meta       map[string]any  `json:"_meta,omitempty"`
	Content    []textContent   `json:"content"`
	IsError    bool            `json:"isError,omitempty"`
	ResultType mcp.ResultType  `json:"resultType,omitempty"`
	Structured json.RawMessage `json:"structuredContent,omitempty"`
}

type textContent struct {
	Type string `json:"type"`
	Text string `json:"text"`
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

// writeReady writes an answer whose end is the same for all callers. It does not copy the end.
func writeReady(w http.ResponseWriter, head, end []byte) {
	w.Header().Set("Content-Type", jsonType)
	w.Header().Set("Content-Length", strconv.Itoa(len(head)+len(end)))
	_, _ = w.Write(head) // an error means that the client has disconnected
	_, _ = mcphttp.WriteConstant(w, end)
}

// pass lets mcp-go answer or refuse. A tool gets its arguments as the client sent them: mcp-go
// would parse them several times, and would refuse a number too large for a float64 with the name
// of a Go type.
func (e *endpoint) pass(w http.ResponseWriter, r *http.Request, body []byte, m mcphttp.Message, answer *wholeAnswer, start time.Time) {
	version := r.Header.Get(mcp.HeaderProtocolVersion)
	answer.ResponseWriter, answer.protocol, answer.arguments = w, servedVersion(version), m.Arguments
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

// plain reports whether a message says nothing unusual, so that mcp-go would answer it with a
// result, and returns what the client says about itself. mcp-go knows how to refuse the others. The
// stateless era has no ping.
func plain(m mcphttp.Message, header http.Header) (meta *mcp.Meta, ok bool) {
	allowed := []string{`"_meta"`, `"name"`, `"arguments"`}
	switch mcp.MCPMethod(m.Method) {
	case mcp.MethodToolsCall:
	case mcp.MethodPing, mcp.MethodToolsList:
		allowed = allowed[:1]
	default:
		return nil, false
	}
	if m.ID == nil || !only(m.Params, allowed) || m.Meta != nil && json.Unmarshal(m.Meta, &meta) != nil {
		return nil, false
	}
	version, methods, names := header.Get(mcp.HeaderProtocolVersion), header["Mcp-Method"], header["Mcp-Name"]
	if version != mcp.ProtocolVersion20260728 {
		return meta, meta.ProtocolVersion() == "" && (version == "" || slices.Contains(legacyVersions, version))
	}
	return meta, m.Method != string(mcp.MethodPing) && meta.ProtocolVersion() == version && meta.ClientCapabilities() != nil &&
		len(methods) == 1 && methods[0] == m.Method && strings.Join(names, ",") == m.Tool && !strings.HasPrefix(m.Tool, "=?")
}

// only reports whether params have no other members than those with the encoded names.
func only(params json.RawMessage, names []string) bool {
	if params != nil {
		for name := range rawjson.Members(params) {
			if !slices.Contains(names, string(name)) {
				return false
			}
		}
	}
	return true
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
	called    *Outcome        // of a tools/call that has run; nil if it has not
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
