package mcptool

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/fence"
	"basecamp-mcp/internal/held"
	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/mcptest"
	"basecamp-mcp/internal/memory"
	"basecamp-mcp/internal/undo"
	"basecamp-mcp/internal/writeplan"
)

// felling is a server whose tool fells a tree at a provider after a confirmation, and counts.
type felling struct {
	testServer
	store  *cut
	calls  *held.Log
	felled int
}

func newFelling() *felling {
	f := &felling{store: &cut{Store: memory.New(nil)}}
	request := writeplan.Request{Method: "DELETE", URL: "https://orchard.example/trees/1"}
	fell := Define(Spec{Name: "fell", Title: "Fell", Description: "Fells.", Effect: Deletes}, func(ctx context.Context, in fellInput) (greeting, error) {
		if err := Confirm(ctx, "confirm_title", in.Confirm, "the tree", "Old Pear"); err != nil {
			return greeting{}, err
		}
		if plan := writeplan.From(ctx); plan != nil {
			plan.Record(writeplan.Write{What: "fell a tree", Sent: request})
			return greeting{Text: "felled"}, nil
		}
		sent, err := writeplan.GuardFrom(ctx)(ctx, request)
		if err != nil {
			return greeting{}, err
		}
		f.felled++
		sent(nil)
		return greeting{Text: "felled"}, nil
	})
	f.calls = held.New(f.store, undo.Unsealed{}, nil)
	f.testServer = serve(Options{Held: f.calls}, Toolset{Name: "orchard", Provider: "orchard", Tools: []Tool{fell}})
	return f
}

func wary() identity.Caller {
	who := gardener
	who.Fence.Ask = []fence.Kind{fence.Everything}
	return who
}

const fellOld = `"name":"fell","arguments":{"tree":"pear","confirm_title":"Old Pear"}`

func (f *felling) decide(t *testing.T, approve bool) {
	t.Helper()
	all, err := f.calls.Waiting(t.Context(), gardener.Subject)
	if err != nil || len(all) != 1 {
		t.Fatalf("%d calls wait, %v", len(all), err)
	}
	if err := f.calls.Decide(t.Context(), gardener.Subject, all[0], approve); err != nil {
		t.Fatal(err)
	}
}

// A client that opens links is asked to open the page. Its own yes approves nothing.
func TestHeld_AClientThatOpensLinksIsOfferedThePage(t *testing.T) {
	f := newFelling()
	got := f.askOf(t, "fell", wary(), both, fellOld)
	state := got.RequestState
	question := got.InputRequests["approve"].Params
	if page, _ := question["url"].(string); question["mode"] != "url" || !strings.Contains(page, "/account?held=") || state == "" {
		t.Fatalf("%+v", got)
	}
	answered := func(action string) asked {
		return f.askOf(t, "fell", wary(), both, fellOld+`,"requestState":"`+state+`","inputResponses":{"approve":{"action":"`+action+`"}}`)
	}
	if again := answered("accept"); again.RequestState == "" || f.felled != 0 {
		t.Fatalf("a client that says yes felled %d: %+v", f.felled, again)
	}
	if declined := answered("decline"); !declined.IsError || !strings.Contains(declined.Content[0].Text, "PERMISSION_DENIED") || f.felled != 0 {
		t.Errorf("%+v", declined)
	}
	f.decide(t, true)
	if done := answered("accept"); done.IsError || f.felled != 1 {
		t.Errorf("felled %d: %+v", f.felled, done)
	}
}

// What a form confirms is asked first, and does not approve the call.
func TestHeld_AFormApprovesNothing(t *testing.T) {
	f := newFelling()
	got := f.askOf(t, "fell", wary(), forms, fellPear)
	if got.InputRequests["confirm"].Params["mode"] != "form" {
		t.Fatalf("%+v", got)
	}
	confirmed := f.askOf(t, "fell", wary(), forms, fellPear+`,"requestState":"`+got.RequestState+
		`","inputResponses":{"confirm":{"action":"accept","content":{"confirm_title":"Old Pear"}}}`)
	if !confirmed.IsError || !strings.Contains(confirmed.Content[0].Text, `"HELD"`) || f.felled != 0 {
		t.Errorf("felled %d: %+v", f.felled, confirmed)
	}
}

// Whatever operation of the store fails, a write is sent at most once, and never without approval.
func TestHeld_AStoreThatFailsLetsNothingPass(t *testing.T) {
	call := func(f *felling) string {
		answer := f.callAs(t, wary(), "fell", `{"tree":"pear","confirm_title":"Old Pear"}`)
		return answer.Content[0].Text
	}
	for at := range 6 {
		f := newFelling()
		f.store.at = at
		first := call(f)
		if f.felled > 0 {
			t.Fatalf("operation %d: felled without approval", at)
		}
		if at == 1 && !strings.Contains(first, "nothing was written") {
			t.Errorf("operation %d: %s", at, first)
		}
		call(f)
		f.store.at = 0
		f.decide(t, true)
		f.store.at = f.store.count + at
		for range 3 {
			call(f)
		}
		if f.felled > 1 {
			t.Errorf("operation %d: felled %d times", at, f.felled)
		}
	}
}

func TestHeld_AServerThatKeepsNothingWritesNothing(t *testing.T) {
	f := newFelling()
	f.options.Held = nil
	var got mcptest.Failure
	text := f.callAs(t, wary(), "fell", `{"tree":"pear","confirm_title":"Old Pear"}`).Content[0].Text
	if err := json.Unmarshal([]byte(text), &got); err != nil || got.ErrorCode != fault.PermissionDenied || f.felled != 0 {
		t.Errorf("felled %d: %s", f.felled, text)
	}
}
