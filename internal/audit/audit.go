// Package audit keeps a record of every call for the person who made it: which tool, when, by which
// client, and the outcome. It keeps no texts and no names. Writing an entry never fails a call and
// delays it by 30 ms at most, or by a second if the same write stores the result of the call;
// [Trail.Record] says what that means on Lambda, where processes are frozen between requests.
package audit

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"basecamp-mcp/internal/plaintext"
)

// Retention is how long an entry is kept.
const Retention = 90 * 24 * time.Hour

// Channel is the interface that a call came through.
type Channel string

// The interfaces for calls: the Model Context Protocol and the Messages API bridge.
const (
	MCP    Channel = "mcp"
	Bridge Channel = "bridge"
)

// OK is the outcome of a call that did not fail.
const OK = "ok"

// Entry is one call. Its JSON is shown to the person.
type Entry struct {
	// ID orders a person's entries by time and is unique; see [NewID].
	ID           string     `json:"-"`
	Time         time.Time  `json:"time"` // when the call began
	Tool         string     `json:"tool"`
	Arguments    []Argument `json:"arguments"`
	Outcome      string     `json:"outcome"` // OK, or the error code
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
	// Reads says that the call changed nothing. A store may then keep the entry for a moment before it
	// is on the disk.
	Reads bool `json:"-"`
}

// Argument is one argument of a call. Value is set only for an ID, a number or a boolean: texts and
// names are never kept.
type Argument struct {
	Name  string `json:"name"`
	Value string `json:"value,omitempty"`
}

// ErrTaken means that another entry has the ID.
var ErrTaken = errors.New("another entry has this id")

// Store keeps entries for Retention from their Time. Errors other than ErrTaken mean that the Store
// could not be reached.
type Store interface {
	// AddEntry adds e. Adding the same entry again changes nothing. It returns ErrTaken if another
	// entry of the person has the ID; entries are never replaced.
	AddEntry(ctx context.Context, subject string, e Entry) error
	// Entries returns at most limit of a person's entries whose ID is less than before, newest
	// first. An empty before means all entries.
	Entries(ctx context.Context, subject, before string, limit int) ([]Entry, error)
}

// idLayout has a fixed width, so that IDs sort like their times, and no character that a URI would
// escape.
const idLayout = "20060102T150405.000000000Z"

const randomPart = 12

// NewID returns a unique ID for an entry of that time.
func NewID(at time.Time) string { return OldestID(at) + "-" + rand.Text()[:randomPart] }

// OldestID returns a bound: less than the ID of every entry of that time or later, and greater than
// the ID of every earlier entry.
func OldestID(at time.Time) string { return at.UTC().Format(idLayout) }

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
