// Package calls keeps what happened to each call, for the person who made it. Most calls leave one
// line, with which tool, when, by which client, and the outcome. A call that writes has a record,
// which is that line from before the first write on; it says how far the call is, and its ID is the
// code with which the call is undone. What undoes it is kept beside it, sealed, for some days. With
// an idempotency key, a pointer to the record has the answer for a day, so that the call runs once.
//
// Lines and records have no texts and no names.
package calls

import (
	"context"
	"crypto/rand"
	"errors"
	"strconv"
	"strings"
	"time"

	"basecamp-mcp/internal/text/plaintext"
)

const (
	// Retention is how long a line or a record is kept.
	Retention = 90 * 24 * time.Hour
	// Undoable is how long what undoes a call is kept: a working week and the days around it.
	Undoable = 7 * 24 * time.Hour
	// Kept is how long an idempotency key refers to its first call.
	Kept = 24 * time.Hour
	// Held is the longest time that a call may take. A call that has not ended by then is given up.
	Held = 30 * time.Second
	// MostBytes is the size of the largest answer that is kept for a repeat, and of the largest
	// opposite: a DynamoDB item holds 400 KB, and lists end at 50 KB.
	MostBytes = 200 << 10
	// MostKeys is how many keys of the last day one user has in a store without a service behind
	// it. It refuses further ones, because it may forget none.
	MostKeys = 10_000
)

// Channel is the interface that a call came through.
type Channel string

// The interfaces for calls: the Model Context Protocol and the Messages API bridge.
const (
	MCP    Channel = "mcp"
	Bridge Channel = "bridge"
)

// The outcomes that are not error codes. Running is that of a call under way, or cut.
const (
	OK      = "ok"
	Running = "running"
)

// Entry is a line about a call. Its JSON is shown to the person.
type Entry struct {
	ID           string     `json:"-"`    // orders a person's calls by time; see [NewID]
	Time         time.Time  `json:"time"` // when the call began
	Tool         string     `json:"tool"`
	Arguments    []Argument `json:"arguments"`
	Outcome      string     `json:"outcome"` // OK, Running, or the error code
	Milliseconds int64      `json:"milliseconds"`
	// Client is the name that the client gave, or empty.
	Client     string  `json:"client,omitempty"`
	Door       Channel `json:"door"`
	RequestID  string  `json:"request_id,omitempty"`
	Connection string  `json:"connection,omitempty"`
	// Provider is the ID of the provider that the tool works on. It is empty for the one with which
	// users sign in and for the server's own tools.
	Provider string `json:"provider,omitempty"`
	// Wrote has the IDs of the items that the call wrote.
	Wrote []string `json:"wrote,omitempty"`
}

// Argument is one argument of a call. Value is set only for an ID, a number or a boolean: texts and
// names are never kept.
type Argument struct {
	Name  string `json:"name"`
	Value string `json:"value,omitempty"`
}

// State is how far a call is that writes.
type State string

// The states of a record. That of a call with a key that wrote nothing is "".
const (
	Claimed State = "claimed" // the call may have written, or, if By is not empty, is being undone
	Done    State = "done"    // it was carried out, and can be undone
	Undone  State = "undone"
)

// Record is a call that writes.
type Record struct {
	Entry
	State    State  `json:",omitempty"`
	By       string `json:",omitempty"` // of a claim: a random ID of the call that undoes it, or ""
	Account  int64  `json:",omitempty"` // in which it wrote; zero if the provider has none
	About    []Item `json:",omitempty"` // what it wrote, by reference
	More     int    `json:",omitempty"` // how many items it wrote that are not in About
	Cannot   string `json:",omitempty"` // why it cannot be undone, or ""
	Revision int64  `json:",omitempty"` // grows by one with each change; 1 of a new record
}

// Item is what a write is about.
type Item struct {
	Ref
	What string // what was done, in this server's words: "create a to-do"
}

// Ref is a reference to an item.
type Ref struct{ Provider, Type, ID string }

// Key is an idempotency key, which points to the call that runs under it. It belongs to one person,
// one tool and clients with the same limits.
type Key struct {
	Tool      string `json:"-"`
	Key       string `json:"-"`
	Limits    string `json:"-"` // a digest of what the client may not do
	Call      string // the ID of the call
	Asked     string // a digest of everything that the call depends on
	Progress  Progress
	Answer    []byte    // set when Progress is Answered
	HeldUntil time.Time // after which a running call counts as Unknown
	ExpiresAt time.Time
}

// Progress is what a repeat of a call finds. A call that certainly failed frees its key.
type Progress string

// The steps of a call. The first is that of a running call, or one whose process died.
const (
	Started  Progress = "started"
	Made     Progress = "made" // stored with the row that the call made, which is Answer, and not yet with its answer
	Answered Progress = "answered"
	Unkept   Progress = "unkept"  // answered, but the answer is too large to keep
	Unknown  Progress = "unknown" // ended without an answer; it may have happened
	Free     Progress = "free"    // certainly failed
)

var (
	// ErrTaken means that the person has another call with this ID.
	ErrTaken = errors.New("the ID of the call is taken")
	// ErrKeyTaken means that another call has the key.
	ErrKeyTaken = errors.New("the key is taken")
	// ErrFull means that the person has MostKeys unexpired keys.
	ErrFull = errors.New("the person has the maximum number of keys")
	// ErrNotFound means that the opposite of a call is gone or cannot be opened.
	ErrNotFound = errors.New("nothing undoes the call")
	// ErrChanged means that the record has another revision than expected.
	ErrChanged = errors.New("the record has changed")
	// ErrCursor means that the log did not issue a cursor.
	ErrCursor = errors.New("not a cursor of the record of calls")
)

// Store keeps lines and records for Retention after their Time, opposites for Undoable, and keys
// until they expire. A read sees every earlier write. An error that is not among those above means
// that the Store could not be reached; a write may have been carried out, and may be repeated.
type Store interface {
	Lines
	Records
	// FindKey returns the unexpired key of k's person, tool, limits and key, and whether there is
	// one.
	FindKey(ctx context.Context, subject string, k Key) (found Key, ok bool, err error)
}

// Lines are the calls of a person, with and without a record.
type Lines interface {
	// AddLine adds the line of a call without a record. Error: ErrTaken.
	AddLine(ctx context.Context, subject string, e Entry) error
	// Entries returns at most limit lines and records of a person whose IDs are less than before,
	// newest first. An empty before means all.
	Entries(ctx context.Context, subject, before string, limit int) ([]Entry, error)
}

// Records are the calls of a person that write.
type Records interface {
	// ClaimCall adds a record, together with its key unless k is nil. Of several calls with the
	// same key, one succeeds. Errors: ErrTaken; ErrKeyTaken, with the key that is there; ErrFull.
	ClaimCall(ctx context.Context, subject string, r Record, k *Key) (found Key, err error)
	// ChangeCall replaces the record that has r's ID and the revision before r's, or returns
	// ErrChanged. If opposite is not nil, it replaces what undoes the call; it is sealed, and the
	// empty one removes it. If k is not nil, it replaces the key of the same call, or frees it. A
	// cut ChangeCall may have left the new opposite and key with the old record.
	ChangeCall(ctx context.Context, subject string, r Record, opposite []byte, k *Key) error
	// Opposite returns what undoes a call, or ErrNotFound.
	Opposite(ctx context.Context, subject, id string) ([]byte, error)
	// WritingCalls returns at most limit records that have a State, and whose IDs are at least from
	// and less than before, newest first. An empty before means all.
	WritingCalls(ctx context.Context, subject, from, before string, limit int) ([]Record, error)
}

// An ID is u, a time, and a random end.
const (
	timeDigits = 8 // milliseconds in base 36, from 1972 to 2059
	randomEnd  = 5
)

// NewID returns the ID of a call that is recorded at a time. It is the code that undo takes. IDs
// sort by time.
func NewID(at time.Time) string {
	id := appendTime(make([]byte, 0, 1+timeDigits+randomEnd), at)
	return string(append(id, strings.ToLower(rand.Text()[:randomEnd])...))
}

// OldestID returns a bound: less than the ID of every call of that millisecond or later, and
// greater than the ID of every earlier one.
func OldestID(at time.Time) string { return string(appendTime(nil, at)) }

func appendTime(id []byte, at time.Time) []byte {
	return strconv.AppendInt(append(id, 'u'), at.UnixMilli(), 36)
}

// isID reports whether text has the form of an ID.
func isID(text string) bool {
	return len(text) == len("u")+timeDigits+randomEnd && text[0] == 'u' && strings.Trim(text, "0123456789abcdefghijklmnopqrstuvwxyz") == ""
}

const (
	mostName    = 64 // characters of a client's name
	mostVersion = 32
)

// ClientName returns a short, printable name from what a client says about itself. The name is a
// claim that the server has not verified.
func ClientName(name, version string) string {
	name, version = plaintext.Label(name, mostName), plaintext.Label(version, mostVersion)
	if name == "" || version == "" {
		return name
	}
	return name + "/" + version
}
