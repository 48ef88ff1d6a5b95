package memory

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/audit"
)

// entriesOf returns n entries, oldest first.
func entriesOf(now time.Time, n int) []audit.Entry {
	entries := make([]audit.Entry, n)
	for i := range entries {
		at := now.Add(time.Duration(i) * time.Millisecond)
		entries[i] = audit.Entry{ID: audit.NewID(at), Time: at, Tool: "get_me", Milliseconds: int64(i)}
	}
	return entries
}

// newest returns the entries that a full trail must return.
func newest(entries []audit.Entry) []audit.Entry {
	kept := slices.Clone(entries[max(0, len(entries)-mostEntries):])
	slices.Reverse(kept)
	return kept
}

func (s *Audit) wants(t *testing.T, subject, before string, limit int, want []audit.Entry) {
	t.Helper()
	got, err := s.Entries(t.Context(), subject, before, limit)
	must(t, err)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%d entries before %q of %s (-want +got):\n%s", limit, before, subject, diff)
	}
}

func TestAudit_AFullTrailKeepsTheNewestEntriesInOrder(t *testing.T) {
	for _, n := range []int{mostEntries - 1, mostEntries, mostEntries + 1, 2*mostEntries - 1, 2 * mostEntries, 3*mostEntries + 7} {
		s, entries := NewAudit(nil), entriesOf(time.Now(), n)
		for _, e := range entries {
			must(t, s.AddEntry(t.Context(), "37s:1", e))
		}
		kept := newest(entries)
		s.wants(t, "37s:1", "", 2*mostEntries, kept)
		for _, i := range []int{0, 1, len(kept) / 2, len(kept) - 2} {
			s.wants(t, "37s:1", kept[i].ID, 1, kept[i+1:i+2])
		}
		s.wants(t, "37s:1", kept[len(kept)-1].ID, 1, nil)
		if got := cap(s.trail("37s:1").entries); got > 2*mostEntries {
			t.Errorf("%d entries have room for %d", n, got)
		}
	}
}

// Calls that run at the same time end in any order. An entry that is older than all of a full trail
// is not kept.
func TestAudit_AFullTrailSortsLateEntries(t *testing.T) {
	const window = 40
	entries := entriesOf(time.Now(), 2*mostEntries+123)
	late := slices.Clone(entries)
	for i := 0; i+window <= len(late); i += window {
		some := late[i : i+window]
		rand.Shuffle(window, func(a, b int) { some[a], some[b] = some[b], some[a] })
	}
	s := NewAudit(nil)
	for _, e := range late {
		must(t, s.AddEntry(t.Context(), "37s:1", e))
	}
	s.wants(t, "37s:1", "", mostEntries, newest(entries))
	must(t, s.AddEntry(t.Context(), "37s:1", entries[0]))
	s.wants(t, "37s:1", "", mostEntries, newest(entries))
}

func TestAudit_AFullTrailRefusesATakenIDAndAcceptsTheSameEntry(t *testing.T) {
	s, entries := NewAudit(nil), entriesOf(time.Now(), mostEntries+300)
	for _, e := range entries {
		must(t, s.AddEntry(t.Context(), "37s:1", e))
	}
	for _, e := range []audit.Entry{entries[300], entries[900], entries[len(entries)-1]} {
		must(t, s.AddEntry(t.Context(), "37s:1", e))
		e.Tool = "get_item"
		if err := s.AddEntry(t.Context(), "37s:1", e); !errors.Is(err, audit.ErrTaken) {
			t.Errorf("another entry with the ID of entry %d: %v", e.Milliseconds, err)
		}
	}
	s.wants(t, "37s:1", "", mostEntries, newest(entries))
}

func TestAudit_ConcurrentUsersReadOnlyTheirOwnEntries(t *testing.T) {
	s, now := NewAudit(nil), time.Now()
	const users, writers, each = 4, 4, 300
	var all sync.WaitGroup
	for user := range users {
		subject := strconv.Itoa(user)
		for writer := range writers {
			all.Go(func() {
				for i := range each {
					at := now.Add(time.Duration(i*writers+writer) * time.Microsecond)
					e := audit.Entry{ID: audit.NewID(at), Time: at, Tool: subject, Milliseconds: int64(i*writers + writer)}
					if err := s.AddEntry(t.Context(), subject, e); err != nil {
						t.Error(err)
					}
					found, err := s.Entries(t.Context(), subject, "", 3)
					if err != nil || len(found) == 0 || slices.ContainsFunc(found, func(e audit.Entry) bool { return e.Tool != subject }) {
						t.Errorf("user %s reads %+v, %v", subject, found, err)
					}
				}
			})
		}
	}
	all.Wait()
	for user := range users {
		found, err := s.Entries(t.Context(), strconv.Itoa(user), "", 2*mostEntries)
		must(t, err)
		inOrder := slices.IsSortedFunc(found, func(a, b audit.Entry) int { return int(b.Milliseconds - a.Milliseconds) })
		if len(found) != mostEntries || !inOrder || found[0].Milliseconds != writers*each-1 {
			t.Errorf("user %d has %d entries, in order: %t, the newest is %d", user, len(found), inOrder, found[0].Milliseconds)
		}
	}
}

// trail returns a user's trail.
func (s *Audit) trail(subject string) *trail {
	t, _ := s.trails.get(subject, s.now())
	return t
}

func TestAudit_AddingToAFullTrailAllocatesLittle(t *testing.T) {
	s, now := NewAudit(nil), time.Now()
	for _, e := range entriesOf(now, mostEntries) {
		must(t, s.AddEntry(t.Context(), "37s:1", e))
	}
	more, next := entriesOf(now.Add(time.Hour), 500), 0
	const most = 4
	if got := testing.AllocsPerRun(len(more)-1, func() {
		_ = s.AddEntry(t.Context(), "37s:1", more[next])
		next++
	}); got > most {
		t.Errorf("%v allocations, want at most %v", got, most)
	}
}

func BenchmarkAudit_AddToAFullTrail(b *testing.B) {
	s, now := NewAudit(nil), time.Now()
	for _, e := range entriesOf(now, mostEntries) {
		if err := s.AddEntry(b.Context(), "37s:1", e); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		i++
		at := now.Add(time.Hour + time.Duration(i))
		if err := s.AddEntry(b.Context(), "37s:1", audit.Entry{ID: audit.NewID(at), Time: at}); err != nil {
			b.Fatal(err)
		}
	}
}
