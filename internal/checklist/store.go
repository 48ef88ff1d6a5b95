package checklist

import (
	"context"
	"errors"
	"time"
)

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
