// Package audit keeps a record of every call for the person who made it: what was called, when, by which client and how it
// ended. It holds no word of what was said. Writing it never fails a call and hardly delays one: see [Trail.Record] for what
// that means where processes are frozen between requests.
package audit

import (
	"context"
	"crypto/rand"
	"errors"
	"time"
)

// Retention is how long an entry is kept.
const Retention = 90 * 24 * time.Hour

// Door is the way a call came in.
type Door string

// The doors there are.
const (
	MCP    Door = "mcp"
	Bridge Door = "bridge"
)

// OK is the outcome of a call that did not fail.
const OK = "ok"

// Entry is one call. Its JSON is what the person reads.
type Entry struct {
	// ID orders a person's entries by time, and is theirs alone; see [NewID].
	ID           string     `json:"-"`
	Time         time.Time  `json:"time"` // when it began
	Tool         string     `json:"tool"`
	Arguments    []Argument `json:"arguments"`
	Outcome      string     `json:"outcome"` // OK, or the error code
	Milliseconds int64      `json:"milliseconds"`
	// Client is what the client calls itself; empty when it did not say.
	Client     string `json:"client,omitempty"`
	Door       Door   `json:"door"`
	RequestID  string `json:"request_id,omitempty"`
	Connection string `json:"connection,omitempty"`
}

// Argument is one that was given. Value is empty unless it is an id, a number or a yes or no: texts and names are never kept.
type Argument struct {
	Name  string `json:"name"`
	Value string `json:"value,omitempty"`
}

// ErrTaken means that another entry has the ID.
var ErrTaken = errors.New("another entry has this id")

// Store keeps entries for Retention from their Time. Errors other than ErrTaken mean that it could not be reached.
type Store interface {
	// AddEntry adds e. Adding it again changes nothing. ErrTaken when another entry of the person has its ID: no entry is
	// ever replaced.
	AddEntry(ctx context.Context, subject string, e Entry) error
	// Entries gives a person's entries whose ID is less than before, or all for "", the newest first and at most limit.
	Entries(ctx context.Context, subject, before string, limit int) ([]Entry, error)
}

// idLayout has one width, so that ids are ordered as times are, and nothing that a URI would escape.
const idLayout = "20060102T150405.000000000Z"

const randomPart = 12

// NewID makes the id of an entry of that time. Any two differ.
func NewID(at time.Time) string { return OldestID(at) + "-" + rand.Text()[:randomPart] }

// OldestID is less than the id of every entry of that time or later, and greater than that of any before.
func OldestID(at time.Time) string { return at.UTC().Format(idLayout) }
