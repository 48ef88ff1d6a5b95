package sqlite

import (
	"context"
	"testing"
	"time"

	"basecamp-mcp/internal/own/calls"
	"basecamp-mcp/internal/own/checklist"
	"basecamp-mcp/internal/own/task"
	"basecamp-mcp/internal/store/items"
	"basecamp-mcp/internal/store/sealkey"
)

// counted counts writes.
type counted struct {
	engine
	n int
}

func (c *counted) Write(ctx context.Context, do func(items.Tx) error) error {
	c.n++
	return c.engine.Write(ctx, do)
}

func (c *counted) WriteAhead(ctx context.Context, do func(items.Tx) error) error {
	c.n++
	return c.engine.WriteAhead(ctx, do)
}

func TestWrites_WaitForTheDiskTwiceACall(t *testing.T) {
	path := pathIn(t)
	e := &counted{engine: engine{openAt(t, path, nil)}}
	s := items.New(e, items.Options{Keys: sealkey.InFile(path), Local: true})
	saveTokens(t, s.Grants("p"), "37s:2", "w") // makes the key that seals
	added := task.Task{ID: "1", Title: "Count the moorings"}
	now := time.Now()
	r := calls.Record{Entry: calls.Entry{ID: calls.NewID(now), Time: now}, Revision: 1}
	for _, step := range []struct {
		name  string
		waits bool
		do    func() error
	}{
		{"claim the record of a call", true, func() error { _, err := s.ClaimCall(t.Context(), "37s:1", r, nil); return err }},
		{"add a task", false, func() error { return s.AddTask(t.Context(), "37s:1", added, 10) }},
		{"save a checklist", false, func() error {
			_, err := s.SaveChecklist(t.Context(), checklist.Draft{Subject: "37s:1", ID: "x", ExpiresAt: now.Add(time.Hour)})
			return err
		}},
		{"keep a checklist", false, func() error { return s.KeepChecklist(t.Context(), "37s:1", "x", now.Add(2*time.Hour)) }},
		{"delete a checklist", false, func() error { return s.DeleteChecklist(t.Context(), "37s:1", "x") }},
		{"delete a task", false, func() error { _, err := s.DeleteTask(t.Context(), "37s:1", "1"); return err }},
		{"end the call, with what undoes it and its key", true, func() error {
			r.Revision++
			return s.ChangeCall(t.Context(), "37s:1", r, []byte("old text"), &calls.Key{Key: "k"})
		}},
		{"the line of a call that wrote nothing", false, func() error { return s.AddLine(t.Context(), "37s:1", calls.Entry{ID: "u", Time: now}) }},
		{"a ledger's state", true, func() error { s.Ledger("links").Save("token", []byte("{}")); return nil }},
	} {
		e.n = 0
		must(t, step.do())
		if e.n != 1 {
			t.Errorf("%s: %d transactions", step.name, e.n)
		}
		const full = 2
		var synchronous int // of the last commit
		must(t, e.writer.QueryRowContext(t.Context(), "PRAGMA synchronous").Scan(&synchronous))
		if (synchronous == full) != step.waits {
			t.Errorf("%s: synchronous is %d", step.name, synchronous)
		}
	}
}
