package grant

import (
	"context"
	"errors"

	"basecamp-mcp/internal/identity"
)

// replaceLost writes the newest tokens into a record whose own tokens the Store has lost: the
// record came from a backup. It does so under a lease, and then returns ErrConflict: the caller
// must read the grant again. It returns errLeased if another call is writing, and lost if there are
// no newer tokens of the record's account.
func (k *Keeper) replaceLost(ctx context.Context, r Record, lost error) error {
	newest, err := k.store.Load(ctx, r.Subject, "")
	switch now := k.now(); {
	case errors.Is(err, ErrNotFound), err == nil && newest.Revision <= r.Revision:
		return lost
	case err != nil:
		return k.unreachable(err)
	case r.leased(now):
		return k.busy(r.LeaseUntil.Sub(now)).Because(errLeased)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), renewTime)
	defer cancel()
	r, newest, err = k.lease(ctx, r)
	if err != nil {
		return err
	}
	if err := k.rescue(ctx, r, newest); err != nil {
		if errors.Is(err, ErrConflict) {
			k.log.InfoContext(ctx, "adopted tokens that are newer than the record of a grant", "person", identity.Alias(r.Subject), "revision", newest.Revision)
		}
		return err
	}
	k.release(ctx, r)
	return lost
}
