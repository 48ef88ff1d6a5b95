package sqlite

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"basecamp-mcp/internal/audit"
	"basecamp-mcp/internal/checklist"
	"basecamp-mcp/internal/items"
	"basecamp-mcp/internal/sealkey"
	"basecamp-mcp/internal/task"
)

// mostDelayed is how many entries may wait.
const mostDelayed = 1_000

func readEntry(n int) audit.Entry {
	now := time.Now()
	return audit.Entry{ID: audit.OldestID(now) + fmt.Sprintf("-%04d", n), Time: now, Tool: "list_todos", Reads: true}
}

func TestAddEntry_OfReadsIsCommittedInGroups(t *testing.T) {
	var commits atomic.Int64
	path := pathIn(t)
	s, err := Open(t.Context(), path, Options{Keys: sealkey.InFile(path), at: func(step string) {
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
	if n := again.count(t, "audit"); n != mostDelayed+1 {
		t.Errorf("%d entries after Close, want %d", n, mostDelayed+1)
	}
}

func TestAddEntry_OfAReadWaitsForNoWrite(t *testing.T) {
	s := openAt(t, pathIn(t), nil)
	must(t, s.transact(t.Context(), "FULL", func(items.Tx) error {
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

func TestWrites_WaitForTheDiskOnceACall(t *testing.T) {
	s := openAt(t, pathIn(t), nil)
	added := task.Task{ID: "1", Title: "Count the moorings"}
	e := readEntry(1)
	e.Reads = false
	for _, step := range []struct {
		name  string
		waits bool
		do    func() error
	}{
		{"add a task", false, func() error { return s.AddTask(t.Context(), "37s:1", added, 10) }},
		{"its entry", true, func() error { return s.AddEntry(t.Context(), "37s:1", e) }},
		{"delete a task", false, func() error { _, err := s.DeleteTask(t.Context(), "37s:1", "1"); return err }},
		{"save a checklist", false, func() error {
			_, err := s.SaveChecklist(t.Context(), checklist.Draft{Subject: "37s:1", ID: "x", ExpiresAt: time.Now().Add(time.Hour)})
			return err
		}},
		{"keep a checklist", false, func() error { return s.KeepChecklist(t.Context(), "37s:1", "x", time.Now().Add(2*time.Hour)) }},
		{"delete a checklist", false, func() error { return s.DeleteChecklist(t.Context(), "37s:1", "x") }},
		{"a ledger's state", true, func() error { s.Ledger("links").Save("token", []byte("{}")); return nil }},
	} {
		must(t, step.do())
		const full = 2
		var synchronous int // of the last commit
		must(t, s.writer.QueryRowContext(t.Context(), "PRAGMA synchronous").Scan(&synchronous))
		if (synchronous == full) != step.waits {
			t.Errorf("%s: synchronous is %d", step.name, synchronous)
		}
	}
}
