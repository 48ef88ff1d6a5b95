package mcphttp

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
)

// JSON-RPC error codes. They avoid -32000 to -32019, which MCP reserves for codes of its earlier
// versions.
const (
	codeParse              = -32700
	codeInvalidRequest     = -32600
	codeMethodNotFound     = -32601
	codeInvalidParams      = -32602
	codeInternal           = -32603
	codeHeaderMismatch     = -32020
	codeUnsupportedVersion = -32022
)

// answer is an answer of the guard itself, in place of passing the request on.
type answer struct {
	status int
	header http.Header
	body   any // nil for none
}

func (a *answer) write(w http.ResponseWriter) {
	maps.Copy(w.Header(), a.header)
	if a.body == nil {
		w.WriteHeader(a.status)
		return
	}
	JSON(w, a.status, a.body)
}

// failure is the body of every failure that is not about one JSON-RPC message, in the form of OAuth
// (RFC 6749 section 5.2).
type failure struct {
	Error       string `json:"error"`
	Description string `json:"error_description"`
	RequestID   string `json:"request_id,omitempty"`
}

func failed(status int, code, description string) *answer {
	return &answer{status: status, body: failure{Error: code, Description: description}}
}

// notAllowed returns a 405, which must name the allowed methods (RFC 9110 section 15.5.6).
func notAllowed(methods string) *answer {
	a := failed(http.StatusMethodNotAllowed, "method_not_allowed", "use "+methods)
	a.header = http.Header{"Allow": {methods}}
	return a
}

type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

// rpcFailed returns a JSON-RPC error about the message with this ID. MCP omits an ID that could not
// be read.
func rpcFailed(status int, id json.RawMessage, e rpcError) *answer {
	return &answer{status: status, body: struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id,omitempty"`
		Error   rpcError        `json:"error"`
	}{"2.0", id, e}}
}

// JSON writes v as the whole answer, uncached unless the caller has set Cache-Control, and as JSON
// unless the caller has set another type. It does not escape for HTML: "a < b" stays readable, and
// nosniff keeps browsers from reading it as a page.
func JSON(w http.ResponseWriter, status int, v any) {
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		status = http.StatusInternalServerError
		body.Reset()
		body.WriteString(`{"error":"server_error","error_description":"could not write the answer"}` + "\n")
	}
	secure(w.Header())
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes()) // an error means that the client has disconnected
}

// NotFound returns a handler for unknown routes. Clients probe for metadata and give up on HTML or
// a 5xx.
func NotFound() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		failed(http.StatusNotFound, "not_found", "this path does not exist").write(w)
	})
}

func secure(h http.Header) {
	h["X-Content-Type-Options"] = noSniff
	if h.Get("Cache-Control") == "" {
		h["Cache-Control"] = noStore
	}
}

// Values of headers, which nothing changes.
var (
	noSniff = []string{"nosniff"}
	noStore = []string{"no-store"}
)
