package memory

import (
	"strconv"
	"testing"
	"time"

	"basecamp-mcp/internal/audit"
	"basecamp-mcp/internal/storetest"
)

func TestAudit(t *testing.T) {
	storetest.Audit(t, func(_ *testing.T, now func() time.Time) audit.Store { return NewAudit(now) })
}

func TestAudit_HasALimit(t *testing.T) {
	s, now := NewAudit(nil), time.Now()
	for i := range mostEntries + 5 {
		at := now.Add(time.Duration(i) * time.Millisecond)
		must(t, s.AddEntry(t.Context(), "37s:1", audit.Entry{ID: audit.NewID(at), Time: at, Milliseconds: int64(i)}))
	}
	found, err := s.Entries(t.Context(), "37s:1", "", 2*mostEntries)
	must(t, err)
	if len(found) != mostEntries || found[0].Milliseconds != mostEntries+4 || found[mostEntries-1].Milliseconds != 5 {
		t.Errorf("%d entries, from %d to %d", len(found), found[0].Milliseconds, found[len(found)-1].Milliseconds)
	}
	for i := range mostOfAKind + 5 {
		must(t, s.AddEntry(t.Context(), strconv.Itoa(i), audit.Entry{ID: audit.NewID(now), Time: now}))
	}
	if len(s.trails.slots) != mostOfAKind {
		t.Errorf("%d people", len(s.trails.slots))
	}
}
