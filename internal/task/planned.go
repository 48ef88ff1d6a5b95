package task

import (
	"context"

	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/writeplan"
)

// planned is a Store whose writes are recorded if they are planned. A journal keeps what undoes the
// others.
type planned struct{ Store }

func (s planned) AddTask(ctx context.Context, subject string, t Task, most int) error {
	plan := writeplan.From(ctx)
	if plan == nil {
		return s.add(ctx, subject, t, most)
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
	if plan == nil {
		return s.change(ctx, subject, id, c)
	}
	old, err := s.task(ctx, subject, id)
	now := c.Apply(old)
	if err == nil && now != old {
		plan.Record(writeplan.Write{What: "change a personal task", On: item(old), Before: shown(now, old), After: shown(old, now)})
	}
	return now, err
}

func (s planned) DeleteTask(ctx context.Context, subject, id string) (Task, error) {
	plan := writeplan.From(ctx)
	if plan == nil {
		return s.remove(ctx, subject, id)
	}
	old, err := s.task(ctx, subject, id)
	if err == nil {
		plan.Record(writeplan.Write{What: "delete a personal task permanently", On: item(old), Before: shown(Task{}, old)})
	}
	return old, err
}

func (s planned) add(ctx context.Context, subject string, t Task, most int) error {
	j := writeplan.JournalFrom(ctx)
	if j == nil {
		return s.Store.AddTask(ctx, subject, t, most)
	}
	if err := j.Begin(ctx); err != nil {
		return err
	}
	err := s.Store.AddTask(ctx, subject, t, most)
	if err == nil {
		keep(j, "add a personal task", t.ID, rows{Left: &t})
	}
	return err
}

func (s planned) change(ctx context.Context, subject, id string, c Change) (Task, error) {
	j := writeplan.JournalFrom(ctx)
	if j == nil {
		return s.Store.ChangeTask(ctx, subject, id, c)
	}
	var old Task
	var err error
	if !j.NotesOnly {
		old, err = s.task(ctx, subject, id)
	}
	if err == nil {
		err = j.Begin(ctx)
	}
	if err != nil {
		return Task{}, err
	}
	now, err := s.Store.ChangeTask(ctx, subject, id, c)
	if err == nil {
		keep(j, "change a personal task", id, rows{&old, &now})
	}
	return now, err
}

func (s planned) remove(ctx context.Context, subject, id string) (Task, error) {
	j := writeplan.JournalFrom(ctx)
	if j == nil {
		return s.Store.DeleteTask(ctx, subject, id)
	}
	if err := j.Begin(ctx); err != nil {
		return Task{}, err
	}
	old, err := s.Store.DeleteTask(ctx, subject, id)
	if err == nil {
		keep(j, "delete a personal task", id, rows{Was: &old})
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

// shown returns the fields of a task that another one does not have.
func shown(other, t Task) map[string]any {
	f := map[string]any{}
	if t.Title != other.Title {
		f["title"] = plaintext.Clean(t.Title)
	}
	if t.Description != other.Description {
		f["description"] = plaintext.Dropped(plaintext.Clean(t.Description), plaintext.Clean(other.Description))
	}
	if t.DueOn != other.DueOn {
		f["due_on"] = t.DueOn
	}
	if t.Completed() != other.Completed() {
		f["completed"] = t.Completed()
	}
	return f
}
