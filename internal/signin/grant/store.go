// Package grant stores each user's permission to act at a provider: the tokens, and a record of
// their state. The first request that finds a grant stale refreshes it; concurrent requests, on any
// instance, wait for that one refresh.
//
// A user has one grant for each provider, and all MCP clients of the user share it. A new sign-in
// replaces it. The provider is chosen when a Keeper and its stores are made.
package grant

import (
	"context"
	"errors"
	"time"

	"basecamp-mcp/internal/signin/provider"
)

// Status says whether a grant works.
type Status string

// The statuses. If a grant needs reauthorization, its refresh token is dead and is never sent
// again; the user must sign in again.
const (
	Active      Status = "active"
	NeedsReauth Status = "needs_reauth"
)

// Record is the state of one user's grant. It contains no secret.
type Record struct {
	Subject string // the user's ID at the provider that users sign in with
	Name    string // the user's name, to show to them; not verified
	// Account is the user's subject at the provider: "gh:41002171". It is empty where that is
	// Subject.
	Account string
	Scope   string // what the user of Account granted, separated by spaces; empty where the provider does not say
	// Revision grows by one with every new set of tokens.
	Revision int64
	// Version is the Store's name for the tokens of this revision.
	Version     string
	Status      Status
	ConnectedAt time.Time // the latest sign-in
	ExpiresAt   time.Time // of the access token; zero means never
	SignInBy    time.Time // when only a new sign-in can renew it; zero means that this is not known
	// Forced is the time at which this revision was made because the provider refused the previous
	// access token; zero for all other revisions.
	Forced time.Time

	// Lease is the secret of the call that is changing the grant, and is valid until LeaseUntil.
	Lease      string
	LeaseUntil time.Time

	// Failures counts consecutive refreshes without an answer.
	Failures int
	NextTry  time.Time // no refresh is tried before it

	// Change grows by one with every write. A write succeeds only over the Change that was read.
	// Zero means that the record was never stored.
	Change int64
}

// leased reports whether a call is changing the grant.
func (r Record) leased(now time.Time) bool { return r.Lease != "" && now.Before(r.LeaseUntil) }

// withTokens returns the record with tokens of a version. What belongs to the tokens that they
// replace goes.
func (r Record) withTokens(t provider.Tokens, version string) Record {
	r.Revision, r.Version, r.ExpiresAt = t.Revision, version, t.ExpiresAt
	r.Forced, r.SignInBy = time.Time{}, t.RefreshExpiresAt
	if t.RefreshToken == "" {
		r.SignInBy = t.ExpiresAt
	}
	if r.Account != "" {
		r.Scope = t.Scope
	}
	return r
}

var (
	// ErrNotFound means that the user has no grant, or no tokens of a version.
	ErrNotFound = errors.New("no grant")
	// ErrConflict means that another call wrote first.
	ErrConflict = errors.New("the grant has changed in the meantime")
	// ErrOtherAccount means that the user has linked another account of the provider.
	ErrOtherAccount = errors.New("another account is linked")
	// ErrTooLarge means that the tokens exceed the size limit of the Store.
	ErrTooLarge = errors.New("tokens too large to store")
)

// Store stores the tokens of one provider; they are stored nowhere else. An error that is not named
// means that the Store could not be reached.
type Store interface {
	// Load returns the tokens of a version, or the newest for "". It returns ErrNotFound if they do
	// not exist. If the storage may miss a recent Save, Load waits for it as long as ctx allows.
	Load(ctx context.Context, subject, version string) (provider.Tokens, error)
	// Save stores tokens as the newest version and returns its name. A repeated Save with the same
	// subject, revision and writer returns the same version. Errors: ErrTooLarge.
	Save(ctx context.Context, subject, writer string, t provider.Tokens) (version string, err error)
	// Delete removes all versions permanently. Missing tokens are not an error.
	Delete(ctx context.Context, subject string) error
}

// Records stores the records of one provider's grants. Reads see every earlier write. An error that
// is not named means that the records could not be reached.
type Records interface {
	// Record returns a user's record, or ErrNotFound.
	Record(ctx context.Context, subject string) (Record, error)
	// SaveRecord writes r with Change+1 if the stored record's Change is still r.Change, and
	// returns what it wrote. Otherwise it returns ErrConflict, also if r.Change is not zero and
	// there is no record any more.
	SaveRecord(ctx context.Context, r Record) (Record, error)
	// DeleteRecord removes the record, whatever its Change. A missing record is not an error.
	DeleteRecord(ctx context.Context, subject string) error
	// RemoveRecord removes the record if its Change is still r.Change. Otherwise it returns
	// ErrConflict, also if there is no record.
	RemoveRecord(ctx context.Context, r Record) error
	// Subjects returns the next users who have a record, in order, after a subject; "" is before all.
	// It returns none after the last.
	Subjects(ctx context.Context, after string) ([]string, error)
}
