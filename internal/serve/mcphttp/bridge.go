package mcphttp

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/text/plaintext"
)

// Bridge is the http.Handler of /tools and all paths below it, for programs that call the Messages
// API without an MCP client. GET /tools returns the list to pass on as tools; POST /tools/{name}
// executes a tool_use block. Its exported fields must be set. Callers pass the same checks as at
// /mcp. There are no sessions; Mcp-Session-Id is ignored.
type Bridge struct {
	Guard *Guard
	// Definitions returns the tools of a selection as a JSON list of {name, description,
	// input_schema}, in the order of tools/list.
	Definitions func(Selection) json.RawMessage
	// Tool returns a tool of a selection, and false if the selection has no tool of that name. The
	// tool takes a JSON object and returns JSON for every outcome: {is_error: false, result} with
	// images if there are any, or {is_error: true, error, error_code, retryable, data}.
	Tool func(s Selection, name string) (run func(ctx context.Context, arguments json.RawMessage) json.RawMessage, ok bool)
	// Unknown returns what helps with a name that no tool of a selection has: how to do what it
	// says, or else the tools with similar names.
	Unknown func(s Selection, name string) (how string, nearest []fault.Candidate)
}

// ServeHTTP answers one request.
func (b *Bridge) ServeHTTP(w http.ResponseWriter, r *http.Request) { b.Guard.serve(b, w, r) }

func (*Bridge) methods(r *http.Request) string {
	if toolIn(r.URL.Path) == "" {
		return "GET, HEAD"
	}
	return http.MethodPost
}

// admit lists the tools or runs one.
func (b *Bridge) admit(w http.ResponseWriter, r *http.Request, who authenticated, selected Selection) *answer {
	tool := toolIn(r.URL.Path)
	switch {
	case tool == "" && (r.Method == http.MethodGet || r.Method == http.MethodHead):
		b.list(w, r, selected)
		return nil
	case tool != "" && r.Method == http.MethodPost:
		return b.run(w, r, who.Caller, selected, tool)
	}
	return notAllowed(b.methods(r))
}

// toolIn returns the tool that a path names, or "" for the list.
func toolIn(path string) string { return strings.Trim(strings.TrimPrefix(path, "/tools"), "/") }

// selected reads ?toolsets=a,b&readonly=true. It refuses unknown parameters: read_only=true must
// not allow writes.
func (b *Bridge) selected(r *http.Request) (Selection, *answer) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return Selection{}, failed(http.StatusBadRequest, "invalid_request", "the query is malformed")
	}
	var s Selection
	for name, values := range query {
		switch name {
		case "toolsets":
			if s.Toolsets = names(strings.Join(values, ",")); s.Toolsets == nil {
				return Selection{}, failed(http.StatusBadRequest, "invalid_request", "toolsets is empty; omit it to get all toolsets")
			}
		case "readonly":
			if s.ReadOnly, err = strconv.ParseBool(values[0]); err != nil || len(values) > 1 {
				return Selection{}, failed(http.StatusBadRequest, "invalid_request", "readonly must be given once, as true or false")
			}
		default:
			return Selection{}, failed(http.StatusBadRequest, "invalid_request", "unknown parameter; the parameters are toolsets and readonly")
		}
	}
	if name := s.Unknown(b.Guard.Catalog.Toolsets()); name != "" {
		return Selection{}, failed(http.StatusBadRequest, "unknown_toolset", b.Guard.serves(name))
	}
	return s, nil
}

// list writes the list of tools. Clients may cache it as long as a tools/list.
func (b *Bridge) list(w http.ResponseWriter, r *http.Request, s Selection) {
	list := b.Definitions(s)
	sum := sha256.Sum256(list)
	etag := `"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`
	h := w.Header()
	h.Set("Etag", etag)
	h.Set("Cache-Control", "private, max-age=300")
	h.Add("Vary", toolsetsHeader+", "+readOnlyHeader)
	if holds(r.Header, etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	send(w, list)
}

// holds reports whether the client has the version with this ETag. A gateway that compresses may
// have made the tag weak (RFC 9110 section 13.1.2).
func holds(h http.Header, etag string) bool {
	for held := range strings.SplitSeq(strings.Join(h.Values("If-None-Match"), ","), ",") {
		held = strings.TrimPrefix(strings.TrimSpace(held), "W/")
		if held == etag || held == "*" {
			return true
		}
	}
	return false
}

// run runs one tool for the caller. The token says who the caller is; the arguments cannot name
// another user.
func (b *Bridge) run(w http.ResponseWriter, r *http.Request, caller identity.Caller, s Selection, tool string) *answer {
	execute, ok := b.Tool(s, tool)
	if !ok {
		how, nearest := b.Unknown(s, tool)
		return unknownTool(tool, how, nearest)
	}
	if refused := b.Guard.permit(r, caller, s, tool); refused != nil {
		return refused
	}
	arguments, bad := b.arguments(w, r)
	if bad != nil {
		return notRun(bad.status, bad.why)
	}
	send(w, execute(identity.With(r.Context(), caller), arguments))
	return nil
}

// arguments returns the body, which must be an object. An empty body counts as an empty object.
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

// unrun is the answer to a call that never reached its tool, in the form of a failed call.
type unrun struct {
	IsError bool       `json:"is_error"`
	Error   string     `json:"error"`
	Data    *unrunData `json:"data,omitempty"`
}

type unrunData struct {
	Nearest []fault.Candidate `json:"nearest"`
}

func notRun(status int, why string) *answer {
	return &answer{status: status, body: unrun{true, why, nil}}
}

// unknownTool returns the answer to a call of a tool that the selection does not have.
func unknownTool(name, how string, nearest []fault.Candidate) *answer {
	body := unrun{IsError: true, Error: "Unknown tool: " + plaintext.Word(name)}
	if how != "" {
		body.Error += "; " + how
	}
	if len(nearest) > 0 {
		body.Data = &unrunData{nearest}
	}
	return &answer{status: http.StatusNotFound, body: body}
}

func send(w http.ResponseWriter, body json.RawMessage) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(body) // an error means that the client has disconnected
}
