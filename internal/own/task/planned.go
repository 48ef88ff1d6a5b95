package task

import (
	"context"
	"maps"

	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/wire/writeplan"
)

// planned is a Store whose writes are recorded if they are planned. A journal keeps what undoes the
// others.
type planned struct{ Store }

func (s planned) AddTask(ctx context.Context, subject string, t Task, most int) error {
	plan := writeplan.From(ctx)
	if plan == nil {
		return kept(ctx, "add a personal task", t.ID, &rows{Left: &t}, func() error { return s.Store.AddTask(ctx, subject, t, most) })
	}
	_, total, err := s.Tasks(ctx, subject, Filter{Status: All, Limit: 1})
	if err == nil && total >= most {
		err = ErrFull
	}
	if err != nil {
		return err
	}
	plan.Record(writeplan.Write{What: "add a personal task", After: shown(Task{}, t)})
	return nil
}

func (s planned) ChangeTask(ctx context.Context, subject, id string, c Change) (Task, error) {
	plan := writeplan.From(ctx)
	var old Task
	var err error
	if j := writeplan.JournalFrom(ctx); plan != nil || j != nil {
		if old, err = s.task(ctx, subject, id); err != nil {
			return old, err
		}
	}
	if plan == nil {
		r := rows{Was: &old, Left: new(Task)}
		err = kept(ctx, "change a personal task", id, &r, func() (err error) { *r.Left, err = s.Store.ChangeTask(ctx, subject, id, c); return err })
		return *r.Left, err
	}
	now := c.Apply(old)
	if now != old {
		plan.Record(writeplan.Write{What: "change a personal task", On: item(old), Before: shown(now, old), After: shown(old, now)})
	}
	return now, nil
}

func (s planned) DeleteTask(ctx context.Context, subject, id string) (Task, error) {
	plan := writeplan.From(ctx)
	if plan == nil {
		r := rows{Was: new(Task)}
		err := kept(ctx, "delete a personal task", id, &r, func() (err error) { *r.Was, err = s.Store.DeleteTask(ctx, subject, id); return err })
		return *r.Was, err
	}
	old, err := s.task(ctx, subject, id)
	if err == nil {
		plan.Record(writeplan.Write{What: "delete a personal task permanently", On: item(old), Before: shown(Task{}, old)})
	}
	return old, err
}

// task reads one task: the newest of those that are older than the next possible ID.
func (s planned) task(ctx context.Context, subject, id string) (Task, error) {
	found, _, err := s.Tasks(ctx, subject, Filter{Status: All, Before: id + "0", Limit: 1})
	if err != nil {
		return Task{}, err
	}
	if len(found) == 0 || found[0].ID != id {
		return Task{}, ErrNotFound
	}
	return found[0], nil
}

func item(t Task) *writeplan.Item {
	return &writeplan.Item{Type: "task", ID: t.ID, Title: plaintext.Clean(t.Title)}
}

// fields returns what a person sees of a task that a write can change.
func fields(t Task) map[string]any {
	return map[string]any{
		"title": plaintext.Clean(t.Title), "description": plaintext.Clean(t.Description), "due_on": t.DueOn, "completed": t.Completed(),
	}
}

// shown returns the fields of a task that another one does not have.
func shown(other, t Task) map[string]any {
	f, before := fields(t), fields(other)
	maps.DeleteFunc(f, func(name string, value any) bool { return value == before[name] })
	if text, ok := f["description"].(string); ok {
		f["description"] = plaintext.Dropped(text, plaintext.Clean(other.Description))
	}
	return f
}
