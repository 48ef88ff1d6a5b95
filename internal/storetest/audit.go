package storetest

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"basecamp-mcp/internal/audit"
)

var auditFacts = []fact[env]{
	{"an entry is returned as it was added", func(t *testing.T, s env) {
		subject, now := newSubject(), s.clock.Now()
		bare := audit.Entry{ID: audit.NewID(now.Add(-time.Minute)), Time: now.Add(-time.Minute), Tool: "get_me"}
		full := newEntry(now)
		s.addEntries(t, subject, bare, full)
		s.wantEntries(t, subject, "", 10, full, bare)
	}},
	{"entries are returned newest first in any order of adding", func(t *testing.T, s env) {
		subject, entries := newSubject(), s.newEntries(5)
		s.addEntries(t, subject, entries[3], entries[1], entries[4], entries[0], entries[2])
		s.wantEntries(t, subject, "", 10, entries...)
	}},
	{"a page begins after the given entry, which need not exist", func(t *testing.T, s env) {
		subject, entries := newSubject(), s.newEntries(6)
		gone := entries[3]
		s.addEntries(t, subject, slices.Delete(slices.Clone(entries), 3, 4)...)
		s.wantEntries(t, subject, "", 2, entries[0], entries[1])
		s.wantEntries(t, subject, entries[1].ID, 2, entries[2], entries[4])
		s.wantEntries(t, subject, gone.ID, 2, entries[4], entries[5])
		s.wantEntries(t, subject, entries[4].ID, 2, entries[5])
		s.wantEntries(t, subject, entries[5].ID, 2)
		s.wantEntries(t, subject, "20", 2)
	}},
	{"a page holds the requested number of entries", func(t *testing.T, s env) {
		subject, entries := newSubject(), s.newEntries(60)
		s.addEntries(t, subject, entries...)
		for _, limit := range []int{0, 1, 51, 60, 100} {
			s.wantEntries(t, subject, "", limit, entries[:min(limit, 60)]...)
		}
	}},
	{"adding an entry again changes nothing", func(t *testing.T, s env) {
		subject, e := newSubject(), newEntry(s.clock.Now())
		s.addEntries(t, subject, e, e)
		s.wantEntries(t, subject, "", 10, e)
	}},
	{"an entry takes the place of no other", func(t *testing.T, s env) {
		subject, first := newSubject(), newEntry(s.clock.Now())
		second := newEntry(first.Time)
		second.ID = first.ID
		s.addEntries(t, subject, first)
		if err := s.AddEntry(t.Context(), subject, second); !errors.Is(err, audit.ErrTaken) {
			t.Errorf("another under its id: %v", err)
		}
		s.wantEntries(t, subject, "", 10, first)
	}},
	{"entries belong to one person", func(t *testing.T, s env) {
		subject, e := newSubject(), newEntry(s.clock.Now())
		s.addEntries(t, subject, e)
		for _, other := range []string{newSubject(), subject + "0", subject[:len(subject)-1]} {
			s.wantEntries(t, other, "", 10)
		}
	}},
	{"an entry is kept for ninety days", func(t *testing.T, s env) {
		subject, now := newSubject(), s.clock.Now()
		old, young := newEntry(now.Add(-24*time.Hour)), newEntry(now)
		s.addEntries(t, subject, old, young)
		s.clock.set(old.Time.Add(audit.Retention - time.Second))
		s.wantEntries(t, subject, "", 10, young, old)
		s.clock.set(old.Time.Add(audit.Retention + time.Second))
		s.wantEntries(t, subject, "", 10, young)
		s.wantEntries(t, subject, old.ID, 10)
		s.clock.set(young.Time.Add(audit.Retention + time.Second))
		s.wantEntries(t, subject, "", 10)
	}},
	{"changing an entry after a call does not change the stored one", func(t *testing.T, s env) {
		subject, e := newSubject(), newEntry(s.clock.Now())
		kept := copied(t, e)
		kept.ID = e.ID
		s.addEntries(t, subject, e)
		clear(e.Arguments)
		for range 2 {
			found, err := s.Entries(t.Context(), subject, "", 1)
			must(t, err)
			wantSame(t, found, []audit.Entry{kept})
			clear(found[0].Arguments)
		}
	}},
	{"a cancelled context returns an error", func(t *testing.T, s env) {
		subject, e := newSubject(), newEntry(s.clock.Now())
		for _, do := range []func(context.Context) error{
			func(ctx context.Context) error { return s.AddEntry(ctx, subject, e) },
			func(ctx context.Context) error { _, err := s.Entries(ctx, subject, "", 1); return err },
		} {
			wantUnreachable(t, do(cancelled(t)))
		}
		s.wantEntries(t, subject, "", 10)
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

// newEntries returns n entries, newest first. Some share a second.
func (s env) newEntries(n int) []audit.Entry {
	entries := make([]audit.Entry, n)
	for i := range entries {
		entries[i] = newEntry(s.clock.Now().Add(-time.Duration(i) * 400 * time.Millisecond))
	}
	return entries
}

func (s env) addEntries(t *testing.T, subject string, entries ...audit.Entry) {
	t.Helper()
	for _, e := range entries {
		must(t, s.AddEntry(t.Context(), subject, e))
	}
}

func (s env) wantEntries(t *testing.T, subject, before string, limit int, want ...audit.Entry) {
	t.Helper()
	got, err := s.Entries(t.Context(), subject, before, limit)
	must(t, err)
	wantSame(t, got, want)
}
