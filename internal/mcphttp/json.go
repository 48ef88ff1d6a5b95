package mcphttp

import (
	"bytes"
	"encoding/json"
	"net/http"
)

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
