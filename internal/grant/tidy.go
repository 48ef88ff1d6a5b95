package grant

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"time"
)

const (
	// settled is how long a record must have named its version before Tidy removes others. Calls
	// that read an older record have ended by then.
	settled = time.Hour
	// tidyTime is how long Tidy, Move and Retire may take, and tidyLease how long others wait for
	// them.
	tidyTime  = 5 * time.Second
	tidyLease = 8 * time.Second
	// skew is the most by which the clocks of two instances differ. AWS refuses requests beyond it.
	skew = 5 * time.Minute
	// tidying is the beginning of their leases. Sign-ins wait for them, too.
	tidying = "tidy-"
)

// Tidy removes what a move left: tokens in the other place, and tokens stored in another way. It
// does so only once the record has named tokens in the current place for an hour, and if they can
// be read. It reports whether it removed any. Errors are faults; then Tidy can be called again.
func (k *Keeper) Tidy(ctx context.Context, subject string) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, tidyTime)
	defer cancel()
	r, idle, err := k.idle(ctx, subject)
	if err != nil || !idle {
		return false, err
	}
	due, err := k.untidy(ctx, r)
	if err != nil || !due {
		return false, err
	}
	// From here on, no call stores tokens of this user: refreshes and sign-ins wait for the lease.
	r, err = k.reserve(ctx, r)
	switch {
	case errors.Is(err, ErrConflict):
		return false, nil
	case err != nil:
		return false, k.unreachable(err)
	}
	if err := k.adopt(ctx, r); err != nil {
		if errors.Is(err, ErrConflict) {
			return false, nil
		}
		k.release(ctx, r)
		return false, err
	}
	err = k.places.Clear(ctx, subject, r.Version)
	k.release(ctx, r)
	if err != nil {
		return false, k.unreachable(err)
	}
	return true, nil
}

// reserve leases a grant for a call of the sweep. It returns ErrConflict if the grant has changed.
func (k *Keeper) reserve(ctx context.Context, r Record) (Record, error) {
	r.Lease, r.LeaseUntil = tidying+rand.Text(), k.now().Add(tidyLease)
	return k.records.SaveRecord(ctx, r)
}

// untidy reports whether Tidy has something to remove, and may remove it.
func (k *Keeper) untidy(ctx context.Context, r Record) (bool, error) {
	current, err := k.places.Current(ctx, r.Version)
	if err != nil {
		return false, k.unreachable(err)
	}
	if !current || k.now().Sub(r.MovedAt) < settled || k.now().Sub(r.ConnectedAt) < settled {
		return false, nil
	}
	remains, err := k.places.Remains(ctx, r.Subject)
	if err != nil {
		return false, k.unreachable(err)
	}
	if !remains {
		return false, nil
	}
	t, err := k.stored(ctx, r)
	if err != nil {
		return false, err
	}
	return k.now().Sub(t.ObtainedAt) >= settled, nil
}

// untouched returns a user's record once no call of the sweep is changing the grant. It waits for
// tidyLease by its own clock, because the clock of the instance that sweeps may be slow.
func (k *Keeper) untouched(ctx context.Context, subject string) (Record, error) {
	patience := patience{until: k.now().Add(tidyLease), now: k.now}
	for {
		r, err := k.records.Record(ctx, subject)
		tidied := r.leased(k.now().Add(-skew)) && strings.HasPrefix(r.Lease, tidying)
		if err != nil || !tidied || !patience.wait(ctx) {
			return r, err
		}
	}
}
