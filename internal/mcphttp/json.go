package mcphttp

import (
	"bytes"
	"encoding/json"
	"net/http"
)

// JSON writes v as the whole answer, uncached unless the caller has set Cache-Control. Nothing is escaped for HTML: "a < b"
// stays readable, and nosniff keeps browsers from taking it for a page.
func JSON(w http.ResponseWriter, status int, v any) {
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		status = http.StatusInternalServerError
		body.Reset()
		body.WriteString(`{"error":"server_error","error_description":"the answer could not be written"}` + "\n")
	}
	secure(w.Header())
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes()) // the client is gone: nobody is left to tell
}

// NotFound answers unknown routes. Clients probe for metadata and give up on HTML or a 5xx (R8).
func NotFound() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		failed(http.StatusNotFound, "not_found", "there is nothing here").write(w)
	})
}

func secure(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "no-store")
	}
}
