package mcptool

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"basecamp-mcp/internal/proof/mcptest"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/store/memory"
)

var reader = identity.Caller{Subject: "37s:1", Scopes: []identity.Scope{identity.Read}}

var eras = []string{"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"}

// rpc is the answer to any message.
type rpc struct {
	ID     json.RawMessage
	Result struct {
		TTLMs             *int
		CacheScope        string
		Capabilities      map[string]any
		Resources         []map[string]any
		ResourceTemplates []map[string]any
		Contents          []struct{ URI, MIMEType, Text string }
		Prompts           []map[string]any
		Description       string
		Messages          []struct {
			Role    string
			Content struct{ Type, Text string }
		}
		Completion struct {
			Values  []string
			Total   int
			HasMore bool
		}
	}
	Error *struct {
		Code    int
		Message string
		Data    map[string]any
	}

	status int
	body   string
}

// read sends a message in one of the eras to the read-only handler.
func (s testServer) read(t *testing.T, caller identity.Caller, era, method, params string) rpc {
	t.Helper()
	return s.readIn(t, s.Handler(Selection{ReadOnly: true}), caller, era, method, params)
}

// legacyHeader returns the headers of a client of a legacy era, which may be "" in a handshake.
func legacyHeader(era string) http.Header {
	h := http.Header{"Content-Type": {"application/json"}}
	if era != "" {
		h.Set("Mcp-Protocol-Version", era)
	}
	return h
}

// sendIn sends a message in one of the eras for the caller in ctx.
func sendIn(ctx context.Context, t *testing.T, handler http.Handler, era, method, params string) *httptest.ResponseRecorder {
	t.Helper()
	if era == eras[0] {
		var p struct{ URI, Name string }
		_ = json.Unmarshal([]byte("{"+params+"}"), &p)
		return post(ctx, t, handler, method, cmp.Or(p.URI, p.Name), params)
	}
	caller, _ := identity.From(ctx)
	return mcptest.Post(ctx, handler, caller, mcptest.Message(method, "{"+params+"}"), legacyHeader(era))
}

// readIn sends a message to a handler; see read.
func (testServer) readIn(t *testing.T, handler http.Handler, caller identity.Caller, era, method, params string) rpc {
	t.Helper()
	w := sendIn(identity.WithRequestID(identity.With(t.Context(), caller), "req-1"), t, handler, era, method, params)
	answer := rpc{status: w.Code, body: w.Body.String()}
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		t.Fatalf("HTTP %d %s", w.Code, w.Body)
	}
	if string(answer.ID) != "1" {
		t.Errorf("%s: the answer is to %s", method, answer.ID)
	}
	return answer
}

// refused stops the test unless the request failed with this code and text, and the HTTP status of
// its era.
func (r rpc) refused(t *testing.T, era string, code int, says string) {
	t.Helper()
	status := http.StatusOK
	if era == eras[0] && code == -32602 {
		status = http.StatusBadRequest
	}
	if r.Error == nil || r.Error.Code != code || !strings.Contains(r.Error.Message, says) || r.status != status {
		t.Fatalf("%s: HTTP %d %s\nwant HTTP %d, %d, %s", era, r.status, r.body, status, code, says)
	}
	for _, never := range []string{"Go ", "json:", "mcp.", "handler", "secret"} {
		if strings.Contains(r.body, never) {
			t.Errorf("%s: %s", era, r.body)
		}
	}
}

func TestRound_AskedCallsKeepNoResultUnderTheirKey(t *testing.T) {
	for what, test := range unlinked {
		linked, made := false, 0
		plant := Define(Spec{Name: "plant", Title: "Plant", Description: "Plants.", Effect: Creates}, func(ctx context.Context, _ greetInput) (greeting, error) {
			if !linked {
				return greeting{}, failingWith(test.code, test.link)(ctx)
			}
			made++
			return greeting{Text: "planted"}, nil
		})
		options := new(mender).options()
		options.Calls = newCalls(memory.New(nil))
		s := serve(options, Toolset{Name: "t", Provider: "orchard", Tools: []Tool{plant}})
		const params = `"name":"plant","arguments":{"name":"Pear","idempotency_key":"k1"}`
		again := params
		opening := gardener
		opening.OpensLinks = true
		s.askOf(t, "plant", opening, "", params)
		if first := s.askOf(t, "plant", gardener, opens, params); test.asks {
			if first.ResultType != "input_required" {
				t.Fatalf("%s: got %+v", what, first)
			}
			again += `,"requestState":"` + first.RequestState + `","inputResponses":{"link_orchard":{"action":"accept"}}`
		}
		linked = true
		for range 2 {
			if got := s.askOf(t, "plant", gardener, opens, again); got.IsError || !strings.Contains(string(got.StructuredContent), "planted") || made != 1 {
				t.Errorf("%s: got %+v, %d made", what, got, made)
			}
		}
	}
}

// FuzzRequestState looks for a state that this server did not issue and accepts nevertheless.
func FuzzRequestState(f *testing.F) {
	arguments := json.RawMessage(`{"tree":"pear"}`)
	own := round{Tool: "fell", Arguments: digest(arguments), Number: 1, Expires: time.Now().Add(time.Hour).Unix(), Confirms: "confirm_title"}
	state := own.seal(gardener.Key)
	for _, seed := range []string{
		state, state[:len(state)-1], "v2" + state[2:], "", ".", "..", "v1.", "v1.e30.", "v1.e30.AAAA", "v1.!.AAAA", "\x00.\xff", strings.Repeat(".", 99),
		own.seal([]byte("other")), round{}.seal(gardener.Key),
	} {
		f.Add(seed, `{"action":"accept","content":{"confirm_title":"Old Pear"}}`)
	}
	for _, answer := range []string{"", "null", "7", `"accept"`, "[]", "{}", `{"action":7}`, `{"action":"accept","content":{"confirm_title":[]}}`, `{"action":"decline"}`} {
		f.Add(state, answer)
	}
	s := newGrove()
	f.Fuzz(func(t *testing.T, given, answer string) {
		c := &toolCall{tool: s.tools["fell"], arguments: arguments}
		c.params.RequestState = given
		var responses mcp.InputResponses
		if encoded, err := json.Marshal(map[string]json.RawMessage{"confirm": json.RawMessage(answer)}); err == nil {
			_ = json.Unmarshal(encoded, &responses) // mcp-go refuses what it cannot read
		}
		c.params.InputResponses = responses
		err := s.resume(gardener, c)
		switch known := given == state; {
		case !known && !fault.Is(err, fault.InvalidInput):
			t.Errorf("%q is accepted: %v", given, err)
		case !known && (c.confirmed != nil || c.round != round{}):
			t.Errorf("%q leaves %+v", given, c)
		case err != nil && !fault.Is(err, fault.InvalidInput):
			t.Errorf("%q, %q: %v", given, answer, err)
		}
	})
}
