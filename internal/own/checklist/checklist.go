// Package checklist is the session to-do list: an agent's plan for its own work, which it reads and
// replaces as a whole. It is separate from the to-do lists of any provider.
//
// A list belongs to a person and has an ID. Without an ID, the connection and the session of a call
// select the list. An agent can share a list by passing the ID to another connection of the same
// person.
package checklist

import (
	"context"
	"errors"
	"time"
	"unicode/utf8"
)

// Status is the progress of a to-do. Every change of status is allowed.
type Status string

// The statuses.
const (
	Pending    Status = "pending"
	InProgress Status = "in_progress"
	Completed  Status = "completed"
)

// Todo is one step of a plan. It has no ID; its position in the list identifies it.
type Todo struct {
	Content    string `json:"content"` // what to do: "Run tests"
	Status     Status `json:"status"`
	ActiveForm string `json:"activeForm"` // description of the step while it runs: "Running tests"
}

// Summary counts the to-dos of a list.
type Summary struct {
	Total      int `json:"total"`
	Pending    int `json:"pending"`
	InProgress int `json:"in_progress"`
	Completed  int `json:"completed"`
}

// Summarize counts to-dos by status.
func Summarize(todos []Todo) Summary {
	s := Summary{Total: len(todos)}
	for _, t := range todos {
		switch t.Status {
		case Pending:
			s.Pending++
		case InProgress:
			s.InProgress++
		case Completed:
			s.Completed++
		}
	}
	return s
}

// List is one revision of a list. The zero List was never written.
type List struct {
	ID       string
	Revision int64 // grows by one with each write
	Todos    []Todo
	// Previous holds the to-dos of the previous revision if HasPrevious is set.
	Previous    []Todo
	HasPrevious bool
	WrittenAt   time.Time
	ExpiresAt   time.Time
}

// Head is the summary by which a person recognises a list.
type Head struct {
	ID        string
	Revision  int64
	Summary   Summary
	Doing     string // active form of the to-do in progress, at most 100 characters; may be empty
	WrittenAt time.Time
	ExpiresAt time.Time
}

// mostDoing is the maximum length of Head.Doing in characters.
const mostDoing = 100

// Doing returns the active form of the to-do in progress, cut for a Head.
func Doing(todos []Todo) string {
	for _, t := range todos {
		if t.Status == InProgress {
			return cut(t.ActiveForm, mostDoing)
		}
	}
	return ""
}

func cut(text string, characters int) string {
	if utf8.RuneCountInString(text) <= characters {
		return text
	}
	return string([]rune(text)[:characters-1]) + "…"
}

var (
	// ErrNotFound means that this person has no list with this ID, or that it has expired.
	ErrNotFound = errors.New("no such to-do list")
	// ErrConflict means that the list has a different revision than expected.
	ErrConflict = errors.New("the to-do list has another revision")
)

// Store keeps lists until they expire. An expired list counts as deleted, even if it is still
// stored. A read sees every earlier write. An error other than ErrNotFound and ErrConflict means
// that the Store could not be reached.
type Store interface {
	// Checklist returns a person's list, or ErrNotFound. Without an ID, it is the list that the
	// connection wrote last.
	Checklist(ctx context.Context, subject, id, connection string) (List, error)
	// Checklists returns the heads of all lists of a person, in any order.
	Checklists(ctx context.Context, subject string) ([]Head, error)
	// SaveChecklist writes a list and returns its new revision. For a new list, the revision is a
	// positive number and there is no previous one. If the Draft requires an existing list or a
	// revision, SaveChecklist may return ErrNotFound, or ErrConflict with the current revision (0
	// for no list); then it changes nothing.
	SaveChecklist(ctx context.Context, d Draft) (revision int64, err error)
	// KeepChecklist lets an existing list expire later and changes nothing else. It ignores a
	// missing list.
	KeepChecklist(ctx context.Context, subject, id string, until time.Time) error
	// DeleteChecklist removes a list. A missing list is not an error.
	DeleteChecklist(ctx context.Context, subject, id string) error
}

// Draft is a list to write.
type Draft struct {
	Subject    string
	Connection string // the connection whose latest list this becomes; may be empty
	ID         string
	Todos      []Todo
	WrittenAt  time.Time
	ExpiresAt  time.Time
	// Existing requires that the list exists; otherwise SaveChecklist returns ErrNotFound.
	Existing bool
	// IfRevision is the revision that the list must have, 0 for no list; otherwise SaveChecklist
	// returns ErrConflict. Nil accepts any.
	IfRevision *int64
}
