package storetest

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"basecamp-mcp/internal/audit"
)

// Audit checks that an audit.Store does what its interface says. open returns a Store whose clock
// is now; it may return the same table each time.
func Audit(t *testing.T, open func(t *testing.T, now func() time.Time) audit.Store) {
	check(t, func(t *testing.T) archive {
		c := newClock()
		return archive{open(t, c.Now), c}
	}, auditFacts)
}

// archive is a Store and its clock.
type archive struct {
	audit.Store
	clock *clock
}

var auditFacts = []fact[archive]{
	{"an entry is returned as it was added", func(t *testing.T, a archive) {
		subject, now := newSubject(), a.clock.Now()
		bare := audit.Entry{ID: audit.NewID(now.Add(-time.Minute)), Time: now.Add(-time.Minute), Tool: "get_me"}
		full := newEntry(now)
		a.add(t, subject, bare, full)
		a.want(t, subject, "", 10, full, bare)
	}},
	{"entries are returned newest first in any order of adding", func(t *testing.T, a archive) {
		subject, entries := newSubject(), a.entries(5)
		a.add(t, subject, entries[3], entries[1], entries[4], entries[0], entries[2])
		a.want(t, subject, "", 10, entries...)
	}},
	{"a page begins after the given entry, which need not exist", func(t *testing.T, a archive) {
		subject, entries := newSubject(), a.entries(6)
		gone := entries[3]
		a.add(t, subject, slices.Delete(slices.Clone(entries), 3, 4)...)
		a.want(t, subject, "", 2, entries[0], entries[1])
		a.want(t, subject, entries[1].ID, 2, entries[2], entries[4])
		a.want(t, subject, gone.ID, 2, entries[4], entries[5])
		a.want(t, subject, entries[4].ID, 2, entries[5])
		a.want(t, subject, entries[5].ID, 2)
		a.want(t, subject, "20", 2)
	}},
	{"a page holds the requested number of entries", func(t *testing.T, a archive) {
		subject, entries := newSubject(), a.entries(60)
		a.add(t, subject, entries...)
		for _, limit := range []int{0, 1, 51, 60, 100} {
			a.want(t, subject, "", limit, entries[:min(limit, 60)]...)
		}
	}},
	{"adding an entry again changes nothing", func(t *testing.T, a archive) {
		subject, e := newSubject(), newEntry(a.clock.Now())
		a.add(t, subject, e, e)
		a.want(t, subject, "", 10, e)
	}},
	{"an entry takes the place of no other", func(t *testing.T, a archive) {
		subject, first := newSubject(), newEntry(a.clock.Now())
		second := newEntry(first.Time)
		second.ID = first.ID
		a.add(t, subject, first)
		if err := a.AddEntry(t.Context(), subject, second); !errors.Is(err, audit.ErrTaken) {
			t.Errorf("another under its id: %v", err)
		}
		a.want(t, subject, "", 10, first)
	}},
	{"entries belong to one person", func(t *testing.T, a archive) {
		subject, e := newSubject(), newEntry(a.clock.Now())
		a.add(t, subject, e)
		for _, other := range []string{newSubject(), subject + "0", subject[:len(subject)-1]} {
			a.want(t, other, "", 10)
		}
	}},
	{"an entry is kept for ninety days", func(t *testing.T, a archive) {
		subject, now := newSubject(), a.clock.Now()
		old, young := newEntry(now.Add(-24*time.Hour)), newEntry(now)
		a.add(t, subject, old, young)
		a.clock.set(old.Time.Add(audit.Retention - time.Second))
		a.want(t, subject, "", 10, young, old)
		a.clock.set(old.Time.Add(audit.Retention + time.Second))
		a.want(t, subject, "", 10, young)
		a.want(t, subject, old.ID, 10)
		a.clock.set(young.Time.Add(audit.Retention + time.Second))
		a.want(t, subject, "", 10)
	}},
	{"changing an entry after a call does not change the stored one", func(t *testing.T, a archive) {
		subject, e := newSubject(), newEntry(a.clock.Now())
		kept := copied(t, e)
		kept.ID = e.ID
		a.add(t, subject, e)
		clear(e.Arguments)
		for range 2 {
			found, err := a.Entries(t.Context(), subject, "", 1)
			must(t, err)
			wantSame(t, found, []audit.Entry{kept})
			clear(found[0].Arguments)
		}
	}},
	{"a cancelled context returns an error", func(t *testing.T, a archive) {
		subject, e := newSubject(), newEntry(a.clock.Now())
		for _, do := range []func(context.Context) error{
			func(ctx context.Context) error { return a.AddEntry(ctx, subject, e) },
			func(ctx context.Context) error { _, err := a.Entries(ctx, subject, "", 1); return err },
		} {
			wantUnreachable(t, do(cancelled(t)))
		}
		a.want(t, subject, "", 10)
	}},
}

// newEntry returns an entry with every field filled.
func newEntry(at time.Time) audit.Entry {
	return audit.Entry{
		ID: audit.NewID(at), Time: at, Tool: "set_completed",
		Arguments: []audit.Argument{{Name: "item", Value: "1069479351"}, {Name: "completed", Value: "true"}, {Name: "note"}},
		Outcome:   "NOT_FOUND", Milliseconds: 187, Client: unicode, Door: audit.Bridge, RequestID: newID(), Connection: newID(), Provider: "orchard", Wrote: []string{"1069479351"},
	}
}

// entries returns n entries, newest first. Some share a second.
func (a archive) entries(n int) []audit.Entry {
	entries := make([]audit.Entry, n)
	for i := range entries {
		entries[i] = newEntry(a.clock.Now().Add(-time.Duration(i) * 400 * time.Millisecond))
	}
	return entries
}

func (a archive) add(t *testing.T, subject string, entries ...audit.Entry) {
	t.Helper()
	for _, e := range entries {
		must(t, a.AddEntry(t.Context(), subject, e))
	}
}

func (a archive) want(t *testing.T, subject, before string, limit int, want ...audit.Entry) {
	t.Helper()
	got, err := a.Entries(t.Context(), subject, before, limit)
	must(t, err)
	wantSame(t, got, want)
}
