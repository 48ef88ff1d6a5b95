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

func (d storeEnv) wantEnded(t *testing.T, l login, session authserver.Hash, want bool) error {
	t.Helper()
	_, _, ended, err := d.Access(t.Context(), l.family.ID, l.access.Hash, session)
	if err == nil && ended != want {
		err = fmt.Errorf("the session has ended: %v, want %v", ended, want)
	}
	return err
}
