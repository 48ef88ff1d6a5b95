package mcptool

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"basecamp-mcp/internal/fault"
)

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
		options.Idempotency = keys()
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
