package grant

import (
	"context"
	"errors"
	"time"
)

// abandoned is the time after which no call still writes a record for tokens that it stored.
const abandoned = 24 * time.Hour

// Orphaned reports whether the table has tokens of a user without a record, and no call stored them
// within the last day: a call that removed the record did not finish. It returns their state for
// Discard. Errors are faults.
func (k *Keeper) Orphaned(ctx context.Context, subject string) (l Leftover, orphaned bool, err error) {
	if k.places == nil {
		return Leftover{}, false, nil
	}
	_, err = k.records.Record(ctx, subject)
	switch {
	case err == nil:
		return Leftover{}, false, nil
	case !errors.Is(err, ErrNotFound):
		return Leftover{}, false, k.unreachable(err)
	}
	// A sign-in stores tokens before the record. So this state is read after the record: what
	// a sign-in stored in the meantime is new, and what it stores later changes the state.
	l, err = k.places.Leftover(ctx, subject)
	if err != nil {
		return Leftover{}, false, k.unreachable(err)
	}
	return l, k.now().Sub(l.SavedAt) >= abandoned, nil
}

// Discard removes tokens that were orphaned. It returns ErrConflict if a call has stored tokens
// since; other errors are faults. It does not revoke: a user who signs in again may have the same
// tokens.
func (k *Keeper) Discard(ctx context.Context, subject string, l Leftover) error {
	if k.places == nil {
		return nil
	}
	if err := k.places.Discard(ctx, subject, l); err != nil {
		return k.lost(err)
	}
	return nil
}
