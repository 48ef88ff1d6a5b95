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

// adopt makes tokens that somebody stored and did not live to announce those of the connection. Having done so it gives
// ErrConflict: they have to be looked at like any that somebody else wrote.
func (k *Keeper) adopt(ctx context.Context, c Record, newest provider.Tokens) error {
	if err := k.keep(ctx, c, newest, time.Time{}); err != nil {
		return err
	}
	return ErrConflict
}

// keep stores tokens under the lease that c holds, and then announces them. ErrConflict when the connection has been
// written since; else, when it fails, a fault.
func (k *Keeper) keep(ctx context.Context, c Record, t provider.Tokens, forced time.Time) error {
	since := k.now()
	version, err := persist(ctx, func(ctx context.Context) (string, error) {
		return k.store.Save(ctx, c.Subject, c.Lease, t)
	})
	if err != nil {
		return k.putOff(ctx, c, backoff(c.Failures, firstPause, maxPause), unreachable(err))
	}
	c.Revision, c.Version, c.ExpiresAt = t.Revision, version, t.ExpiresAt
	c.Forced = forced
	c.Lease, c.LeaseUntil, c.Failures, c.NextTry = "", time.Time{}, 0, time.Time{}
	saved, err := k.write(ctx, c)
	switch {
	case errors.Is(err, ErrConflict):
		k.tidy(ctx, c.Subject)
		return err
	case err != nil:
		return unreachable(err)
	}
	k.remember(saved, t, since)
	return nil
}

// write saves a connection, trying again. When the answer to a try that succeeded was lost, that too is an ErrConflict.
func (k *Keeper) write(ctx context.Context, c Record) (Record, error) {
	return persist(ctx, func(ctx context.Context) (Record, error) { return k.recordStore.SaveRecord(ctx, c) })
}

// tidy removes what was stored of a person who disconnected meanwhile.
func (k *Keeper) tidy(ctx context.Context, subject string) {
	if _, err := k.recordStore.Record(ctx, subject); !errors.Is(err, ErrNotFound) {
		return
	}
	if err := k.store.Delete(ctx, subject); err != nil {
		k.log.ErrorContext(ctx, "tokens of a person who disconnected were not removed", "person", identity.Alias(subject), "error", err)
	}
}

// persist tries until it works, a few times, unless trying again cannot help.
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
