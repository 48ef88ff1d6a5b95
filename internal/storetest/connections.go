package storetest

import (
	"context"
	"testing"
	"time"

	"basecamp-mcp/internal/grant"
)

// Connections checks that a grant.Connections does what its interface says. open may return the
// same table each time.
func Connections(t *testing.T, open func(t *testing.T) grant.Connections) {
	check(t, open, connectionFacts)
}

var connectionFacts = []fact[grant.Connections]{
	{"a connection is returned as it was saved, with the next Change", func(t *testing.T, s grant.Connections) {
		full := newConnection()
		offset := newConnection()
		offset.ConnectedAt = offset.ConnectedAt.Add(700 * time.Millisecond)
		offset.Status = grant.NeedsReauth
		for _, c := range []grant.Connection{full, offset, {Subject: newSubject()}} {
			saved := save(t, s, c)
			c.Change = 1
			wantSame(t, saved, c)
			wantConnection(t, s, c)
		}
	}},
	{"saving replaces the whole record", func(t *testing.T, s grant.Connections) {
		c := save(t, s, newConnection())
		c = save(t, s, grant.Connection{Subject: c.Subject, Revision: c.Revision + 1, Change: c.Change})
		wantSame(t, c, grant.Connection{Subject: c.Subject, Revision: beyondFloat + 1, Change: 2})
		wantConnection(t, s, c)
	}},
	{"a read sees every earlier write", func(t *testing.T, s grant.Connections) {
		c := newConnection()
		for range 20 {
			c = save(t, s, c)
			wantConnection(t, s, c)
			c.Failures++
		}
	}},
	{"a person without a connection is not found", func(t *testing.T, s grant.Connections) {
		wantNoConnection(t, s, newSubject())
		c := save(t, s, newConnection())
		wantNoConnection(t, s, c.Subject+"0")
		wantNoConnection(t, s, c.Subject[:len(c.Subject)-1])
	}},
	{"a write succeeds only over the version that was read", func(t *testing.T, s grant.Connections) {
		first := save(t, s, newConnection())
		c := save(t, s, first)
		for _, change := range []int64{0, first.Change, c.Change + 1} {
			late := c
			late.Name, late.Change = "A late writer", change
			_, err := s.SaveConnection(t.Context(), late)
			wantErr(t, err, grant.ErrConflict)
			wantConnection(t, s, c)
		}
	}},
	{"of twenty concurrent writes over one version, one succeeds", func(t *testing.T, s grant.Connections) {
		for _, c := range []grant.Connection{newConnection(), save(t, s, newConnection())} {
			var saved [rivals]grant.Connection
			winner := oneWinner(t, together(func(i int) (err error) {
				rival := c
				rival.Lease = newID()
				saved[i], err = s.SaveConnection(t.Context(), rival)
				return err
			}), grant.ErrConflict)
			if got, want := saved[winner].Change, c.Change+1; got != want {
				t.Errorf("Change %d, want %d", got, want)
			}
			wantConnection(t, s, saved[winner])
		}
	}},
	{"a write over a deleted record fails", func(t *testing.T, s grant.Connections) {
		c := save(t, s, newConnection())
		must(t, s.DeleteConnection(t.Context(), c.Subject))
		wantNoConnection(t, s, c.Subject)
		_, err := s.SaveConnection(t.Context(), c)
		wantErr(t, err, grant.ErrConflict)
		wantNoConnection(t, s, c.Subject)
	}},
	{"a write over a record that was never stored fails", func(t *testing.T, s grant.Connections) {
		c := newConnection()
		c.Change = 1
		_, err := s.SaveConnection(t.Context(), c)
		wantErr(t, err, grant.ErrConflict)
		wantNoConnection(t, s, c.Subject)
	}},
	{"a deleted record can be created again", func(t *testing.T, s grant.Connections) {
		c := save(t, s, save(t, s, newConnection()))
		must(t, s.DeleteConnection(t.Context(), c.Subject))
		c.Change = 0
		if c = save(t, s, c); c.Change != 1 {
			t.Errorf("Change %d, want 1", c.Change)
		}
		wantConnection(t, s, c)
	}},
	{"deleting affects one person, and a missing record is no error", func(t *testing.T, s grant.Connections) {
		c := save(t, s, newConnection())
		must(t, s.DeleteConnection(t.Context(), newSubject()))
		must(t, s.DeleteConnection(t.Context(), c.Subject+"0"))
		wantConnection(t, s, c)
	}},
	{"a cancelled context returns an unspecific error and changes nothing", func(t *testing.T, s grant.Connections) {
		c := save(t, s, newConnection())
		for _, do := range []func(context.Context) error{
			func(ctx context.Context) error { _, err := s.Connection(ctx, c.Subject); return err },
			func(ctx context.Context) error { _, err := s.Connection(ctx, newSubject()); return err },
			func(ctx context.Context) error { _, err := s.SaveConnection(ctx, c); return err },
			func(ctx context.Context) error {
				_, err := s.SaveConnection(ctx, grant.Connection{Subject: c.Subject})
				return err
			},
			func(ctx context.Context) error { return s.DeleteConnection(ctx, c.Subject) },
		} {
			wantUnreachable(t, do(cancelled(t)), grant.ErrNotFound, grant.ErrConflict)
		}
		wantConnection(t, s, c)
	}},
}

// newConnection returns a connection that was never stored, with every field filled except Change.
func newConnection() grant.Connection {
	now := newClock().Now()
	return grant.Connection{
		Subject: newSubject(), Name: unicode, Revision: beyondFloat, Version: newID(), Status: grant.Active, ConnectedAt: now,
		ExpiresAt: now.Add(14 * 24 * time.Hour), Forced: now.Add(-time.Hour), Lease: newID(), LeaseUntil: now.Add(30 * time.Second),
		Failures: 3, NextTry: now.Add(time.Minute),
	}
}

func save(t *testing.T, s grant.Connections, c grant.Connection) grant.Connection {
	t.Helper()
	c, err := s.SaveConnection(t.Context(), c)
	must(t, err)
	return c
}

func wantConnection(t *testing.T, s grant.Connections, want grant.Connection) {
	t.Helper()
	got, err := s.Connection(t.Context(), want.Subject)
	must(t, err)
	wantSame(t, got, want)
}

func wantNoConnection(t *testing.T, s grant.Connections, subject string) {
	t.Helper()
	_, err := s.Connection(t.Context(), subject)
	wantErr(t, err, grant.ErrNotFound)
}
