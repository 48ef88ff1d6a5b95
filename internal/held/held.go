// Package held keeps calls whose writes wait for a person. A call that a fence holds stores what it
// would write, sealed, and sends nothing. The person approves or refuses it on a page, which no
// client can reach; that changes only the state of the record. The call sends the writes when it is
// repeated: exactly those that were approved, in their order, once.
package held

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/fence"
	"basecamp-mcp/internal/undo"
	"basecamp-mcp/internal/writeplan"
)

const (
	// Life is how long a call is held.
	Life = 24 * time.Hour
	// Most is how many calls of a person can wait at a time.
	Most = 20
	// MostBytes is the size of the largest plan that is kept.
	MostBytes = 200 << 10
)

// The states of a record.
const (
	Waiting  undo.State = "held"
	Approved undo.State = "approved"
	Refused  undo.State = "refused"
	Sending  undo.State = "sending" // a call has claimed it; if that call was cut, what it did is not known
)

var (
	// ErrNotFound means that the person has no such call, or that it has expired.
	ErrNotFound = undo.ErrNotFound
	// ErrChanged means that the call changed meanwhile, or is carried out.
	ErrChanged = undo.ErrChanged
	// ErrFull means that Most calls of the person wait already.
	ErrFull = errors.New("too many held calls")
	// ErrTooLarge means that a plan is larger than MostBytes.
	ErrTooLarge = errors.New("the plan is too large")
)

// Call is a held call.
type Call struct {
	undo.Record
	Content
}

// Content is what is sealed of a call.
type Content struct {
	Connection string       `json:"connection"` // of the client that made the call
	Why        []fence.Kind `json:"why"`
	Plan       Plan         `json:"plan"`
}

// Log holds the operations on held calls.
type Log struct {
	store  undo.Store
	sealer undo.Sealer
	now    func() time.Time
}

// New returns the calls of a Store. Their clock is now; nil means the real time.
func New(store undo.Store, sealer undo.Sealer, now func() time.Time) *Log {
	if now == nil {
		now = time.Now
	}
	return &Log{store, sealer, now}
}

// ID returns the ID of a call of a connection: the same for the same tool and arguments.
func ID(connection, tool, arguments string) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{connection, tool, arguments}, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// Owners begins the owner of a person's held calls in a Store, where they are apart from what
// undoes the person's writes.
const Owners = "held "

func owner(subject string) string { return Owners + subject }

// Find returns a call of a person, or ErrNotFound. If the key of a call is lost, it returns
// ErrNotFound with a call that Hold can take the place of.
func (l *Log) Find(ctx context.Context, subject, id string) (c Call, err error) {
	if c.Record, err = l.store.FindUndo(ctx, owner(subject), id); err != nil {
		return Call{}, err
	}
	plain, err := l.sealer.Open(ctx, label(subject, id), c.Sealed)
	if err == nil {
		err = writeplan.DecodeInto(plain, &c.Content)
	}
	if err != nil {
		return Call{Record: undo.Record{ID: id, Revision: c.Revision}}, err
	}
	return c, nil
}

// Hold keeps a call, of which it needs ID, Tool, Client and Content. It takes the place of the call
// before, which is zero if there is none. Its errors are ErrFull, ErrTooLarge, and ErrChanged if
// another call was faster.
func (l *Log) Hold(ctx context.Context, subject string, before, c Call) (Call, error) {
	plain, err := json.Marshal(c.Content)
	if err != nil {
		return Call{}, fmt.Errorf("encode a held call: %w", err)
	}
	if len(plain) > MostBytes {
		return Call{}, ErrTooLarge
	}
	c.Sealed, err = l.sealer.Seal(ctx, label(subject, c.ID), plain)
	if err != nil {
		return Call{}, fmt.Errorf("seal a held call: %w", err)
	}
	c.At = l.now().UTC().Truncate(time.Second)
	c.ExpiresAt, c.State, c.Revision = c.At.Add(Life), Waiting, before.Revision+1
	if before.Revision > 0 {
		return c, l.store.ChangeUndo(ctx, owner(subject), c.Record)
	}
	if err := l.store.AddUndo(ctx, owner(subject), c.Record); err != nil {
		if errors.Is(err, undo.ErrTaken) {
			err = ErrChanged
		}
		return Call{}, err
	}
	all, err := l.Waiting(ctx, subject)
	if err == nil && len(all) > Most { // counted after it was added, so that calls at once cannot be more
		err = errors.Join(ErrFull, l.End(ctx, subject, c.Record))
	}
	return c, err
}

// mostListed is more than a person can have held and refused in a day.
const mostListed = 1000

// Waiting returns the calls of a person that wait or are approved, newest first, without their
// content.
func (l *Log) Waiting(ctx context.Context, subject string) ([]undo.Record, error) {
	all, err := l.store.Undos(ctx, owner(subject), "", mostListed)
	all = slices.DeleteFunc(all, func(r undo.Record) bool { return r.State != Waiting && r.State != Approved })
	slices.SortFunc(all, func(a, b undo.Record) int { return b.At.Compare(a.At) })
	return all, err
}

// Decide approves or refuses a call that was not carried out. It returns ErrChanged if the record
// is not as the person saw it.
func (l *Log) Decide(ctx context.Context, subject string, r undo.Record, approve bool) error {
	if r.State == Sending {
		return ErrChanged
	}
	r.State = Refused
	if approve {
		r.State = Approved
	}
	return l.change(ctx, subject, r)
}

// Claim returns an approved call for the caller that carries it out. No other caller gets it.
func (l *Log) Claim(ctx context.Context, subject string, r undo.Record) (undo.Record, error) {
	if r.State != Approved {
		return undo.Record{}, ErrChanged
	}
	r.State = Sending
	err := l.change(ctx, subject, r)
	r.Revision++
	return r, err
}

// Release makes a claimed call of which nothing was sent an approved one again.
func (l *Log) Release(ctx context.Context, subject string, r undo.Record) error {
	r.State = Approved
	return l.change(ctx, subject, r)
}

// End removes a call.
func (l *Log) End(ctx context.Context, subject string, r undo.Record) error {
	r.ExpiresAt, r.Sealed = l.now(), nil
	return l.change(ctx, subject, r)
}

func (l *Log) change(ctx context.Context, subject string, r undo.Record) error {
	r.Revision++
	return l.store.ChangeUndo(ctx, owner(subject), r)
}

func label(subject, id string) []byte { return []byte("held\x00" + subject + "\x00" + id) }
