package mcphttp

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestFrontPage_RedirectsOnlyBrowsersWithoutABearer(t *testing.T) {
	const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	endpoint := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
	for _, test := range []struct {
		name, method, accept, authorization string
		want                                int
	}{
		{"a browser", "GET", browser, "", http.StatusFound},
		{"a browser with a bearer", "GET", browser, "Bearer x", http.StatusUnauthorized},
		{"a HEAD request", "HEAD", browser, "", http.StatusUnauthorized},
		{"a POST request", "POST", browser, "", http.StatusUnauthorized},
		{"an MCP client that opens a stream", "GET", "text/event-stream", "", http.StatusUnauthorized},
		{"an MCP client that sends both types", "GET", "application/json, text/event-stream", "", http.StatusUnauthorized},
		{"any type", "GET", "*/*", "", http.StatusUnauthorized},
		{"no Accept", "GET", "", "", http.StatusUnauthorized},
	} {
		r := httptest.NewRequest(test.method, "/mcp", http.NoBody)
		r.Header.Set("Accept", test.accept)
		if test.authorization != "" {
			r.Header.Set("Authorization", test.authorization)
		}
		w := httptest.NewRecorder()
		FrontPage(endpoint).ServeHTTP(w, r)
		if to := w.Header().Get("Location"); w.Code != test.want || (to == "/") != (test.want == http.StatusFound) {
			t.Errorf("%s: HTTP %d to %q, want %d", test.name, w.Code, to, test.want)
		}
		if w.Code == http.StatusFound && w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: a cache may store the redirect", test.name)
		}
	}
}
