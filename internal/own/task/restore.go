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
	if result, is := r.settled(now); is {
		return result, nil
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

// settled returns the result of undoing a write that needs no other write: the task was changed
// since, or is as before already. It reports whether there is such a result.
func (r rows) settled(now *Task) (writeplan.Restored, bool) {
	refused := writeplan.Restored{Result: writeplan.Refused, Reason: "it was deleted since"}
	switch {
	case r.Left == nil && now == nil:
		return refused, false
	case now == nil:
		return refused, true
	case r.Left == nil:
		refused.Reason = "it is there again"
		return refused, true
	}
	k, left := writeplan.Kept{Was: map[string]any{}, Left: map[string]any{}}, fields(*r.Left)
	if r.Was == nil {
		k.Left = left
	} else {
		for name, was := range fields(*r.Was) {
			k.Keep(name, was, left[name])
		}
	}
	result, is := k.Settled(fields(*now), func(value any) any { return value })
	if result.Result == writeplan.Refused {
		result.At = now.UpdatedAt.Format("2006-01-02T15:04:05Z")
	}
	return result, is
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
