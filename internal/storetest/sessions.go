package storetest

import (
	"testing"
	"time"

	"basecamp-mcp/internal/authserver"
)

var sessionFacts = []fact[storeEnv]{
	{"ending a session affects only that session of its family", func(t *testing.T, d storeEnv) {
		l, other := d.begin(t), d.begin(t)
		session := newHash()
		d.wantEnded(t, l, session, false)
		must(t, d.EndSession(t.Context(), l.family.ID, session, d.clock.Now().Add(time.Hour)))
		d.wantEnded(t, l, session, true)
		d.wantEnded(t, l, newHash(), false)
		d.wantEnded(t, l, "", false)
		d.wantEnded(t, other, session, false)
		d.wantUntouched(t, l)
	}},
	{"an ended session is remembered until its expiry", func(t *testing.T, d storeEnv) {
		l, session := d.begin(t), newHash()
		until := d.clock.Now().Add(time.Hour)
		must(t, d.EndSession(t.Context(), l.family.ID, session, until))
		d.clock.set(until.Add(-time.Second))
		d.wantEnded(t, l, session, true)
		d.clock.set(until)
		d.wantEnded(t, l, session, false)
	}},
	{"ending a session again extends how long it is remembered", func(t *testing.T, d storeEnv) {
		l, session := d.begin(t), newHash()
		until := d.clock.Now().Add(time.Hour)
		must(t, d.EndSession(t.Context(), l.family.ID, session, until))
		must(t, d.EndSession(t.Context(), l.family.ID, session, until.Add(time.Hour)))
		d.clock.set(until)
		d.wantEnded(t, l, session, true)
	}},
}

func (d storeEnv) wantEnded(t *testing.T, l login, session authserver.Hash, want bool) {
	t.Helper()
	_, _, ended, err := d.Access(t.Context(), l.family.ID, l.access.Hash, session)
	must(t, err)
	if ended != want {
		t.Fatalf("the session has ended: %v, want %v", ended, want)
	}
}
