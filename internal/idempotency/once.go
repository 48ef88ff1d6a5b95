// Package idempotency makes it safe to repeat a call. A call with an idempotency key runs once; a
// repeat within a day returns the first result. If a call ended without an answer, or its process
// died, it never runs again under its key: the repeat returns an error that asks the caller to
// check.
package idempotency

import (
	"context"
	"errors"
	"time"
)

const (
	// Kept is how long a key refers to its first call.
	Kept = 24 * time.Hour
	// Held is the longest time that a call may take. A call that has not ended by then is given up.
	Held = 30 * time.Second
	// MaxResult is the largest result that is stored, in bytes: a DynamoDB item holds 400 KB, and
	// lists end at 50 KB. If a result is larger, a repeat says only that the call was carried out.
	MaxResult = 200 << 10
	// MostKeys is how many keys of the last day one user has in a store without a service behind it.
	// It refuses further ones, because it may forget none.
	MostKeys = 10_000
)

// State is the progress of a call.
type State string

// The states. A call that certainly failed has no state: its key is free again.
const (
	Running State = "running" // or its process died, if HeldUntil has passed
	Made    State = "made"    // stored with the row that the call made, and not yet with its result
	Done    State = "done"
	Unkept  State = "unkept"  // done, but the result is too large to store
	Unknown State = "unknown" // ended without an answer; it may have happened
)

// Record is the stored state of a key. A key belongs to one person and one tool.
type Record struct {
	Subject string
	Tool    string
	Key     string
	Asked   string // a digest of everything that the call depends on
	Claim   string // a random ID of the call that runs under the key
	State   State
	Result  []byte // set when State is Done
	// HeldUntil is the time after which a running call counts as Unknown.
	HeldUntil time.Time
	ExpiresAt time.Time
}

var (
	// ErrTaken means that a record for the key exists.
	ErrTaken = errors.New("the key is taken")
	// ErrLost means that another call holds the record now.
	ErrLost = errors.New("the claim is lost")
	// ErrFull means that the person has MostKeys unexpired records.
	ErrFull = errors.New("the person has the maximum number of keys")
)

// Store keeps records until they expire. Every operation sees all earlier ones. An error other than
// ErrTaken, ErrLost and ErrFull means that the Store could not be reached; the operation may have
// been carried out.
type Store interface {
	// ClaimCall adds r if there is no unexpired record for its person, tool and key. Otherwise it
	// returns that record with ErrTaken. Of several calls at once, one succeeds. A Store with a limit
	// returns ErrFull for a new key above it, and never removes an older one for it.
	ClaimCall(ctx context.Context, r Record) (Record, error)
	// SettleCall replaces the record of r's claim by r. It returns ErrLost if the claim does not
	// hold the record.
	SettleCall(ctx context.Context, r Record) error
	// ReleaseCall removes the record of r's claim. A missing record is not an error.
	ReleaseCall(ctx context.Context, r Record) error
}
