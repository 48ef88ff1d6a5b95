package grant

import (
	"context"
	"errors"
	"time"
)

// Retire ends the grant of a record that was just read, because no client of the user needs it any
// more. It revokes the tokens at a provider that revokes. It returns ErrConflict if the grant has
// changed or a call is refreshing it; other errors are faults, and then Retire can be repeated with
// the record as it is then.
//
// The record goes last, so that a crash leaves no tokens without a record. If the user signs in
// after the tokens were removed, the new grant stays. In the milliseconds before that, its tokens
// can be removed with the old ones: then the user must sign in once more.
func (k *Keeper) Retire(ctx context.Context, r Record) error {
	if r.Lease != "" && k.now().Before(r.LeaseUntil) {
		return ErrConflict
	}
	defer k.forget(r.Subject)
	last := k.last(ctx, r.Subject)
	r.Status, r.Lease, r.LeaseUntil = NeedsReauth, "", time.Time{}
	r, err := k.write(ctx, r)
	if err != nil {
		return k.lost(err)
	}
	_, err = persist(ctx, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, k.store.Delete(ctx, r.Subject)
	})
	if err != nil {
		return k.unreachable(err)
	}
	k.revoke(ctx, r.Subject, last...)
	_, err = persist(ctx, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, k.records.RemoveRecord(ctx, r)
	})
	if err != nil {
		return k.lost(err)
	}
	return nil
}

// lost returns ErrConflict if a write lost to another one, and otherwise a fault.
func (k *Keeper) lost(err error) error {
	if errors.Is(err, ErrConflict) {
		return ErrConflict
	}
	return k.unreachable(err)
}
