package storetest

import (
	"testing"
	"time"

	"basecamp-mcp/internal/authserver"
)

var revocationFacts = []fact[storeEnv]{
	{"a revoked family is found by all its tokens, with time and reason", func(t *testing.T, d storeEnv) {
		l := d.begin(t)
		l.family.RevokedAt, l.family.RevokedFor = d.clock.Now().Add(700*time.Millisecond), "disconnected"
		must(t, d.Revoke(t.Context(), l.family.ID, l.family.RevokedFor, l.family.RevokedAt))
		d.wantUntouched(t, l)
		d.wantFamilies(t, l.family.Subject)
	}},
	{"the first time and reason stay", func(t *testing.T, d storeEnv) {
		l := d.begin(t)
		l.family.RevokedAt, l.family.RevokedFor = d.clock.Now(), "replayed"
		must(t, d.Revoke(t.Context(), l.family.ID, l.family.RevokedFor, l.family.RevokedAt))
		must(t, d.Revoke(t.Context(), l.family.ID, "disconnected", d.clock.Now().Add(time.Minute)))
		d.wantUntouched(t, l)
	}},
	{"revoking a missing family is not an error and creates none", func(t *testing.T, d storeEnv) {
		l := d.newLogin(newSubject())
		must(t, d.Revoke(t.Context(), l.family.ID, "disconnected", d.clock.Now()))
		d.wantNothing(t, l)
		d.finish(t, l)
		d.wantUntouched(t, l)
	}},
	{"revoking a family leaves the person's other families alone", func(t *testing.T, d storeEnv) {
		l := d.begin(t)
		other := d.newLogin(l.family.Subject)
		d.finish(t, other)
		must(t, d.Revoke(t.Context(), l.family.ID, "disconnected", d.clock.Now()))
		d.wantUntouched(t, other)
		d.wantFamilies(t, l.family.Subject, other.family.ID)
	}},
	{"revoking an access token revokes only that token", func(t *testing.T, d storeEnv) {
		l, more := d.begin(t), d.newAccess()
		must(t, d.AddAccess(t.Context(), l.family.ID, more))
		must(t, d.RevokeAccess(t.Context(), l.family.ID, more.Hash))
		d.wantNoAccess(t, l.family.ID, more.Hash)
		d.wantUntouched(t, l)
	}},
	{"revoking a missing access token is not an error", func(t *testing.T, d storeEnv) {
		l, other := d.begin(t), d.begin(t)
		for _, token := range []authserver.Hash{newHash(), l.refresh.Hash, other.access.Hash} {
			must(t, d.RevokeAccess(t.Context(), l.family.ID, token))
		}
		must(t, d.RevokeAccess(t.Context(), newID(), l.access.Hash))
		d.wantUntouched(t, l)
		d.wantUntouched(t, other)
	}},
}
