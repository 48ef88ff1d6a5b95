package storetest

import (
	"testing"
	"time"

	"basecamp-mcp/internal/signin/authserver"
)

var revocationFacts = []fact[env]{
	{"a revoked family is found by all its tokens, with the first time and reason, and others stay", func(t *testing.T, d env) {
		l := d.begin(t)
		other := d.newLogin(l.family.Subject)
		d.finish(t, other)
		l.family.RevokedAt, l.family.RevokedFor = d.clock.Now().Add(700*time.Millisecond), "replayed"
		must(t, d.Revoke(t.Context(), l.family.ID, l.family.RevokedFor, l.family.RevokedAt))
		must(t, d.Revoke(t.Context(), l.family.ID, "disconnected", d.clock.Now().Add(time.Minute)))
		d.wantUntouched(t, l)
		d.wantUntouched(t, other)
		d.wantFamilies(t, l.family.Subject, other.family.ID)
	}},
	{"revoking or confirming a missing family is not an error and creates none", func(t *testing.T, d env) {
		l := d.newLogin(newSubject())
		must(t, d.Revoke(t.Context(), l.family.ID, "disconnected", d.clock.Now()))
		must(t, d.Confirm(t.Context(), l.family.ID, 1))
		d.wantNothing(t, l)
		d.finish(t, l)
		d.wantUntouched(t, l)
	}},
	{"a live family can have more access tokens, and each can be revoked alone", func(t *testing.T, d env) {
		l, more := d.begin(t), d.newAccess()
		must(t, d.AddAccess(t.Context(), l.family.ID, more))
		_, got, _, err := d.Access(t.Context(), l.family.ID, more.Hash, "")
		must(t, err)
		wantSame(t, got, more)
		must(t, d.RevokeAccess(t.Context(), l.family.ID, more.Hash))
		d.wantNoAccess(t, l.family.ID, more.Hash)
		d.wantUntouched(t, l)
	}},
	{"an ended session of a family is remembered until its last expiry", func(t *testing.T, d env) {
		l, other, session := d.begin(t), d.begin(t), newHash()
		until := d.clock.Now().Add(time.Hour)
		d.wantEnded(t, l, session, false)
		for range 2 {
			must(t, d.EndSession(t.Context(), l.family.ID, session, until))
			d.wantEnded(t, l, session, true)
			d.wantEnded(t, l, newHash(), false)
			d.wantEnded(t, l, "", false)
			d.wantEnded(t, other, session, false)
			d.wantUntouched(t, l)
			until = until.Add(time.Hour)
		}
		d.clock.set(until.Add(-time.Hour - time.Second))
		d.wantEnded(t, l, session, true)
		d.clock.set(until.Add(-time.Hour))
		d.wantEnded(t, l, session, false)
	}},
	{"revoking a missing access token is not an error", func(t *testing.T, d env) {
		l, other := d.begin(t), d.begin(t)
		for _, token := range []authserver.Hash{newHash(), l.refresh.Hash, other.access.Hash} {
			must(t, d.RevokeAccess(t.Context(), l.family.ID, token))
		}
		must(t, d.RevokeAccess(t.Context(), newID(), l.access.Hash))
		d.wantUntouched(t, l)
		d.wantUntouched(t, other)
	}},
}

func (s env) wantEnded(t *testing.T, l login, session authserver.Hash, want bool) {
	t.Helper()
	_, _, ended, err := s.Access(t.Context(), l.family.ID, l.access.Hash, session)
	must(t, err)
	if ended != want {
		t.Fatalf("the session has ended: %v, want %v", ended, want)
	}
}
