package mcphttp

import (
	"crypto/rand"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/identity"
)

// WithRequestID adds an ID to every request: the one that id finds in it, such as the gateway's, or
// a random one if id is nil or finds none. The ID is in the context, and the client gets it in
// X-Request-Id.
func WithRequestID(next http.Handler, id func(*http.Request) string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := ""
		if id != nil {
			name = id(r)
		}
		if name == "" {
			name = rand.Text()
		}
		w.Header().Set("X-Request-Id", name)
		next.ServeHTTP(w, r.WithContext(identity.WithRequestID(r.Context(), name)))
	})
}

// Recover turns a panic into a JSON 500 that shows only the request ID. The details go to the log.
func Recover(next http.Handler, log *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen := &watched{ResponseWriter: w}
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if p == http.ErrAbortHandler { //nolint:errorlint // a panic value, compared as net/http does
				panic(p)
			}
			id := identity.RequestID(r.Context())
			log.ErrorContext(r.Context(), "panic", "value", fault.Panicked(p), "stack", string(debug.Stack()), "request_id", id)
			if seen.status == 0 {
				JSON(w, http.StatusInternalServerError, failure{"server_error", "something went wrong on our side", id})
			}
		}()
		next.ServeHTTP(seen, r)
	})
}

// watched stores the status, which is zero until the header is written.
type watched struct {
	http.ResponseWriter
	status int
}

func (w *watched) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *watched) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(p)
}

// WriteConstant writes bytes that never change; see constantWriter.
func (w *watched) WriteConstant(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return WriteConstant(w.ResponseWriter, p)
}

// Unwrap returns the writer for http.ResponseController.
func (w *watched) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// FromBrowser reports whether a user opened the URL in a browser: a GET that accepts HTML, without
// a bearer token. MCP clients ask for JSON or an event stream.
func FromBrowser(r *http.Request) bool {
	return r.Method == http.MethodGet && r.Header.Get("Authorization") == "" &&
		strings.Contains(r.Header.Get("Accept"), "text/html")
}

// FrontPage redirects users who open the endpoint's URL in a browser to the front page, and passes
// every other request on to next.
func FrontPage(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !FromBrowser(r) {
			next.ServeHTTP(w, r)
			return
		}
		secure(w.Header())
		w.Header().Set("Vary", "Accept, Authorization")
		w.Header().Set("Location", "/")
		w.WriteHeader(http.StatusFound)
	})
}
