package task

import (
	"context"
	"errors"
)

var (
	// ErrNotFound means that this person has no task of this id, whoever else may have one.
	ErrNotFound = errors.New("no such task")
	// ErrFull means that this person has as many tasks as they may have.
	ErrFull = errors.New("as many tasks as there may be")
)

// Store keeps tasks, for good. Reads see every write before them. Errors other than ErrNotFound and ErrFull mean that it
// could not be reached; a write may then have been done or not.
type Store interface {
	// AddTask keeps a new task of a person, or returns ErrFull if they have most tasks or more.
	AddTask(ctx context.Context, subject string, t Task, most int) error
	// Tasks gives the tasks of a person that the filter picks, newest first, and how many it would pick without Before
	// and Limit.
	Tasks(ctx context.Context, subject string, f Filter) (found []Task, total int, err error)
	// ChangeTask does what [Change.Apply] does to what is kept, in one step, so that changes of different fields at once
	// lose nothing, and gives the task as it then is. ErrNotFound.
	ChangeTask(ctx context.Context, subject, id string, c Change) (Task, error)
	// DeleteTask removes a task for good and gives it to whoever removed it. ErrNotFound.
	DeleteTask(ctx context.Context, subject, id string) (Task, error)
}

// Filter picks some of a person's tasks: of a status, older than the one whose id is Before ("" for no such bound; the task
// need not be there any more), and at most Limit of them.
type Filter struct {
	Status Status
	Before string
	Limit  int
}
