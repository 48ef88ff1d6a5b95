package storetest

import (
	"testing"

	"basecamp-mcp/internal/signin/authserver"
	"basecamp-mcp/internal/signin/fence"
)

var fenceFacts = []fact[env]{
	{"the next read with any token has the new fence, and nothing else changes", func(t *testing.T, d env) {
		l := d.begin(t)
		for _, next := range []fence.Fence{{}, {Read: &fence.Places{}}, bounds} {
			must(t, d.SetFence(t.Context(), l.family.ID, l.family.Fence, next))
			l.family.Fence = next
			d.wantUntouched(t, l)
			families, err := d.FamiliesOf(t.Context(), l.family.Subject)
			must(t, err)
			wantSame(t, families, []authserver.Family{l.family})
		}
	}},
	{"a fence that is not the stored one, or of a family that is not live, is not replaced", func(t *testing.T, d env) {
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
}
