package mcptool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/mcp"

	"basecamp-mcp/internal/own/calls"
	"basecamp-mcp/internal/proof/mcptest"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/identity"
)

type greetInput struct {
	Name string `json:"name" jsonschema:"Whom to greet"`
}

type greeting struct {
	Text  string   `json:"text"`
	Marks []string `json:"marks"`
	Next  *int     `json:"next"`
}

func define(name string, effect Effect, run func(context.Context, greetInput) (greeting, error)) Tool {
	return Define(Spec{Name: name, Title: "Title of " + name, Description: "Tests " + name + ".", Effect: effect}, run)
}

func failWith(err error) func(context.Context, greetInput) (greeting, error) {
	return func(context.Context, greetInput) (greeting, error) { return greeting{}, err }
}

// outcomes returns tools that end in every way a tool can end.
func outcomes() []Toolset {
	missing := fault.New(fault.NotFound, "there is no such bike").Because(errors.New("secret cause"))
	missing.Resource = &fault.Resource{Type: "bike", ID: "7"}
	limited := fault.New(fault.RateLimited, "too fast")
	limited.RetryAfter = 1500 * time.Millisecond
	return []Toolset{
		{Name: "open", Tools: []Tool{
			define("greet", Reads, func(_ context.Context, in greetInput) (greeting, error) {
				return greeting{Text: "<" + in.Name + ">"}, nil
			}),
			define("create", Creates, failWith(nil)),
			define("update", Updates, failWith(nil)),
			define("append", Appends, failWith(nil)),
			define("delete", Deletes, failWith(nil)),
			define("missing", Reads, failWith(fmt.Errorf("greet: %w", missing))),
			define("limited", Reads, failWith(limited)),
			define("broken", Reads, failWith(errors.New("dial tcp 10.0.0.1: secret"))),
			define("panics", Reads, func(context.Context, greetInput) (greeting, error) { panic("secret in a panic") }),
			define("waits", Reads, func(ctx context.Context, _ greetInput) (greeting, error) {
				<-ctx.Done()
				return greeting{}, fmt.Errorf("wait: %w", ctx.Err())
			}),
		}},
		{Name: "closed", ClosedWorld: true, Tools: []Tool{define("remember", Updates, failWith(nil))}},
	}
}

type testServer struct {
	*Server
	log *bytes.Buffer
}

// serve returns a server of toolsets, and its log.
func serve(options Options, toolsets ...Toolset) testServer {
	var log bytes.Buffer
	options.Name, options.Title, options.Version, options.Log = "test", "Test", "1", slog.New(slog.NewJSONHandler(&log, nil))
	return testServer{log: &log, Server: NewServer(toolsets, options)}
}

// serveTools returns a server of one toolset.
func serveTools(options Options, tools ...Tool) testServer {
	return serve(options, Toolset{Name: "t", Tools: tools})
}

// newCalls returns a record of calls.
func newCalls(store calls.Store) *calls.Log {
	return calls.New(store, slog.New(slog.DiscardHandler), nil)
}

func threeRequests(ctx context.Context) (context.Context, func() int) {
	return ctx, func() int { return 3 }
}

func newTestServer() testServer { return serve(Options{Meter: threeRequests}, outcomes()...) }

var writer = identity.Caller{Subject: "37s:1", Scopes: []identity.Scope{identity.Write}}

// post sends a message like a client of the stateless era.
func post(ctx context.Context, t testing.TB, handler http.Handler, method, name, params string) *httptest.ResponseRecorder {
	t.Helper()
	if params != "" {
		params += ","
	}
	caller, _ := identity.From(ctx)
	return mcptest.Post(ctx, handler, caller, mcptest.Message(method, "{"+params+mcptest.Meta("{}")+"}"), mcptest.Header(method, name))
}

func (s testServer) callAs(t testing.TB, caller identity.Caller, tool, arguments string) mcptest.ToolResult {
	t.Helper()
	ctx := identity.WithRequestID(identity.With(t.Context(), caller), "req-1")
	w := post(ctx, t, s.Handler(Selection{}), "tools/call", tool, fmt.Sprintf(`"name":%q,"arguments":%s`, tool, arguments))
	result := mcptest.Result[mcptest.ToolResult](t, w.Body.Bytes())
	if len(result.Content) != 1 {
		t.Fatalf("%s: HTTP %d %s", tool, w.Code, w.Body)
	}
	return result
}

func TestCall_FailureIsOneTextBlockOfJSONWithoutStructuredContentOrCause(t *testing.T) {
	for tool, want := range map[string]string{
		"missing": `{"error_code":"NOT_FOUND","message":"there is no such bike","retryable":false,"data":{"tool":"missing","code":-31002,"resource":{"type":"bike","id":"7"}}}`,
		"limited": `{"error_code":"RATE_LIMITED","message":"too fast","retryable":true,"retry_after_seconds":2,"data":{"tool":"limited","code":-31001}}`,
		"broken":  `{"error_code":"INTERNAL_ERROR","message":"something went wrong on our side; if it happens again, report request req-1","retryable":false,"data":{"tool":"broken","code":-31011}}`,
		"panics":  `{"error_code":"INTERNAL_ERROR","message":"something went wrong on our side; if it happens again, report request req-1","retryable":false,"data":{"tool":"panics","code":-31011}}`,
		"greet":   `{"error_code":"INVALID_INPUT","message":"name: is required","retryable":false,"data":{"tool":"greet","code":-31005,"validation":[{"path":"name","message":"is required","code":"required"}]}}`,
	} {
		arguments := `{"name":"x"}`
		if tool == "greet" {
			arguments = `{}`
		}
		got := newTestServer().callAs(t, writer, tool, arguments)
		if !got.IsError || got.Content[0].Text != want || got.StructuredContent != nil {
			t.Errorf("%s:\n got %s %s\nwant %s", tool, got.Content[0].Text, got.StructuredContent, want)
		}
	}
}

func TestCall_TheToolValidatesAnyArguments(t *testing.T) {
	for arguments, want := range map[string]string{
		`{"name":1e400}`:     `name: must be a string, got 1e400`,
		`[1]`:                `arguments: must be an object, got a list`,
		`"x"`:                `arguments: must be an object, got \"x\"`,
		`null`:               `name: is required`,
		`{"name":"a","é":1}`: `é: is not an argument`,
		`{"name":"a","x":{"y":[` + strings.Repeat("9", 500) + `]}}`: `x: is not an argument`,
	} {
		got := newTestServer().callAs(t, writer, "greet", arguments)
		if text := got.Content[0].Text; !got.IsError || !strings.Contains(text, want) || !strings.Contains(text, "INVALID_INPUT") {
			t.Errorf("%.60s: got %s", arguments, text)
		}
	}
}

func TestCall_ArgumentsArriveWithAnEscapedMethod(t *testing.T) {
	body := `{"jsonrpc":"2.0","id":1,"method":"tools\/call","params":{"name":"gr\u0065et","arguments":{"name":"Ines"}}}`
	w := mcptest.Post(t.Context(), newTestServer().Handler(Selection{}), writer, body, nil)
	if !strings.Contains(w.Body.String(), "Ines") {
		t.Errorf("got %s", w.Body)
	}
}

func TestCall_ATimedOutReadIsRetryable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start, s := time.Now(), newTestServer()
		got := s.callAs(t, writer, "waits", `{"name":"x"}`)
		if !strings.Contains(got.Content[0].Text, `"error_code":"UPSTREAM_ERROR"`) || !strings.Contains(got.Content[0].Text, `"retryable":true`) {
			t.Errorf("got %s", got.Content[0].Text)
		}
		if took := time.Since(start); took != maxBudget {
			t.Errorf("took %v, want %v", took, maxBudget)
		}
		if line := s.lines(t); len(line) != 1 || line[0]["outcome"] != "UPSTREAM_ERROR" || line[0]["tool"] != "waits" {
			t.Errorf("logged %s", s.log)
		}
	})
}

func TestDeadline_LeavesTimeToAnswerBeforeTheFunctionIsStopped(t *testing.T) {
	start := time.Now()
	ctx, cancel := context.WithDeadline(t.Context(), start.Add(10*time.Second))
	defer cancel()
	ctx, r := newTestServer().start(ctx, invocation{}, true)
	defer r.cancel()
	if got, _ := ctx.Deadline(); !got.Equal(start.Add(8 * time.Second)) {
		t.Errorf("deadline is %v after the start, want 8s", got.Sub(start))
	}
}

func TestCall_TheCauseOfADefectIsOnlyInTheLog(t *testing.T) {
	s := newTestServer()
	s.callAs(t, writer, "panics", `{"name":"x"}`)
	if log := s.log.String(); !strings.Contains(log, "panic with a string") || strings.Contains(log, "secret in a panic") || !strings.Contains(log, `"level":"ERROR"`) {
		t.Errorf("logged %s", log)
	}
}

func TestCall_WithoutTheScopeIsDeniedEvenBehindTheGuard(t *testing.T) {
	reader := identity.Caller{Subject: "37s:1", Scopes: []identity.Scope{identity.Read}}
	for _, caller := range []identity.Caller{reader, {}} {
		got := newTestServer().callAs(t, caller, "create", `{"name":"x"}`)
		if !strings.Contains(got.Content[0].Text, `"error_code":"PERMISSION_DENIED"`) {
			t.Errorf("%+v: got %s", caller, got.Content[0].Text)
		}
	}
}

type listed struct {
	Result struct {
		Tools []struct {
			Name        string
			Title       string
			Annotations map[string]any
		}
	}
}

func (s testServer) list(t *testing.T, toolsets []string, readOnly bool) listed {
	t.Helper()
	var list listed
	w := post(t.Context(), t, s.Handler(Selection{Toolsets: toolsets, ReadOnly: readOnly}), "tools/list", "", "")
	if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil {
		t.Fatalf("%s: %v", w.Body, err)
	}
	return list
}

func TestList_StatesAllFourAnnotationsOfEveryEffect(t *testing.T) {
	want := map[string][4]any{ // readOnly, destructive, idempotent, openWorld
		"greet":    {true, false, true, true},
		"create":   {false, false, false, true},
		"update":   {false, false, true, true},
		"append":   {false, false, false, true},
		"delete":   {false, true, true, true},
		"remember": {false, false, true, false},
	}
	for _, tool := range newTestServer().list(t, nil, false).Result.Tools {
		a := tool.Annotations
		got := [4]any{a["readOnlyHint"], a["destructiveHint"], a["idempotentHint"], a["openWorldHint"]}
		if w, ok := want[tool.Name]; ok && got != w {
			t.Errorf("%s: annotations %v, want %v", tool.Name, got, w)
		}
		if tool.Title != "Title of "+tool.Name && tool.Name != "preview" || a["title"] != tool.Title {
			t.Errorf("%s: title %q and %q", tool.Name, tool.Title, a["title"])
		}
	}
}

func TestList_HasTheSelectedTools(t *testing.T) {
	names := func(l listed) (names []string) {
		for _, tool := range l.Result.Tools {
			names = append(names, tool.Name)
		}
		return names
	}
	s := newTestServer()
	for _, test := range []struct {
		toolsets []string
		readOnly bool
		want     []string
	}{
		{nil, false, []string{"append", "broken", "create", "delete", "greet", "limited", "missing", "panics", "preview", "remember", "update", "waits"}},
		{nil, true, []string{"broken", "greet", "limited", "missing", "panics", "waits"}},
		{[]string{"closed"}, false, []string{"preview", "remember"}},
		{[]string{"closed"}, true, nil},
	} {
		if diff := cmp.Diff(test.want, names(s.list(t, test.toolsets, test.readOnly))); diff != "" {
			t.Errorf("%v, read-only %v: -want +got:\n%s", test.toolsets, test.readOnly, diff)
		}
	}
	w := post(identity.With(t.Context(), writer), t, s.Handler(Selection{ReadOnly: true}), "tools/call", "create", `"name":"create","arguments":{"name":"x"}`)
	if !strings.Contains(w.Body.String(), "-32602") {
		t.Errorf("the read-only endpoint ran a write: %s", w.Body)
	}
}

func TestPing_IsAnsweredInTheErasThatHaveIt(t *testing.T) {
	w := mcptest.Post(t.Context(), newTestServer().Handler(Selection{}), writer, `{"jsonrpc":"2.0","id":"p","method":"ping"}`, nil)
	if w.Body.String() != `{"jsonrpc":"2.0","id":"p","result":{}}`+"\n" {
		t.Errorf("got %s", w.Body)
	}
	if w := post(t.Context(), t, newTestServer().Handler(Selection{}), "ping", "", ""); w.Code != http.StatusNotFound {
		t.Errorf("in the stateless era: HTTP %d %s", w.Code, w.Body)
	}
}

func TestInitialize_AnUnknownVersionGetsTheNewestLegacyVersion(t *testing.T) {
	for asked, want := range map[string]string{
		"2025-11-25": "2025-11-25", "2025-06-18": "2025-06-18", "2025-03-26": "2025-03-26",
		"2024-11-05": "2025-11-25", "1999-01-01": "2025-11-25", "2099-01-01": "2025-11-25",
	} {
		hello := mcptest.Message("initialize", fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"t","version":"1"}}`, asked))
		w := mcptest.Post(t.Context(), newTestServer().Handler(Selection{}), writer, hello, nil)
		if !strings.Contains(w.Body.String(), fmt.Sprintf(`"protocolVersion":%q`, want)) {
			t.Errorf("%s: got %s", asked, w.Body)
		}
	}
}

func TestScope_FollowsFromTheEffect(t *testing.T) {
	s := newTestServer()
	for tool, want := range map[string]identity.Scope{"greet": identity.Read, "create": identity.Write, "delete": identity.Write} {
		if got, ok := s.Scope(Selection{}, tool); !ok || got != want {
			t.Errorf("Scope(%s) = %s, %v; want %s", tool, got, ok, want)
		}
	}
	if _, ok := s.Scope(Selection{}, "nothing"); ok {
		t.Error("an unknown tool has a scope")
	}
}

// Both eras learn the same about the server, and every other result repeats only its name.
func TestServer_IntroducesItselfOnce(t *testing.T) {
	s := newLibrary()
	s.options.Title, s.options.Description, s.options.Icon = "Test", "Tests things.", Icon{Source: "data:image/svg+xml;base64,eA==", Type: "image/svg+xml"}
	brief := mcp.Implementation{Name: s.options.Name, Version: s.options.Version, Title: "Test"}
	whole := brief
	whole.Description, whole.WebsiteURL = "Tests things.", "https://mcp.fernhill.example/"
	whole.Icons = []mcp.Icon{{Src: "data:image/svg+xml;base64,eA==", MIMEType: "image/svg+xml", Sizes: []string{"any"}}}
	ctx := identity.With(identity.WithOrigin(t.Context(), "https://mcp.fernhill.example"), reader)
	h := s.Handler(Selection{})

	w := mcptest.Post(ctx, h, reader, mcptest.Message("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`), nil)
	if diff := cmp.Diff(whole, mcptest.Result[struct{ ServerInfo mcp.Implementation }](t, w.Body.Bytes()).ServerInfo); diff != "" {
		t.Errorf("initialize: %s", diff)
	}
	for method, want := range map[string]mcp.Implementation{"server/discover": whole, "tools/list": brief, "prompts/list": brief} {
		var answer struct {
			Result struct {
				Meta map[string]json.RawMessage `json:"_meta"`
			} `json:"result"`
		}
		var got mcp.Implementation
		if err := json.Unmarshal(post(ctx, t, h, method, "", "").Body.Bytes(), &answer); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(answer.Result.Meta[mcp.MetaKeyServerInfo], &got); err != nil {
			t.Fatalf("%s: %v", method, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", method, diff)
		}
	}
}
