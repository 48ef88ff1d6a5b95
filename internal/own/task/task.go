// Package task stores a person's own tasks. They are the same in all the person's conversations and
// clients, and no other person sees them. The person is always the caller in the context, never an
// argument.
//
// If several things are wrong with a call, the error names the first, in this order: the form of
// the ID, no change given, the title, the description, the cursor. A task's whole title may stand
// for its ID and is looked up first. Only a valid call looks for the task by its ID, so that an
// invalid one does not reveal whether a task exists. Another person's task is reported as not
// found.
package task

import (
	"context"
	"encoding/binary"
	"errors"
	"time"

	"github.com/google/uuid"
)

// Task is something to do. It is open until it is completed. Its times are in UTC with
// microseconds.
type Task struct {
	ID          string // a UUID version 7 in lower case; IDs sort by creation time
	Title       string // 1 to 255 characters without leading and trailing blanks
	Description string // up to 2,000 characters; may be empty
	DueOn       string // YYYY-MM-DD, or "" without a day
	CreatedAt   time.Time
	UpdatedAt   time.Time
	CompletedAt time.Time // zero while the task is open
}

// Completed reports whether the task is done.
func (t Task) Completed() bool { return !t.CompletedAt.IsZero() }

// Status selects tasks by whether they are completed.
type Status string

// The values of Status.
const (
	All       Status = "all"
	Pending   Status = "pending"
	Completed Status = "completed"
)

// Picks reports whether a task has the status.
func (s Status) Picks(t Task) bool {
	return s == All || t.Completed() == (s == Completed)
}

// Change says which fields of a task to replace. Nil leaves a field as it is. At and at least one
// other field are set.
type Change struct {
	Title       *string
	Description *string
	DueOn       *string // "" clears it
	Completed   *bool
	At          time.Time
}

// Apply returns the changed task. If nothing differs, the task and its times stay as they are.
func (c Change) Apply(t Task) Task {
	changed := t
	if c.Title != nil {
		changed.Title = *c.Title
	}
	if c.Description != nil {
		changed.Description = *c.Description
	}
	if c.DueOn != nil {
		changed.DueOn = *c.DueOn
	}
	if c.Completed != nil && *c.Completed != t.Completed() {
		changed.CompletedAt = time.Time{}
		if *c.Completed {
			changed.CompletedAt = c.At
		}
	}
	if changed != t {
		changed.UpdatedAt = c.At
	}
	return changed
}

// newID returns an ID for a time in microseconds (RFC 9562 section 5.7; the part below a
// millisecond follows section 6.2, method 3). Because IDs sort by time, one read finds a task by
// its ID, and one range read goes from the newest to the oldest.
func newID(at time.Time) string {
	id := uuid.New()
	micros := at.UnixMicro()
	fraction := micros % 1000 * 4096 / 1000
	binary.BigEndian.PutUint64(id[:8], uint64(micros/1000)<<16|7<<12|uint64(fraction))
	return id.String()
}

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
	// For the repeat of a call with an idempotency key that was cut, it returns *ExistingError.
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
