package grant

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"time"

	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/signin/provider"
)

// revokeTime is the timeout of the revocations at the provider that one change of a grant causes.
const revokeTime = 5 * time.Second

// revocable returns the tokens of a record, if they can be read and the provider revokes.
func (k *Keeper) revocable(ctx context.Context, r Record) []provider.Tokens {
	if !k.c.Provider.Revokes {
		return nil
	}
	t, err := k.load(ctx, r)
	if err != nil {
		return nil
	}
	return []provider.Tokens{t}
}

// last returns the tokens to revoke when a user disconnects: those of the record, and newer ones
// that a call stored before it ended without a record.
func (k *Keeper) last(ctx context.Context, subject string) []provider.Tokens {
	if !k.c.Provider.Revokes {
		return nil
	}
	r, err := k.c.Records.Record(ctx, subject)
	if err != nil {
		return nil
	}
	all := k.revocable(ctx, r)
	newest, err := k.c.Store.Load(ctx, subject, "")
	if err == nil && newest.Revision > r.Revision {
		all = append(all, newest)
	}
	return all
}

// revoke ends tokens at a provider that revokes. It finishes even if the caller has left, and only
// logs failures.
func (k *Keeper) revoke(ctx context.Context, subject string, tokens ...provider.Tokens) {
	if !k.c.Provider.Revokes {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), revokeTime)
	defer cancel()
	for _, t := range tokens {
		if err := k.c.Provider.SignOn.Revoke(ctx, t); err != nil {
			k.c.Log.WarnContext(ctx, "tokens were not revoked at the provider", "person", identity.Alias(subject), "error", err)
		}
	}
}

// drop ends stored tokens that lost against another write of the grant. If the user has
// disconnected, it removes them from the Store. It revokes them, unless the record has them.
func (k *Keeper) drop(ctx context.Context, subject string, t provider.Tokens) {
	r, err := k.c.Records.Record(ctx, subject)
	switch {
	case errors.Is(err, ErrNotFound):
		if err := k.c.Store.Delete(ctx, subject); err != nil {
			k.c.Log.ErrorContext(ctx, "tokens of a user who disconnected were not removed", "person", identity.Alias(subject), "error", err)
		}
		k.revoke(ctx, subject, t)
	case err == nil:
		held := k.revocable(ctx, r)
		if len(held) > 0 && held[0].AccessToken != t.AccessToken {
			k.revoke(ctx, subject, t)
		}
	}
}

const (
	// sweepTime is how long Retire may take, and sweepLease how long others wait for it.
	sweepTime  = 5 * time.Second
	sweepLease = 8 * time.Second
	// skew is the most by which the clocks of two instances differ. AWS refuses requests beyond it.
	skew = 5 * time.Minute
	// sweeping is the beginning of its leases. Sign-ins wait for them, too.
	sweeping = "sweep-"
)

// Retire ends the grant of a record that was just read, because no client of the user needs it any
// more. It revokes the tokens at a provider that revokes. It returns ErrConflict if the grant has
// changed or another call is changing it; other errors are faults, and then Retire can be repeated
// with the record as it is then.
//
// A sign-in at that moment waits for the end, and then creates a new grant. The record goes last,
// so that a crash leaves no tokens without a record.
func (k *Keeper) Retire(ctx context.Context, r Record) error {
	if r.leased(k.c.Now()) {
		return ErrConflict
	}
	defer k.forget(r.Subject)
	ctx, cancel := context.WithTimeout(ctx, sweepTime)
	defer cancel()
	last := k.last(ctx, r.Subject)
	r.Status = NeedsReauth
	r, err := k.reserve(ctx, r)
	if err != nil {
		return k.lost(err)
	}
	if err := k.c.Store.Delete(ctx, r.Subject); err != nil {
		k.release(ctx, r)
		return k.unreachable(err)
	}
	err = k.c.Records.RemoveRecord(ctx, r)
	k.revoke(ctx, r.Subject, last...) // if the record stayed, nothing else knows these tokens
	if err != nil {
		return k.lost(err)
	}
	return nil
}

// reserve leases a grant for a call of the sweep. It returns ErrConflict if the grant has changed.
func (k *Keeper) reserve(ctx context.Context, r Record) (Record, error) {
	r.Lease, r.LeaseUntil = sweeping+rand.Text(), k.c.Now().Add(sweepLease)
	return k.c.Records.SaveRecord(ctx, r)
}

// untouched returns a user's record once no call of the sweep is changing the grant. It waits for
// sweepLease by its own clock, because the clock of the instance that sweeps may be slow.
func (k *Keeper) untouched(ctx context.Context, subject string) (Record, error) {
	patience := patience{until: k.c.Now().Add(sweepLease), now: k.c.Now}
	for {
		r, err := k.c.Records.Record(ctx, subject)
		swept := r.leased(k.c.Now().Add(-skew)) && strings.HasPrefix(r.Lease, sweeping)
		if err != nil || !swept || !patience.wait(ctx) {
			return r, err
		}
	}
}
