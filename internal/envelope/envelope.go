// Package envelope stores users' tokens as sealed rows of a table. Their keys are in a key ring
// outside the table, so a copy of the table reveals no token.
//
// Each user has a key of their own (HKDF-SHA256, RFC 5869) for each key of the ring. AES-256-GCM
// binds a row to its stack, provider, user, version and revision: a row that was changed, or copied
// to another place, is refused. An attacker who can write to the table can remove a user's rows, or
// put an earlier state of them back; the tokens in them are still that user's.
package envelope

import (
	"context"
	"log/slog"
	"time"
)

// Config holds the parts of a Store. Rows are required.
type Config struct {
	Keys  Keys // nil for a Store that only deletes
	Rows  Rows
	Stack string           // the name of the deployment; rows of another one are refused
	Log   *slog.Logger     // may be nil
	Now   func() time.Time // nil: time.Now
}

// Store has the tokens of all providers. It is safe for concurrent use.
type Store struct{ config Config }

// New returns a Store.
func New(c Config) *Store {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Store{c}
}

// Of returns the grant.Store of the provider with an ID.
func (s *Store) Of(providerID string) *Tokens { return &Tokens{s.config, providerID} }

// Rows stores sealed tokens. Reads see every earlier write, but Row may still return a row that was
// removed moments ago. An error that is not named means that the rows could not be reached.
type Rows interface {
	// Pointer returns a user's pointer. Its Change is zero if there is none.
	Pointer(ctx context.Context, o Owner) (Pointer, error)
	// Row returns the row of a version, or grant.ErrNotFound.
	Row(ctx context.Context, o Owner, version string) (Row, error)
	// Write writes p with Change+1, or with a Change that no pointer of the user had if there is none.
	// It adds a row unless it is nil, and removes the rows of versions: all or nothing. It returns
	// grant.ErrConflict if the stored pointer's Change is not p.Change.
	Write(ctx context.Context, o Owner, p Pointer, add *Row, remove []string) error
	// Delete removes the pointer and all rows. Missing rows are not an error.
	Delete(ctx context.Context, o Owner) error
}

// Owner is a user of a provider.
type Owner struct{ Provider, Subject string }

// Row is one sealed version of a user's tokens.
type Row struct {
	Version  string
	Revision int64
	Sealed   []byte // a nonce, and what AES-256-GCM made of the tokens
}

// Pointer lists the versions of a user.
type Pointer struct {
	Kept []Kept // in the order in which they were saved
	// Change is another one after every write, and is zero if there is no pointer.
	Change int64
}

// Kept is a version in a pointer.
type Kept struct {
	Version  string    `json:"v"`
	Revision int64     `json:"r"`
	SavedAt  time.Time `json:"t"`
}

// newest returns the version that was saved last, or false.
func (p Pointer) newest() (Kept, bool) {
	if len(p.Kept) == 0 {
		return Kept{}, false
	}
	return p.Kept[len(p.Kept)-1], true
}
