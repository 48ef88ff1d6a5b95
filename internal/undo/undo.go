// Package undo keeps how writes can be taken back. Before a write is sent, its opposite is
// recorded; after it, the record is completed. A record belongs to one person, expires after some
// days, and can be claimed once. What it holds is sealed, because it has texts of the person's.
package undo

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

var (
	// ErrTaken means that the person has a record with this ID.
	ErrTaken = errors.New("the ID of the undo record is taken")
	// ErrNotFound means that the person has no record with this ID, or that it has expired.
	ErrNotFound = errors.New("no such undo record")
	// ErrChanged means that the record has another revision than expected.
	ErrChanged = errors.New("the undo record has changed")
)

// State is how far a record is.
type State string

// The states of a record, in their order.
const (
	Intended State = "intended" // the write may have been sent
	Done     State = "done"     // the write was carried out, and can be undone
	Undoing  State = "undoing"  // a call has claimed it; if that call was cut, what it did is not known
	Undone   State = "undone"
)

// Record is a write with its opposite.
type Record struct {
	ID        string // from [NewID]; sorts by time
	Tool      string
	Client    string // which client made the call
	Account   int64  // in which it wrote; zero if the provider has none
	At        time.Time
	ExpiresAt time.Time
	State     State
	About     []Item // what it wrote, by reference; texts are in Sealed
	More      int    // how many items it wrote that are not in About
	Cannot    string // why it cannot be undone, or ""
	Sealed    []byte // the opposite, sealed by [Log]
	Revision  int64  // grows by one with each change; 1 of a new record
}

// Item is a reference to what a write is about.
type Item struct {
	Provider, Type, ID string
	What               string // what was done, in this server's words: "create a to-do"
}

// Store keeps records until they expire. A read sees every earlier write. Errors other than
// ErrTaken, ErrNotFound and ErrChanged mean that the Store could not be reached; a write may have
// been carried out.
type Store interface {
	// AddUndo stores a new record of a person, or returns ErrTaken.
	AddUndo(ctx context.Context, subject string, r Record) error
	// FindUndo returns a record of a person, or ErrNotFound.
	FindUndo(ctx context.Context, subject, id string) (Record, error)
	// Undos returns up to a number of a person's records, newest first. If before is not empty, it
	// returns only those older than the one with this ID, which need not exist.
	Undos(ctx context.Context, subject, before string, limit int) ([]Record, error)
	// ChangeUndo replaces the record that has r's ID and the revision before r's. It returns
	// ErrChanged if the stored one has another revision or does not exist.
	ChangeUndo(ctx context.Context, subject string, r Record) error
}

// An ID is u, a time, and a random end.
const (
	timeDigits = 8 // milliseconds in base 36: enough until 2059
	randomEnd  = 5
)

// NewID returns the ID of a record that is made at a time, as users see it. IDs sort by time.
func NewID(at time.Time) string {
	return fmt.Sprintf("u%0*s%s", timeDigits, strconv.FormatInt(at.UnixMilli(), 36), strings.ToLower(rand.Text()[:randomEnd]))
}
