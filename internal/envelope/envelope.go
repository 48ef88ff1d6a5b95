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

// Config holds the parts of a Store. Keys and Rows are required.
type Config struct {
	Keys  Keys
	Rows  Rows
	Stack string // the name of the deployment; rows of another one are refused
	// Refused is called for each row that is refused; may be nil.
	Refused func(context.Context)
	Log     *slog.Logger     // may be nil
	Now     func() time.Time // nil: time.Now
}

// Store has the tokens of all providers. It is safe for concurrent use.
type Store struct {
	keys    Keys
	rows    Rows
	stack   string
	refused func(context.Context)
	log     *slog.Logger
	now     func() time.Time
}

// New returns a Store.
func New(c Config) *Store {
	if c.Refused == nil {
		c.Refused = func(context.Context) {}
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Store{keys: c.Keys, rows: c.Rows, stack: c.Stack, refused: c.Refused, log: c.Log, now: c.Now}
}

// Of returns the grant.Store of the provider with an ID.
func (s *Store) Of(providerID string) *Tokens { return &Tokens{store: s, provider: providerID} }
