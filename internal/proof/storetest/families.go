package storetest

import (
	"testing"
	"time"

	"basecamp-mcp/internal/signin/authserver"
	"basecamp-mcp/internal/signin/identity"
)

var familyFacts = []fact[env]{
	{"a family and its tokens are returned as they were added", func(t *testing.T, d env) {
		full := d.begin(t)
		sparse := d.newLogin(newSubject())
		f := sparse.family
		sparse.family = authserver.Family{ID: f.ID, Permit: authserver.Permit{Subject: f.Subject}, Generation: 1, ExpiresAt: f.ExpiresAt, EndsAt: f.EndsAt}
		sparse.access.Scopes = []identity.Scope{}
		sparse.refresh.Sealed = []byte{}
		d.finish(t, sparse)
		for _, l := range []login{full, sparse} {
			d.wantUntouched(t, l)
			families, err := d.FamiliesOf(t.Context(), l.family.Subject)
			must(t, err)
			wantSame(t, families, []authserver.Family{l.family})
		}
	}},
	{"a token is found only in its own family and as its own kind", func(t *testing.T, d env) {
		mine, other := d.begin(t), d.begin(t)
		for _, token := range []authserver.Hash{newHash(), other.access.Hash, mine.refresh.Hash, ""} {
			d.wantNoAccess(t, mine.family.ID, token)
		}
		for _, token := range []authserver.Hash{newHash(), other.refresh.Hash, mine.access.Hash, ""} {
			d.wantNoRefresh(t, mine.family.ID, token)
		}
		d.wantNoAccess(t, newID(), mine.access.Hash)
		d.wantNoRefresh(t, newID(), mine.refresh.Hash)
	}},
	{"a token expires before its family does", func(t *testing.T, d env) {
		l := d.newLogin(newSubject())
		l.access.ExpiresAt = d.clock.Now().Add(time.Hour)
		l.refresh.ExpiresAt = d.clock.Now().Add(2 * time.Hour)
		d.finish(t, l)
		d.clock.set(l.access.ExpiresAt.Add(-time.Second))
		d.wantUntouched(t, l)
		d.clock.set(l.access.ExpiresAt)
		d.wantNoAccess(t, l.family.ID, l.access.Hash)
		d.clock.set(l.refresh.ExpiresAt)
		d.wantNoRefresh(t, l.family.ID, l.refresh.Hash)
		d.wantFamilies(t, l.family.Subject, l.family.ID)
	}},
	{"a family that has expired or ended is not found, even if its tokens are stored", func(t *testing.T, d env) {
		for _, shorten := range []func(*authserver.Family, time.Time){
			func(f *authserver.Family, at time.Time) { f.ExpiresAt = at },
			func(f *authserver.Family, at time.Time) { f.EndsAt = at },
		} {
			l := d.newLogin(newSubject())
			at := d.clock.Now().Add(time.Hour)
			shorten(&l.family, at)
			d.finish(t, l)
			d.clock.set(at.Add(-time.Second))
			d.wantUntouched(t, l)
			d.clock.set(at)
			d.wantNothing(t, l)

			more := d.newAccess()
			wantErr(t, d.AddAccess(t.Context(), l.family.ID, more), authserver.ErrConflict)
			f, old, next, access := d.turn(l.family, l.refresh)
			wantErr(t, d.Rotate(t.Context(), f, old, next, access), authserver.ErrConflict)
			for _, token := range []authserver.Hash{more.Hash, access.Hash} {
				d.wantNoAccess(t, l.family.ID, token)
			}
			d.wantNoRefresh(t, l.family.ID, next.Hash)
		}
	}},
	{"a person's live families are listed newest first", func(t *testing.T, d env) {
		subject := newSubject()
		var all [4]login
		for _, age := range []int{3, 0, 1, 2} {
			for _, who := range []string{subject, subject + "0", newSubject()} {
				l := d.newLogin(who)
				l.family.CreatedAt = d.clock.Now().Add(-time.Duration(age) * time.Hour)
				switch age {
				case 0:
					l.family.EndsAt = d.clock.Now().Add(2 * time.Hour)
				case 1:
					l.family.ExpiresAt = d.clock.Now().Add(time.Hour)
				}
				d.finish(t, l)
				if who == subject {
					all[age] = l
				}
			}
		}
		ending, expiring, revoked, lasting := all[0].family, all[1].family, all[2].family, all[3].family
		d.wantFamilies(t, subject, ending.ID, expiring.ID, revoked.ID, lasting.ID)
		d.wantFamilies(t, newSubject())
		must(t, d.Revoke(t.Context(), revoked.ID, "disconnected", d.clock.Now()))
		d.wantFamilies(t, subject, ending.ID, expiring.ID, lasting.ID)
		d.clock.set(expiring.ExpiresAt)
		d.wantFamilies(t, subject, ending.ID, lasting.ID)
		d.clock.set(ending.EndsAt)
		d.wantFamilies(t, subject, lasting.ID)
	}},
}

// newAccess returns an access token that lives for an hour.
func (s env) newAccess() authserver.Access {
	return authserver.Access{Hash: newHash(), Scopes: []identity.Scope{identity.Read}, ExpiresAt: s.clock.Now().Add(time.Hour)}
}

// wantFamilies stops the test unless these are all of a person's families, in this order.
func (s env) wantFamilies(t *testing.T, subject string, ids ...string) {
	t.Helper()
	families, err := s.FamiliesOf(t.Context(), subject)
	must(t, err)
	var got []string
	for _, f := range families {
		got = append(got, f.ID)
	}
	wantSame(t, got, ids)
}
