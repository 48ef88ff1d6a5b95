package task

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/wire/writeplan"
)

// Provider is what the steps of this package have as their provider.
const Provider = "tasks"

// rows are a task before and after a write. Nil means that there is none.
type rows struct {
	Was  *Task `json:"was,omitempty"`
	Left *Task `json:"left,omitempty"`
}

// kept carries a write out, and keeps the rows that undo it, which the write completes.
func kept(ctx context.Context, what, id string, r *rows, write func() error) error {
	return writeplan.Journaled(ctx, write, func() writeplan.Step {
		step := writeplan.Step{Provider: Provider, What: what, Type: "task", ID: id}
		if r.Was == nil || r.Left == nil || *r.Was != *r.Left {
			step.Opposite, _ = json.Marshal(r) // tasks can be encoded
		}
		return step
	})
}

// Restore undoes a step of this package, unless the task has changed since.
func (t *Tasks) Restore(ctx context.Context, s writeplan.Step) (writeplan.Restored, error) {
	var r rows
	if err := json.Unmarshal(s.Opposite, &r); err != nil {
		return writeplan.Restored{}, fmt.Errorf("restore a task: %w", err)
	}
	subject, err := identity.Subject(ctx)
	if err != nil {
		return writeplan.Restored{}, err
	}
	var now *Task
	found, err := planned{t.store}.task(ctx, subject, s.ID)
	switch {
	case err == nil:
		now = &found
	case !errors.Is(err, ErrNotFound):
		return writeplan.Restored{}, unreachable(ctx, err, "; try again in a moment")
	}
	if refused, is := r.refusal(now); is {
		return refused, nil
	}
	err = t.put(ctx, subject, r, now)
	if errors.Is(err, ErrNotFound) {
		return writeplan.Restored{Result: writeplan.Refused, Reason: "it was deleted since"}, nil
	}
	if err != nil {
		return writeplan.Restored{}, unreachable(ctx, err, "; look at the tasks before you try again")
	}
	return writeplan.Restored{Result: writeplan.Undone}, nil
}

// refusal returns what was changed since the write, and whether anything was.
func (r rows) refusal(now *Task) (writeplan.Restored, bool) {
	refused := writeplan.Restored{Result: writeplan.Refused, Reason: "it was changed since"}
	switch {
	case r.Left == nil && now == nil:
		return refused, false
	case now == nil:
		refused.Reason = "it was deleted since"
		return refused, true
	case r.Left == nil:
		refused.Reason = "it is there again"
		return refused, true
	}
	was := Task{}
	if r.Was != nil {
		was = *r.Was
	}
	if r.Was != nil && !differs(*now, *r.Left, was) {
		return refused, false
	}
	if r.Was == nil && len(shown(*r.Left, *now)) == 0 && len(shown(*now, *r.Left)) == 0 {
		return refused, false
	}
	refused.Left, refused.Now = shown(*now, *r.Left), shown(*r.Left, *now)
	refused.At = now.UpdatedAt.Format("2006-01-02T15:04:05Z")
	return refused, true
}

// differs reports whether a field that a write changed is no longer as it left it.
func differs(now, left, was Task) bool {
	return left.Title != was.Title && now.Title != left.Title ||
		left.Description != was.Description && now.Description != left.Description ||
		left.DueOn != was.DueOn && now.DueOn != left.DueOn ||
		left.Completed() != was.Completed() && now.Completed() != left.Completed()
}

// put stores what was before.
func (t *Tasks) put(ctx context.Context, subject string, r rows, now *Task) (err error) {
	switch {
	case r.Was == nil:
		_, err = t.store.DeleteTask(ctx, subject, now.ID)
	case r.Left == nil:
		err = t.store.AddTask(ctx, subject, *r.Was, Most)
	default:
		c := Change{At: t.time()}
		if r.Left.Title != r.Was.Title {
			c.Title = &r.Was.Title
		}
		if r.Left.Description != r.Was.Description {
			c.Description = &r.Was.Description
		}
		if r.Left.DueOn != r.Was.DueOn {
			c.DueOn = &r.Was.DueOn
		}
		if r.Left.Completed() != r.Was.Completed() {
			c.Completed = new(r.Was.Completed())
		}
		_, err = t.store.ChangeTask(ctx, subject, now.ID, c)
	}
	return err
}

// ItemTitle returns the title of a task, or "".
func (t *Tasks) ItemTitle(ctx context.Context, _, id string) (title, within string) {
	subject, err := identity.Subject(ctx)
	if err != nil {
		return "", ""
	}
	found, _ := planned{t.store}.task(ctx, subject, id)
	return plaintext.Clean(found.Title), ""
}
