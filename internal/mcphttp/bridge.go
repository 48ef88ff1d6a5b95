package mcphttp

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"basecamp-mcp/internal/identity"
)

// Toolbox is the tools behind the bridge, in the words of the Anthropic Messages API.
type Toolbox interface {
	// Definitions is the JSON list of a selection's tools, {name, description, input_schema} each, in the order of tools/list.
	Definitions(Selection) json.RawMessage
	// Tool gives a tool of a selection; false when there is none of that name in it. The tool takes a JSON object and answers in
	// JSON, whatever became of the call: {is_error: false, result} with images where there are any, or {is_error: true, error,
	// error_code, retryable, data}.
	Tool(s Selection, name string) (run func(ctx context.Context, arguments json.RawMessage) json.RawMessage, ok bool)
}

// Bridge is the http.Handler of /tools and everything below it, for programs that call the Messages API and want no MCP
// client: GET /tools is the list to pass on as tools, POST /tools/{name} does what a tool_use block asks for. Guard and
// Toolbox must be set. Whoever comes passes the same checks as at /mcp. There are no sessions here; Mcp-Session-Id is ignored.
type Bridge struct {
	Guard   *Guard
	Toolbox Toolbox

	mu    sync.Mutex
	lists map[string]toolList
}

// ServeHTTP answers one request.
func (b *Bridge) ServeHTTP(w http.ResponseWriter, r *http.Request) { b.Guard.serve(b, w, r) }

func (*Bridge) methods(r *http.Request) string {
	if toolIn(r.URL.Path) == "" {
		return "GET, HEAD"
	}
	return http.MethodPost
}

// admit lists the tools or uses one.
func (b *Bridge) admit(w http.ResponseWriter, r *http.Request, who authenticated, selected Selection) *answer {
	tool := toolIn(r.URL.Path)
	switch {
	case tool == "" && (r.Method == http.MethodGet || r.Method == http.MethodHead):
		b.list(w, r, selected)
		return nil
	case tool != "" && r.Method == http.MethodPost:
		return b.use(w, r, who.Caller, selected, tool)
	}
	return notAllowed(b.methods(r))
}

// toolIn is the tool a path names, "" for the list of them all.
func toolIn(path string) string { return strings.Trim(strings.TrimPrefix(path, "/tools"), "/") }

// selected reads ?toolsets=a,b&readonly=true, narrowed and bounded as at /mcp. A parameter we do not know is refused:
// read_only=true must not open writes.
func (b *Bridge) selected(r *http.Request) (Selection, *answer) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return Selection{}, failed(http.StatusBadRequest, "invalid_request", "the query cannot be read")
	}
	var s Selection
	for name, values := range query {
		switch name {
		case "toolsets":
			if s.Toolsets = names(strings.Join(values, ",")); s.Toolsets == nil {
				return Selection{}, failed(http.StatusBadRequest, "invalid_request", "toolsets names none; leave it out for all of them")
			}
		case "readonly":
			if s.ReadOnly, err = strconv.ParseBool(values[0]); err != nil || len(values) > 1 {
				return Selection{}, failed(http.StatusBadRequest, "invalid_request", "readonly must be true or false, once")
			}
		default:
			return Selection{}, failed(http.StatusBadRequest, "invalid_request", "the parameters are toolsets and readonly")
		}
	}
	if name := s.Unknown(b.Guard.Catalog.Toolsets()); name != "" {
		return Selection{}, failed(http.StatusBadRequest, "unknown_toolset", b.Guard.serves(name))
	}
	if refused := b.Guard.narrow(&s, r.Header); refused != nil {
		return Selection{}, refused
	}
	s.ReadOnly = s.ReadOnly || b.Guard.ReadOnly
	return s, nil
}

// toolList is the answer to GET /tools.
type toolList struct {
	body json.RawMessage
	etag string
}

// list tells the tools. It is cached by whoever asked for as long as a tools/list is.
func (b *Bridge) list(w http.ResponseWriter, r *http.Request, s Selection) {
	list := b.made(s)
	h := w.Header()
	h.Set("Etag", list.etag)
	h.Set("Cache-Control", "private, max-age=300")
	h.Add("Vary", toolsetsHeader+", "+readOnlyHeader)
	if has(r.Header, list.etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	send(w, list.body)
}

// made is the list of a selection, made once for each; there are few (see Selection).
func (b *Bridge) made(s Selection) toolList {
	key := fmt.Sprint(s.Toolsets, s.ReadOnly)
	b.mu.Lock()
	defer b.mu.Unlock()
	list, ok := b.lists[key]
	if !ok {
		list.body = b.Toolbox.Definitions(s)
		sum := sha256.Sum256(list.body)
		list.etag = `"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`
		if b.lists == nil {
			b.lists = map[string]toolList{}
		}
		b.lists[key] = list
	}
	return list
}

// has reports whether the client holds what the tag names; a gateway that compresses may have made it weak (RFC 9110 13.1.2).
func has(h http.Header, etag string) bool {
	for held := range strings.SplitSeq(strings.Join(h.Values("If-None-Match"), ","), ",") {
		held = strings.TrimPrefix(strings.TrimSpace(held), "W/")
		if held == etag || held == "*" {
			return true
		}
	}
	return false
}

// use runs one tool for the caller, who is the one the token names and nobody whom the arguments name (K-02).
func (b *Bridge) use(w http.ResponseWriter, r *http.Request, caller identity.Caller, s Selection, tool string) *answer {
	run, ok := b.Toolbox.Tool(s, tool)
	if !ok {
		return notUsed(http.StatusNotFound, "Unknown tool: "+printable(tool))
	}
	if refused := b.Guard.permit(r, caller, s, tool); refused != nil {
		return refused
	}
	arguments, bad := b.arguments(w, r)
	if bad != nil {
		return notUsed(bad.status, bad.why)
	}
	send(w, run(identity.With(r.Context(), caller), arguments))
	return nil
}

// arguments are the body, which must be an object (K-21); none at all stands for one that is empty.
func (b *Bridge) arguments(w http.ResponseWriter, r *http.Request) (json.RawMessage, *unreadable) {
	body, bad := b.Guard.read(w, r)
	if bad != nil {
		return nil, bad
	}
	body = bytes.Trim(body, blanks)
	contentType := r.Header.Get("Content-Type")
	switch {
	case contentType != "" && !isJSON(contentType):
		return nil, &unreadable{http.StatusUnsupportedMediaType, notJSON}
	case len(body) == 0:
		return json.RawMessage("{}"), nil
	case !utf8.Valid(body) || !json.Valid(body):
		return nil, &unreadable{http.StatusBadRequest, "the body is not valid JSON"}
	case !isObject(body):
		return nil, &unreadable{http.StatusBadRequest, "the body must be a JSON object, the arguments of the tool"}
	}
	return body, nil
}

// notUsed is the answer to a call that never came to its tool, in the form of one that failed.
func notUsed(status int, why string) *answer {
	return &answer{status: status, body: struct {
		IsError bool   `json:"is_error"`
		Error   string `json:"error"`
	}{true, why}}
}

// printable is a name as it came if it can be shown as it is; else quoted, and never long.
func printable(name string) string {
	const most = 64
	if runes := []rune(name); len(runes) > most {
		name = string(runes[:most]) + "…"
	}
	if quoted := strconv.Quote(name); quoted != `"`+name+`"` {
		return quoted
	}
	return name
}

func send(w http.ResponseWriter, body json.RawMessage) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(body) // the client is gone: nobody is left to tell
}
