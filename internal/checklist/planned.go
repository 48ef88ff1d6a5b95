package checklist

import (
	"context"
	"errors"
	"slices"
	"time"

	"basecamp-mcp/internal/writeplan"
)

// planned is a Store whose writes are recorded if they are planned.
type planned struct{ Store }

func (s planned) SaveChecklist(ctx context.Context, d Draft) (revision int64, err error) {
	plan := writeplan.From(ctx)
	if plan == nil {
		return s.Store.SaveChecklist(ctx, d)
	}
	old, err := s.Checklist(ctx, d.Subject, d.ID)
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
