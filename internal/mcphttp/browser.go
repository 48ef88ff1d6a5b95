package mcphttp

import (
	"net/http"
	"strings"
)

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
