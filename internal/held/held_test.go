package held_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"basecamp-mcp/internal/fence"
	"basecamp-mcp/internal/held"
	"basecamp-mcp/internal/memory"
	"basecamp-mcp/internal/undo"
	"basecamp-mcp/internal/writeplan"
)

func newLog() *held.Log { return held.New(memory.New(nil), undo.Unsealed{}, nil) }

func call(id string, p held.Plan) held.Call {
	return held.Call{Record: undo.Record{ID: id, Tool: "t"}, Content: held.Content{Connection: "c", Plan: p}}
}

func TestLog_APersonHasAtMostTwentyCalls(t *testing.T) {
	l := newLog()
	var all sync.WaitGroup
	for i := range 2 * held.Most {
		all.Go(func() {
			if _, err := l.Hold(t.Context(), "37s:1", held.Call{}, call(fmt.Sprint(i), held.Plan{})); err != nil && !errors.Is(err, held.ErrFull) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	kept, err := l.Waiting(t.Context(), "37s:1")
	if err != nil || len(kept) > held.Most {
		t.Errorf("%d wait, %v", len(kept), err)
	}
	if _, err := l.Hold(t.Context(), "37s:2", held.Call{}, call("x", held.Plan{})); err != nil {
		t.Errorf("of another person: %v", err)
	}
	if _, err := l.Find(t.Context(), "37s:1", "x"); !errors.Is(err, held.ErrNotFound) {
		t.Errorf("another person's: %v", err)
	}
	large := held.Plan{Writes: []held.Write{{Request: held.Request{Body: strings.Repeat("x", held.MostBytes)}}}}
	if _, err := l.Hold(t.Context(), "37s:2", held.Call{}, call("y", large)); !errors.Is(err, held.ErrTooLarge) {
		t.Errorf("too large: %v", err)
	}
}

func TestLog_OneOfManyGetsWhatWasApproved(t *testing.T) {
	l := newLog()
	some := held.Plan{Writes: []held.Write{{
		Write:   writeplan.Write{What: "w", Before: map[string]any{"n": 9007199254740993, "of": 1.5}, After: map[string]any{"a": []any{"<b>", nil}}},
		Reach:   held.Reach{ClientsSee: []any{"Nora"}},
		Request: held.RequestOf(writeplan.Request{Method: "POST", Body: []byte(`{"a":1}`)}), Made: "-1",
	}}}
	c, err := l.Hold(t.Context(), "37s:1", held.Call{}, call("x", some))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Claim(t.Context(), "37s:1", c.Record); !errors.Is(err, held.ErrChanged) {
		t.Errorf("without an approval: %v", err)
	}
	if err := l.Decide(t.Context(), "37s:1", c.Record, true); err != nil {
		t.Fatal(err)
	}
	if err := l.Decide(t.Context(), "37s:1", c.Record, false); !errors.Is(err, held.ErrChanged) {
		t.Errorf("decided on what was shown before: %v", err)
	}
	c, err = l.Find(t.Context(), "37s:1", "x")
	if err != nil || !c.Plan.Equal(some) {
		t.Fatalf("%+v, %v", c, err)
	}
	claims := make(chan undo.Record, 9)
	var all sync.WaitGroup
	for range 9 {
		all.Go(func() {
			if r, err := l.Claim(t.Context(), "37s:1", c.Record); err == nil {
				claims <- r
			}
		})
	}
	all.Wait()
	if len(claims) != 1 {
		t.Fatalf("%d claims", len(claims))
	}
	if err := l.End(t.Context(), "37s:1", <-claims); err != nil {
		t.Error(err)
	}
	if _, err := l.Find(t.Context(), "37s:1", "x"); !errors.Is(err, held.ErrNotFound) {
		t.Errorf("after its end: %v", err)
	}
}

func TestWhy_HoldsWhatIsInDoubt(t *testing.T) {
	all := fence.Fence{Ask: fence.Kinds(), AskAbove: 1, AskAfterOutsiders: true}
	of := func(w held.Write) held.Plan { return held.Plan{Writes: []held.Write{w}} }
	for _, test := range []struct {
		name  string
		plan  held.Plan
		facts held.Facts
		want  string
	}{
		{"nothing", held.Plan{}, held.Facts{Unsure: true, Admin: true, Outsiders: true}, "[]"},
		{"a write", of(held.Write{}), held.Facts{Outsiders: true}, "[everything]"},
		{"as many people as may be", of(held.Write{Reach: held.Reach{Notified: []string{"A"}}}), held.Facts{Outsiders: true}, "[everything outsiders]"},
		{"more people, some twice", held.Plan{Reach: held.Reach{Notified: []string{"A"}}, Writes: []held.Write{{Reach: held.Reach{Notified: []string{"A", "B"}}}}}, held.Facts{}, "[notifies everything]"},
		{"clients", of(held.Write{Reach: held.Reach{ClientsSee: true}}), held.Facts{}, "[clients everything]"},
		{"perhaps clients", of(held.Write{Write: writeplan.Write{Seen: true}}), held.Facts{Outsiders: true}, "[clients everything outsiders]"},
		{"trash", of(held.Write{Write: writeplan.Write{Gone: true}}), held.Facts{Outsiders: true}, "[trash everything]"},
		{"public", of(held.Write{Write: writeplan.Write{Public: true}}), held.Facts{}, "[public everything]"},
		{"a link", of(held.Write{Request: held.Request{Body: `{"x":"see HTTP://a.example"}`}}), held.Facts{Outsiders: true}, "[everything outsiders]"},
		{"a link without a scheme", of(held.Write{Request: held.Request{Body: `{"x":"<a href=\"//a.example\">x</a>"}`}}), held.Facts{Outsiders: true}, "[everything outsiders]"},
		{"not known", of(held.Write{}), held.Facts{Unsure: true, Admin: true}, "[clients notifies admin everything]"},
	} {
		if why := fmt.Sprint(held.Why(all, test.plan, test.facts)); why != test.want {
			t.Errorf("%s: %s, want %s", test.name, why, test.want)
		}
	}
}
