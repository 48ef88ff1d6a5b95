package authserver

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/signin/identity"
)

// Store keeps the state of the server. It stores the Hash of a secret and never the secret itself.
// Expired items count as missing, even if they are still in the table. Reads are strongly
// consistent where their comments say so. Errors other than those below mean that the store is
// unavailable.
type Store struct {
	Clients
	LoginStates
	Codes
	Accesses
	Families
	Revocations
}

// NewStore returns the Store of one table, file or memory, which has all its parts.
func NewStore[S interface { //nolint:interfacebloat // only a list of the parts
	Clients
	LoginStates
	Codes
	Accesses
	Families
	Revocations
}](all S) Store {
	return Store{all, all, all, all, all, all}
}

var (
	// ErrNotFound means that the item does not exist or has expired.
	ErrNotFound = errors.New("not found")
	// ErrConflict means that another request changed the item first.
	ErrConflict = errors.New("changed meanwhile")
)

// Client is an OAuth client. It registered (RFC 7591), or its ID is the URL of its metadata
// document.
type Client struct {
	ID           string    `json:"id"`
	Name         string    `json:"name"` // the name that the client gave itself; not verified
	RedirectURIs []string  `json:"redirect_uris"`
	AuthMethod   string    `json:"auth_method"`           // none, client_secret_post or client_secret_basic
	SecretHash   Hash      `json:"secret_hash,omitempty"` // of a confidential client
	Toolsets     []string  `json:"toolsets,omitempty"`    // all that a machine may use; nil for other clients
	CreatedAt    time.Time `json:"created_at"`
	ExpiresAt    time.Time `json:"expires_at"`
}

// Clients stores registered clients, and clients from metadata documents until these must be
// fetched again.
type Clients interface {
	// Client returns a client. Error: ErrNotFound.
	Client(ctx context.Context, id string) (Client, error)
	// SaveClient adds or replaces a client. In a store that keeps a limited number, it displaces no
	// client that has redeemed a code: any web page can register clients.
	SaveClient(ctx context.Context, c Client) error
}

// LoginState is the state of a sign-in that is in progress. A request that has the secret behind
// Key and, unless it is empty, the one behind Binding can take it once.
type LoginState struct {
	// Kind is consent, session, seat or another. Stores that keep a limited number of states count
	// each kind on its own, because any web page can start sign-ins. Other stores may drop it.
	Kind      string
	Key       Hash // or LinkKey and a Hash
	Binding   Hash // binds it to the browser that started the sign-in
	Body      []byte
	ExpiresAt time.Time
}

// LoginStates stores the states of sign-ins, which live for minutes.
type LoginStates interface {
	// AddLoginState adds a state. Error: ErrConflict if the key exists.
	AddLoginState(ctx context.Context, s LoginState) error
	// LoginState reads a state without removing it; strongly consistent. Error: ErrNotFound.
	LoginState(ctx context.Context, key Hash) (LoginState, error)
	// TakeLoginState removes a state and returns it to the first caller. All other
	// callers receive ErrNotFound. So does a caller with another binding, which also removes the
	// state: it tries to finish a sign-in that another browser started.
	TakeLoginState(ctx context.Context, key, binding Hash) (LoginState, error)
	// ReplaceLoginState removes a state and adds next in one transaction. Error: ErrNotFound if
	// the state is missing or has another binding; then nothing changes.
	ReplaceLoginState(ctx context.Context, key, binding Hash, next LoginState) error
}

// Permit is what a user allows one client.
type Permit struct {
	Subject     string
	Person      string // the user's name, for display
	Account     int64  // the account at the provider that the client may use
	AccountName string
	Client      Client // as it was when the user consented
	Scopes      []identity.Scope
	Fence       fence.Fence // what the person allows the client, which is never changed in place
	Resource    string
}

// Code is an authorization code that was issued to a client.
type Code struct {
	Permit
	Hash        Hash
	Family      string    // the ID of the family that will be created
	RedirectURI string    // of the authorization request, port included
	Challenge   string    // PKCE, S256
	ExpiresAt   time.Time // readable for one more day, to detect replays
	UsedAt      time.Time // zero until it is redeemed
}

// Codes stores authorization codes.
type Codes interface {
	// AddCode adds a code. Error: ErrConflict if the hash exists.
	AddCode(ctx context.Context, c Code) error
	// Code returns a code, also a used or expired one; strongly consistent. Error: ErrNotFound.
	Code(ctx context.Context, hash Hash) (Code, error)
	// Redeem marks the code as used at a time and adds the family with its first tokens, in one
	// transaction. Of the code it needs Hash and ExpiresAt. Error: ErrConflict if the code was
	// used or ended, or has expired at that time.
	Redeem(ctx context.Context, code Code, at time.Time, f Family, a Access, r Refresh) error
	// EndCodes ends the codes of a user that expire at a time or before. They can no longer be
	// redeemed.
	EndCodes(ctx context.Context, subject string, until time.Time) error
}

// Family is one client's permission to act for one user. The client's tokens belong to it.
type Family struct {
	Permit
	ID         string
	Key        []byte // 32 random bytes, see identity.Caller
	Generation int    // of its newest refresh token, counted from 1
	// Unconfirmed equals Generation until an access token issued with the newest refresh token is
	// used: until then the client may not have received them. Any other number means nothing. The
	// first generation has no predecessor.
	Unconfirmed int
	CreatedAt   time.Time
	RefreshedAt time.Time
	ExpiresAt   time.Time // extended by each refresh
	EndsAt      time.Time // not extended
	RevokedAt   time.Time // zero until it is revoked
	RevokedFor  string    // the reason, in one word
}

// newFamily returns a family without tokens, which is in use until a time and ends at another.
func newFamily(id string, of Permit, now, expires, ends time.Time) Family {
	f := Family{
		Permit: of, ID: id, Key: make([]byte, 32), Generation: 1,
		CreatedAt: now, RefreshedAt: now, ExpiresAt: expires, EndsAt: ends,
	}
	_, _ = rand.Read(f.Key) // never fails
	return f
}

// Live reports whether the tokens of the family can still be used.
func (f Family) Live(now time.Time) bool {
	return f.RevokedAt.IsZero() && now.Before(f.ExpiresAt) && now.Before(f.EndsAt)
}

// isUnconfirmed reports whether the newest tokens were never used.
func (f Family) isUnconfirmed() bool { return f.Generation > 0 && f.Unconfirmed == f.Generation }

// Access is an access token.
type Access struct {
	Hash       Hash
	Scopes     []identity.Scope
	Generation int // of the refresh token it was issued with
	ExpiresAt  time.Time
}

// Refresh is a refresh token. After a rotation Sealed holds its successor, encrypted with the
// token itself, so that the table by itself does not reveal it.
type Refresh struct {
	Hash       Hash
	Generation int
	ExpiresAt  time.Time
	RotatedAt  time.Time // zero until it is rotated
	Sealed     []byte
}

// Families stores families and their tokens.
type Families interface {
	// Refresh returns a family with one of its refresh tokens, also a rotated one; strongly
	// consistent. Error: ErrNotFound.
	Refresh(ctx context.Context, family string, token Hash) (Family, Refresh, error)
	// Rotate replaces a refresh token in one transaction. It writes old with its RotatedAt, Sealed
	// and ExpiresAt, adds next and access, and sets the family's Generation, Unconfirmed,
	// RefreshedAt and ExpiresAt to those of f. Error: ErrConflict if old was rotated before, or
	// the family is revoked or has another generation than f.Generation-1.
	Rotate(ctx context.Context, f Family, old, next Refresh, access Access) error
	// AddAccess adds an access token to a family. Error: ErrConflict if the family is revoked.
	AddAccess(ctx context.Context, family string, a Access) error
	// SetFence replaces the fence of a family. Error: ErrConflict if the fence is no longer was, or
	// the family is not live.
	SetFence(ctx context.Context, family string, was, next fence.Fence) error
}

// Accesses is the part of a Store that the MCP endpoint needs.
type Accesses interface {
	// Access returns a family, also a revoked one, with one of its access tokens, and reports
	// whether the named session of it (zero for none) was ended. The read is strongly
	// consistent. What both refer to must not be changed: other calls may have it, too. Error:
	// ErrNotFound if the family or the token is missing.
	Access(ctx context.Context, family string, token, session Hash) (f Family, a Access, ended bool, err error)
	// Confirm sets a family's Unconfirmed to zero if it equals the generation. Otherwise it does
	// nothing.
	Confirm(ctx context.Context, family string, generation int) error
	// EndSession marks a session of a family as ended until a time.
	EndSession(ctx context.Context, family string, session Hash, until time.Time) error
}

// Revocations revokes families and tokens.
type Revocations interface {
	// Revoke revokes a family with all its tokens, at a time and for a reason. The first reason
	// stays. It does nothing if the family does not exist.
	Revoke(ctx context.Context, family, reason string, at time.Time) error
	// RevokeAccess revokes one access token. It does nothing if the token does not exist.
	RevokeAccess(ctx context.Context, family string, token Hash) error
	// FamiliesOf returns a user's live families, newest first; strongly consistent.
	FamiliesOf(ctx context.Context, subject string) ([]Family, error)
}
