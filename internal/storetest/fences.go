package storetest

import (
	"fmt"
	"testing"

	"basecamp-mcp/internal/authserver"
	"basecamp-mcp/internal/fence"
)

var fenceFacts = []fact[storeEnv]{
	{"the next read with any token has the new fence, and nothing else changes", func(t *testing.T, d storeEnv) {
		l := d.begin(t)
		for _, next := range []fence.Fence{{}, {Read: &fence.Places{}}, bounds} {
			must(t, d.SetFence(t.Context(), l.family.ID, l.family.Fence, next))
			l.family.Fence = next
			d.wantUntouched(t, l)
			got, _, _, err := d.Access(t.Context(), l.family.ID, l.access.Hash, "")
			must(t, err)
			wantSame(t, got, l.family)
			families, err := d.FamiliesOf(t.Context(), l.family.Subject)
			must(t, err)
			wantSame(t, families, []authserver.Family{l.family})
		}
	}},
	{"a fence that is not the stored one, or of a family that is not live, is not replaced", func(t *testing.T, d storeEnv) {
		l, other := d.begin(t), d.begin(t)
		for _, was := range []fence.Fence{{}, {Write: bounds.Write}} {
			wantErr(t, d.SetFence(t.Context(), l.family.ID, was, fence.Fence{}), authserver.ErrConflict)
		}
		wantErr(t, d.SetFence(t.Context(), newID(), fence.Fence{}, fence.Fence{}), authserver.ErrConflict)
		d.wantUntouched(t, l)
		d.wantUntouched(t, other)
		l.family.RevokedAt, l.family.RevokedFor = d.clock.Now(), "disconnected"
		must(t, d.Revoke(t.Context(), l.family.ID, l.family.RevokedFor, l.family.RevokedAt))
		wantErr(t, d.SetFence(t.Context(), l.family.ID, bounds, fence.Fence{}), authserver.ErrConflict)
		d.wantUntouched(t, l)
		d.clock.set(other.family.ExpiresAt)
		wantErr(t, d.SetFence(t.Context(), other.family.ID, bounds, fence.Fence{}), authserver.ErrConflict)
	}},
	{"of twenty concurrent changes of a fence, one succeeds", func(t *testing.T, d storeEnv) {
		l := d.begin(t)
		nth := func(i int) fence.Fence {
			return fence.Fence{Read: &fence.Places{Repos: []string{fmt.Sprint("fernhill/", i)}}, NoPings: true}
		}
		winner := oneWinner(t, together(func(i int) error {
			return d.SetFence(t.Context(), l.family.ID, bounds, nth(i))
		}), authserver.ErrConflict)
		l.family.Fence = nth(winner)
		d.wantUntouched(t, l)
	}},
	{"a rotation and a change of the fence do not undo each other", func(t *testing.T, d storeEnv) {
		l := d.begin(t)
		f, old, next, access := d.turn(l.family, l.refresh)
		for _, err := range together(func(i int) error {
			switch i {
			case 3:
				return d.SetFence(t.Context(), f.ID, bounds, fence.Fence{NoPings: true})
			case 4:
				return d.Rotate(t.Context(), f, old, next, access)
			}
			return nil
		}) {
			must(t, err)
		}
		f.Fence = fence.Fence{NoPings: true}
		d.wantFamily(t, f, next)
	}},
}
