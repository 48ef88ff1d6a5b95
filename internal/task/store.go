package task

import (
	"context"
	"errors"
)

// ErrNotFound means that this person has no task with this ID.
var ErrNotFound = errors.New("no such task")

// Store keeps tasks permanently. Reads see every earlier write. An error other than ErrNotFound
// means that the Store could not be reached; a write may have been carried out.
type Store interface {
	// AddTask stores a new task of a person.
	AddTask(ctx context.Context, subject string, t Task) error
	// Tasks returns the person's tasks that match the filter, newest first. Total is how many match
	// without Before and Limit.
	Tasks(ctx context.Context, subject string, f Filter) (found []Task, total int, err error)
	// ChangeTask applies [Change.Apply] to the stored task in one step and returns the changed
	// task, so that concurrent changes to different fields all take effect. It returns ErrNotFound
	// for a missing task.
	ChangeTask(ctx context.Context, subject, id string, c Change) (Task, error)
	// DeleteTask permanently removes a task and returns it to the call that removed it. It returns
	// ErrNotFound for a missing task.
	DeleteTask(ctx context.Context, subject, id string) (Task, error)
}

// Filter selects some of a person's tasks.
type Filter struct {
	Status Status
	Before string // only tasks older than the one with this ID, which need not exist; may be empty
	Limit  int    // the maximum number of tasks
}
