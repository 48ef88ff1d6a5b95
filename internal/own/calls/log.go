package calls

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/identity"
)

const (
	// lineTime is the timeout of one attempt to write a line. A write to DynamoDB in the same region
	// takes 5 to 10 ms.
	lineTime = 500 * time.Millisecond
	tries    = 2 // attempts to write
	// PageSize is how many lines a page holds.
	PageSize = 50
)

// Log writes what happened to calls, and reads it. It is safe for concurrent use. Of its methods,
// those that have no subject are about the caller in the context.
type Log struct {
	store Store
	log   *slog.Logger
	now   func() time.Time

	mu   sync.Mutex
	last time.Time // of the latest ID
}

// New returns a log in a store. Its clock is now; nil means the real time. The other log receives
// failures, but no content of lines.
func New(store Store, log *slog.Logger, now func() time.Time) *Log {
	if now == nil {
		now = time.Now
	}
	return &Log{store: store, log: log, now: now}
}

// newID returns a new ID. It is greater than the one before, so that calls of one moment are listed
// in their order.
func (l *Log) newID() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now().UTC().Truncate(time.Millisecond)
	if !now.After(l.last) {
		now = l.last.Add(time.Millisecond)
	}
	l.last = now
	return NewID(now)
}

// Line writes the line of a call without a record. It has a time of its own, because the line is
// kept also when the call's deadline has passed or its client is gone. It makes a second attempt,
// which changes nothing if the first one succeeded, and logs a failure without the line's content.
//
// It returns when the line is written: Lambda freezes a process once it has answered, so a write
// in progress could be lost.
func (l *Log) Line(subject string, e Entry) {
	e.ID = l.newID()
	var err error
	for range tries {
		ctx, cancel := context.WithTimeout(context.Background(), lineTime)
		err = l.store.AddLine(ctx, subject, e)
		cancel()
		if err == nil {
			return
		}
		if errors.Is(err, ErrTaken) {
			e.ID = l.newID()
		}
	}
	l.log.Error("write the line of a call", "tool", e.Tool, "err", err, "request_id", e.RequestID)
}

// Recent returns the lines of a person's latest n calls, newest first.
func (l *Log) Recent(ctx context.Context, subject string, n int) ([]Entry, error) {
	return l.store.Entries(ctx, subject, "", n)
}

// Page returns up to PageSize of a person's lines, newest first, from the position of a cursor; an
// empty cursor starts at the newest. Next is the cursor of the following page, or empty. A cursor
// that the log did not issue returns ErrCursor.
func (l *Log) Page(ctx context.Context, subject, cursor string) (page []Entry, next string, err error) {
	if cursor != "" && !isID(cursor) {
		return nil, "", ErrCursor
	}
	page, err = l.store.Entries(ctx, subject, cursor, PageSize+1)
	if err != nil {
		return nil, "", err
	}
	if len(page) > PageSize {
		page = page[:PageSize]
		next = page[PageSize-1].ID
	}
	return page, next, nil
}

// What the Cannot of a record says whose opposite was larger than MostBytes, or could not be
// sealed.
const (
	TooLarge = "what was there before is too large to keep"
	NotKept  = "what was there before could not be kept"
)

// Call is a call that may write. It has a record once it has claimed one.
type Call struct {
	Record

	subject  string
	claimed  bool
	key      *Key   // nil if it has none
	opposite []byte // nil if nothing undoes it
}

// Start returns a call of the caller, with a line that says how it began.
func Start(ctx context.Context, e Entry) *Call {
	caller, _ := identity.From(ctx)
	e.Outcome = Running
	return &Call{Record: Record{Entry: e, State: Claimed, Account: caller.Account, Revision: 1}, subject: caller.Subject}
}

// Undo says what undoes the call, or why nothing does.
func (c *Call) Undo(opposite []byte, cannot string) {
	c.opposite, c.Cannot = nil, cannot
	if cannot == "" && len(opposite) > MostBytes {
		c.Cannot = TooLarge
	} else if cannot == "" {
		c.opposite = opposite
	}
}

// Claimed reports whether the call has a record.
func (c *Call) Claimed() bool { return c.claimed }

// Claim records that a call is about to write, unless it has a record. The write must not be sent
// if Claim fails.
func (l *Log) Claim(ctx context.Context, c *Call) error {
	caller, _ := identity.From(ctx)
	c.Account = caller.Account // which may be known only now
	if c.claimed {
		return nil
	}
	if c.ID == "" {
		c.ID = l.newID()
	}
	_, err := l.claim(ctx, c)
	return err
}

func (l *Log) claim(ctx context.Context, c *Call) (found Key, err error) {
	if c.subject == "" {
		_, err := identity.Subject(ctx)
		return Key{}, err
	}
	found, err = l.store.ClaimCall(ctx, c.subject, c.Record, c.key)
	c.claimed = err == nil
	if err != nil {
		err = fmt.Errorf("record a call: %w", err)
	}
	return found, err
}

// endTime is how long the end of a call may take to be stored. It is part of the time that is left
// for the answer when the call's own time is over.
const endTime = 2 * time.Second

// End stores how a call ended, even after its deadline. If it fails, the record stays claimed, and
// the key counts as unknown once HeldUntil has passed: so a repeat cannot run the call twice.
func (l *Log) End(ctx context.Context, c *Call) (err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTime)
	defer cancel()
	c.Revision++
	for range tries {
		if err = l.store.ChangeCall(ctx, c.subject, c.Record, c.opposite, c.key); err == nil || errors.Is(err, ErrChanged) {
			break
		}
	}
	return err
}

// Find returns the record with an ID. Its faults are NOT_FOUND, UPSTREAM_ERROR, and INVALID_INPUT
// for a record that another call has claimed or whose write is in doubt. A record that cannot be
// undone says so itself.
func (l *Log) Find(ctx context.Context, id string) (Record, error) {
	subject, err := identity.Subject(ctx)
	if err != nil {
		return Record{}, err
	}
	var found []Record
	if isID(id) {
		found, err = l.store.WritingCalls(ctx, subject, id, id+"0", 1)
	}
	switch {
	case err != nil:
		return Record{}, unreachable(err)
	case len(found) == 0 || !l.now().Before(found[0].Time.Add(Undoable)):
		return Record{}, NothingToUndo(id)
	case found[0].Cannot == "" && found[0].State != Done:
		return Record{}, refused(found[0])
	}
	return found[0], nil
}

// NothingToUndo returns the fault for an ID that is of no record.
func NothingToUndo(id string) *fault.Error {
	return fault.New(fault.NotFound, "there is nothing to undo with the ID %q; call undo without arguments for the last changes", id)
}

// Take returns the record with an ID and its opposite for the call that undoes it. No other call
// gets it. Its faults are those of Find, and INVALID_INPUT for a record that cannot be undone.
func (l *Log) Take(ctx context.Context, id string) (r Record, opposite []byte, err error) {
	if r, err = l.Find(ctx, id); err != nil {
		return Record{}, nil, err
	}
	subject, _ := identity.Subject(ctx) // Find has checked it
	opposite, err = l.store.Opposite(ctx, subject, id)
	if errors.Is(err, ErrNotFound) {
		return Record{}, nil, fault.Invalid("ids", "%s cannot be undone any more: the key of its record was changed", id)
	}
	if err != nil {
		return Record{}, nil, unreachable(err)
	}
	r.State, r.By, r.Revision = Claimed, rand.Text(), r.Revision+1
	err = l.store.ChangeCall(ctx, subject, r, nil, nil)
	switch {
	case errors.Is(err, ErrChanged):
		return Record{}, nil, refused(r)
	case err != nil: // the claim may have been stored; nothing is undone under it
		_ = l.Settle(context.WithoutCancel(ctx), r, false, nil)
		return Record{}, nil, unreachable(err)
	}
	return r, opposite, nil
}

// unreachable returns the fault for a Store that could not be reached before anything was undone.
func unreachable(cause error) *fault.Error {
	return fault.New(fault.UpstreamError, "the records of your changes cannot be reached right now, and nothing was undone; try again in a moment").Because(cause)
}

// refused returns the fault for a record that cannot be taken.
func refused(r Record) *fault.Error {
	f := fault.Invalid("ids", "%s was undone already", r.ID)
	if r.State == Claimed && r.By == "" {
		f = fault.Invalid("ids", "it is not known whether the write of %s was carried out; look at the item", r.ID)
	} else if r.State == Claimed {
		f = fault.Invalid("ids", "%s is being undone by another call, or that call was cut; look at the item", r.ID)
	}
	f.MayHaveHappened = r.State == Claimed
	return f
}

// Settle says that a record was undone, or, if it was not, that it can be taken again. If left is
// not nil, it is the opposite of the part that was not undone and can be taken again.
func (l *Log) Settle(ctx context.Context, r Record, undone bool, left []byte) error {
	subject, err := identity.Subject(ctx)
	if err != nil {
		return err
	}
	r.State, r.By, r.Revision = Done, "", r.Revision+1
	if undone && left == nil {
		r.State, left = Undone, []byte{}
	} else if !undone {
		left = nil
	}
	if err := l.store.ChangeCall(ctx, subject, r, left, nil); err != nil {
		return fmt.Errorf("settle the record of a call: %w", err)
	}
	return nil
}

// Latest returns the caller's last records that can be undone or say why not, newest first. Error:
// UPSTREAM_ERROR.
func (l *Log) Latest(ctx context.Context, limit int) ([]Record, error) {
	subject, err := identity.Subject(ctx)
	if err != nil {
		return nil, err
	}
	all, err := l.Since(ctx, subject, l.now().Add(-Undoable), limit)
	if err != nil {
		return nil, unreachable(err)
	}
	return all, nil
}

// Since returns at most limit records of a person's calls that began after a time and wrote
// something, newest first.
func (l *Log) Since(ctx context.Context, subject string, since time.Time, limit int) ([]Record, error) {
	all, err := l.store.WritingCalls(ctx, subject, OldestID(since), "", limit)
	// One that waited before its first write has an ID that is later than its beginning.
	return slices.DeleteFunc(all, func(r Record) bool { return !r.Time.After(since) }), err
}
