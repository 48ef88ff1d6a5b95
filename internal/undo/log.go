package undo

import (
	"bytes"
	"compress/flate"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/identity"
)

// MostBytes is the size of the largest opposite that is kept.
const MostBytes = 200 << 10

// TooLarge is the Cannot of a record whose opposite was larger.
const TooLarge = "what was there before is too large to keep"

// Sealer seals what records hold. The label binds a text to its place.
type Sealer interface {
	Seal(ctx context.Context, label, plain []byte) (sealed []byte, err error)
	// Open returns the text that was sealed with the same label, or ErrNotFound if its key is lost or
	// it was changed.
	Open(ctx context.Context, label, sealed []byte) (plain []byte, err error)
}

// Log holds the operations on a person's records. The person is the caller in the context.
type Log struct {
	store  Store
	sealer Sealer
	now    func() time.Time

	mu   sync.Mutex
	last time.Time // of the latest ID
}

// life is how long a record is kept: a working week and the days around it. Codes repeat after 19
// days.
const life = 7 * 24 * time.Hour

// New returns the records of a Store. Their clock is now; nil means the real time.
func New(store Store, sealer Sealer, now func() time.Time) *Log {
	if now == nil {
		now = time.Now
	}
	return &Log{store: store, sealer: sealer, now: now}
}

// moment returns the time for a new ID. It is later than the one before, so that calls of one
// moment are listed in their order.
func (l *Log) moment() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now().UTC().Truncate(time.Millisecond)
	if !now.After(l.last) {
		now = l.last.Add(time.Millisecond)
	}
	l.last = now
	return now
}

// mostTries is how often a new record is stored, each time with another ID.
const mostTries = 2

// Begin records what is about to be written, with its opposite, and returns the record. The write
// must not be sent if Begin fails.
func (l *Log) Begin(ctx context.Context, r Record, opposite []byte) (Record, error) {
	subject, err := identity.Subject(ctx)
	if err != nil {
		return Record{}, err
	}
	c, _ := identity.From(ctx)
	r.Account = c.Account
	if len(opposite) > MostBytes {
		r.Cannot, opposite = TooLarge, nil
	}
	now := l.moment()
	r.At = l.now().UTC().Truncate(time.Second)
	r.ExpiresAt, r.State, r.Revision = r.At.Add(life), Intended, 1
	for range mostTries {
		r.ID = NewID(now)
		if r.Sealed, err = l.seal(ctx, r.ID, opposite); err != nil {
			return Record{}, err
		}
		if err = l.store.AddUndo(ctx, subject, r); !errors.Is(err, ErrTaken) {
			break
		}
	}
	if err != nil {
		return Record{}, fmt.Errorf("record how to undo a write: %w", err)
	}
	return r, nil
}

// Complete says that the write of a record was carried out. An opposite that is not nil replaces
// the one of Begin: the ID of what was made is known only now.
func (l *Log) Complete(ctx context.Context, r Record, opposite []byte) (done Record, err error) {
	if len(opposite) > MostBytes {
		r.Cannot = TooLarge
	}
	if opposite != nil && r.Cannot == "" {
		if r.Sealed, err = l.seal(ctx, r.ID, opposite); err != nil {
			return Record{}, err
		}
	}
	return l.change(ctx, r, Done)
}

// Find returns the record with an ID. Its faults are NOT_FOUND, UPSTREAM_ERROR, and INVALID_INPUT
// for a record that another call has claimed or whose write is in doubt. A record that cannot be
// undone says so itself.
func (l *Log) Find(ctx context.Context, id string) (r Record, err error) {
	subject, err := identity.Subject(ctx)
	if err != nil {
		return Record{}, err
	}
	err = ErrNotFound
	if len(id) == len("u")+timeDigits+randomEnd {
		r, err = l.store.FindUndo(ctx, subject, id)
	}
	switch {
	case errors.Is(err, ErrNotFound):
		return Record{}, unknown(id)
	case err != nil:
		return Record{}, unreachable(err)
	case r.Cannot == "" && r.State != Done:
		return Record{}, refused(id, r.State)
	}
	return r, nil
}

func unknown(id string) *fault.Error {
	return fault.New(fault.NotFound, "there is nothing to undo with the ID %q; call undo without arguments for the last changes", id)
}

// open returns the record with an ID and its opposite.
func (l *Log) open(ctx context.Context, id string) (r Record, opposite []byte, err error) {
	if r, err = l.Find(ctx, id); err != nil {
		return Record{}, nil, err
	}
	if r.Cannot != "" {
		return Record{}, nil, fault.Invalid("ids", "%s cannot be undone: %s", id, r.Cannot)
	}
	subject, err := identity.Subject(ctx)
	if err != nil {
		return Record{}, nil, err
	}
	opposite, err = l.sealer.Open(ctx, label(subject, r.ID), r.Sealed)
	if err == nil && len(r.Sealed) > 0 {
		opposite, err = unpacked(opposite)
	}
	if errors.Is(err, ErrNotFound) {
		return Record{}, nil, fault.Invalid("ids", "%s cannot be undone any more: the key of its record was changed", id)
	}
	if err != nil {
		return Record{}, nil, unreachable(err)
	}
	return r, opposite, nil
}

// Claim returns the record with an ID and its opposite for the call that undoes it. No other call
// gets it. Its faults are those of Find, and INVALID_INPUT for a record that cannot be undone.
func (l *Log) Claim(ctx context.Context, id string) (r Record, opposite []byte, err error) {
	if r, opposite, err = l.open(ctx, id); err != nil {
		return Record{}, nil, err
	}
	claimed, err := l.change(ctx, r, Undoing)
	switch {
	case errors.Is(err, ErrChanged):
		return Record{}, nil, refused(id, Undoing)
	case err != nil: // the claim may have been stored; nothing is undone under it
		r.Revision++
		_, _ = l.change(context.WithoutCancel(ctx), r, Done)
		return Record{}, nil, unreachable(err)
	}
	return claimed, opposite, nil
}

// unreachable returns the fault for a Store or a Sealer that could not be reached before anything
// was undone.
func unreachable(cause error) *fault.Error {
	return fault.New(fault.UpstreamError, "the records of your changes cannot be reached right now, and nothing was undone; try again in a moment").Because(cause)
}

// refused returns the fault for a record that cannot be claimed.
func refused(id string, state State) *fault.Error {
	f := fault.Invalid("ids", "%s was undone already", id)
	switch state {
	case Intended:
		f = fault.Invalid("ids", "it is not known whether the write of %s was carried out; look at the item", id)
		f.MayHaveHappened = true
	case Undoing:
		f = fault.Invalid("ids", "%s is being undone by another call, or that call was cut; look at the item", id)
		f.MayHaveHappened = true
	}
	return f
}

// Settle says that a claimed record was undone, or, if it was not, that it can be claimed again. If
// left is not nil, it is the opposite of the part that was not undone and can be claimed again.
func (l *Log) Settle(ctx context.Context, r Record, undone bool, left []byte) (err error) {
	state := Done
	if undone {
		if r.Sealed, err = l.seal(ctx, r.ID, left); err != nil {
			return err
		}
		if left == nil {
			state = Undone
		}
	}
	_, err = l.change(ctx, r, state)
	return err
}

// Latest returns the caller's last records, newest first. Error: UPSTREAM_ERROR.
func (l *Log) Latest(ctx context.Context, limit int) ([]Record, error) {
	subject, err := identity.Subject(ctx)
	if err != nil {
		return nil, err
	}
	all, err := l.store.Undos(ctx, subject, "", limit)
	if err != nil {
		return nil, unreachable(err)
	}
	return all, nil
}

func (l *Log) change(ctx context.Context, r Record, to State) (Record, error) {
	subject, err := identity.Subject(ctx)
	if err != nil {
		return Record{}, err
	}
	r.State = to
	r.Revision++
	if err := l.store.ChangeUndo(ctx, subject, r); err != nil {
		return Record{}, fmt.Errorf("change an undo record to %s: %w", to, err)
	}
	return r, nil
}

func (l *Log) seal(ctx context.Context, id string, opposite []byte) ([]byte, error) {
	if opposite == nil {
		return nil, nil
	}
	subject, err := identity.Subject(ctx)
	if err != nil {
		return nil, err
	}
	sealed, err := l.sealer.Seal(ctx, label(subject, id), packed(opposite))
	if err != nil {
		return nil, fmt.Errorf("seal an undo record: %w", err)
	}
	return sealed, nil
}

func label(subject, id string) []byte { return []byte("undo\x00" + subject + "\x00" + id) }

// packed returns a text in fewer bytes, which are paid for by the KB: an opposite has the old text
// and the new one, which are mostly the same.
func packed(text []byte) []byte {
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, flate.DefaultCompression) // the level is valid, and a buffer accepts all
	_, _ = w.Write(text)
	_ = w.Close()
	return b.Bytes()
}

func unpacked(text []byte) ([]byte, error) {
	all, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(text)), MostBytes+1))
	if err != nil {
		return nil, ErrNotFound
	}
	return all, nil
}
