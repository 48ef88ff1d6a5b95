package storetest

import (
	"context"
	"testing"
	"time"

	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/undo"
)

func (s env) newUndo(after time.Duration) undo.Record {
	at := s.clock.Now().Add(after)
	return undo.Record{
		ID: undo.NewID(at), Tool: "update_work", Client: "Claude", At: at, ExpiresAt: at.Add(time.Hour), State: undo.Intended,
		About: []undo.Item{{Provider: "orchard", Type: "todo", ID: "9007199254741623", What: "create a to-do"}}, More: 2, Account: 1, Sealed: []byte{0, 1, 255}, Revision: 1,
	}
}

func (s env) addUndos(t *testing.T, subject string, all ...undo.Record) {
	t.Helper()
	for _, r := range all {
		must(t, s.AddUndo(t.Context(), subject, r))
	}
}

func (s env) wantUndos(t *testing.T, subject string, want ...undo.Record) {
	t.Helper()
	found, err := s.Undos(t.Context(), subject, "", 100)
	must(t, err)
	wantSame(t, found, want)
}

var undoFacts = []fact[env]{
	{"a record is returned as it was added, to its person", func(t *testing.T, s env) {
		subject, r := newSubject(), s.newUndo(0)
		s.addUndos(t, subject, r)
		found, err := s.FindUndo(t.Context(), subject, r.ID)
		must(t, err)
		wantSame(t, found, r)
		for _, other := range []string{newSubject(), subject + "0", subject[:len(subject)-1]} {
			_, err := s.FindUndo(t.Context(), other, r.ID)
			wantErr(t, err, undo.ErrNotFound)
			s.wantUndos(t, other)
		}
	}},
	{"records are listed newest first, in parts", func(t *testing.T, s env) {
		subject := newSubject()
		a, b, c := s.newUndo(0), s.newUndo(time.Second), s.newUndo(2*time.Second)
		b.Cannot, b.Sealed, b.About = "too_large", nil, nil
		s.addUndos(t, subject, b, c, a)
		s.wantUndos(t, subject, c, b, a)
		two, err := s.Undos(t.Context(), subject, "", 2)
		must(t, err)
		rest, err := s.Undos(t.Context(), subject, b.ID, 2)
		must(t, err)
		if len(two) != 2 || len(rest) != 1 {
			t.Fatalf("%d, then %d", len(two), len(rest))
		}
		wantSame(t, rest[0], a)
	}},
	{"an ID is taken once", func(t *testing.T, s env) {
		subject, r := newSubject(), s.newUndo(0)
		oneWinner(t, together(func(int) error { return s.AddUndo(t.Context(), subject, r) }), undo.ErrTaken)
		s.addUndos(t, newSubject(), r)
	}},
	{"three hundred writes of one moment are recorded, and undone by their IDs", func(t *testing.T, s env) {
		ctx := identity.With(t.Context(), identity.Caller{Subject: newSubject()})
		log := undo.New(s, undo.Unsealed{}, s.clock.Now)
		var ids []string
		for range 300 {
			r, err := log.Begin(ctx, undo.Record{Tool: "add_task"}, nil)
			must(t, err)
			r, err = log.Complete(ctx, r, []byte("[]"))
			must(t, err)
			ids = append(ids, r.ID)
		}
		last, err := log.Latest(ctx, 300)
		must(t, err)
		for i, r := range last {
			wantSame(t, r.ID, ids[len(ids)-1-i])
		}
		_, _, err = log.Claim(ctx, last[299].ID)
		must(t, err)
	}},
	{"of concurrent changes one succeeds", func(t *testing.T, s env) {
		subject, r := newSubject(), s.newUndo(0)
		s.addUndos(t, subject, r)
		next := r
		next.State, next.Revision, next.Sealed = undo.Done, 2, []byte("other")
		oneWinner(t, together(func(int) error { return s.ChangeUndo(t.Context(), subject, next) }), undo.ErrChanged)
		s.wantUndos(t, subject, next)
		wantErr(t, s.ChangeUndo(t.Context(), newSubject(), next), undo.ErrChanged)
		next.Revision = 4
		wantErr(t, s.ChangeUndo(t.Context(), subject, next), undo.ErrChanged)
	}},
	{"an expired record is gone, and its ID is free", func(t *testing.T, s env) {
		subject, r := newSubject(), s.newUndo(0)
		s.addUndos(t, subject, r)
		s.clock.set(r.ExpiresAt)
		_, err := s.FindUndo(t.Context(), subject, r.ID)
		wantErr(t, err, undo.ErrNotFound)
		s.wantUndos(t, subject)
		next := r
		next.Revision = 2
		wantErr(t, s.ChangeUndo(t.Context(), subject, next), undo.ErrChanged)
		r.ExpiresAt = r.ExpiresAt.Add(time.Hour)
		s.addUndos(t, subject, r)
		s.wantUndos(t, subject, r)
	}},
	{"a cancelled context returns an unspecific error and changes nothing", func(t *testing.T, s env) {
		subject, r := newSubject(), s.newUndo(0)
		s.addUndos(t, subject, r)
		next := r
		next.Revision = 2
		for _, do := range []func(context.Context) error{
			func(ctx context.Context) error { return s.AddUndo(ctx, subject, s.newUndo(time.Second)) },
			func(ctx context.Context) error { _, err := s.FindUndo(ctx, subject, r.ID); return err },
			func(ctx context.Context) error { _, err := s.Undos(ctx, subject, "", 1); return err },
			func(ctx context.Context) error { return s.ChangeUndo(ctx, subject, next) },
		} {
			wantUnreachable(t, do(cancelled(t)), undo.ErrNotFound, undo.ErrChanged, undo.ErrTaken)
		}
		s.wantUndos(t, subject, r)
	}},
}
