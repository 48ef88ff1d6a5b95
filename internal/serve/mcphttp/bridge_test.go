package mcphttp

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/identity"
)

// fakeToolbox offers get_project, and create_todo where writes are allowed. It records its calls.
type fakeToolbox struct {
	made int
	used []use
}

type use struct {
	selection       Selection
	tool, arguments string
	caller          identity.Caller
	origin          string
}

func (f *fakeToolbox) Definitions(s Selection) json.RawMessage {
	f.made++
	if s.ReadOnly {
		return json.RawMessage(`[{"name":"get_project"}]`)
	}
	return json.RawMessage(`[{"name":"create_todo"},{"name":"get_project"}]`)
}

func (f *fakeToolbox) Tool(s Selection, name string) (func(context.Context, json.RawMessage) json.RawMessage, bool) {
	return func(ctx context.Context, arguments json.RawMessage) json.RawMessage {
		caller, _ := identity.From(ctx)
		f.used = append(f.used, use{s, name, string(arguments), caller, identity.Origin(ctx)})
		return json.RawMessage(`{"is_error":false,"result":{"a":"<b>"}}`)
	}, name == "get_project" || name == "create_todo" && !s.ReadOnly
}

func (f *fakeToolbox) Unknown(_ Selection, name string) (how string, nearest []fault.Candidate) {
	switch name {
	case "plant_tree":
		return "call change_garden", nil
	case "get_projects":
		return "", []fault.Candidate{{Type: "tool", Name: "get_project"}}
	}
	return "", nil
}

func newBridge() (*Bridge, *fakeToolbox) {
	g, _ := newGuard()
	f := &fakeToolbox{}
	return &Bridge{Guard: g, Definitions: f.Definitions, Tool: f.Tool, Unknown: f.Unknown}, f
}

// bridged sends a request to the bridge. The body "-" means no body.
func (q request) bridged(b *Bridge) *httptest.ResponseRecorder {
	q.method, q.path, q.body = orElse(q.method, http.MethodPost), orElse(q.path, "/tools/get_project"), orElse(q.body, "{}")
	r := q.http()
	if q.body == "-" {
		r.Body = http.NoBody
	}
	if v, given := q.header["Content-Type"]; given && v == "" {
		r.Header.Del("Content-Type")
	}
	return serve(b, r)
}

// unused sends a request to a bridge of its own, which reaches no tool.
func (q request) unused(t *testing.T, status int) *httptest.ResponseRecorder {
	t.Helper()
	b, f := newBridge()
	w := q.bridged(b)
	if w.Code != status || len(f.used)+f.made > 0 {
		t.Errorf("%s %s %.60s: status %d, want %d; %d calls, %d lists, body %s", q.method, q.path, q.body, w.Code, status, len(f.used), f.made, w.Body)
	}
	return w
}

// listing requests the list at a path.
func listing(path string, header map[string]string) request {
	return request{method: http.MethodGet, path: path, header: header}
}

func TestBridge_RunsAToolForTheTokensCaller(t *testing.T) {
	b, f := newBridge()
	arguments := `{"user_id":"37s:2","n":9007199254740993}`
	w := request{body: " " + arguments + "\n", header: map[string]string{sessionHeader: mint(b.Guard, "ines")}}.bridged(b)
	wantStatus(t, w, http.StatusOK)
	if w.Body.String() != `{"is_error":false,"result":{"a":"<b>"}}` || w.Header().Get("Content-Type") != "application/json" || w.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("answered %s %v", w.Body, w.Header())
	}
	want := use{tool: "get_project", arguments: arguments, caller: caller("37s:1", "c1", identity.Read, identity.Write), origin: origin}
	if diff := cmp.Diff([]use{want}, f.used, cmp.AllowUnexported(use{})); diff != "" {
		t.Errorf("used (-want +got):\n%s", diff)
	}
}

func TestBridge_AnEmptyBodyMeansNoArguments(t *testing.T) {
	for _, q := range []request{{body: "-"}, {body: "-", header: map[string]string{"Content-Type": ""}}, {body: " \r\n"}, {body: "{}"}} {
		b, f := newBridge()
		wantStatus(t, q.bridged(b), http.StatusOK)
		if f.used[0].arguments != "{}" {
			t.Errorf("used with %s", f.used[0].arguments)
		}
	}
}

func TestBridge_ABodyOtherThanAnObjectIsAnError(t *testing.T) {
	for body, want := range map[string]int{
		"null": 400, "[]": 400, `[{"a":1}]`: 400, `"x"`: 400, "7": 400, "true": 400, "{": 400, "{}{}": 400, `{"a":1,}`: 400, "\xff": 400,
		"{\"a\":\"\xff\"}": 400, "\ufeff{}": 400,
		`{"a":"` + strings.Repeat("x", defaultMaxBody) + `"}`: 413,
	} {
		wantNotRun(t, request{body: body}.unused(t, want), "")
	}
}

func TestBridge_ABodyThatEndsEarlyIsNotRunAtEitherEndpoint(t *testing.T) {
	b, f := newBridge()
	r := request{path: "/tools/get_project"}.http()
	r.Body = io.NopCloser(io.MultiReader(strings.NewReader("{}"), cut{}))
	w := serve(b, r)
	wantStatus(t, w, http.StatusBadRequest)
	wantNotRun(t, w, "the request body ended early")
	if len(f.used) > 0 {
		t.Error("the tool was run")
	}
	r = request{}.http()
	r.Body = io.NopCloser(cut{})
	w = serve(b.Guard, r)
	wantStatus(t, w, http.StatusBadRequest)
	wantCode(t, w, codeParse)
}

// cut is a connection that breaks.
type cut struct{}

func (cut) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestBridge_AContentTypeMustBeJSONIfPresent(t *testing.T) {
	for contentType, want := range map[string]int{
		"": 200, "application/json": 200, "application/json; charset=utf-8": 200, "text/plain": 415, "application/x-www-form-urlencoded": 415,
	} {
		b, _ := newBridge()
		w := request{header: map[string]string{"Content-Type": contentType}}.bridged(b)
		if w.Code != want {
			t.Errorf("%q: %d, want %d", contentType, w.Code, want)
		}
	}
}

// wantNotRun checks the form of a call that failed before its tool ran, and the text unless why is
// empty.
func wantNotRun(t *testing.T, w *httptest.ResponseRecorder, why string) {
	t.Helper()
	var got map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || len(got) != 2 || got["is_error"] != true {
		t.Fatalf("answered %s", w.Body)
	}
	if text, ok := got["error"].(string); !ok || text == "" || why != "" && text != why {
		t.Errorf("says %v, want %q", got["error"], why)
	}
}

func TestBridge_AnUnknownToolIsAnsweredWithTheNearest(t *testing.T) {
	w := request{path: "/tools/get_projects"}.unused(t, http.StatusNotFound)
	const want = `{"is_error":true,"error":"Unknown tool: get_projects","data":{"nearest":[{"type":"tool","name":"get_project"}]}}`
	if got := strings.TrimSpace(w.Body.String()); got != want {
		t.Errorf("got %s", got)
	}
}

func TestBridge_AnUnknownToolIsNamedSafely(t *testing.T) {
	for path, want := range map[string]string{
		"/tools/no_such_tool":                 "Unknown tool: no_such_tool",
		"/tools/plant_tree":                   "Unknown tool: plant_tree; call change_garden",
		"/tools/GET_PROJECT":                  "Unknown tool: GET_PROJECT",
		"/tools/a/b":                          "Unknown tool: a/b",
		"/tools/%22%0D%0A":                    `Unknown tool: "\" "`,
		"/tools/%E2%80%AEx%ff":                "Unknown tool: \"x\ufffd\"",
		"/tools/" + strings.Repeat("x", 2000): `Unknown tool: "` + strings.Repeat("x", 100) + `…"`,
	} {
		wantNotRun(t, request{path: path}.unused(t, http.StatusNotFound), want)
	}
}

func TestBridge_AToolOutsideTheSelectionIsUnknown(t *testing.T) {
	for _, token := range []string{"ines", "bo"} { // bo, too, who would be asked for a scope that does not help
		w := request{token: token, path: "/tools/create_todo?readonly=true"}.unused(t, http.StatusNotFound)
		wantNotRun(t, w, "Unknown tool: create_todo")
	}
}

func TestBridge_AToolBeyondTheScopesIsChallengedAsAtTheEndpoint(t *testing.T) {
	wantChallenge(t, request{token: "bo", path: "/tools/create_todo"}.unused(t, http.StatusForbidden), beyondScopes)
}

func TestBridge_RefusesLikeTheEndpoint(t *testing.T) {
	foreign := map[string]string{"Origin": "https://evil.example"}
	for what, q := range map[string]request{
		"no token":          {token: "-"},
		"an unknown token":  {token: "stolen"},
		"a malformed token": {token: "a b"},
		"no check possible": {token: "down"},
		"a foreign page":    {header: foreign},
		"another scheme":    {header: map[string]string{"Authorization": "Basic aW5lcw=="}},
	} {
		b, f := newBridge()
		q.path = "/mcp"
		want := q.send(b.Guard)
		for _, path := range []string{"/tools", "/tools/", "/tools/get_project", "/tools/no_such_tool", "/tools?toolsets=hub"} {
			for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete} {
				q.path, q.method = path, method
				got := q.bridged(b)
				if got.Code != want.Code || got.Code < 400 || got.Body.String() != want.Body.String() || !cmp.Equal(got.Header(), want.Header()) {
					t.Errorf("%s: %s %s: %d %v %s, want %d %v %s", what, method, path, got.Code, got.Header(), got.Body, want.Code, want.Header(), want.Body)
				}
			}
		}
		if len(f.used)+f.made > 0 {
			t.Errorf("%s: reached the tools", what)
		}
	}
}

func TestBridge_OtherMethodsGetTheAllowedOnes(t *testing.T) {
	for path, allowed := range map[string]string{"/tools": "GET, HEAD", "/tools/": "GET, HEAD", "/tools/get_project": "POST", "/tools/no_such_tool": "POST"} {
		for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete, "FROB"} {
			if slices.Contains(strings.Split(allowed, ", "), method) {
				continue
			}
			w := request{method: method, path: path}.unused(t, http.StatusMethodNotAllowed)
			if w.Header().Get("Allow") != allowed {
				t.Errorf("%s %s: %d %v %s", method, path, w.Code, w.Header(), w.Body)
			}
		}
		w := request{method: http.MethodOptions, path: path, token: "-", header: map[string]string{"Origin": "http://localhost:3000"}}.unused(t, http.StatusNoContent)
		if h := w.Header(); h.Get("Allow") != allowed || h.Get("Access-Control-Allow-Origin") != "http://localhost:3000" {
			t.Errorf("OPTIONS %s: %v", path, h)
		}
	}
}

func TestBridge_TheListHasAnETag(t *testing.T) {
	b, _ := newBridge()
	first := listing("/tools", nil).bridged(b)
	wantStatus(t, first, http.StatusOK)
	h := first.Header()
	tag := h.Get("ETag")
	if first.Body.String() != `[{"name":"create_todo"},{"name":"get_project"}]` || len(tag) < 20 || h.Get("Cache-Control") != "private, max-age=300" {
		t.Errorf("answered %s %v", first.Body, h)
	}
	if vary := strings.Join(h.Values("Vary"), ", "); !strings.Contains(vary, "X-Mcp-Toolsets") || !strings.Contains(vary, "X-Mcp-Readonly") || !strings.Contains(vary, "Origin") {
		t.Errorf("Vary: %s", vary)
	}
	for _, held := range []string{tag, "W/" + tag, `"other", ` + tag, `"other",` + tag + `,"more"`, "*"} {
		w := listing("/tools/", map[string]string{"If-None-Match": held}).bridged(b)
		wantStatus(t, w, http.StatusNotModified)
		if w.Body.Len() > 0 || w.Header().Get("ETag") != tag || w.Header().Get("Cache-Control") != "private, max-age=300" {
			t.Errorf("%s: answered %s %v", held, w.Body, w.Header())
		}
	}
	for _, held := range []string{"", `"other"`, strings.Trim(tag, `"`), tag[:8] + `"`} {
		w := listing("/tools", map[string]string{"If-None-Match": held}).bridged(b)
		if w.Code != http.StatusOK || w.Body.String() != first.Body.String() || w.Header().Get("ETag") != tag {
			t.Errorf("%s: %d %v", held, w.Code, w.Header())
		}
	}
	other := listing("/tools?readonly=true", map[string]string{"If-None-Match": tag}).bridged(b)
	wantStatus(t, other, http.StatusOK)
	if other.Header().Get("ETag") == tag {
		t.Error("another selection has the same tag")
	}
}

func TestBridge_HeadIsGet(t *testing.T) {
	b, _ := newBridge()
	get := listing("/tools", nil).bridged(b)
	head := request{method: http.MethodHead, path: "/tools"}.bridged(b)
	wantStatus(t, head, http.StatusOK)
	if diff := cmp.Diff(get.Header(), head.Header()); diff != "" {
		t.Error(diff)
	}
}

func TestBridge_ReadsTheSelectionFromQueryAndHeaders(t *testing.T) {
	for _, test := range []struct {
		query, toolsets, readOnly string
		want                      Selection
	}{
		{"", "", "", Selection{}},
		{"toolsets=tasks,basecamp", "", "", Selection{Toolsets: []string{"basecamp", "tasks"}}},
		{"toolsets=tasks&toolsets=basecamp,tasks", "", "", Selection{Toolsets: []string{"basecamp", "tasks"}}},
		{"", "tasks, basecamp", "", Selection{Toolsets: []string{"basecamp", "tasks"}}},
		{"toolsets=tasks,basecamp", "basecamp,account", "", Selection{Toolsets: []string{"basecamp"}}},
		{"readonly=true", "", "", Selection{ReadOnly: true}},
		{"readonly=1", "", "false", Selection{ReadOnly: true}},
		{"readonly=false", "", "true", Selection{ReadOnly: true}},
		{"toolsets=tasks&readonly=true", "", "", Selection{Toolsets: []string{"tasks"}, ReadOnly: true}},
	} {
		b, f := newBridge()
		header := map[string]string{"X-MCP-Toolsets": test.toolsets, "X-MCP-Readonly": test.readOnly}
		wantStatus(t, request{path: "/tools/get_project?" + test.query, header: header}.bridged(b), http.StatusOK)
		if diff := cmp.Diff(test.want, f.used[0].selection); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", test, diff)
		}
	}
}

func TestBridge_TheDeploymentsReadOnlyIsAnUpperBound(t *testing.T) {
	b, _ := newBridge()
	b.Guard.ReadOnly = true
	header := map[string]string{"X-MCP-Readonly": "false"}
	wantStatus(t, request{path: "/tools/create_todo?readonly=false", header: header}.bridged(b), http.StatusNotFound)
	if w := listing("/tools?readonly=false", header).bridged(b); strings.Contains(w.Body.String(), "create_todo") {
		t.Errorf("lists %s", w.Body)
	}
}

func TestBridge_AMalformedSelectionIsRefused(t *testing.T) {
	served := `unknown toolset "hub"; this server has account, basecamp, tasks, todolist`
	for _, test := range []struct{ query, toolsets, readOnly, want string }{
		{"toolsets=tasks,hub", "", "", served},
		{"", "hub", "", served},
		{"toolsets=tasks", "basecamp", "", "names none of"},
		{"readonly", "", "", "readonly must be given once, as true or false"},
		{"readonly=yes", "", "", "readonly must be given once, as true or false"},
		{"readonly=true&readonly=false", "", "", "readonly must be given once, as true or false"},
		{"", "", "perhaps", "X-MCP-Readonly must be true or false"},
		{"read_only=true", "", "", "the parameters are toolsets and readonly"},
		{"toolsets=%zz", "", "", "the query is malformed"},
	} {
		for _, q := range []request{{}, listing("/tools", nil)} {
			q.path = orElse(q.path, "/tools/get_project") + "?" + test.query
			q.header = map[string]string{"X-MCP-Toolsets": test.toolsets, "X-MCP-Readonly": test.readOnly}
			w := q.unused(t, http.StatusBadRequest)
			var said failure
			if err := json.Unmarshal(w.Body.Bytes(), &said); err != nil || !strings.Contains(said.Description, test.want) {
				t.Errorf("%+v: %s", test, w.Body)
			}
		}
	}
}

func FuzzBridge(f *testing.F) {
	f.Add("POST", "/tools/create_todo", "", "", "{}")
	f.Add("POST", "/tools/get_project", "readonly=true", "", `{"a":[1]}`)
	f.Add("GET", "/tools", "toolsets=tasks", `W/"x", *`, "")
	f.Add("POST", "/tools/\"\r\n\u202e", "toolsets=hub%00", "", "null")
	f.Fuzz(func(t *testing.T, method, path, query, held, body string) {
		b, box := newBridge()
		r := &http.Request{Method: method, URL: &url.URL{Path: path, RawQuery: query}, Body: io.NopCloser(strings.NewReader(body)),
			Header: http.Header{"Authorization": {"Bearer bo"}, "If-None-Match": {held}}}
		w := serve(b, r)
		if w.Body.Len() > 0 && (!json.Valid(w.Body.Bytes()) || w.Header().Get("Content-Type") != "application/json") {
			t.Errorf("%d answered %q", w.Code, w.Body)
		}
		for name, values := range w.Header() {
			if strings.ContainsAny(name+strings.Join(values, ""), "\r\n\x00") {
				t.Errorf("the header %q is %q", name, values)
			}
		}
		for _, got := range box.used {
			var object map[string]json.RawMessage
			if method != http.MethodPost || got.tool != "get_project" || json.Unmarshal([]byte(got.arguments), &object) != nil || object == nil {
				t.Errorf("%s used %+v", method, got)
			}
		}
	})
}
