package storetest

import (
	"context"
	"testing"
	"time"

	"basecamp-mcp/internal/grant"
)

// Connections holds a grant.Connections to what its interface says. open may give the same table every time.
func Connections(t *testing.T, open func(t *testing.T) grant.Connections) {
	check(t, open, connectionFacts)
}

var connectionFacts = []fact[grant.Connections]{
	{"a connection comes back as it was saved, one Change further", func(t *testing.T, s grant.Connections) {
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
	{"every write is seen by the read after it", func(t *testing.T, s grant.Connections) {
		c := newConnection()
		for range 20 {
			c = save(t, s, c)
			wantConnection(t, s, c)
			c.Failures++
		}
	}},
	{"a person without a connection has none", func(t *testing.T, s grant.Connections) {
		wantNoConnection(t, s, newSubject())
		c := save(t, s, newConnection())
		wantNoConnection(t, s, c.Subject+"0")
		wantNoConnection(t, s, c.Subject[:len(c.Subject)-1])
	}},
	{"what was read is written only over itself", func(t *testing.T, s grant.Connections) {
		first := save(t, s, newConnection())
		c := save(t, s, first)
		for _, change := range []int64{0, first.Change, c.Change + 1} {
			late := c
			late.Name, late.Change = "Somebody late", change
			_, err := s.SaveConnection(t.Context(), late)
			wantErr(t, err, grant.ErrConflict)
			wantConnection(t, s, c)
		}
	}},
	{"of twenty who write over the same at once, one does", func(t *testing.T, s grant.Connections) {
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
	{"what was read is not written once the record is deleted", func(t *testing.T, s grant.Connections) {
		c := save(t, s, newConnection())
		must(t, s.DeleteConnection(t.Context(), c.Subject))
		wantNoConnection(t, s, c.Subject)
		_, err := s.SaveConnection(t.Context(), c)
		wantErr(t, err, grant.ErrConflict)
		wantNoConnection(t, s, c.Subject)
	}},
	{"a record that was never stored is not written over", func(t *testing.T, s grant.Connections) {
		c := newConnection()
		c.Change = 1
		_, err := s.SaveConnection(t.Context(), c)
		wantErr(t, err, grant.ErrConflict)
		wantNoConnection(t, s, c.Subject)
	}},
	{"a deleted record is begun anew", func(t *testing.T, s grant.Connections) {
		c := save(t, s, save(t, s, newConnection()))
		must(t, s.DeleteConnection(t.Context(), c.Subject))
		c.Change = 0
		if c = save(t, s, c); c.Change != 1 {
			t.Errorf("Change %d, want 1", c.Change)
		}
		wantConnection(t, s, c)
	}},
	{"deleting touches nobody else, and nothing that is not there", func(t *testing.T, s grant.Connections) {
		c := save(t, s, newConnection())
		must(t, s.DeleteConnection(t.Context(), newSubject()))
		must(t, s.DeleteConnection(t.Context(), c.Subject+"0"))
		wantConnection(t, s, c)
	}},
	{"a cancelled context is an error without a meaning, and nothing was done", func(t *testing.T, s grant.Connections) {
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

// newConnection invents one that was never stored, with every field filled but Change.
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
