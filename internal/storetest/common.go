package storetest

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"basecamp-mcp/internal/authserver"
	"basecamp-mcp/internal/fence"
)

var commonFacts = []fact[storeEnv]{
	{"a cancelled context returns an unspecific error and changes nothing", func(t *testing.T, d storeEnv) {
		l, step, client, more := d.begin(t), d.addStep(t), newClient(d.clock.Now()), d.newAccess()
		fresh := d.newLogin(newSubject())
		must(t, d.AddCode(t.Context(), fresh.code))
		added := newStep(d.clock.Now())
		for _, do := range d.everything(l, fresh, step, added, client, more) {
			wantUnreachable(t, do(cancelled(t)), authserver.ErrNotFound, authserver.ErrConflict)
		}
		d.wantStep(t, step)
		d.wantNoStep(t, added.Key)
		d.wantCode(t, fresh.code)
		d.wantNothing(t, fresh)
		d.wantUntouched(t, l)
		d.wantNoAccess(t, l.family.ID, more.Hash)
		_, err := d.Client(t.Context(), client.ID)
		wantErr(t, err, authserver.ErrNotFound)
	}},
	{"changing an argument or a result does not change what is stored", func(t *testing.T, d storeEnv) {
		l := d.newLogin(newSubject())
		kept := login{copied(t, l.code), copied(t, l.family), copied(t, l.access), copied(t, l.refresh)}
		d.finish(t, l)
		kept.code.UsedAt = d.clock.Now()
		spoilClient(l.code.Client)
		clear(l.family.Key)
		clear(l.family.Scopes) // the code and the token share this slice
		for range 2 {
			c, err := d.Code(t.Context(), kept.code.Hash)
			must(t, err)
			wantSame(t, c, kept.code)
			f, a, _, err := d.Access(t.Context(), kept.family.ID, kept.access.Hash, "")
			must(t, err)
			wantSame(t, a, kept.access)
			wantSame(t, f, kept.family)
			again, r, err := d.Refresh(t.Context(), kept.family.ID, kept.refresh.Hash)
			must(t, err)
			wantSame(t, again, kept.family)
			wantSame(t, r, kept.refresh)
			families, err := d.FamiliesOf(t.Context(), kept.family.Subject)
			must(t, err)
			wantSame(t, families, []authserver.Family{kept.family})
			clear(c.Scopes)
			spoilClient(c.Client)
			for _, f := range append(families, again) {
				clear(f.Key)
				clear(f.Scopes)
				spoilClient(f.Client)
			}
		}
	}},
	{"changing clients, steps and rotated tokens does not change what is stored", func(t *testing.T, d storeEnv) {
		l, c, s := d.begin(t), newClient(d.clock.Now()), newStep(d.clock.Now())
		f, old, next, access := d.turn(l.family, l.refresh)
		keptClient, keptStep, keptOld := copied(t, c), copied(t, s), copied(t, old)
		must(t, d.SaveClient(t.Context(), c))
		must(t, d.AddLoginState(t.Context(), s))
		must(t, d.Rotate(t.Context(), f, old, next, access))
		for range 2 {
			spoilClient(c)
			clear(s.Body)
			clear(old.Sealed)
			d.wantClient(t, keptClient)
			d.wantStep(t, keptStep)
			var err error
			c, err = d.Client(t.Context(), c.ID)
			must(t, err)
			s, err = d.LoginState(t.Context(), s.Key)
			must(t, err)
			_, old, err = d.Refresh(t.Context(), f.ID, old.Hash)
			must(t, err)
			wantSame(t, old, keptOld)
		}
	}},
}

func spoilClient(c authserver.Client) { clear(c.RedirectURIs) }

// copied returns a deep copy.
func copied[T any](t *testing.T, v T) (c T) {
	t.Helper()
	text, err := json.Marshal(v)
	must(t, err)
	must(t, json.Unmarshal(text, &c))
	return c
}

// everything returns calls of all methods, one of each.
func (d storeEnv) everything(l, fresh login, step, added authserver.LoginState, client authserver.Client, more authserver.Access) []func(context.Context) error {
	f, old, next, access := d.turn(l.family, l.refresh)
	id, now := l.family.ID, d.clock.Now()
	return []func(context.Context) error{
		func(ctx context.Context) error { _, err := d.Client(ctx, client.ID); return err },
		func(ctx context.Context) error { return d.SaveClient(ctx, client) },
		func(ctx context.Context) error { return d.AddLoginState(ctx, added) },
		func(ctx context.Context) error { _, err := d.LoginState(ctx, step.Key); return err },
		func(ctx context.Context) error { _, err := d.TakeLoginState(ctx, step.Key, step.Binding); return err },
		func(ctx context.Context) error { _, err := d.TakeLoginState(ctx, step.Key, newHash()); return err },
		func(ctx context.Context) error { return d.ReplaceLoginState(ctx, step.Key, step.Binding, added) },
		func(ctx context.Context) error { return d.AddCode(ctx, d.newLogin(newSubject()).code) },
		func(ctx context.Context) error { _, err := d.Code(ctx, fresh.code.Hash); return err },
		func(ctx context.Context) error { return d.redeem(ctx, fresh) },
		func(ctx context.Context) error { return d.EndCodes(ctx, fresh.family.Subject, fresh.code.ExpiresAt) },
		func(ctx context.Context) error {
			_, _, _, err := d.Access(ctx, id, l.access.Hash, newHash())
			return err
		},
		func(ctx context.Context) error { _, _, err := d.Refresh(ctx, id, l.refresh.Hash); return err },
		func(ctx context.Context) error { return d.Rotate(ctx, f, old, next, access) },
		func(ctx context.Context) error { return d.AddAccess(ctx, id, more) },
		func(ctx context.Context) error { return d.SetFence(ctx, id, l.family.Fence, fence.Fence{}) },
		func(ctx context.Context) error { return d.Confirm(ctx, id, 1) },
		func(ctx context.Context) error { return d.Revoke(ctx, id, "disconnected", now) },
		func(ctx context.Context) error { return d.RevokeAccess(ctx, id, l.access.Hash) },
		func(ctx context.Context) error { _, err := d.FamiliesOf(ctx, l.family.Subject); return err },
		func(ctx context.Context) error { return d.EndSession(ctx, id, newHash(), now.Add(time.Hour)) },
	}
}
