package mcptool

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/proof/mcptest"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/identity"
)

type fellInput struct {
	Tree    string `json:"tree" jsonschema:"Tree"`
	Confirm string `json:"confirm_title,omitzero" jsonschema:"Title"`
}

// grove is a server whose tool fells a tree after a confirmation.
type grove struct {
	testServer
	mender
	title  string
	failed error // what the next call fails with before it reads the title
	felled int
}

func newGrove() *grove {
	g := &grove{title: "Old Pear"}
	fell := Define(Spec{Name: "fell", Title: "Fell", Description: "Fells.", Effect: Deletes}, func(ctx context.Context, in fellInput) (greeting, error) {
		if g.failed != nil {
			return greeting{}, g.failed
		}
		if err := Confirm(ctx, "confirm_title", in.Confirm, fmt.Sprintf("the tree %q (acme/7) with 12 items", g.title), g.title, "pear no 7"); err != nil {
			return greeting{}, err
		}
		g.felled++
		return greeting{Text: "felled"}, nil
	})
	g.testServer = orchardServer(&g.mender, "orchard", nil, fell)
	return g
}

var gardener = identity.Caller{Subject: "37s:1", Connection: "c1", Scopes: []identity.Scope{identity.Write}, Key: keyed.Key}

const (
	forms    = `{"elicitation":{"form":{}}}`
	both     = `{"elicitation":{"form":{},"url":{}}}`
	fellPear = `"name":"fell","arguments":{"tree":"pear"}`
)

func (g *grove) call(t *testing.T, capabilities, params string) asked {
	t.Helper()
	return g.askOf(t, "fell", gardener, capabilities, params)
}

// answer repeats a call with the user's answer to the form.
func (g *grove) answer(t *testing.T, capabilities, state, answer string) asked {
	t.Helper()
	return g.call(t, capabilities, fellPear+`,"requestState":"`+state+`","inputResponses":{"confirm":`+answer+`}`)
}

// wantUnconfirmed checks that a call failed for its confirmation, and that nothing was lost.
func (g *grove) wantUnconfirmed(t *testing.T, where string, got asked, code, says string) {
	t.Helper()
	if len(got.Content) != 1 || !got.IsError || got.RequestState != "" {
		t.Fatalf("%s: got %+v", where, got)
	}
	var f mcptest.Failure
	if err := json.Unmarshal([]byte(got.Content[0].Text), &f); err != nil || f.ErrorCode != fault.InvalidInput || !strings.Contains(f.Message, says) {
		t.Errorf("%s: got %s\nwant %s", where, got.Content[0].Text, says)
	}
	if v := f.Data.Validation; len(v) != 1 || v[0].Path != "confirm_title" || v[0].Code != code || g.felled != 0 {
		t.Errorf("%s: %+v, %d felled", where, v, g.felled)
	}
}

func TestConfirm_AsksByForm(t *testing.T) {
	for _, capabilities := range []string{forms, both, `{"elicitation":{}}`} {
		g := newGrove()
		got := g.call(t, capabilities, fellPear)
		request := got.InputRequests["confirm"]
		want := map[string]any{
			"mode": "form", "message": `This deletes the tree "Old Pear" (acme/7) with 12 items permanently. Enter its exact title to confirm.`,
			"requestedSchema": map[string]any{
				"type": "object", "required": []any{"confirm_title"},
				"properties": map[string]any{"confirm_title": map[string]any{"type": "string", "title": "Exact title"}},
			},
		}
		if got.ResultType != "input_required" || len(got.InputRequests) != 1 || request.Method != "elicitation/create" || got.RequestState == "" || g.felled != 0 {
			t.Fatalf("%s: got %+v, %d felled", capabilities, got, g.felled)
		}
		if diff := cmp.Diff(want, request.Params); diff != "" {
			t.Error(diff)
		}
		wantLogged(t, capabilities, g.testServer, fault.InvalidInput)
		done := g.answer(t, capabilities, got.RequestState, `{"action":"accept","content":{"confirm_title":" Old Pear "}}`)
		if done.IsError || done.ResultType != "complete" || g.felled != 1 {
			t.Errorf("%s: got %+v, %d felled", capabilities, done, g.felled)
		}
	}
}

func TestConfirm_OtherClientsMustRepeatTheTitle(t *testing.T) {
	const says = `confirm_title: this deletes the tree "Old Pear" (acme/7) with 12 items permanently; ask the user, then repeat the call with confirm_title set to the exact title; no changes were made`
	for _, capabilities := range []string{"", `{}`, opens} {
		g := newGrove()
		g.wantUnconfirmed(t, capabilities, g.call(t, capabilities, fellPear), "confirmation_required", says)
	}
	for _, capabilities := range []string{"", `{}`, forms, both} {
		for _, title := range []string{"old pear", "Old", "Old Pear 2"} {
			g := newGrove()
			params := `"name":"fell","arguments":{"tree":"pear","confirm_title":"` + title + `"}`
			g.wantUnconfirmed(t, capabilities+title, g.call(t, capabilities, params), "confirmation_required", says)
		}
		for _, title := range []string{"Old Pear", "  Old Pear\\n", "pear no 7"} {
			g := newGrove()
			if got := g.call(t, capabilities, `"name":"fell","arguments":{"tree":"pear","confirm_title":"`+title+`"}`); got.IsError || g.felled != 1 {
				t.Errorf("%s %q: %+v, %d felled", capabilities, title, got, g.felled)
			}
		}
	}
}

func TestConfirm_AStateMeansNothingInTheLegacyEra(t *testing.T) {
	g := newGrove()
	state := g.call(t, forms, fellPear).RequestState
	for _, answer := range []string{`{"action":"accept","content":{"confirm_title":"Old Pear"}}`, `{"action":"decline"}`} {
		got := g.answer(t, "", state, answer)
		g.wantUnconfirmed(t, answer, got, "confirmation_required", "ask the user, then repeat the call with confirm_title")
	}
}

func TestConfirm_AnythingButTheTitleChangesNothing(t *testing.T) {
	const wrong = "did not enter the exact title; no changes were made"
	for what, test := range map[string]struct{ answer, code, says string }{
		"declined":      {`{"action":"decline"}`, "declined", "the user did not confirm; no changes were made"},
		"cancelled":     {`{"action":"cancel"}`, "declined", "the user did not confirm; no changes were made"},
		"declined with": {`{"action":"decline","content":{"confirm_title":"Old Pear"}}`, "declined", "the user did not confirm"},
		"another title": {`{"action":"accept","content":{"confirm_title":"old pear"}}`, "confirmation_required", wrong},
		"empty":         {`{"action":"accept","content":{"confirm_title":""}}`, "confirmation_required", wrong},
		"no content":    {`{"action":"accept"}`, "confirmation_required", wrong},
		"null":          {`{"action":"accept","content":null}`, "confirmation_required", wrong},
		"a number":      {`{"action":"accept","content":{"confirm_title":7}}`, "confirmation_required", wrong},
		"a list":        {`{"action":"accept","content":["Old Pear"]}`, "confirmation_required", wrong},
		"other field":   {`{"action":"accept","content":{"title":"Old Pear"}}`, "confirmation_required", wrong},
	} {
		g := newGrove()
		state := g.call(t, forms, fellPear).RequestState
		g.wantUnconfirmed(t, what, g.answer(t, forms, state, test.answer), test.code, test.says)
	}
}

func TestConfirm_ComparesWithTheTitleOfNow(t *testing.T) {
	g := newGrove()
	state := g.call(t, forms, fellPear).RequestState
	g.title = "Young Plum"
	g.wantUnconfirmed(t, "renamed", g.answer(t, forms, state, `{"action":"accept","content":{"confirm_title":"Old Pear"}}`), "confirmation_required", `"Young Plum"`)
}

func TestConfirm_AnAnswerCountsOnlyWithTheStateOfItsForm(t *testing.T) {
	const accept = `{"action":"accept","content":{"confirm_title":"Old Pear"}}`
	g := newGrove()
	// An answer counts only with the state of its form.
	if got := g.call(t, forms, fellPear+`,"inputResponses":{"confirm":`+accept+`}`); got.ResultType != "input_required" || g.felled != 0 {
		t.Errorf("without a state: got %+v, %d felled", got, g.felled)
	}
	linking := round{Tool: "fell", Arguments: digest(json.RawMessage(`{"tree":"pear"}`)), Number: 1, Expires: 1 << 40, Provider: "orchard", Reason: fault.NeverLinked}
	if got := g.answer(t, forms, linking.seal(gardener.Key), accept); got.ResultType != "input_required" || g.felled != 0 {
		t.Errorf("with the state of a link: got %+v, %d felled", got, g.felled)
	}
}

func TestConfirm_FollowsLinksInOneCall(t *testing.T) {
	g := newGrove()
	answers := []string{`"link_orchard":{"action":"accept"}`, `"link_orchard":{"action":"accept"}`, `"confirm":{"action":"accept","content":{"confirm_title":"Old Pear"}}`}
	params := fellPear
	for i, failed := range []error{
		failingWith(fault.NotLinked, fault.Link{Provider: "orchard", Reason: fault.NeverLinked})(t.Context()),
		failingWith(fault.PermissionDenied, fault.Link{Provider: "orchard", Reason: fault.MissingScope})(t.Context()), nil,
	} {
		g.failed = failed
		got := g.call(t, both, params)
		id, _, _ := strings.Cut(strings.TrimPrefix(answers[i], `"`), `"`)
		if _, asked := got.InputRequests[id]; !asked || g.felled != 0 {
			t.Fatalf("round %d: %+v, %d felled", i+1, got, g.felled)
		}
		params = fellPear + `,"requestState":"` + got.RequestState + `","inputResponses":{` + answers[i] + `}`
	}
	if done := g.call(t, both, params); done.IsError || g.felled != 1 {
		t.Errorf("got %+v, %d felled", done, g.felled)
	}
}

func TestConfirm_AFormFillsInOnlyItsOwnArgument(t *testing.T) {
	ctx := context.WithValue(t.Context(), runKey{}, &runFacts{confirmed: &confirmation{argument: "confirm_owner", text: "Old Pear"}})
	if err := Confirm(ctx, "confirm_title", "", "the tree", "Old Pear"); !fault.Is(err, fault.InvalidInput) {
		t.Errorf("got %v", err)
	}
}
