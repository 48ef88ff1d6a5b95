package mcphttp

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func serve(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

type rpcAnswer struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Error   struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
}

func wantCode(t *testing.T, w *httptest.ResponseRecorder, code int) rpcAnswer {
	t.Helper()
	var a rpcAnswer
	if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil || a.Version != "2.0" || a.Error.Code != code || a.Error.Message == "" {
		t.Errorf("want a JSON-RPC error %d, got %s (%v)", code, w.Body, err)
	}
	if got := w.Header().Get("Content-Type"); got != "application/json" {
		t.Errorf("Content-Type %q", got)
	}
	return a
}

func TestEnvelope_MalformedMessagesAreRefused(t *testing.T) {
	for _, test := range []struct {
		body string
		code int
		id   string
	}{
		{`{`, codeParse, ""},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/list"} x`, codeParse, ""},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/list"}{}`, codeParse, ""},
		{"\xef\xbb\xbf" + listTools, codeParse, ""},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/\xff\"}", codeParse, ""},
		{strings.Repeat("[", 20_000), codeParse, ""},
		{strings.Repeat(`{"a":`, 10_500) + "1" + strings.Repeat("}", 10_500), codeParse, ""},
		{`[` + listTools + `]`, codeInvalidRequest, ""},
		{`[]`, codeInvalidRequest, ""},
		{`"tools/list"`, codeInvalidRequest, ""},
		{`null`, codeInvalidRequest, ""},
		{`{}`, codeInvalidRequest, ""},
		{`{"jsonrpc":"2.0","id":"` + strings.Repeat("<", 1000) + `","method":"tools/list"}`, codeInvalidRequest, ""},
		{`{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("<", 1000) + `"}`, codeInvalidRequest, "1"},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + strings.Repeat("<", 1000) + `"}}`, codeInvalidParams, "1"},
		{`{"id":1,"method":"tools/list"}`, codeInvalidRequest, "1"},
		{`{"jsonrpc":"1.0","id":1,"method":"tools/list"}`, codeInvalidRequest, "1"},
		{`{"jsonrpc":2.0,"id":1,"method":"tools/list"}`, codeInvalidRequest, "1"},
		{`{"jsonrpc":"2.0","id":"a"}`, codeInvalidRequest, `"a"`},
		{`{"jsonrpc":"2.0","id":1,"method":""}`, codeInvalidRequest, "1"},
		{`{"jsonrpc":"2.0","id":1,"method":7}`, codeInvalidRequest, "1"},
		{`{"jsonrpc":"2.0","id":1,"method":null}`, codeInvalidRequest, "1"},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/list","result":{}}`, codeInvalidRequest, "1"},
		{`{"jsonrpc":"2.0","result":{}}`, codeInvalidRequest, ""},
		{`{"jsonrpc":"2.0","id":null,"method":"tools/list"}`, codeInvalidRequest, ""},
		{`{"jsonrpc":"2.0","id":true,"method":"tools/list"}`, codeInvalidRequest, ""},
		{`{"jsonrpc":"2.0","id":{},"method":"tools/list"}`, codeInvalidRequest, ""},
		{`{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}`, codeInvalidRequest, ""},
		{`{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/list"}`, codeInvalidRequest, ""},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}`, codeInvalidParams, "1"},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":"x"}`, codeInvalidParams, "1"},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":[]}}`, codeInvalidParams, "1"},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, codeInvalidParams, "1"},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":["get_project"]}}`, codeInvalidParams, "1"},
	} {
		if a := wantCode(t, request{body: test.body}.refused(t, http.StatusBadRequest), test.code); string(a.ID) != test.id {
			t.Errorf("%.60s: id %s, want %s", test.body, a.ID, test.id)
		} else if strings.Contains(test.body, "9007199254740993") && !strings.Contains(a.Error.Message, "from -9007199254740991 to 9007199254740991") {
			t.Errorf("an ID beyond the bounds: %s", a.Error.Message)
		}
	}
}

func TestEnvelope_AnAmbiguousMessageIsRefused(t *testing.T) {
	write := `"params":{"name":"create_todo","arguments":{}}`
	for what, body := range map[string]string{
		"method twice":                     `{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call",` + write + `}`,
		"Method":                           `{"jsonrpc":"2.0","id":1,"method":"tools/list","Method":"tools/call",` + write + `}`,
		"METHOD first":                     `{"METHOD":"tools/call","jsonrpc":"2.0","id":1,"method":"tools/list",` + write + `}`,
		"Method alone":                     `{"jsonrpc":"2.0","id":1,"Method":"tools/call",` + write + `}`,
		"escaped":                          `{"jsonrpc":"2.0","id":1,"method":"tools/list","\u006dethod":"tools/call",` + write + `}`,
		"long s for s":                     `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_project"},"paramſ":{"name":"create_todo"}}`,
		"id twice":                         `{"jsonrpc":"2.0","id":1,"id":null,"method":"tools/list"}`,
		"ID":                               `{"jsonrpc":"2.0","ID":1,"method":"notifications/cancelled"}`,
		"JSONRPC":                          `{"jsonrpc":"2.0","JSONRPC":"1.0","id":1,"method":"tools/list"}`,
		"params twice":                     `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_project"},` + write + `}`,
		"Params":                           `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_project"},"Params":{"name":"create_todo"}}`,
		"name twice":                       `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_project","name":"create_todo"}}`,
		"Name":                             `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_project","Name":"create_todo"}}`,
		"arguments twice":                  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_project","arguments":{},"Arguments":{}}}`,
		"_meta twice":                      `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{},"_META":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`,
		"version twice":                    `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2025-11-25","io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`,
		"Result":                           `{"jsonrpc":"2.0","id":1,"method":"tools/list","Result":{}}`,
		"cancelled behind another method":  `{"jsonrpc":"2.0","method":"notifications/progress","Method":"notifications/cancelled","params":{"requestId":1}}`,
		"cancelled behind an equal method": `{"jsonrpc":"2.0","method":"notifications/progress","method":"notifications/cancelled","params":{"requestId":1}}`,
	} {
		t.Run(what, func(t *testing.T) {
			wantCode(t, request{token: "bo", body: body}.refused(t, http.StatusBadRequest), codeInvalidRequest)
		})
	}
}

func TestEnvelope_UnknownMembersPass(t *testing.T) {
	g, _ := newGuard()
	wantStatus(t, request{body: `{"jsonrpc":"2.0","id":"a","method":"tools/list","extra":1,"Extra":2,"params":null}`}.send(g), http.StatusOK)
}

func TestEnvelope_CancelledNotificationsNeverReachTheMCPServer(t *testing.T) {
	body := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`
	modern := stateless("notifications/cancelled", `"requestId":1`)
	modern.body = strings.Replace(modern.body, `"id":1,`, "", 1)
	for _, q := range []request{{body: body}, modern, {body: strings.ReplaceAll(body, "/", `\/`)}} {
		if w := q.refused(t, http.StatusAccepted); w.Body.Len() > 0 {
			t.Errorf("202 with the body %s", w.Body)
		}
	}
}

func TestEnvelope_ACancelledThatIsARequestIsRefused(t *testing.T) {
	request{body: `{"jsonrpc":"2.0","id":1,"method":"notifications/cancelled","params":{"requestId":1}}`}.refused(t, http.StatusBadRequest)
}

func TestEnvelope_OtherNotificationsPass(t *testing.T) {
	g, c := newGuard()
	c.reply = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) }
	wantStatus(t, request{body: `{"jsonrpc":"2.0","method":"notifications/initialized"}`}.send(g), http.StatusAccepted)
	c.last(t)
}

func TestEnvelope_ListeningIsRefused(t *testing.T) {
	for _, q := range []request{stateless("subscriptions/listen", ""), {body: `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen"}`}} {
		if a := wantCode(t, q.refused(t, http.StatusNotFound), codeMethodNotFound); string(a.ID) != "1" {
			t.Errorf("id %s", a.ID)
		}
	}
}

func TestEnvelope_ResponsesOfTheLegacyEraAreDropped(t *testing.T) {
	for _, body := range []string{`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}`} {
		request{body: body}.refused(t, http.StatusAccepted)
		w := request{body: body, header: map[string]string{versionHeader: Version20260728}}.refused(t, http.StatusBadRequest)
		wantCode(t, w, codeInvalidRequest)
	}
}

func TestBody_LargerThanTheLimitIsA413(t *testing.T) {
	g, c := newGuard()
	w := request{body: `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"pad":"` + strings.Repeat("x", 1<<20) + `"}}`}.send(g)
	wantStatus(t, w, http.StatusRequestEntityTooLarge)
	wantCode(t, w, codeInvalidRequest)
	g.MaxBody = int64(len(listTools))
	wantStatus(t, request{}.send(g), http.StatusOK)
	g.MaxBody--
	wantStatus(t, request{}.send(g), http.StatusRequestEntityTooLarge)
	if len(c.reached) != 1 {
		t.Errorf("reached %d times", len(c.reached))
	}
}

func TestBody_OtherContentTypesAreA415(t *testing.T) {
	for contentType, want := range map[string]int{
		"application/json": 200, "application/json; charset=utf-8": 200, "Application/JSON;profile=x": 200,
		"": 415, "text/plain": 415, "text/plain; application/json": 415, "application/json-rpc": 415, "application/json, text/plain": 415,
		"application/x-www-form-urlencoded": 415,
	} {
		g, _ := newGuard()
		w := request{header: map[string]string{"Content-Type": contentType}}.send(g)
		if w.Code != want {
			t.Errorf("%q: %d", contentType, w.Code)
		}
		if want == http.StatusUnsupportedMediaType {
			wantCode(t, w, codeInvalidRequest)
		}
	}
}

// theirs is the message as a server with encoding/json reads it: the last of equal keys, in any
// case.
type theirs struct {
	JSONRPC string `json:"jsonrpc"`
	Method  string `json:"method"`
	ID      any    `json:"id"`
	Params  struct {
		Name string         `json:"name"`
		Meta map[string]any `json:"_meta"`
	} `json:"params"`
}

func FuzzEnvelope(f *testing.F) {
	for _, seed := range []string{
		listTools, initialize, call("create_todo"), stateless("tools/call", `"name":"x"`).body, `[]`, `{`, `{"ID":1}`, "\xff",
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"},"paramſ":{"name":"b"}}`,
		`{"jsonrpc":"2.0","id":"\u0061","method":"x","\u006dethod":"y"}`, `{"jsonrpc":"2.0","id":-0,"result":null}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		m, refused := parse(body)
		if refused != nil {
			if refused.status != http.StatusBadRequest {
				t.Errorf("status %d", refused.status)
			}
			w := httptest.NewRecorder()
			refused.write(w)
			if !json.Valid(w.Body.Bytes()) || w.Code != http.StatusBadRequest {
				t.Errorf("refused with %d %s", w.Code, w.Body)
			}
			return
		}
		if again := Read(body); again.Method != m.Method || again.Tool != m.Tool || string(again.ID) != string(m.ID) {
			t.Errorf("the endpoint reads %+v, and we checked %+v", again, m)
		}
		var read theirs
		err := json.Unmarshal(body, &read)
		if m.Method == methodCallTool && err != nil {
			t.Fatalf("passed, but the MCP server fails: %v", err)
		}
		version, _ := read.Params.Meta[metaVersion].(string)
		var id any
		_ = json.Unmarshal(m.ID, &id)
		got := []any{read.JSONRPC, read.Method, read.ID, version}
		want := []any{"2.0", m.Method, id, m.Version}
		if m.Method != "" && err == nil {
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the MCP server reads it in another way (-ours +theirs):\n%s", diff)
			}
		}
		if m.Method == methodCallTool && m.Tool != read.Params.Name {
			t.Errorf("we checked %q, the MCP server runs %q", m.Tool, read.Params.Name)
		}
	})
}

func TestEnvelope_OnlyTheArgumentsOfACallMayBeLong(t *testing.T) {
	long := `"` + strings.Repeat("x", maxEnvelope) + `"`
	for _, test := range []struct {
		what, body, id string
		status         int
	}{
		{"a URI", `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":` + long + `}}`, "", http.StatusRequestEntityTooLarge},
		{"another's arguments", `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"tools/call","arguments":` + long + `}}`, "1", http.StatusRequestEntityTooLarge},
		{"_meta", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_todo","_meta":{"a":` + long + `}}}`, "1", http.StatusRequestEntityTooLarge},
		{"another member", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_todo","arguments":{}},"another":` + long + `}`, "1", http.StatusRequestEntityTooLarge},
		{"arguments", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_todo","arguments":{"content":` + long + `}}}`, "", http.StatusOK},
		{"arguments, slash escaped", `{"jsonrpc":"2.0","id":1,"method":"tools\/call","params":{"name":"create_todo","arguments":{"content":` + long + `}}}`, "", http.StatusOK},
	} {
		if test.status == http.StatusOK {
			g, _ := newGuard()
			wantStatus(t, request{body: test.body}.send(g), test.status)
		} else if a := wantCode(t, request{body: test.body}.refused(t, test.status), codeInvalidRequest); string(a.ID) != test.id {
			t.Errorf("%s: id %s, want %s", test.what, a.ID, test.id)
		}
	}
}
