package upstream

import (
	"context"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/wire/writeplan"
)

func TestRead_OfAPlanAsksOnceAndAfterwardsTheWritesOfThePlan(t *testing.T) {
	var requests int
	c := answering(counted(&requests, says(200, `{"id": 5, "name": "Chain"}`)))
	ctx, _ := Meter(t.Context())
	ctx, plan := writeplan.With(ctx)
	for range 2 {
		if got, err := read(ctx, c, newAccount("nora")); err != nil || got.Name != "Chain" {
			t.Errorf("%+v, %v", got, err)
		}
		if err := post(ctx, c); err != nil {
			t.Error(err)
		}
	}
	if requests != 1 || len(plan.Writes()) != 2 || len(plan.Objects("5")) != 1 {
		t.Errorf("%d requests, %+v, %v", requests, plan.Writes(), plan.Objects("5"))
	}
	plan.Answer(itemURL, []byte(`{"id": 5, "name": "Belt"}`))
	for address, want := range map[string]item{itemURL: {5, "Belt"}, "https://api.acme.example/items/-1/parts": {}} {
		if got, err := readURL(ctx, c, newAccount("nora"), address); err != nil || got != want || requests != 1 {
			t.Errorf("%s: %+v, %v after %d requests", address, got, err, requests)
		}
	}
}

// A 304 would leave out what the plan, or undo, needs.
func TestRead_OfAPlanOrAJournalAsksForTheWholeAnswer(t *testing.T) {
	planned, plan := writeplan.With(t.Context())
	noted, journal := writeplan.WithJournal(t.Context(), nil)
	for ctx, objects := range map[context.Context]func(string) []*writeplan.Object{planned: plan.Objects, noted: journal.Objects} {
		c := answering(tagged)
		if first, again := get(t.Context(), c), get(ctx, c); first != nil || again != nil || len(objects("5")) != 1 {
			t.Errorf("%v, %v, %v", objects("5"), first, again)
		}
	}
}

func TestSend_OfAPlanIsJudged(t *testing.T) {
	r := requestFor(newAccount("nora"), http.MethodPost, itemURL)
	r.Judge = func(Answer) *fault.Error { return fault.New(fault.PermissionDenied, "not allowed in Acme") }
	ctx, _ := writeplan.With(t.Context())
	wantFault(t, write(ctx, answering(says(500, "")), r), fault.PermissionDenied)
}

// A write is in the journal unless the provider has refused it.
func TestSend_KeepsWhatMayHaveHappenedInTheJournal(t *testing.T) {
	for name, x := range map[string]struct {
		answer http.HandlerFunc
		want   []writeplan.Step
	}{
		"a success": {says(200, `{"id": 5}`), []writeplan.Step{{What: "write"}}},
		"a refusal": {says(422, ""), nil},
		"a doubt":   {says(500, ""), []writeplan.Step{{What: "write", Unsure: true}}},
	} {
		ctx, journal := writeplan.WithJournal(t.Context(), func(context.Context) error { return nil })
		_ = post(ctx, answering(x.answer))
		if diff := cmp.Diff(x.want, journal.Steps(), cmpopts.IgnoreUnexported(writeplan.Answered{})); diff != "" || !journal.Begun() {
			t.Errorf("%s: begun %t, %s", name, journal.Begun(), diff)
		}
	}
}

func TestSend_SendsNothingIfTheJournalCannotBegin(t *testing.T) {
	var requests int
	ctx, _ := writeplan.WithJournal(t.Context(), func(context.Context) error { return fault.New(fault.UpstreamError, "no place") })
	if err := post(ctx, answering(counted(&requests, says(200, `{"id": 5}`)))); err == nil || requests != 0 {
		t.Errorf("%d requests, %v", requests, err)
	}
}
