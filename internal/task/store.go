package task

import (
	"context"
	"errors"
)

var (
	// ErrNotFound means that this person has no task with this ID.
	ErrNotFound = errors.New("no such task")
	// ErrFull means that this person has as many tasks as they may have.
	ErrFull = errors.New("the person has the maximum number of tasks")
)

// ExistingError is the error for a task that a call with an idempotency key has added already: the
// call was cut, and its repeat gets the task.
type ExistingError struct{ Task Task }

func (*ExistingError) Error() string { return "the first call with this key has added the task" }

// Store keeps tasks permanently. Reads see every earlier write. Errors other than ErrNotFound and
// ErrFull mean that the Store could not be reached; a write may have been carried out.
type Store interface {
	// AddTask stores a new task of a person. It returns ErrFull if the person has most tasks or more.
	// A Store that is an [idempotency.Together] returns *ExistingError for the repeat of a call that
	// was cut.
	AddTask(ctx context.Context, subject string, t Task, most int) error
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
