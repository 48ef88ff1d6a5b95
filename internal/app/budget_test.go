package app

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"

	"basecamp-mcp/internal/app/local"
	"basecamp-mcp/internal/proof/mcptest"
	"basecamp-mcp/internal/serve/lambdahttp"
	"basecamp-mcp/internal/serve/mcphttp"
)

// sink is an http.ResponseWriter that counts the bytes of an answer and keeps none.
type sink struct {
	header http.Header
	status int
	size   int
}

func (s *sink) Header() http.Header         { return s.header }
func (s *sink) WriteHeader(status int)      { s.status = status }
func (s *sink) Write(p []byte) (int, error) { s.size += len(p); return len(p), nil }

// sending returns a function that sends one message to a handler, and fails the test unless the
// answer has at least the given number of bytes.
func sending(t *testing.T, h http.Handler, era, method, name, params string, least int) func() {
	t.Helper()
	if era == mcptest.Modern {
		params = strings.TrimSuffix(params, "}")
		if params != "{" {
			params += ","
		}
		params += mcptest.Meta("{}") + "}"
	}
	body := mcptest.Message(method, params)
	header := http.Header{"Content-Type": {"application/json"}, "Mcp-Protocol-Version": {era}}
	if era == mcptest.Modern {
		header = mcptest.Header(method, name)
	}
	header.Set("Authorization", "Bearer sandbox-ines")
	if era != mcptest.Modern {
		header.Set("Mcp-Session-Id", sessionOf(t, h, era))
	}
	r := httptest.NewRequest(http.MethodPost, "/mcp", nil)
	return func() {
		sent := *r
		sent.Header, sent.Body = header, readCloser{strings.NewReader(body)}
		w := sink{header: make(http.Header)}
		h.ServeHTTP(&w, &sent)
		if w.status != http.StatusOK || w.size < least {
			t.Fatalf("%s: HTTP %d, %d bytes", method, w.status, w.size)
		}
	}
}

// sessionOf returns the ID of a new session.
func sessionOf(t *testing.T, h http.Handler, era string) string {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(mcptest.Message("initialize", `{"protocolVersion":"`+era+`"}`)))
	r.Header = http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer sandbox-ines"}}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		t.Fatalf("HTTP %d %s", w.Code, w.Body)
	}
	return w.Header().Get("Mcp-Session-Id")
}

type readCloser struct{ *strings.Reader }

func (readCloser) Close() error { return nil }

// measured returns how many times a function allocates, and how many bytes, on average.
func measured(run func()) (times, size float64) {
	const runs = 100
	run()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	times = testing.AllocsPerRun(runs, run)
	runtime.ReadMemStats(&after)
	return times, float64(after.TotalAlloc-before.TotalAlloc) / (runs + 1)
}

// unchanged is a Basecamp that answers 304 to each read that it has answered before. The sandbox
// would allocate more than the server does.
type unchanged struct {
	sandbox http.RoundTripper
	mu      sync.Mutex
	headers map[string]http.Header
}

func (u *unchanged) RoundTrip(r *http.Request) (*http.Response, error) {
	u.mu.Lock()
	header := u.headers[r.URL.String()]
	u.mu.Unlock()
	if header != nil && r.Header.Get("If-None-Match") == header.Get("ETag") {
		return &http.Response{StatusCode: http.StatusNotModified, Header: header, Body: http.NoBody, Request: r}, nil
	}
	response, err := u.sandbox.RoundTrip(r)
	if err == nil && response.Header.Get("ETag") != "" {
		u.mu.Lock()
		u.headers[r.URL.String()] = response.Header.Clone()
		u.mu.Unlock()
	}
	return response, err
}

// unchanging returns the function's handler in front of an unchanged Basecamp.
func unchanging(t *testing.T) http.Handler {
	t.Helper()
	c := sandboxed()
	c.Contact = "https://example.com"
	demo := local.NewDemo()
	up, hub := demoUpstream(demo), demoGitHub(demo, c.PublicURL)
	up.transport = &unchanged{sandbox: up.transport, headers: map[string]http.Header{}}
	access := newAccess(demo.Users(), newLogins(c, quiet, linkDemo(demo, quiet, hub, inMemory("", "")), signOn{}), nil)
	mux, _, err := newEndpoint(c, quiet, up, nil, access)
	if err != nil {
		t.Fatal(err)
	}
	return finish(mux, nil, mcphttp.NotFound(), c, quiet)
}

func TestHotPaths_StayWithinTheirAllocations(t *testing.T) {
	if underRace {
		t.Skip("the race detector allocates")
	}
	h := unchanging(t)
	const legacy = "2025-11-25"
	const todos = `{"name":"list_todos","arguments":{"project_id":"Cargo Bike Launch","limit":50}}`
	const tasks = `{"name":"list_tasks","arguments":{}}`
	call := `{"name":"get_me","arguments":{}}`
	for _, test := range []struct {
		name        string
		run         func()
		times, size float64
	}{
		{"ping", sending(t, h, legacy, "ping", "", "{}", 30), 72, 6_600},
		{"tools/list, 2025-11-25", sending(t, h, legacy, "tools/list", "", "{}", 100_000), 73, 6_700},
		{"tools/list, 2026-07-28", sending(t, h, mcptest.Modern, "tools/list", "", "{}", 100_000), 113, 8_800},
		{"get_me, 2025-11-25", sending(t, h, legacy, "tools/call", "get_me", call, 500), 255, 23_400},
		{"get_me, 2026-07-28", sending(t, h, mcptest.Modern, "tools/call", "get_me", call, 500), 304, 25_600},
		{"list_tasks, 2025-11-25", sending(t, h, legacy, "tools/call", "list_tasks", tasks, 100), 145, 12_500},
		{"list_tasks, 2026-07-28", sending(t, h, mcptest.Modern, "tools/call", "list_tasks", tasks, 100), 194, 14_300},
		{"list_todos, 50 unchanged", sending(t, h, legacy, "tools/call", "list_todos", todos, 10_000), 2_950, 530_000},
		{"tools/list on Lambda", invoking(t, h, "", 100_000), 191, 1_080_000},
		{"tools/list on Lambda, compressed", invoking(t, h, "gzip, br", 10_000), 198, 60_000},
	} {
		// What a client of the stateless era says about itself is decoded with each message.
		times, size := measured(test.run)
		t.Logf("%-34s %6.0f allocations, %8.0f bytes", test.name, times, size)
		if times > test.times || size > test.size {
			t.Errorf("%s: %.0f allocations of %.0f bytes, at most %.0f of %.0f are allowed", test.name, times, size, test.times, test.size)
		}
	}
}

// invoking returns a function that asks for tools/list through the gateway.
func invoking(t *testing.T, h http.Handler, accepts string, least int) func() {
	t.Helper()
	function := lambdahttp.Handler(h)
	body := mcptest.Message("tools/list", "{"+mcptest.Meta("{}")+"}")
	event, err := json.Marshal(map[string]any{
		"version": "2.0", "rawPath": "/mcp", "body": body,
		"headers": map[string]string{
			"accept": "application/json, text/event-stream", "accept-encoding": accepts, "authorization": "Bearer sandbox-ines",
			"content-type": "application/json", "mcp-method": "tools/list", "mcp-protocol-version": mcptest.Modern,
		},
		"requestContext": map[string]any{"http": map[string]string{"method": "POST"}, "domainName": "abc.execute-api.eu-central-1.amazonaws.com"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		answer, err := function.Invoke(t.Context(), event)
		if err != nil || !strings.HasPrefix(string(answer[:20]), `{"statusCode":200,`) || len(answer) < least {
			t.Fatalf("%v, %d bytes: %.300s", err, len(answer), answer)
		}
	}
}

// mostAtStart is how often the initialization of a package of this module may allocate. A regular
// expression that lists the months takes as many allocations.
const mostAtStart = 400

// Package variables are set at each cold start, whatever the function then serves: most serve no
// GitHub. Allocations are counted instead of time, because their number is the same on every
// machine.
func TestPackages_AllocateLittleAtTheirStart(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	traced, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, traced)
	}
	const own, tests = "basecamp-mcp/internal/", "basecamp-mcp/internal/app" // with the variables of these tests
	seen := 0
	for line := range strings.Lines(string(traced)) {
		var name string
		var at, took float64
		var size, times int
		if _, err := fmt.Sscanf(line, "init %s @%f ms, %f ms clock, %d bytes, %d allocs", &name, &at, &took, &size, &times); err != nil || !strings.HasPrefix(name, own) && !strings.HasPrefix(name, "github.com/vektah/") || name == tests {
			continue
		}
		seen++
		t.Logf("%-50s %5d allocations, %7d bytes", name, times, size)
		if times > mostAtStart {
			t.Errorf("%s allocates %d times at the start, at most %d times are allowed: make its variables at their first use", name, times, mostAtStart)
		}
	}
	if seen == 0 {
		t.Errorf("the trace shows no package of this module:\n%s", traced)
	}
}
