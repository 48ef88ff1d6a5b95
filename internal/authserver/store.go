package authserver

import (
	"context"
	"errors"
	"time"

	"basecamp-mcp/internal/identity"
)

// Store keeps all the broker remembers, a Hash of every secret and never the secret itself. Whatever has expired is not
// there, even where it still lies in the table. Reads that say so see every write before them. Errors other than those
// below mean that the Store could not be reached.
type Store interface {
	Clients
	Steps
	Codes
	Families
}

var (
	// ErrNotFound means that there is no such thing, or no longer.
	ErrNotFound = errors.New("not found")
	// ErrConflict means that somebody else was first.
	ErrConflict = errors.New("changed meanwhile")
)

// Client is an OAuth client, registered here (RFC 7591) or described by the document its id points to.
type Client struct {
	ID           string    `json:"id"`
	Name         string    `json:"name"` // what it calls itself; proves nothing
	RedirectURIs []string  `json:"redirect_uris"`
	AuthMethod   string    `json:"auth_method"`           // none, client_secret_post or client_secret_basic
	SecretHash   Hash      `json:"secret_hash,omitempty"` // of a confidential client
	CreatedAt    time.Time `json:"created_at"`
	ExpiresAt    time.Time `json:"expires_at"`
}

// Clients keeps registered clients and, until they have to be fetched again, metadata documents: those whose id is a URL.
type Clients interface {
	// Client reads one. ErrNotFound.
	Client(ctx context.Context, id string) (Client, error)
	// SaveClient adds or replaces one.
	SaveClient(ctx context.Context, c Client) error
}

// Step is one station of a login that is under way. Whoever holds the secret behind Key and, unless it is empty, the one
// behind Binding may take it, once.
type Step struct {
	Key       Hash
	Binding   Hash // ties it to the browser that began it
	Body      []byte
	ExpiresAt time.Time
}

// Steps keeps what lives for minutes.
type Steps interface {
	// AddStep adds one. ErrConflict when there is one of that key.
	AddStep(ctx context.Context, s Step) error
	// Step reads one without taking it, seeing every write before. ErrNotFound.
	Step(ctx context.Context, key Hash) (Step, error)
	// TakeStep removes a step and gives it to the one caller who was first. ErrNotFound to all others; and to one with
	// another binding, for whom it is removed all the same: somebody is trying to finish what another browser began.
	TakeStep(ctx context.Context, key, binding Hash) (Step, error)
	// ReplaceStep removes a step and adds next, both or neither. ErrNotFound when it is not there or has another
	// binding, and then nothing is changed.
	ReplaceStep(ctx context.Context, key, binding Hash, next Step) error
}

// Code is an authorization code that was given to a client.
type Code struct {
	Hash        Hash
	Family      string // the id that what is issued for it will have
	Subject     string
	Person      string // the person's name, to show them
	Account     int64
	AccountName string
	Client      Client // as it was when the person agreed (C16)
	RedirectURI string // of the authorization request, port included
	Challenge   string // PKCE, S256
	Resource    string
	Scopes      []identity.Scope
	ExpiresAt   time.Time // it stays readable for a day longer, to notice replays
	UsedAt      time.Time // zero until it is redeemed
}

// Codes keeps authorization codes.
type Codes interface {
	// AddCode adds one. ErrConflict when there is one of that hash.
	AddCode(ctx context.Context, c Code) error
	// Code reads one, used and expired ones included, seeing every write before. ErrNotFound.
	Code(ctx context.Context, hash Hash) (Code, error)
	// Redeem marks the code as used at a time and adds the family with its first tokens, all or nothing. ErrConflict
	// when the code was used before, has expired by then, or was ended. Of the code it needs Hash and ExpiresAt.
	Redeem(ctx context.Context, code Code, at time.Time, f Family, a Access, r Refresh) error
	// EndCodes ends those codes of a person that expire at a time or before, so that none of them is redeemed any more.
	EndCodes(ctx context.Context, subject string, until time.Time) error
}

// Family is one client's permission to act for one person, and what its tokens hang on.
type Family struct {
	ID          string
	Subject     string
	Person      string // the person's name, to show them
	Account     int64  // the Basecamp account it is for
	AccountName string
	Client      Client
	Scopes      []identity.Scope
	Resource    string
	Key         []byte // 32 random bytes, see identity.Caller
	Generation  int    // of its newest refresh token, counted from 1
	// Unconfirmed is Generation while no access token given out with the newest refresh token was ever used, so that the
	// client may not have them. Any other number says nothing: the first generation has no predecessor to accept, and
	// releases that did not keep this leave an older number.
	Unconfirmed int
	CreatedAt   time.Time
	RefreshedAt time.Time
	ExpiresAt   time.Time // slides with each refresh
	EndsAt      time.Time // does not
	RevokedAt   time.Time // zero while it lives
	RevokedFor  string    // why, in a word
}

// Live reports whether the family still opens anything.
func (f Family) Live(now time.Time) bool {
	return f.RevokedAt.IsZero() && now.Before(f.ExpiresAt) && now.Before(f.EndsAt)
}

// isUnconfirmed reports whether the newest tokens were never used.
func (f Family) isUnconfirmed() bool { return f.Generation > 0 && f.Unconfirmed == f.Generation }

// Access is an access token.
type Access struct {
	Hash       Hash
	Scopes     []identity.Scope
	Generation int // of the refresh token it was given out with; 0 where an earlier release did not say
	ExpiresAt  time.Time
}

// Refresh is a refresh token. When it has been rotated it knows its successor: Sealed can be opened by whoever holds the
// token itself, and by nobody who only reads the table.
type Refresh struct {
	Hash       Hash
	Generation int
	ExpiresAt  time.Time
	RotatedAt  time.Time // zero while it is the newest
	Sealed     []byte
}

// Families keeps families and their tokens, which lie side by side so that one read finds both.
type Families interface {
	Accesses
	// Refresh reads a family with one of its refresh tokens, rotated ones included, seeing every write before.
	// ErrNotFound.
	Refresh(ctx context.Context, family string, token Hash) (Family, Refresh, error)
	// Rotate replaces a refresh token: it writes old with its RotatedAt, Sealed and ExpiresAt, adds next and access, and
	// gives the family f's Generation, Unconfirmed, RefreshedAt and ExpiresAt. All or nothing: ErrConflict when old has
	// been rotated already, or the family was revoked or is of another generation than f.Generation-1.
	Rotate(ctx context.Context, f Family, old, next Refresh, access Access) error
	// AddAccess adds an access token to a family that lives. ErrConflict when it was revoked.
	AddAccess(ctx context.Context, family string, a Access) error
	Revocations
}

// Accesses is what the MCP endpoint needs of a Store.
type Accesses interface {
	// Access reads a family with one of its access tokens, and whether the named session of it (zero for none) was
	// ended: in one read, seeing every write before. ErrNotFound when either is missing; a revoked family is found.
	Access(ctx context.Context, family string, token, session Hash) (f Family, a Access, ended bool, err error)
	// Confirm makes a family's Unconfirmed zero if it is the generation. It is no error when it is not.
	Confirm(ctx context.Context, family string, generation int) error
	Sessions
}

// Revocations ends things.
type Revocations interface {
	// Revoke kills a family with all its tokens, at a time and for a reason; the first reason stays. It is no error when
	// there is none.
	Revoke(ctx context.Context, family, reason string, at time.Time) error
	// RevokeAccess kills one access token. It is no error when there is none.
	RevokeAccess(ctx context.Context, family string, token Hash) error
	// FamiliesOf gives a person's living families, newest first, seeing every write before.
	FamiliesOf(ctx context.Context, subject string) ([]Family, error)
}

// Sessions remembers MCP sessions that were ended.
type Sessions interface {
	// EndSession remembers a session of a family as ended, until a time.
	EndSession(ctx context.Context, family string, session Hash, until time.Time) error
}
