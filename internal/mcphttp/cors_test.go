package mcphttp

import (
	"net/http"
	"strings"
	"testing"
)

func TestOrigin_TheServersLoopbackAndConfiguredOnesPass(t *testing.T) {
	for _, from := range []string{
		origin, "https://MCP.example.com", "https://tools.example.org",
		"http://localhost", "http://localhost:6274", "https://localhost:8443", "http://127.0.0.1:3000", "http://127.8.8.8", "http://[::1]:80",
	} {
		g, _ := newGuard()
		w := request{header: map[string]string{"Origin": from}}.send(g)
		if w.Code != http.StatusOK || w.Header().Get("Access-Control-Allow-Origin") != from {
			t.Errorf("%s: %d, allowed %q", from, w.Code, w.Header().Get("Access-Control-Allow-Origin"))
		}
	}
}

func TestOrigin_OthersAreRefused(t *testing.T) {
	for _, from := range []string{
		"null", "", "https://evil.example", "http://mcp.example.com", "https://mcp.example.com:8443", "https://mcp.example.com.evil.example",
		"http://localhost.evil.example", "http://127.0.0.1.nip.io", "http://localhost@evil.example", "http://evil.example#localhost",
		"http://evil.example/localhost", "http://localhost/", "ftp://localhost", "file://", "chrome-extension://localhost", "localhost",
		"http://0.0.0.0", "http://2130706433", "http://10.0.0.1", "http://[::ffff:10.0.0.1]", "https://tools.example.org.evil.example",
		"http://localhost, https://evil.example", "http://%6cocalhost",
	} {
		w := request{header: map[string]string{"Origin": from}}.refused(t, http.StatusForbidden)
		h := w.Header()
		if h.Get("Access-Control-Allow-Origin") != "" || h.Get("Content-Type") != "application/json" || !strings.Contains(w.Body.String(), "forbidden_origin") {
			t.Errorf("%q: answered %v %s", from, h, w.Body)
		}
	}
}

func TestOrigin_TwoAreRefused(t *testing.T) {
	g, _ := newGuard()
	r := request{}.http()
	r.Header["Origin"] = []string{origin, origin}
	wantStatus(t, serve(g, r), http.StatusForbidden)
}

func TestCORS_APreflightNeedsNoToken(t *testing.T) {
	w := request{method: "OPTIONS", token: "-", header: map[string]string{
		"Origin": "http://localhost:6274", "Access-Control-Request-Method": "POST",
		"Access-Control-Request-Headers": "authorization,mcp-param-region, traceparent,bad name,\"x\",a\tb",
	}}.refused(t, http.StatusNoContent)
	h := w.Header()
	if h.Get("Access-Control-Allow-Origin") != "http://localhost:6274" || h.Get("Access-Control-Allow-Credentials") != "" {
		t.Errorf("headers %v", h)
	}
	for _, method := range []string{"GET", "POST", "DELETE"} {
		if !strings.Contains(h.Get("Access-Control-Allow-Methods"), method) {
			t.Errorf("methods %q", h.Get("Access-Control-Allow-Methods"))
		}
	}
	allowed := h.Get("Access-Control-Allow-Headers")
	want := "Authorization, Content-Type, Accept, MCP-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name, Last-Event-ID, " +
		"X-MCP-Toolsets, X-MCP-Readonly, X-MCP-Projects, mcp-param-region, traceparent"
	if allowed != want {
		t.Errorf("allowed %q", allowed)
	}
}

func TestCORS_APreflightFromAnotherOriginAllowsNothing(t *testing.T) {
	w := request{method: "OPTIONS", token: "-", header: map[string]string{"Origin": "https://evil.example"}}.refused(t, http.StatusNoContent)
	if got := w.Header().Get("Access-Control-Allow-Origin"); got != "" {
		t.Errorf("allowed %q", got)
	}
}

func TestCORS_APreflightAllowsALimitedNumberOfHeaders(t *testing.T) {
	g, _ := newGuard()
	var many strings.Builder
	for i := range 1000 {
		many.WriteString("x-" + strings.Repeat("a", i) + ",")
	}
	w := request{method: "OPTIONS", header: map[string]string{"Access-Control-Request-Headers": many.String()}}.send(g)
	if got := len(w.Header().Get("Access-Control-Allow-Headers")); got > 64*130 {
		t.Errorf("%d bytes of header", got)
	}
}

func TestCORS_APageMayReadRefusals(t *testing.T) {
	g, _ := newGuard()
	from := map[string]string{"Origin": "http://localhost:6274"}
	for _, q := range []request{{header: from}, {header: from, token: "-"}, {header: from, method: "GET"}, {header: from, body: "{"}} {
		h := q.send(g).Header()
		if h.Get("Access-Control-Allow-Origin") != from["Origin"] || h.Get("Vary") != "Origin" ||
			h.Get("Access-Control-Expose-Headers") != "WWW-Authenticate, Mcp-Session-Id, MCP-Protocol-Version" {
			t.Errorf("%+v: %v", q, h)
		}
	}
	if got := (request{}).send(g).Header().Get("Access-Control-Expose-Headers"); got == "" {
		t.Error("nothing is exposed without an Origin")
	}
}
