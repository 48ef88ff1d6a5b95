package task_test

import (
	"context"
	"testing"

	"basecamp-mcp/internal/own/task"
	"basecamp-mcp/internal/wire/writeplan"
)

func TestRestore_PutsBackWhatTheWriteChangedUnlessItWasChangedSince(t *testing.T) {
	type change = func(ctx context.Context, tasks *task.Tasks, id string) error
	complete := func(ctx context.Context, tasks *task.Tasks, id string) error {
		_, err := tasks.Complete(ctx, id)
		return err
	}
	remove := func(ctx context.Context, tasks *task.Tasks, id string) error {
		_, err := tasks.Delete(ctx, id)
		return err
	}
	to := func(title, description, dueOn string) change {
		return func(ctx context.Context, tasks *task.Tasks, id string) error {
			_, err := tasks.Update(ctx, id, &title, &description, &dueOn)
			return err
		}
	}
	for name, c := range map[string]struct {
		wrote, since   change // nil: adds the task; nothing
		result, reason string
		left           string // the title, description and day afterwards; empty: there is no task
	}{
		"an added task is deleted":             {nil, nil, "undone", "", ""},
		"unless it was changed":                {nil, complete, "refused", "it was changed since", "Oil the chain//"},
		"or deleted":                           {nil, remove, "refused", "it was deleted since", ""},
		"a completed task is open":             {complete, nil, "undone", "", "Oil the chain//"},
		"also if its title is another":         {complete, to("Oil it", "", ""), "undone", "", "Oil it//"},
		"a change is taken back":               {to("Oil it", "Twice", "2026-03-09"), nil, "undone", "", "Oil the chain//"},
		"not if a field is another":            {to("Oil it", "Twice", "2026-03-09"), to("Oil it", "Once", "2026-03-09"), "refused", "it was changed since", "Oil it/Once/2026-03-09"},
		"and not twice":                        {to("Oil it", "", ""), to("Oil the chain", "", ""), "undone", "it was as before already", "Oil the chain//"},
		"a deleted task is there again":        {remove, nil, "undone", "", "Oil the chain//"},
		"a change of what was deleted is lost": {complete, remove, "refused", "it was deleted since", ""},
	} {
		tasks := newTasks()
		ctx, journal := writeplan.WithJournal(ines(t), func(context.Context) error { return nil })
		is, err := tasks.Add(ctx, "Oil the chain", "", "")
		if c.wrote != nil {
			err = c.wrote(ctx, tasks, is.ID)
		}
		if c.since != nil && err == nil {
			err = c.since(ines(t), tasks, is.ID)
		}
		if err != nil {
			t.Fatal(err)
		}
		steps := journal.Steps()
		got, err := tasks.Restore(ines(t), steps[len(steps)-1])
		if err != nil || got.Result != c.result || got.Reason != c.reason || (got.Now != nil) != (c.reason == "it was changed since") {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		left := ""
		for _, one := range list(t, tasks, task.All) {
			left += one.Title + "/" + one.Description + "/" + one.DueOn
			if one.Completed() != (name == "unless it was changed") {
				t.Errorf("%s: completed is %t", name, one.Completed())
			}
		}
		if left != c.left {
			t.Errorf("%s: %q is left, want %q", name, left, c.left)
		}
	}
}
