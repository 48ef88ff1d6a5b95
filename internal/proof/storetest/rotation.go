package storetest

import (
	"testing"
	"time"

	"basecamp-mcp/internal/signin/authserver"
)

var rotationFacts = []fact[env]{
	{"a rotated token names its successor, which the family now uses", func(t *testing.T, d env) {
		l := d.begin(t)
		d.clock.set(l.refresh.ExpiresAt.Add(-time.Second))
		f, old, next, access := d.turn(l.family, l.refresh)
		old.ExpiresAt = f.ExpiresAt
		access.ExpiresAt = f.ExpiresAt
		changed := f // a rotation changes none of these
		changed.Person, changed.Scopes, changed.EndsAt, changed.Key = "Another person", f.Scopes[:1], f.EndsAt.Add(time.Hour), nil
		must(t, d.Rotate(t.Context(), changed, old, next, access))
		_, a, _, err := d.Access(t.Context(), f.ID, l.access.Hash, "")
		must(t, err)
		wantSame(t, a, l.access)
		d.clock.set(f.ExpiresAt.Add(-time.Second))
		for _, r := range []authserver.Refresh{old, next} {
			gotFamily, got, err := d.Refresh(t.Context(), f.ID, r.Hash)
			must(t, err)
			wantSame(t, gotFamily, f)
			wantSame(t, got, r)
		}
		_, a, _, err = d.Access(t.Context(), f.ID, access.Hash, "")
		must(t, err)
		wantSame(t, a, access)
	}},
	{"a refresh extends a family's life, and its rotated tokens live until their own expiry", func(t *testing.T, d env) {
		first := d.begin(t)
		f, r := first.family, first.refresh
		for range 3 {
			d.clock.set(f.ExpiresAt.Add(-time.Second))
			next, old, successor, access := d.turn(f, r)
			must(t, d.Rotate(t.Context(), next, old, successor, access))
			d.clock.set(f.ExpiresAt)
			d.wantNoRefresh(t, f.ID, r.Hash)
			f, r = next, successor
			got, _, err := d.Refresh(t.Context(), f.ID, r.Hash)
			must(t, err)
			wantSame(t, got, f)
		}
		d.wantFamilies(t, f.Subject, f.ID)
	}},
	{"a generation is confirmed until the next, and no other with it", func(t *testing.T, d env) {
		l := d.begin(t)
		f, r := l.family, l.refresh
		must(t, d.Confirm(t.Context(), f.ID, f.Generation)) // which nothing is waiting for
		d.wantUntouched(t, l)
		for range 2 {
			next, old, successor, access := d.turn(f, r)
			must(t, d.Rotate(t.Context(), next, old, successor, access))
			f, r = next, successor
			for _, other := range []int{f.Generation - 1, f.Generation + 1} {
				must(t, d.Confirm(t.Context(), f.ID, other))
			}
			d.wantFamily(t, f, r)
			f.Unconfirmed = 0
			for range 2 {
				must(t, d.Confirm(t.Context(), f.ID, f.Generation))
				d.wantFamily(t, f, r)
			}
		}
		d.wantFamilies(t, f.Subject, f.ID)
	}},
	{"of twenty concurrent rotations of a token, one succeeds", func(t *testing.T, d env) {
		l := d.begin(t)
		type turn struct {
			family    authserver.Family
			old, next authserver.Refresh
			access    authserver.Access
		}
		var turns [rivals]turn
		for i := range turns {
			u := &turns[i]
			u.family, u.old, u.next, u.access = d.turn(l.family, l.refresh)
		}
		winner := oneWinner(t, together(func(i int) error {
			u := turns[i]
			return d.Rotate(t.Context(), u.family, u.old, u.next, u.access)
		}), authserver.ErrConflict)
		for i, u := range turns {
			if i != winner {
				d.wantNoAccess(t, l.family.ID, u.access.Hash)
				d.wantNoRefresh(t, l.family.ID, u.next.Hash)
			}
		}
		_, _, _, err := d.Access(t.Context(), l.family.ID, turns[winner].access.Hash, "")
		must(t, err)
		f, old, err := d.Refresh(t.Context(), l.family.ID, l.refresh.Hash)
		must(t, err)
		wantSame(t, f, turns[winner].family)
		wantSame(t, old, turns[winner].old)
	}},
	{"a rotated token cannot be rotated again in any generation", func(t *testing.T, d env) {
		l := d.begin(t)
		f, old, next, access := d.turn(l.family, l.refresh)
		must(t, d.Rotate(t.Context(), f, old, next, access))
		now := login{family: f, refresh: next, access: access}
		again, _, _, _ := d.turn(f, next)
		d.wantNoRotation(t, now, again, l.refresh)
		d.wantNoRotation(t, now, f, l.refresh)
		_, got, err := d.Refresh(t.Context(), f.ID, old.Hash)
		must(t, err)
		wantSame(t, got, old)
	}},
	{"a family of another generation cannot be rotated", func(t *testing.T, d env) {
		l := d.begin(t)
		for _, generation := range []int{0, 1, 3} {
			f := l.family
			f.Generation = generation
			d.wantNoRotation(t, l, f, l.refresh)
		}
	}},
	{"a missing, expired or foreign token cannot be rotated", func(t *testing.T, d env) {
		l := d.newLogin(newSubject())
		f, _, _, _ := d.turn(l.family, l.refresh)
		l.refresh.ExpiresAt = d.clock.Now().Add(time.Hour)
		d.finish(t, l)
		unknown := l.refresh
		unknown.Hash = newHash()
		d.wantNoRotation(t, l, f, unknown)
		d.wantNoRotation(t, l, f, d.begin(t).refresh)

		d.clock.set(l.refresh.ExpiresAt)
		_, old, next, access := d.turn(l.family, l.refresh)
		wantErr(t, d.Rotate(t.Context(), f, old, next, access), authserver.ErrConflict)
		d.wantNoAccess(t, f.ID, access.Hash)
		d.wantNoRefresh(t, f.ID, next.Hash)
	}},
	{"a revoked family refuses rotation and access tokens, and stays unchanged", func(t *testing.T, d env) {
		l := d.begin(t)
		l.family.RevokedAt, l.family.RevokedFor = d.clock.Now(), "replayed"
		must(t, d.Revoke(t.Context(), l.family.ID, l.family.RevokedFor, l.family.RevokedAt))
		f, _, _, _ := d.turn(l.family, l.refresh)
		d.wantNoRotation(t, l, f, l.refresh)
		more := d.newAccess()
		wantErr(t, d.AddAccess(t.Context(), l.family.ID, more), authserver.ErrConflict)
		d.wantNoAccess(t, l.family.ID, more.Hash)
	}},
}

// turn returns what the next rotation writes.
func (s env) turn(f authserver.Family, r authserver.Refresh) (family authserver.Family, old, next authserver.Refresh, access authserver.Access) {
	now := s.clock.Now()
	f.Generation++
	f.Unconfirmed = f.Generation
	f.RefreshedAt, f.ExpiresAt = now, now.Add(40*24*time.Hour)
	next = authserver.Refresh{Hash: newHash(), Generation: f.Generation, ExpiresAt: f.ExpiresAt}
	r.RotatedAt, r.Sealed = now.Add(time.Second), allBytes()
	return f, r, next, s.newAccess()
}

// wantFamily stops the test unless this is the family that is read with one of its refresh tokens.
func (s env) wantFamily(t *testing.T, want authserver.Family, r authserver.Refresh) {
	t.Helper()
	got, _, err := s.Refresh(t.Context(), want.ID, r.Hash)
	must(t, err)
	wantSame(t, got, want)
}

// wantNoRotation stops the test unless rotating a token conflicts and changes nothing.
func (s env) wantNoRotation(t *testing.T, l login, f authserver.Family, r authserver.Refresh) {
	t.Helper()
	_, old, next, access := s.turn(f, r)
	wantErr(t, s.Rotate(t.Context(), f, old, next, access), authserver.ErrConflict)
	s.wantUntouched(t, l)
	s.wantNoAccess(t, f.ID, access.Hash)
	s.wantNoRefresh(t, f.ID, next.Hash)
}
