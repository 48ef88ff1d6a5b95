// Package task keeps a person's own tasks: the same in every conversation and client of theirs, and nobody else's. Whose
// they are is never an argument: it is the caller in the context.
//
// Of several things wrong with a call the first is said, always in this order: the form of the id, nothing to change, the
// title, the description, the cursor. Only then the task is looked for, so that a call that cannot succeed does not tell
// whether a task exists; and somebody else's is the same as none.
package task

import (
	"encoding/binary"
	"time"

	"github.com/google/uuid"
)

// Task is something to do, open until it is completed. Its times are in UTC, to the microsecond.
type Task struct {
	ID          string // a UUID of version 7, in lower case: in the order of ids is in the order of creation
	Title       string // 1 to 255 characters, none of the outer ones blank
	Description string // up to 2,000 characters; "" when there is none
	CreatedAt   time.Time
	UpdatedAt   time.Time
	CompletedAt time.Time // zero while it is open
}

// Completed reports whether the task is done.
func (t Task) Completed() bool { return !t.CompletedAt.IsZero() }

// Status picks tasks.
type Status string

// The statuses there are.
const (
	All       Status = "all"
	Pending   Status = "pending"
	Completed Status = "completed"
)

// Picks reports whether a task is among those of the status.
func (s Status) Picks(t Task) bool {
	return s == All || t.Completed() == (s == Completed)
}

// Change says what becomes of a task; what is nil stays as it is. At least one field besides At is given.
type Change struct {
	Title       *string
	Description *string
	Completed   *bool
	At          time.Time
}

// Apply gives the task changed. One that is as it should be stays so, with all its times.
func (c Change) Apply(t Task) Task {
	changed := t
	if c.Title != nil {
		changed.Title = *c.Title
	}
	if c.Description != nil {
		changed.Description = *c.Description
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

// newID makes an id of a time in microseconds: RFC 9562, 5.7, with what is below the millisecond as in its 6.2, method 3.
// So one read finds a task by its id, and one walk along the ids goes from the newest to the oldest.
func newID(at time.Time) string {
	id := uuid.New()
	micros := at.UnixMicro()
	fraction := micros % 1000 * 4096 / 1000
	binary.BigEndian.PutUint64(id[:8], uint64(micros/1000)<<16|7<<12|uint64(fraction))
	return id.String()
}
