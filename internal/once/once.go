// Package once makes repeating a call safe: a call that carries an idempotency key is run once, and whoever repeats it within
// a day gets the first result. What nobody can know is not guessed: a call that ended without an answer, or whose process
// died, is never run again under its key; the repeat is told to look.
package once

import (
	"context"
	"errors"
	"time"
)

const (
	// Kept is how long a key means its first call.
	Kept = 24 * time.Hour
	// Held is how long a call may take with all that belongs to it. One that has not ended by then never will.
	Held = 30 * time.Second
	// MaxResult is the largest result that is kept, in bytes: a DynamoDB item holds 400 KB, and lists end at 50 KB. A repeat
	// of a call whose result was larger is told that the call was carried out.
	MaxResult = 200 << 10
)

// State is how far a call has come.
type State string

// The states there are. A call that failed for certain has none: its key is free again.
const (
	Running State = "running" // or its process died, once HeldUntil is past
	Done    State = "done"
	Unkept  State = "unkept"  // done, with a result that is too large to be kept
	Unknown State = "unknown" // ended without an answer: it may have happened
)

// Record is what is known of a key. A key belongs to one person and one tool.
type Record struct {
	Subject string
	Tool    string
	Key     string
	Asked   string // a digest of all that the call depends on
	Claim   string // names the one call that runs under the key
	State   State
	Result  []byte // when Done
	// HeldUntil is when a Running call is given up.
	HeldUntil time.Time
	ExpiresAt time.Time
}

var (
	// ErrTaken means that there is a record of the key.
	ErrTaken = errors.New("the key is taken")
	// ErrLost means that the record is not the claim's any more.
	ErrLost = errors.New("the claim is lost")
)

// Store keeps records until they expire. Every operation sees all before it. Errors other than those named mean that it
// could not be reached, and what was asked may have been done.
type Store interface {
	// ClaimCall adds r when there is no record of its person, tool and key, or only one that has expired. ErrTaken comes
	// with the one there is; of several who try at once, one succeeds.
	ClaimCall(ctx context.Context, r Record) (Record, error)
	// SettleCall replaces the record of r's claim by r, or gives ErrLost.
	SettleCall(ctx context.Context, r Record) error
	// ReleaseCall removes the record of r's claim; it is no error when that is gone.
	ReleaseCall(ctx context.Context, r Record) error
}
