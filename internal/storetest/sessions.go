package storetest

import (
	"fmt"
	"testing"
	"time"

	"basecamp-mcp/internal/authserver"
)

var sessionFacts = []fact[storeEnv]{
	{"ending a session affects only that session of its family", func(t *testing.T, d storeEnv) {
		l, other := d.begin(t), d.begin(t)
		session := newHash()
		must(t, d.wantEnded(t, l, session, false))
		must(t, d.EndSession(t.Context(), l.family.ID, session, d.clock.Now().Add(time.Hour)))
		soon(t, func() error { return d.wantEnded(t, l, session, true) })
		must(t, d.wantEnded(t, l, newHash(), false))
		must(t, d.wantEnded(t, l, "", false))
		must(t, d.wantEnded(t, other, session, false))
		d.wantUntouched(t, l)
	}},
	{"other items of a family do not count as ended sessions", func(t *testing.T, d storeEnv) {
		l := d.begin(t)
		must(t, d.wantEnded(t, l, l.access.Hash, false))
		must(t, d.wantEnded(t, l, l.refresh.Hash, false))
	}},
	{"an ended session is remembered until its expiry", func(t *testing.T, d storeEnv) {
		l, session := d.begin(t), newHash()
		until := d.clock.Now().Add(time.Hour)
		must(t, d.EndSession(t.Context(), l.family.ID, session, until))
		d.clock.set(until.Add(-time.Second))
		soon(t, func() error { return d.wantEnded(t, l, session, true) })
		d.clock.set(until)
		must(t, d.wantEnded(t, l, session, false))
	}},
	{"ending a session again extends how long it is remembered", func(t *testing.T, d storeEnv) {
		l, session := d.begin(t), newHash()
		until := d.clock.Now().Add(time.Hour)
		must(t, d.EndSession(t.Context(), l.family.ID, session, until))
		must(t, d.EndSession(t.Context(), l.family.ID, session, until.Add(time.Hour)))
		d.clock.set(until)
		soon(t, func() error { return d.wantEnded(t, l, session, true) })
	}},
}

var markFacts = []fact[storeEnv]{
	{"writes are counted up to a number, in the hour that begins with the first", func(t *testing.T, d storeEnv) {
		l, other := d.begin(t), d.begin(t)
		start := d.clock.Now()
		count := func(at time.Time, family string, want time.Time) {
			t.Helper()
			full, err := d.CountWrite(t.Context(), family, at, 2)
			must(t, err)
			wantSame(t, full, want)
		}
		count(start, l.family.ID, time.Time{})
		count(start.Add(-time.Minute), l.family.ID, time.Time{}) // by another clock
		count(start.Add(59*time.Minute), l.family.ID, start.Add(time.Hour))
		count(start, other.family.ID, time.Time{})
		for range 2 {
			count(start.Add(time.Hour), l.family.ID, time.Time{})
		}
		count(start.Add(time.Hour), l.family.ID, start.Add(2*time.Hour))
		d.wantUntouched(t, l)
	}},
	{"writes at once are counted each", func(t *testing.T, d storeEnv) {
		l, at := d.begin(t), d.clock.Now()
		oneWinner(t, together(func(int) error {
			full, err := d.CountWrite(t.Context(), l.family.ID, at, 1)
			if err == nil && !full.IsZero() {
				err = authserver.ErrConflict
			}
			return err
		}), authserver.ErrConflict)
	}},
}

func (d storeEnv) wantEnded(t *testing.T, l login, session authserver.Hash, want bool) error {
	t.Helper()
	_, _, ended, err := d.Access(t.Context(), l.family.ID, l.access.Hash, session)
	if err == nil && ended != want {
		err = fmt.Errorf("the session has ended: %v, want %v", ended, want)
	}
	return err
}
