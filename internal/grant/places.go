package grant

import (
	"context"
	"time"
)

// Places is a Store with two places for tokens. It stores new tokens in one, and still reads what
// it stored in the other before the operator chose. Errors mean that a place could not be reached.
type Places interface {
	// Current reports whether Save would store the tokens of a version where they are now, and in
	// the same way.
	Current(ctx context.Context, version string) (bool, error)
	// Remains reports whether a user may have tokens in the other place, or stored in another way.
	Remains(ctx context.Context, subject string) (bool, error)
	// Clear removes those, and keeps the tokens of version. If it fails halfway, Remains still
	// reports the rest.
	Clear(ctx context.Context, subject, version string) error
	// Leftover returns the state of what the table has of a user's tokens.
	Leftover(ctx context.Context, subject string) (Leftover, error)
	// Discard removes it from the table, if it is still in that state. Otherwise it returns
	// ErrConflict.
	Discard(ctx context.Context, subject string, l Leftover) error
}

// Leftover is the state of tokens in the table.
type Leftover struct {
	SavedAt time.Time // of the newest; zero if it is unknown, as of tokens that only a defect leaves
	Change  int64     // grows with every write
}
