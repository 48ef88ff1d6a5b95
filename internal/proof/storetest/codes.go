package storetest

import (
	"testing"
	"time"

	"basecamp-mcp/internal/signin/authserver"
)

var codeFacts = []fact[env]{
	{"a code is returned as it was added", func(t *testing.T, d env) {
		fresh := d.newLogin(newSubject()).code
		used := d.newLogin(newSubject()).code
		used.UsedAt = d.clock.Now().Add(700 * time.Millisecond)
		sparse := authserver.Code{Hash: newHash(), ExpiresAt: fresh.ExpiresAt}
		for _, c := range []authserver.Code{fresh, used, sparse} {
			must(t, d.AddCode(t.Context(), c))
			d.wantCode(t, c)
		}
	}},
	{"adding a code with a hash in use is a conflict and keeps the first code", func(t *testing.T, d env) {
		first, second := d.newLogin(newSubject()).code, d.newLogin(newSubject()).code
		second.Hash = first.Hash
		must(t, d.AddCode(t.Context(), first))
		wantErr(t, d.AddCode(t.Context(), second), authserver.ErrConflict)
		d.wantCode(t, first)
	}},
	{"a code can be read until a day after it expires", func(t *testing.T, d env) {
		c := d.newLogin(newSubject()).code
		must(t, d.AddCode(t.Context(), c))
		d.clock.set(c.ExpiresAt)
		d.wantCode(t, c)
		d.clock.set(c.ExpiresAt.Add(24*time.Hour - time.Second))
		d.wantCode(t, c)
		d.clock.set(c.ExpiresAt.Add(24 * time.Hour))
		_, err := d.Code(t.Context(), c.Hash)
		wantErr(t, err, authserver.ErrNotFound)
	}},
}

var redeemFacts = []fact[env]{
	{"redeeming a code marks it as used and stores its family and tokens", func(t *testing.T, d env) {
		l := d.newLogin(newSubject())
		must(t, d.AddCode(t.Context(), l.code))
		d.clock.set(l.code.ExpiresAt.Add(-time.Second))
		must(t, d.redeem(t.Context(), l))
		used := l.code
		used.UsedAt = d.clock.Now()
		d.wantCode(t, used)
		d.wantUntouched(t, l)
		d.wantFamilies(t, l.family.Subject, l.family.ID)
	}},
	{"a code can be redeemed once, and a second attempt changes nothing", func(t *testing.T, d env) {
		l := d.begin(t)
		used, err := d.Code(t.Context(), l.code.Hash)
		must(t, err)
		again := d.newLogin(l.family.Subject)
		again.code = l.code
		for _, family := range []string{l.family.ID, again.family.ID} {
			again.family.ID = family
			d.clock.set(d.clock.Now().Add(time.Second))
			wantErr(t, d.redeem(t.Context(), again), authserver.ErrConflict)
			d.wantNoAccess(t, family, again.access.Hash)
			d.wantNoRefresh(t, family, again.refresh.Hash)
		}
		d.wantCode(t, used)
		d.wantUntouched(t, l)
		d.wantFamilies(t, l.family.Subject, l.family.ID)
	}},
	{"of twenty concurrent redemptions, one succeeds", func(t *testing.T, d env) {
		var all [rivals]login
		subject := newSubject()
		for i := range all {
			all[i] = d.newLogin(subject)
			all[i].code, all[i].family.ID = all[0].code, all[0].family.ID
			all[i].family.Resource += newID()
		}
		must(t, d.AddCode(t.Context(), all[0].code))
		winner := oneWinner(t, together(func(i int) error { return d.redeem(t.Context(), all[i]) }), authserver.ErrConflict)
		for i, l := range all {
			if i == winner {
				d.wantUntouched(t, l)
				continue
			}
			d.wantNoAccess(t, l.family.ID, l.access.Hash)
			d.wantNoRefresh(t, l.family.ID, l.refresh.Hash)
		}
		d.wantFamilies(t, subject, all[0].family.ID)
	}},
	{"an expired code, and codes of a person that were ended, are not redeemed and stay unused", func(t *testing.T, d env) {
		subject := newSubject()
		first, last := d.newLogin(subject), d.newLogin(subject)
		first.code.ExpiresAt = last.code.ExpiresAt.Add(-time.Second)
		for _, l := range []login{first, last} {
			must(t, d.AddCode(t.Context(), l.code))
		}
		must(t, d.EndCodes(t.Context(), subject, last.code.ExpiresAt))
		expired := d.newLogin(newSubject())
		expired.code.ExpiresAt = d.clock.Now()
		must(t, d.AddCode(t.Context(), expired.code))
		for _, l := range []login{first, last, expired} {
			wantErr(t, d.redeem(t.Context(), l), authserver.ErrConflict)
			d.wantCode(t, l.code)
			d.wantNothing(t, l)
		}
	}},
	{"codes that a person gets later, or that another person has, are redeemed all the same", func(t *testing.T, d env) {
		ended, another := d.newLogin(newSubject()), d.newLogin(newSubject())
		must(t, d.EndCodes(t.Context(), ended.family.Subject, ended.code.ExpiresAt))
		later := d.newLogin(ended.family.Subject)
		later.code.ExpiresAt = ended.code.ExpiresAt.Add(time.Nanosecond)
		for _, l := range []login{later, another} {
			d.finish(t, l)
			d.wantUntouched(t, l)
		}
		d.clock.set(ended.code.ExpiresAt.Add(time.Hour))
		d.finish(t, d.newLogin(ended.family.Subject))
	}},
	{"a code that was never added cannot be redeemed", func(t *testing.T, d env) {
		l := d.newLogin(newSubject())
		wantErr(t, d.redeem(t.Context(), l), authserver.ErrConflict)
		_, err := d.Code(t.Context(), l.code.Hash)
		wantErr(t, err, authserver.ErrNotFound)
		d.wantNothing(t, l)
	}},
}

func (s env) wantCode(t *testing.T, want authserver.Code) {
	t.Helper()
	got, err := s.Code(t.Context(), want.Hash)
	must(t, err)
	wantSame(t, got, want)
}

// wantNothing stops the test if a family or token of a login was stored.
func (s env) wantNothing(t *testing.T, l login) {
	t.Helper()
	s.wantNoAccess(t, l.family.ID, l.access.Hash)
	s.wantNoRefresh(t, l.family.ID, l.refresh.Hash)
	s.wantFamilies(t, l.family.Subject)
}
