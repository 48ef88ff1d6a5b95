package checklist

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/wire/writeplan"
)

// planned is a Store whose writes are recorded if they are planned. A journal keeps what undoes the
// others.
type planned struct{ Store }

func (s planned) SaveChecklist(ctx context.Context, d Draft) (revision int64, err error) {
	plan := writeplan.From(ctx)
	if plan == nil {
		return s.save(ctx, d)
	}
	old, err := s.Checklist(ctx, d.Subject, d.ID, "")
	if err != nil && (d.Existing || !errors.Is(err, ErrNotFound)) {
		return 0, err
	}
	if d.IfRevision != nil && *d.IfRevision != old.Revision {
		return old.Revision, ErrConflict
	}
	if !slices.Equal(old.Todos, d.Todos) {
		plan.Record(writeplan.Write{
			What: "replace a session's checklist", On: &writeplan.Item{Type: "checklist", ID: old.ID},
			Before: map[string]any{"todos": without(old.Todos, d.Todos)}, After: map[string]any{"todos": without(d.Todos, old.Todos)},
		})
	}
	return old.Revision + 1, nil
}

// Provider is what the steps of this package have as their provider.
const Provider = "checklists"

// rows are what undoes the write of a list.
type rows struct {
	Was      []Todo `json:"was"`
	Revision int64  `json:"revision"` // that the write left
}

// save saves a list, and keeps what undoes it if there is a journal.
func (s planned) save(ctx context.Context, d Draft) (revision int64, err error) {
	var old List
	if j := writeplan.JournalFrom(ctx); j != nil {
		if old, err = s.Checklist(ctx, d.Subject, d.ID, ""); err != nil && !errors.Is(err, ErrNotFound) {
			return 0, err
		}
	}
	err = writeplan.Journaled(ctx, func() (err error) { revision, err = s.Store.SaveChecklist(ctx, d); return err }, func() writeplan.Step {
		opposite, _ := json.Marshal(rows{old.Todos, revision}) // lists can be encoded
		return writeplan.Step{Provider: Provider, What: "replace a session's checklist", Type: "checklist", ID: d.ID, Opposite: opposite}
	})
	return revision, err
}

// Restore undoes a step of this package, unless the list was written since.
func (l *Lists) Restore(ctx context.Context, s writeplan.Step) (writeplan.Restored, error) {
	var r rows
	if err := json.Unmarshal(s.Opposite, &r); err != nil {
		return writeplan.Restored{}, fmt.Errorf("restore a checklist: %w", err)
	}
	caller, err := identity.Known(ctx)
	if err != nil {
		return writeplan.Restored{}, err
	}
	now := l.now()
	_, err = l.store.SaveChecklist(ctx, Draft{
		Subject: caller.Subject, ID: s.ID, Todos: r.Was, WrittenAt: now, ExpiresAt: now.Add(idle), Existing: true, IfRevision: &r.Revision,
	})
	switch {
	case errors.Is(err, ErrConflict), errors.Is(err, ErrNotFound):
		return writeplan.Restored{Result: writeplan.Refused, Reason: "the checklist was written or deleted since"}, nil
	case err != nil:
		return writeplan.Restored{}, unreachable(err)
	}
	return writeplan.Restored{Result: writeplan.Undone}, nil
}

// without returns the to-dos that are not among others.
func without(todos, others []Todo) []Todo {
	return slices.DeleteFunc(slices.Clone(todos), func(t Todo) bool { return slices.Contains(others, t) })
}

func (s planned) KeepChecklist(ctx context.Context, subject, id string, until time.Time) error {
	if writeplan.From(ctx) != nil {
		return nil
	}
	return s.Store.KeepChecklist(ctx, subject, id, until)
}

func (s planned) DeleteChecklist(ctx context.Context, subject, id string) error {
	if plan := writeplan.From(ctx); plan != nil {
		plan.Record(writeplan.Write{What: "delete a session's checklist", On: &writeplan.Item{Type: "checklist", ID: id}})
		return nil
	}
	return s.Store.DeleteChecklist(ctx, subject, id)
}
