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
	"encoding/binary"
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
