package storetest

import (
	"context"
	"testing"
	"time"

	"basecamp-mcp/internal/undo"
)

// undoEnv is an undo.Store with its clock.
type undoEnv struct {
	undo.Store
	clock *clock
}

// Undo checks that an undo.Store does what its interface says. open may return the same table each
// time; it passes the clock on.
func Undo(t *testing.T, open func(t *testing.T, now func() time.Time) undo.Store) {
	check(t, func(t *testing.T) undoEnv {
		c := newClock()
		return undoEnv{open(t, c.Now), c}
	}, undoFacts)
}

func (d undoEnv) record(after time.Duration) undo.Record {
	at := d.clock.Now().Add(after)
	return undo.Record{
		ID: undo.NewID(at), Tool: "update_work", Client: "Claude", At: at, ExpiresAt: at.Add(time.Hour), State: undo.Intended,
		About: []undo.Item{{Provider: "orchard", Type: "todo", ID: "9007199254741623", What: "create a to-do"}}, More: 2, Account: 1, Sealed: []byte{0, 1, 255}, Revision: 1,
	}
}

func (d undoEnv) add(t *testing.T, subject string, all ...undo.Record) {
	t.Helper()
	for _, r := range all {
		must(t, d.AddUndo(t.Context(), subject, r))
	}
}

func (d undoEnv) want(t *testing.T, subject string, want ...undo.Record) {
	t.Helper()
	found, err := d.Undos(t.Context(), subject, "", 100)
	must(t, err)
	if len(found) != len(want) {
		t.Fatalf("%d records, want %d", len(found), len(want))
	}
	for i := range want {
		wantSame(t, found[i], want[i])
	}
}

var undoFacts = []fact[undoEnv]{
	{"a record is returned as it was added, to its person", func(t *testing.T, d undoEnv) {
		subject, r := newSubject(), d.record(0)
		d.add(t, subject, r)
		found, err := d.FindUndo(t.Context(), subject, r.ID)
		must(t, err)
		wantSame(t, found, r)
		for _, other := range []string{newSubject(), subject + "0", subject[:len(subject)-1]} {
			_, err := d.FindUndo(t.Context(), other, r.ID)
			wantErr(t, err, undo.ErrNotFound)
			d.want(t, other)
		}
	}},
	{"records are listed newest first, in parts", func(t *testing.T, d undoEnv) {
		subject := newSubject()
		a, b, c := d.record(0), d.record(time.Second), d.record(2*time.Second)
		b.Cannot, b.Sealed, b.About = "too_large", nil, nil
		d.add(t, subject, b, c, a)
		d.want(t, subject, c, b, a)
		two, err := d.Undos(t.Context(), subject, "", 2)
		must(t, err)
		rest, err := d.Undos(t.Context(), subject, b.ID, 2)
		must(t, err)
		if len(two) != 2 || len(rest) != 1 {
			t.Fatalf("%d, then %d", len(two), len(rest))
		}
		wantSame(t, rest[0], a)
	}},
	{"an ID is taken once", func(t *testing.T, d undoEnv) {
		subject, r := newSubject(), d.record(0)
		oneWinner(t, together(func(int) error { return d.AddUndo(t.Context(), subject, r) }), undo.ErrTaken)
		d.add(t, newSubject(), r)
	}},
	{"of concurrent changes one succeeds", func(t *testing.T, d undoEnv) {
		subject, r := newSubject(), d.record(0)
		d.add(t, subject, r)
		next := r
		next.State, next.Revision, next.Sealed = undo.Done, 2, []byte("other")
		oneWinner(t, together(func(int) error { return d.ChangeUndo(t.Context(), subject, next) }), undo.ErrChanged)
		d.want(t, subject, next)
		wantErr(t, d.ChangeUndo(t.Context(), newSubject(), next), undo.ErrChanged)
		next.Revision = 4
		wantErr(t, d.ChangeUndo(t.Context(), subject, next), undo.ErrChanged)
	}},
	{"an expired record is gone, and its ID is free", func(t *testing.T, d undoEnv) {
		subject, r := newSubject(), d.record(0)
		d.add(t, subject, r)
		d.clock.set(r.ExpiresAt)
		_, err := d.FindUndo(t.Context(), subject, r.ID)
		wantErr(t, err, undo.ErrNotFound)
		d.want(t, subject)
		next := r
		next.Revision = 2
		wantErr(t, d.ChangeUndo(t.Context(), subject, next), undo.ErrChanged)
		r.ExpiresAt = r.ExpiresAt.Add(time.Hour)
		d.add(t, subject, r)
		d.want(t, subject, r)
	}},
	{"a cancelled context returns an unspecific error and changes nothing", func(t *testing.T, d undoEnv) {
		subject, r := newSubject(), d.record(0)
		d.add(t, subject, r)
		next := r
		next.Revision = 2
		for _, do := range []func(context.Context) error{
			func(ctx context.Context) error { return d.AddUndo(ctx, subject, d.record(time.Second)) },
			func(ctx context.Context) error { _, err := d.FindUndo(ctx, subject, r.ID); return err },
			func(ctx context.Context) error { _, err := d.Undos(ctx, subject, "", 1); return err },
			func(ctx context.Context) error { return d.ChangeUndo(ctx, subject, next) },
		} {
			wantUnreachable(t, do(cancelled(t)), undo.ErrNotFound, undo.ErrChanged, undo.ErrTaken)
		}
		d.want(t, subject, r)
	}},
}
