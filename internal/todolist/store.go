package todolist

import (
	"context"
	"errors"
	"time"
)

var (
	// ErrNotFound means that this person has no such list, or had it and it has expired.
	ErrNotFound = errors.New("no such to-do list")
	// ErrConflict means that the list is not at the revision it was expected to be at.
	ErrConflict = errors.New("the to-do list has another revision")
)

// Store keeps lists until they expire. Whatever has expired is treated as if it were not there, though it may lie there
// still. Errors other than those named mean that the Store could not be reached.
type Store interface {
	Reader
	// SaveTodolist writes a list and gives the revision that this makes. Where there is none, it begins one: its revision is
	// some positive number, and it has no previous one. ErrNotFound and ErrConflict as the Draft asks for them; then nothing
	// is changed, and with ErrConflict comes the revision there is, 0 for none.
	SaveTodolist(ctx context.Context, d Draft) (revision int64, err error)
	// KeepTodolist lets a list expire later; it changes nothing else, nor a list that is gone.
	KeepTodolist(ctx context.Context, subject, id string, until time.Time) error
	// DeleteTodolist removes a list; it is no error when there is none.
	DeleteTodolist(ctx context.Context, subject, id string) error
}

// Reader reads lists, seeing every write before but where it says otherwise.
type Reader interface {
	// Todolist gives a list of a person. ErrNotFound.
	Todolist(ctx context.Context, subject, id string) (List, error)
	// LatestTodolist gives the list that a connection of a person wrote last. ErrNotFound when it wrote none, or when that
	// one is gone. It may miss what was written milliseconds ago.
	LatestTodolist(ctx context.Context, subject, connection string) (List, error)
	// Todolists gives the heads of all lists of a person, in no order.
	Todolists(ctx context.Context, subject string) ([]Head, error)
}

// Draft is a list to be written.
type Draft struct {
	Subject    string
	Connection string // whose latest list it becomes; "" for nobody's
	ID         string
	Todos      []Todo
	WrittenAt  time.Time
	ExpiresAt  time.Time
	// Existing asks for ErrNotFound where there is no such list.
	Existing bool
	// IfRevision asks for ErrConflict where the list has another revision, which is 0 where there is none; nil for any.
	IfRevision *int64
}
