package sqlite

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"basecamp-mcp/internal/audit"
	"basecamp-mcp/internal/sealkey"
)

func readEntry(n int) audit.Entry {
	now := time.Now()
	return audit.Entry{ID: audit.OldestID(now) + fmt.Sprintf("-%04d", n), Time: now, Tool: "list_todos", Reads: true}
}

func TestAddEntry_OfReadsIsCommittedInGroups(t *testing.T) {
	var commits atomic.Int64
	path := pathIn(t)
	s, err := Open(t.Context(), path, Options{Program: "test", Keys: sealkey.InFile(path), at: func(step string) {
		if step == "committed" {
			commits.Add(1)
		}
	}})
	must(t, err)
	began := commits.Load()
	for i := range mostDelayed {
		must(t, s.AddEntry(t.Context(), "37s:1", readEntry(i)))
	}
	entries, err := s.Entries(t.Context(), "37s:1", "", mostDelayed)
	must(t, err)
	if len(entries) != mostDelayed {
		t.Errorf("%d entries are listed, want all %d", len(entries), mostDelayed)
	}
	if grouped := commits.Load() - began; grouped > 100 {
		t.Errorf("%d commits for %d entries", grouped, mostDelayed)
	}
	must(t, s.AddEntry(t.Context(), "37s:1", readEntry(mostDelayed)))
	must(t, s.Close())
	again := openAt(t, path, nil)
	if n := again.count(t, kindEntry); n != mostDelayed+1 {
		t.Errorf("%d entries after Close, want %d", n, mostDelayed+1)
	}
}

func TestAddEntry_OfAReadWaitsForNoWrite(t *testing.T) {
	s := openAt(t, pathIn(t), nil)
	must(t, s.write(t.Context(), "hold the file", func(*tx) error {
		return s.AddEntry(t.Context(), "37s:1", readEntry(1))
	}))
	e := readEntry(2)
	e.Reads = false
	must(t, s.AddEntry(t.Context(), "37s:1", e))
	entries, err := s.Entries(t.Context(), "37s:1", "", 10)
	must(t, err)
	if len(entries) != 2 {
		t.Errorf("%d entries, want both", len(entries))
	}
}
