package items

import (
	"context"

	"basecamp-mcp/internal/own/task"
)

var _ task.Store = (*Store)(nil)

const kindTask = "task"

// AddTask stores a new task of a user, or returns ErrFull if the user has most tasks or more. If
// the call has an idempotency key, the key is stored in the same transaction. It returns
// calls.ErrKeyTaken if another call has it, and *task.ExistingError with the task that an
// earlier try of this call added.
func (s *Store) AddTask(ctx context.Context, subject string, added task.Task, most int) error {
	return s.writeAhead(ctx, "add a task", func(t *tx) {
		var earlier task.Task
		repeated := t.make(ctx, subject, added, &earlier)
		t.refuse(repeated, &task.ExistingError{Task: earlier})
		t.refuse(t.count(kindTask, subject) >= most, task.ErrFull)
		t.put(Key{kindTask, subject, added.ID}, added, never)
	})
}

// Tasks returns the tasks that the filter selects, newest first, and how many it would select
// without its bounds.
func (s *Store) Tasks(ctx context.Context, subject string, f task.Filter) (found []task.Task, total int, err error) {
	all, err := list[task.Task](ctx, s, "list tasks", Range{Kind: kindTask, Owner: subject, Descending: true})
	if err != nil {
		return nil, 0, err
	}
	for _, t := range all {
		if !f.Status.Picks(t) {
			continue
		}
		total++
		if len(found) < f.Limit && (f.Before == "" || t.ID < f.Before) {
			found = append(found, t)
		}
	}
	return found, total, nil
}

// ChangeTask changes a task and returns the result, or ErrNotFound.
func (s *Store) ChangeTask(ctx context.Context, subject, id string, c task.Change) (changed task.Task, err error) {
	k := Key{kindTask, subject, id}
	err = s.writeAhead(ctx, "change a task", func(t *tx) {
		var before task.Task
		t.get(k, &before, task.ErrNotFound)
		if changed = c.Apply(before); changed != before {
			t.put(k, changed, never)
		}
	})
	return changed, err
}

// DeleteTask removes a task and returns it, or ErrNotFound.
func (s *Store) DeleteTask(ctx context.Context, subject, id string) (deleted task.Task, err error) {
	k := Key{kindTask, subject, id}
	err = s.writeAhead(ctx, "delete a task", func(t *tx) {
		t.get(k, &deleted, task.ErrNotFound)
		t.remove(k)
	})
	return deleted, err
}
