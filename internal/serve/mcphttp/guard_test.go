package mcphttp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/signin/identity"
)

const origin = "https://mcp.example.com"

// fakeCatalog is an MCP server that records what reaches it. It answers like the real one: a plain
// result, or a version for initialize, and a session ID of its own that the guard must drop.
type fakeCatalog struct {
	mu      sync.Mutex
	reached []reached
	reply   http.HandlerFunc // nil: the usual result
}

type reached struct {
	selection Selection
	body      string
	header    http.Header
	caller    identity.Caller
}

func (*fakeCatalog) Toolsets() []string { return []string{"account", "basecamp", "tasks", "todolist"} }

func (*fakeCatalog) Scope(_ Selection, tool string) (identity.Scope, bool) {
	s, known := map[string]identity.Scope{"get_project": identity.Read, "create_todo": identity.Write}[tool]
	return s, known
}

func (c *fakeCatalog) Handler(s Selection) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		caller, _ := identity.From(r.Context())
		c.mu.Lock()
		c.reached = append(c.reached, reached{s, string(body), r.Header, caller})
		c.mu.Unlock()
		if c.reply != nil {
			c.reply(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Mcp-Session-Id", "from-behind")
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{}}`+"\n")
	})
}

func (c *fakeCatalog) last(t *testing.T) reached {
	t.Helper()
	if len(c.reached) == 0 {
		t.Fatal("nothing reached the MCP server")
	}
	return c.reached[len(c.reached)-1]
}

// tokens knows ines with both scopes, twice; bo with the read scope; one caller without a key; and
// "down", for which the store does not answer.
type tokens struct{ MemorySessions }

var errDown = errors.New("dynamo: no answer")

func (t *tokens) Authenticate(_ context.Context, bearer, session string) (identity.Caller, bool, error) {
	c, err := t.caller(bearer)
	return c, t.Ended(session), err
}

func (*tokens) caller(bearer string) (identity.Caller, error) {
	switch bearer {
	case "ines":
		return caller("37s:1", "c1", identity.Read, identity.Write), nil
	case "elsewhere":
		return caller("37s:1", "c3", identity.Read, identity.Write), nil
	case "bo":
		c := caller("37s:2", "c2", identity.Read)
		c.Fence.Read = &fence.Places{Projects: []int64{1, 2}, Repos: []string{"fernhill/shop"}}
		return c, nil
	case "machine":
		c := caller("37s:3", "c3", identity.Read)
		c.Toolsets = []string{"basecamp", "tasks"}
		return c, nil
	case "keyless":
		return identity.Caller{Subject: "37s:1", Connection: "c1", Scopes: []identity.Scope{identity.Read}}, nil
	case "down":
		return identity.Caller{}, errDown
	}
	return identity.Caller{}, fmt.Errorf("look up the token: %w", ErrInvalidToken)
}

func caller(subject, connection string, scopes ...identity.Scope) identity.Caller {
	return identity.Caller{Subject: subject, Connection: connection, Scopes: scopes, Key: []byte("the key of connection " + connection)}
}

func newGuard() (*Guard, *fakeCatalog) {
	c := &fakeCatalog{}
	return &Guard{
		Catalog:       c,
		Authenticator: &tokens{},
		Origin:        func(*http.Request) string { return origin },
	}, c
}

// request is one request to the guard. The zero value is the tools/list of ines's legacy client.
type request struct {
	method string
	path   string
	token  string // "-" for none
	header map[string]string
	body   string
}

const listTools = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

func (q request) http() *http.Request {
	method, path, body := orElse(q.method, http.MethodPost), orElse(q.path, "/mcp"), orElse(q.body, listTools)
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	if q.token != "-" {
		r.Header.Set("Authorization", "Bearer "+orElse(q.token, "ines"))
	}
	for name, value := range q.header {
		r.Header.Set(name, value)
	}
	return r
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func (q request) send(g *Guard) *httptest.ResponseRecorder {
	return serve(g, q.http())
}

// refused sends a request to a guard of its own, which answers it itself.
func (q request) refused(t *testing.T, status int) *httptest.ResponseRecorder {
	t.Helper()
	g, c := newGuard()
	w := q.send(g)
	if w.Code != status {
		t.Errorf("%s %s %.60s: status %d, want %d; body %s", q.method, q.path, q.body, w.Code, status, w.Body)
	}
	wantNothingReached(t, c)
	return w
}

// stateless returns a message of 2026-07-28.
func stateless(method, params string) request {
	if params != "" {
		params += ","
	}
	return request{
		header: map[string]string{versionHeader: Version20260728, "Mcp-Method": method},
		body: `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params +
			`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`,
	}
}

const initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`

func wantStatus(t *testing.T, w *httptest.ResponseRecorder, status int) {
	t.Helper()
	if w.Code != status {
		t.Fatalf("status %d, want %d; body %s", w.Code, status, w.Body)
	}
}

func wantNothingReached(t *testing.T, c *fakeCatalog) {
	t.Helper()
	if len(c.reached) > 0 {
		t.Errorf("the MCP server was reached with %s", c.reached[0].body)
	}
}

func TestGuard_PassesOnExactlyTheBytesItChecked(t *testing.T) {
	g, c := newGuard()
	body := " {\"jsonrpc\":\"2.0\",\n\"id\" : 7,\"method\":\"tools/call\",\"params\":{\"name\":\"get_project\",\"arguments\":{\"n\":9007199254740993}}} "
	wantStatus(t, request{body: body}.send(g), http.StatusOK)
	if got := c.last(t); got.body != body || got.caller.Subject != "37s:1" {
		t.Errorf("reached with %+v", got)
	}
}

func TestGuard_PassesOnNoTokenAndNoHeaderTheMCPServerWouldTrust(t *testing.T) {
	g, c := newGuard()
	q := stateless("tools/list", "")
	maps.Copy(q.header, map[string]string{
		"Mcp-Session-Id": "x", "Last-Event-ID": "4", "Cookie": "a=b", "Accept": "text/html",
		"Content-Type": "application/json; charset", "Mcp-Param-Region": "eu",
	})
	wantStatus(t, q.send(g), http.StatusOK)
	got := c.last(t).header
	for _, name := range []string{"Authorization", "Mcp-Session-Id", "Last-Event-Id", "Cookie"} {
		if got[name] != nil {
			t.Errorf("%s reached the MCP server", name)
		}
	}
	for name, want := range map[string]string{
		"Accept": "application/json, text/event-stream", "Content-Type": "application/json", "Mcp-Param-Region": "eu",
		"Mcp-Method": "tools/list", versionHeader: Version20260728,
	} {
		if got.Get(name) != want {
			t.Errorf("%s = %q, want %q", name, got.Get(name), want)
		}
	}
}

func TestGuard_AcceptsWhateverTheClientAccepts(t *testing.T) {
	for _, accept := range []string{"", "*/*", "application/json", "text/event-stream"} {
		g, c := newGuard()
		wantStatus(t, request{header: map[string]string{"Accept": accept}}.send(g), http.StatusOK)
		if got := c.last(t).header.Get("Accept"); got != "application/json, text/event-stream" {
			t.Errorf("Accept %q became %q", accept, got)
		}
	}
}

func TestGuard_OffersTheMCPServerNoWayToStream(t *testing.T) {
	g, c := newGuard()
	c.reply = func(w http.ResponseWriter, _ *http.Request) {
		if _, ok := w.(http.Flusher); ok {
			t.Error("the writer can flush")
		}
		if err := http.NewResponseController(w).Flush(); err == nil {
			t.Error("the writer unwraps to one that can flush")
		}
		w.WriteHeader(http.StatusAccepted)
	}
	wantStatus(t, request{}.send(g), http.StatusAccepted)
}

func TestGuard_AnswersGetAndHeadWith405OnlyToKnownCallers(t *testing.T) {
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		if allowed := (request{method: method}).refused(t, http.StatusMethodNotAllowed).Header().Get("Allow"); allowed != "POST, DELETE" {
			t.Errorf("%s: Allow = %q", method, allowed)
		}
		request{method: method, token: "-"}.refused(t, http.StatusUnauthorized)
	}
}

func TestGuard_RefusesEveryOtherMethod(t *testing.T) {
	for _, method := range []string{http.MethodPut, http.MethodPatch, http.MethodTrace, "FROB"} {
		request{method: method}.refused(t, http.StatusMethodNotAllowed)
	}
}

func TestGuard_ChecksInItsDocumentedOrder(t *testing.T) {
	foreign := map[string]string{"Origin": "https://evil.example"}
	bad := map[string]string{"Content-Type": "text/plain", versionHeader: "1900-01-01", sessionHeader: "x"}
	long := strings.Repeat("x", defaultMaxBody+1)
	for _, test := range []struct {
		what string
		q    request
		want int
	}{
		{"preflight before origin", request{method: "OPTIONS", header: foreign, token: "-"}, 204},
		{"origin before bearer", request{header: foreign, token: "-"}, 403},
		{"bearer before path", request{path: "/mcp/nowhere", token: "-"}, 401},
		{"one slash at the end of a path", request{path: "/mcp//"}, 404},
		{"path before method", request{method: "GET", path: "/mcp/nowhere"}, 404},
		{"method before body", request{method: "PUT", body: long}, 405},
		{"size before content type", request{body: long, header: bad}, 413},
		{"content type before JSON", request{body: "{", header: bad}, 415},
		{"JSON before version", request{body: "{", header: map[string]string{versionHeader: "1900-01-01"}}, 400},
		{"version before session", request{header: map[string]string{versionHeader: "1900-01-01", sessionHeader: "x"}}, 400},
		{"session before scope", request{token: "bo", body: call("create_todo"), header: map[string]string{sessionHeader: "x"}}, 404},
		{"scope last", request{token: "bo", body: call("create_todo")}, 403},
	} {
		t.Run(test.what, func(t *testing.T) { test.q.refused(t, test.want) })
	}
}

func TestGuard_NeverLetsItsAnswersBeCachedOrSniffed(t *testing.T) {
	g, _ := newGuard()
	for _, q := range []request{{}, {token: "-"}, {method: "GET"}, {body: "{"}, {method: "OPTIONS"}, {path: "/mcp/x"}} {
		h := q.send(g).Header()
		if h.Get("Cache-Control") != "no-store" || h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%+v: %v", q, h)
		}
	}
}

func TestGuard_AnswersForAnMCPServerThatReturnsNothing(t *testing.T) {
	g, c := newGuard()
	c.reply = func(http.ResponseWriter, *http.Request) {}
	w := request{}.send(g)
	wantStatus(t, w, http.StatusInternalServerError)
	wantCode(t, w, codeInternal)
}

func TestGuard_KeepsConcurrentCallersApart(t *testing.T) {
	g, c := newGuard()
	c.reply = func(w http.ResponseWriter, r *http.Request) {
		caller, _ := identity.From(r.Context())
		_, _ = io.WriteString(w, caller.Subject+" "+caller.Session)
	}
	session := map[string]string{"37s:1": open(t, g, "ines"), "37s:2": open(t, g, "bo")}
	subject := map[string]string{"ines": "37s:1", "bo": "37s:2"}
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Go(func() {
			token := []string{"ines", "bo"}[i%2]
			s := session[subject[token]]
			w := request{token: token, header: map[string]string{sessionHeader: s}}.send(g)
			if got, want := w.Body.String(), subject[token]+" "+s; got != want {
				t.Errorf("%s was served as %q, want %q", token, got, want)
			}
			ended := mint(g, token)
			_ = request{method: "DELETE", token: token, header: map[string]string{sessionHeader: ended}}.send(g)
		})
	}
	wg.Wait()
}

func call(tool string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":{}}}`
}

func TestScope_AToolBeyondItIsChallengedWithAllScopesNeeded(t *testing.T) {
	w := request{token: "bo", body: call("create_todo")}.refused(t, http.StatusForbidden)
	wantChallenge(t, w, beyondScopes)
}

const beyondScopes = `Bearer error="insufficient_scope", error_description="this tool needs the scope write", ` +
	`resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/mcp", scope="read write"`

func TestScope_IsCheckedOnlyForTools(t *testing.T) {
	g, _ := newGuard()
	g.Authenticator = only()
	wantStatus(t, request{}.send(g), http.StatusOK)
	wantStatus(t, request{body: call("no_such_tool")}.send(g), http.StatusOK) // the MCP server says so
	w := request{body: call("get_project")}.send(g)
	wantStatus(t, w, http.StatusForbidden)
	if !strings.HasSuffix(w.Header().Get(challengeHeader), `scope="read"`) {
		t.Errorf("challenge %s", w.Header().Get(challengeHeader))
	}
}

func TestScope_FollowsTheBodyNotTheHeaders(t *testing.T) {
	q := stateless("tools/call", `"name":"create_todo"`)
	q.token = "bo"
	q.header["Mcp-Method"], q.header["Mcp-Name"] = "tools/list", "get_project"
	q.refused(t, http.StatusForbidden)
}

// anyToken accepts every token with the same scopes.
type anyToken struct {
	MemorySessions
	scopes []identity.Scope
}

func only(scopes ...identity.Scope) Authenticator { return &anyToken{scopes: scopes} }

func (o *anyToken) Authenticate(context.Context, string, string) (identity.Caller, bool, error) {
	return identity.Caller{Subject: "37s:3", Scopes: slices.Clone(o.scopes)}, false, nil
}

func FuzzGuard(f *testing.F) {
	f.Add("POST", "/mcp", "2026-07-28", "", "", "", call("create_todo"))
	f.Add("POST", "/mcp/x/tasks/readonly", "2025-11-25", "x", "tasks", "http://localhost:1", `{"jsonrpc":"2.0","id":1,"method":"tools/call","Method":"x"}`)
	f.Add("DELETE", "/mcp/", "", strings.Repeat("A", 43), "hub", "null", "")
	f.Add("OPTIONS", "/mcp/x/\"\r\n", "1900-01-01", "", "", "http://evil.example", initialize)
	f.Fuzz(func(t *testing.T, method, path, version, session, toolsets, from, body string) {
		g, c := newGuard()
		r := &http.Request{Method: method, URL: &url.URL{Path: path}, Body: io.NopCloser(strings.NewReader(body)), Header: http.Header{
			"Authorization": {"Bearer bo"}, "Content-Type": {"application/json"}, versionHeader: {version}, sessionHeader: {session},
			toolsetsHeader: {toolsets}, "Origin": {from},
		}}
		if from == "" {
			r.Header.Del("Origin")
		}
		w := serve(g, r)
		if w.Body.Len() > 0 && (!json.Valid(w.Body.Bytes()) || w.Header().Get("Content-Type") != "application/json") {
			t.Errorf("%d answered %q", w.Code, w.Body)
		}
		for name, values := range w.Header() {
			if strings.ContainsAny(name+strings.Join(values, ""), "\r\n\x00") {
				t.Errorf("the header %q is %q", name, values)
			}
		}
		for _, got := range c.reached {
			var read theirs
			_ = json.Unmarshal([]byte(got.body), &read)
			if method != http.MethodPost || got.body != body || read.Params.Name == "create_todo" && read.Method == "tools/call" ||
				read.Method == "notifications/cancelled" || got.caller.Session != "" {
				t.Errorf("the MCP server was reached with %s %+v", method, got)
			}
		}
	})
}
