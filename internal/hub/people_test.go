package hub_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/hub"
	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/memory"
	"basecamp-mcp/internal/writeplan"
)

func inAccount(t testing.TB, account int64) context.Context {
	return identity.With(t.Context(), identity.Caller{Subject: "37s:1", Account: account})
}

func TestPeople_BelongToOneAccountAndHaveALimit(t *testing.T) {
	h, ctx := hub.New(memory.New(nil), nil), inAccount(t, 1)
	for i := range int64(200) {
		if changed, err := h.Introduce(ctx, hub.Human{Person: i + 1, Login: fmt.Sprint("rider-", i), How: hub.ByCaller}); !changed || err != nil {
			t.Fatal(i, err)
		}
	}
	if _, err := h.Introduce(ctx, hub.Human{Person: 500, Login: "late"}); !fault.Is(err, fault.LimitReached) {
		t.Error(err)
	}
	other := inAccount(t, 12)
	if known, err := h.People(other); len(known) != 0 || err != nil {
		t.Errorf("%v, %v", known, err)
	}
	if changed, err := h.Introduce(other, hub.Human{Person: 1, Login: "someone-else"}); !changed || err != nil {
		t.Error(err)
	}
	all, err := h.Kept(ctx)
	if len(all) != 201 || err != nil {
		t.Errorf("%d, %v", len(all), err)
	}
	for _, p := range all {
		if changed, err := h.Part(inAccount(t, 0), p); !changed || err != nil { // as a page, which knows no account
			t.Error(p, err)
		}
	}
	if all, _ = h.Kept(ctx); len(all) != 0 {
		t.Error(all)
	}
}

func TestPeople_AreNotRestoredOverALaterChange(t *testing.T) {
	h, who := hub.New(memory.New(nil), nil), hub.Human{Person: 1, Login: "rider"}
	ctx, journal := writeplan.WithJournal(inAccount(t, 1), func(context.Context) error { return nil })
	if _, err := h.Introduce(ctx, who); err != nil || len(journal.Steps()) != 1 {
		t.Fatal(err, journal.Steps())
	}
	page := inAccount(t, 0)
	for i, want := range []string{writeplan.Undone, writeplan.Refused} {
		if got, err := h.Restore(page, journal.Steps()[0]); err != nil || got.Result != want {
			t.Error(i, got, err)
		}
	}
}

// What was made of a thing stays known when the link is changed from the other end.
func TestLink_KeepsWhatWasMade(t *testing.T) {
	h, p, ctx := hub.New(memory.New(nil), nil), &place{}, person(t)
	made, _, err := h.Promote(ctx, source, p.maker(&cut{left: -1}))
	if err != nil {
		t.Fatal(err)
	}
	if changed, err := h.Link(ctx, made.Thing.Ref, source, true, "orchard"); !changed || err != nil {
		t.Fatal(changed, err)
	}
	if _, already, err := h.Promote(ctx, source, p.maker(&cut{left: -1})); !already || err != nil || len(p.made) != 1 {
		t.Error(already, err, p.made)
	}
	if linked, _ := h.Linked(ctx, source); len(linked) != 1 || !linked[0].Alone || linked[0].Lines != "orchard" {
		t.Errorf("%+v", linked)
	}
}

// A Store that cannot be reached fails what needs it, and shows nothing of its error.
func TestPeople_OfAStoreThatCannotBeReached(t *testing.T) {
	h, ctx := hub.New(cutStore{memory.New(nil), &cut{}}, time.Now), inAccount(t, 1)
	_, intro := h.Introduce(ctx, hub.Human{Person: 1, Login: "rider"})
	_, part := h.Part(ctx, hub.Human{Person: 1, Login: "rider"})
	_, kept := h.Kept(ctx)
	for i, err := range []error{intro, part, kept} {
		if !fault.Is(err, fault.UpstreamError) {
			t.Error(i, err)
		}
	}
}
