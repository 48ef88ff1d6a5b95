package grant

import (
	"context"
	"errors"
)

// Retire ends the grant of a record that was just read, because no client of the user needs it any
// more. It revokes the tokens at a provider that revokes. It returns ErrConflict if the grant has
// changed or another call is changing it; other errors are faults, and then Retire can be repeated
// with the record as it is then.
//
// A sign-in at that moment waits for the end, and then creates a new grant. The record goes last,
// so that a crash leaves no tokens without a record. Instances of earlier releases do not wait:
// what they store just before the tokens are removed is removed as well, and their user must sign
// in again.
func (k *Keeper) Retire(ctx context.Context, r Record) error {
	if r.leased(k.now()) {
		return ErrConflict
	}
	defer k.forget(r.Subject)
	ctx, cancel := context.WithTimeout(ctx, tidyTime)
	defer cancel()
	last := k.last(ctx, r.Subject)
	r.Status = NeedsReauth
	r, err := k.reserve(ctx, r)
	if err != nil {
		return k.lost(err)
	}
	if err := k.store.Delete(ctx, r.Subject); err != nil {
		k.release(ctx, r)
		return k.unreachable(err)
	}
	err = k.records.RemoveRecord(ctx, r)
	k.revoke(ctx, r.Subject, last...) // if the record stayed, nothing else knows these tokens
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
