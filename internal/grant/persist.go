package grant

import (
	"context"
	"errors"
	"time"

	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/provider"
)

const (
	tries   = 3
	tryTime = 1500 * time.Millisecond
)

// adopt adds stored tokens to the record, after the call that stored them ended before it could. On
// success it returns ErrConflict: the caller must read the grant again.
func (k *Keeper) adopt(ctx context.Context, r Record, newest provider.Tokens) error {
	if err := k.keep(ctx, r, newest, time.Time{}); err != nil {
		return err
	}
	return ErrConflict
}

// keep stores tokens under the lease of r, and then updates the record. It returns ErrConflict if
// the record was written in the meantime, and a fault if it fails for another reason.
func (k *Keeper) keep(ctx context.Context, r Record, t provider.Tokens, forced time.Time) error {
	since := k.now()
	version, err := persist(ctx, func(ctx context.Context) (string, error) {
		return k.store.Save(ctx, r.Subject, r.Lease, t)
	})
	if err != nil {
		return k.postpone(ctx, r, backoff(r.Failures, firstPause, maxPause), k.unreachable(err))
	}
	r.Revision, r.Version, r.ExpiresAt = t.Revision, version, t.ExpiresAt
	r.Forced = forced
	r.Lease, r.LeaseUntil, r.Failures, r.NextTry = "", time.Time{}, 0, time.Time{}
	saved, err := k.write(ctx, r)
	switch {
	case errors.Is(err, ErrConflict):
		k.tidy(ctx, r.Subject)
		return err
	case err != nil:
		return k.unreachable(err)
	}
	k.remember(saved, t, since)
	return nil
}

// write saves a record, with retries. If a try succeeded and its answer was lost, write returns
// ErrConflict, too.
func (k *Keeper) write(ctx context.Context, r Record) (Record, error) {
	return persist(ctx, func(ctx context.Context) (Record, error) { return k.records.SaveRecord(ctx, r) })
}

// tidy removes the tokens of a user who disconnected in the meantime.
func (k *Keeper) tidy(ctx context.Context, subject string) {
	if _, err := k.records.Record(ctx, subject); !errors.Is(err, ErrNotFound) {
		return
	}
	if err := k.store.Delete(ctx, subject); err != nil {
		k.log.ErrorContext(ctx, "tokens of a user who disconnected were not removed", "person", identity.Alias(subject), "error", err)
	}
}

// persist calls do until it succeeds, at most tries times. It returns errors that a retry cannot
// change at once.
func persist[T any](ctx context.Context, do func(context.Context) (T, error)) (T, error) {
	for try := 1; ; try++ {
		brief, cancel := context.WithTimeout(ctx, tryTime)
		value, err := do(brief)
		cancel()
		if err == nil || try == tries || errors.Is(err, ErrConflict) || errors.Is(err, ErrTooLarge) {
			return value, err
		}
		if sleep(ctx, time.Duration(try)*firstPoll) != nil {
			return value, err
		}
	}
}
