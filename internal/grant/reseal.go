package grant

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"basecamp-mcp/internal/identity"
)

// Sealed is a Store that seals tokens with a key that an operator replaces now and then.
type Sealed interface {
	// Current reports whether Save would seal the tokens of a version with the same key.
	Current(ctx context.Context, version string) (bool, error)
	// Prune removes the versions that a version replaces, once it is an hour old, and reports whether
	// it removed any. The caller must have read just before that the record names that version.
	Prune(ctx context.Context, subject, version string) (bool, error)
}

// Outdated reports whether Reseal would seal the tokens of a record again. Errors are faults.
func (k *Keeper) Outdated(ctx context.Context, r Record) (bool, error) {
	if k.c.Sealed == nil || r.leased(k.c.Now()) {
		return false, nil
	}
	current, err := k.c.Sealed.Current(ctx, r.Version)
	if err != nil {
		return false, k.unreachable(err)
	}
	return !current, nil
}

// Reseal seals a user's tokens with the current key, and makes the record name the new version. The
// revision stays. A later call, an hour or more after, removes the old versions, so that no row
// needs an old key. Reseal reports whether it changed something. It returns ErrConflict if another
// call is changing the grant; other errors are faults: TOKEN_EXPIRED if the tokens are lost,
// otherwise a later call may succeed.
func (k *Keeper) Reseal(ctx context.Context, r Record) (changed bool, err error) {
	if k.c.Sealed == nil {
		return false, nil
	}
	ctx, cancel := context.WithTimeout(ctx, sweepTime)
	defer cancel()
	outdated, err := k.Outdated(ctx, r)
	if err != nil {
		return false, err
	}
	if !outdated {
		changed, err = k.c.Sealed.Prune(ctx, r.Subject, r.Version)
		if err != nil {
			return false, k.unreachable(err)
		}
		return changed, nil
	}
	// Without the lease, a refresh could store newer tokens before the copy, which then would be the
	// newest of the Store. If that refresh crashed, nothing would find its tokens.
	if r, err = k.reserve(ctx, r); err != nil {
		return false, k.lost(err)
	}
	if err = k.resealed(ctx, r); err != nil {
		k.release(ctx, r)
		return false, err
	}
	return true, nil
}

// resealed does the work of Reseal under the lease of r. On success it ends the lease. Tokens that
// a call stored without a record are adopted first.
func (k *Keeper) resealed(ctx context.Context, r Record) error {
	if err := k.adopt(ctx, r); err != nil {
		return err
	}
	t, err := k.stored(ctx, r)
	if err != nil {
		return err
	}
	if r.Version, err = k.save(ctx, r.Subject, rand.Text(), t); err == nil {
		r.Lease, r.LeaseUntil = "", time.Time{}
		_, err = k.write(ctx, r)
	}
	if err == nil {
		return nil
	}
	k.withdraw(ctx, r.Subject)
	return k.lost(err)
}

// withdraw removes the copy of tokens whose user has disconnected in the meantime. Copies that lost
// against another write stay: the Store removes them with their revision. It has time of its own.
func (k *Keeper) withdraw(ctx context.Context, subject string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sweepTime)
	defer cancel()
	if _, err := k.c.Records.Record(ctx, subject); !errors.Is(err, ErrNotFound) {
		return
	}
	if err := k.c.Store.Delete(ctx, subject); err != nil {
		k.c.Log.ErrorContext(ctx, "copied tokens of a user who disconnected were not removed", "person", identity.Alias(subject), "error", err)
	}
}
