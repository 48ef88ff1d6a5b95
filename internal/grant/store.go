// Package grant keeps each person's permission to act in Basecamp: the upstream tokens and the record of how they fare. A
// grant is refreshed by whoever first finds it stale, once, however many find it so at the same time.
//
// There is one grant a person, shared by all their MCP clients; the newest login wins.
package grant

import (
	"context"
	"errors"
	"time"

	"basecamp-mcp/internal/provider"
)

// Status says whether a connection works.
type Status string

// The statuses there are. A connection that needs reauthorization has a refresh token that is dead and is never sent again;
// only a new login mends it.
const (
	Active      Status = "active"
	NeedsReauth Status = "needs_reauth"
)

// Record is the record of one person's grant. It holds no secret.
type Record struct {
	Subject string // "37s:" and the identity's id
	Name    string // the person's name, to show them; not verified
	// Revision grows by one with every new pair of tokens.
	Revision int64
	// Version is what the Store calls the tokens of this revision.
	Version     string
	Status      Status
	ConnectedAt time.Time // the latest login
	ExpiresAt   time.Time // of the access token
	// Forced is when this revision was made because Basecamp refused the access token of the one before; else zero.
	Forced time.Time

	// Lease is held by whoever is refreshing, and is void after LeaseUntil.
	Lease      string
	LeaseUntil time.Time

	// Failures counts refreshes in a row that brought no answer; none is tried before NextTry.
	Failures int
	NextTry  time.Time

	// Change grows with every write, whatever it changes: what was read is written only over itself. Zero is a
	// Record that was never stored.
	Change int64
}

var (
	// ErrNotFound means that there is nothing of this person, or not of this version.
	ErrNotFound = errors.New("no grant")
	// ErrConflict means that somebody else wrote first.
	ErrConflict = errors.New("the connection has changed meanwhile")
	// ErrTooLarge means that the tokens are larger than the Store can keep.
	ErrTooLarge = errors.New("tokens too large to be kept")
)

// Store keeps tokens, and nothing else does. Errors other than those named mean that it could not be reached.
type Store interface {
	// Load gives the tokens of a version, or of the newest for "". ErrNotFound when there are none, even shortly after
	// Save where the store is slow to agree with itself; implementations wait that out as far as ctx allows.
	Load(ctx context.Context, subject, version string) (provider.Tokens, error)
	// Save keeps tokens as the newest version and names it. Saving again for the same subject, revision and writer
	// gives the same version. ErrTooLarge.
	Save(ctx context.Context, subject, writer string, t provider.Tokens) (version string, err error)
	// Delete removes all versions for good; it is no error when there are none.
	Delete(ctx context.Context, subject string) error
}

// Records keeps the records. Reads see every write before them. Errors other than those named mean that it could not
// be reached.
type Records interface {
	// Record gives a person's record, or ErrNotFound.
	Record(ctx context.Context, subject string) (Record, error)
	// SaveRecord writes c with Change+1 if the stored record's Change is still c.Change, and gives back what it
	// wrote. ErrConflict otherwise, also when c.Change is not zero and there is no record any more.
	SaveRecord(ctx context.Context, c Record) (Record, error)
	// DeleteRecord removes the record, whatever its Change; it is no error when there is none.
	DeleteRecord(ctx context.Context, subject string) error
}
