package mcphttp

import (
	"bytes"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"basecamp-mcp/internal/signin/identity"
)

func TestJSON_IsNotEscapedForHTMLNorCachedUnlessTheCallerSaysSo(t *testing.T) {
	for given, want := range map[string]string{"": "no-store", "max-age=300": "max-age=300"} {
		w := httptest.NewRecorder()
		w.Header().Set("Cache-Control", given)
		JSON(w, http.StatusTeapot, map[string]string{"a": "<b> & c"})
		if w.Body.String() != `{"a":"<b> & c"}`+"\n" || w.Code != http.StatusTeapot || w.Header().Get("Cache-Control") != want {
			t.Errorf("%d %s %v", w.Code, w.Body, w.Header())
		}
	}
}

func TestJSON_AValueThatCannotBeWrittenIsA500(t *testing.T) {
	w := httptest.NewRecorder()
	JSON(w, http.StatusOK, math.NaN())
	if w.Code != http.StatusInternalServerError || !strings.Contains(w.Body.String(), "server_error") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestNotFound_IsJSON(t *testing.T) {
	w := serve(NotFound(), httptest.NewRequest(http.MethodGet, "/.well-known/x", nil))
	if w.Code != http.StatusNotFound || w.Header().Get("Content-Type") != "application/json" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
}

func stack(h http.Handler) (http.Handler, *bytes.Buffer) {
	var lines bytes.Buffer
	log := slog.New(slog.NewTextHandler(&lines, nil))
	return WithRequestID(Recover(h, log), func(r *http.Request) string { return r.Header.Get("X-Test") }), &lines
}

func TestRequestID_IsTheGatewaysOrRandom(t *testing.T) {
	h, _ := stack(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, identity.RequestID(r.Context()))
	}))
	for _, given := range []string{"req-9", ""} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("X-Test", given)
		w := serve(h, r)
		if id := w.Header().Get("X-Request-Id"); id != w.Body.String() || given != "" && id != given || given == "" && len(id) < 16 {
			t.Errorf("%q: %s %v", given, w.Body, w.Header())
		}
	}
	if w := serve(WithRequestID(NotFound(), nil), httptest.NewRequest(http.MethodGet, "/", nil)); len(w.Header().Get("X-Request-Id")) < 16 {
		t.Errorf("without a function: %v", w.Header())
	}
}

func TestRecover_APanicBecomesA500WithoutDetail(t *testing.T) {
	h, lines := stack(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("the innards") }))
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Header.Set("X-Test", "req-9")
	w := serve(h, r)
	want := `{"error":"server_error","error_description":"something went wrong on our side","request_id":"req-9"}` + "\n"
	if w.Code != http.StatusInternalServerError || w.Body.String() != want {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if !strings.Contains(lines.String(), "panic with a string") || strings.Contains(lines.String(), "the innards") || !strings.Contains(lines.String(), "request_id=req-9") {
		t.Errorf("log: %s", lines)
	}
}

func TestRecover_KeepsAnAnswerThatHasBegun(t *testing.T) {
	h, _ := stack(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted); panic(1) }))
	w := serve(h, httptest.NewRequest(http.MethodGet, "/", nil))
	if w.Code != http.StatusAccepted || w.Body.Len() > 0 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestRecover_LetsAnAbortThrough(t *testing.T) {
	h, _ := stack(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	defer func() {
		if p := recover(); p != http.ErrAbortHandler { //nolint:errorlint // a panic value
			t.Errorf("recovered %v", p)
		}
	}()
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
}

func TestRecover_APanicBehindTheGuardLeavesNoHalfAnswer(t *testing.T) {
	g, c := newGuard()
	c.reply = func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"half":`); panic("x") }
	h, _ := stack(g)
	w := serve(h, request{}.http())
	if w.Code != http.StatusInternalServerError || strings.Contains(w.Body.String(), "half") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

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
		w := serve(FrontPage(endpoint), r)
		if to := w.Header().Get("Location"); w.Code != test.want || (to == "/") != (test.want == http.StatusFound) {
			t.Errorf("%s: HTTP %d to %q, want %d", test.name, w.Code, to, test.want)
		}
		if w.Code == http.StatusFound && w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: a cache may store the redirect", test.name)
		}
	}
}

func TestCard_IsReadWithoutALoginAndNamesTheEndpoint(t *testing.T) {
	mux := http.NewServeMux()
	Card(mux, About{"basecamp-mcp", "Basecamp", "Reads Basecamp.", "1.2.3"}, func(*http.Request) string { return "https://mcp.fernhill.example" }, func() string { return "d1" })
	w := serve(mux, httptest.NewRequest(http.MethodGet, "/mcp/server-card", nil))
	for _, want := range []string{
		`"name":"example.fernhill.mcp/basecamp-mcp"`, `"url":"https://mcp.fernhill.example/mcp"`, `"2026-07-28"`, `{"basecamp-mcp/tools":"d1"}`,
		`"$schema":"https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json"`, `"version":"1.2.3"`,
	} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s is not in %s", want, w.Body)
		}
	}
	if w.Header().Get("Content-Type") != cardType || w.Header().Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("%v", w.Header())
	}
	catalog := httptest.NewRecorder()
	CatalogOfCard(catalog, "https://mcp.fernhill.example")
	if !strings.Contains(catalog.Body.String(), `"url":"https://mcp.fernhill.example/mcp/server-card"`) || !strings.Contains(catalog.Body.String(), "urn:air:mcp.fernhill.example:mcp:basecamp-mcp") {
		t.Errorf("%s", catalog.Body)
	}
}

func TestOrigin_OnlyTheServersAndLoopbackOnesPass(t *testing.T) {
	for want, origins := range map[int][]string{
		http.StatusOK: {
			origin, "https://MCP.example.com",
			"http://localhost", "http://localhost:6274", "https://localhost:8443", "http://127.0.0.1:3000", "http://127.8.8.8", "http://[::1]:80",
		},
		http.StatusForbidden: {
			"null", "", "https://evil.example", "http://mcp.example.com", "https://mcp.example.com:8443", "https://mcp.example.com.evil.example",
			"http://localhost.evil.example", "http://127.0.0.1.nip.io", "http://localhost@evil.example", "http://evil.example#localhost",
			"http://evil.example/localhost", "http://localhost/", "ftp://localhost", "file://", "chrome-extension://localhost", "localhost",
			"http://0.0.0.0", "http://2130706433", "http://10.0.0.1", "http://[::ffff:10.0.0.1]", "https://tools.example.org",
			"http://localhost, https://evil.example", "http://%6cocalhost", origin + "\n" + origin,
		},
	} {
		for _, from := range origins {
			g, c := newGuard()
			r := request{}.http()
			r.Header["Origin"] = strings.Split(from, "\n")
			w := serve(g, r)
			allowed := map[int]string{http.StatusOK: from}[want]
			if h := w.Header(); w.Code != want || h.Get("Access-Control-Allow-Origin") != allowed || h.Get("Content-Type") != "application/json" ||
				strings.Contains(w.Body.String(), "forbidden_origin") != (allowed == "") || (len(c.reached) > 0) != (allowed != "") {
				t.Errorf("%q: HTTP %d %v %s", from, w.Code, h, w.Body)
			}
		}
	}
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

func TestCORS_APreflightAllowsNoOtherOriginAndALimitedNumberOfHeaders(t *testing.T) {
	many := strings.Repeat("x-", 500)
	for i := range 1000 {
		many += ",x-" + strings.Repeat("a", i)
	}
	h := request{method: "OPTIONS", token: "-", header: map[string]string{"Origin": "https://evil.example", "Access-Control-Request-Headers": many}}.refused(t, http.StatusNoContent).Header()
	if got := len(h.Get("Access-Control-Allow-Headers")); got > 64*130 || h.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("%d bytes of headers for %q", got, h.Get("Access-Control-Allow-Origin"))
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
