package mcptool

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
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
// without mcp-go, whose session for each message and five readings of it take longer than the rest
// of a small call.
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
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, "the request body ended early", http.StatusBadRequest)
		return
	}
	m := readMessage(body)
	version := r.Header.Get(mcp.HeaderProtocolVersion)
	meta, ok := m.plain(r.Header)
	tool, known := e.tools[m.tool]
	switch {
	case !ok || m.method == mcp.MethodToolsCall && !known:
		e.pass(w, r, body, m, &wholeAnswer{}, start)
	case m.method == mcp.MethodToolsCall:
		e.call(w, r, body, m, tool, meta)
	default:
		head, end := e.result(m.method, version)
		writeReady(w, slices.Concat([]byte(beforeID), m.id(), head), end)
		e.server.logMethod(r.Context(), m.method, meta.ClientInfo(), servedVersion(version), calls.OK, start)
	}
}

// call runs a tool and writes its outcome as mcp-go would. mcp-go writes one that has more than a
// text.
func (e *endpoint) call(w http.ResponseWriter, r *http.Request, body []byte, m message, tool Tool, meta *mcp.Meta) {
	client := &server.RequestProtocolInfo{}
	if meta.ProtocolVersion() != "" {
		client = &server.RequestProtocolInfo{
			Modern: true, ProtocolVersion: meta.ProtocolVersion(), ClientInfo: meta.ClientInfo(),
			ClientCapabilities: meta.ClientCapabilities(), LogLevel: meta.LogLevel(),
		}
	}
	answer := &wholeAnswer{protocol: servedVersion(r.Header.Get(mcp.HeaderProtocolVersion))}
	ctx := server.WithRequestProtocolInfo(context.WithValue(r.Context(), answerKey{}, answer), client)
	o := e.server.call(ctx, toolCall{tool: tool, offered: e.tools, arguments: m.params["arguments"], channel: calls.MCP, readOnly: e.readOnly})
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
	writeReady(w, slices.Concat([]byte(beforeID), m.id(), []byte(resultKey), encode(result)), []byte("}\n"))
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
func (e *endpoint) result(method mcp.MCPMethod, version string) (head, end []byte) {
	switch {
	case method == mcp.MethodPing:
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

// pass lets mcp-go answer or refuse.
func (e *endpoint) pass(w http.ResponseWriter, r *http.Request, body []byte, m message, answer *wholeAnswer, start time.Time) {
	version := r.Header.Get(mcp.HeaderProtocolVersion)
	answer.ResponseWriter, answer.protocol = w, servedVersion(version)
	if uri := m.uri(); isReadable(uri) {
		answer.arguments, body = m.takeArguments(body)
		ctx := context.WithValue(r.Context(), answerKey{}, answer)
		e.mcp.Handle(answer, &server.HTTPRequest{Method: r.Method, URL: r.URL, Header: r.Header, Body: body, Context: ctx})
	} else {
		answer.refused = newRefusal(version == mcp.ProtocolVersion20260728, mcp.MethodResourcesRead, uri, unknownResource(uri))
	}
	if answer.refused.Code != 0 {
		answer.refused.write(w, m.id())
	}
	if !answer.logged {
		e.server.logPassed(r.Context(), m, answer, start)
	}
}

// message holds the members of a JSON-RPC message and of its params, undecoded. It is empty if the
// message cannot be parsed: mcp-go refuses that.
type message struct {
	members, params map[string]json.RawMessage
	method          mcp.MCPMethod
	tool            string // params.name of a tools/call
}

func readMessage(body []byte) (m message) {
	if !json.Valid(body) {
		return m
	}
	m.members = membersOf(body)
	m.method = mcp.MCPMethod(textOf(m.members["method"]))
	m.params = membersOf(m.members["params"])
	if m.method == mcp.MethodToolsCall {
		m.tool = textOf(m.params["name"])
	}
	return m
}

// membersOf returns the members of an object, undecoded and not copied, which takes a fifth of the
// time of encoding/json. It returns nil for any other value.
func membersOf(value json.RawMessage) map[string]json.RawMessage {
	value = bytes.TrimLeft(value, " \t\r\n")
	if len(value) == 0 || value[0] != '{' {
		return nil
	}
	members := make(map[string]json.RawMessage, 4)
	for name, member := range rawjson.Members(value) {
		members[textOf(name)] = member
	}
	return members
}

// textOf decodes a string, and returns "" for any other value.
func textOf(value json.RawMessage) (text string) {
	if len(value) > 1 && value[0] == '"' && bytes.IndexByte(value, '\\') < 0 {
		return string(value[1 : len(value)-1])
	}
	_ = json.Unmarshal(value, &text)
	return text
}

// plain reports whether a message says nothing unusual, so that mcp-go would answer it with a
// result, and returns what the client says about itself. mcp-go knows how to refuse the others. The
// stateless era has no ping.
func (m message) plain(header http.Header) (meta *mcp.Meta, ok bool) {
	allowed := []string{"_meta", "name", "arguments"}
	switch m.method {
	case mcp.MethodToolsCall:
	case mcp.MethodPing, mcp.MethodToolsList:
		allowed = allowed[:1]
	default:
		return nil, false
	}
	if string(m.members["jsonrpc"]) != `"2.0"` || !isPlainID(m.members["id"]) || !only(m.members, "jsonrpc", "id", "method", "params") || !only(m.params, allowed...) {
		return nil, false
	}
	if params := m.members["params"]; m.params == nil && params != nil && string(params) != "null" {
		return nil, false
	}
	if said := m.params["_meta"]; said != nil && json.Unmarshal(said, &meta) != nil {
		return nil, false
	}
	version, methods, names := header.Get(mcp.HeaderProtocolVersion), header["Mcp-Method"], header["Mcp-Name"]
	if version != mcp.ProtocolVersion20260728 {
		return meta, meta.ProtocolVersion() == "" && (version == "" || slices.Contains(legacyVersions, version))
	}
	return meta, m.method != mcp.MethodPing && meta.ProtocolVersion() == version && meta.ClientCapabilities() != nil &&
		len(methods) == 1 && methods[0] == string(m.method) && strings.Join(names, ",") == m.tool && !strings.HasPrefix(m.tool, "=?")
}

// only reports whether an object has no other members than the named ones.
func only(members map[string]json.RawMessage, names ...string) bool {
	for name := range members {
		if !slices.Contains(names, name) {
			return false
		}
	}
	return true
}

// isPlainID reports whether mcp-go would return an ID unchanged: a string without escapes, or a
// small whole number. mcp-go escapes for HTML, and two separators of lines.
func isPlainID(id json.RawMessage) bool {
	text := string(id)
	if strings.HasPrefix(text, `"`) {
		return !strings.ContainsAny(text, "\\<>&\u2028\u2029")
	}
	return text != "" && len(text) <= 15 && strings.Trim(text, "0123456789") == ""
}

// id returns the ID for the answer: null if the message has none.
func (m message) id() json.RawMessage {
	if id := m.members["id"]; id != nil {
		return id
	}
	return json.RawMessage("null")
}

// uri returns the URI that a resources/read asks for, as mcp-go reads it, and "" for any other
// message.
func (m message) uri() string {
	var params struct {
		URI string `json:"uri"`
	}
	if m.method == mcp.MethodResourcesRead {
		_ = json.Unmarshal(m.members["params"], &params) // mcp-go refuses params that cannot be parsed
	}
	return params.URI
}

// takeArguments takes the arguments of a tools/call out of the body, and returns both. The tool
// gets them as the client sent them. mcp-go would parse them several times, and would refuse a
// number too large for a float64 with the name of a Go type.
func (m message) takeArguments(body []byte) (arguments json.RawMessage, rest []byte) {
	arguments = m.params["arguments"]
	if m.method != mcp.MethodToolsCall || arguments == nil {
		return nil, body
	}
	params, members := maps.Clone(m.params), maps.Clone(m.members)
	params["arguments"] = json.RawMessage("{}")
	var err error
	if members["params"], err = json.Marshal(params); err == nil {
		rest, err = json.Marshal(members)
	}
	if err != nil {
		return nil, body
	}
	return arguments, rest
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
