package grant

import (
	"context"
	"errors"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/provider"
)

const (
	firstPause = 5 * time.Second // after no answer, doubled each time
	maxPause   = 15 * time.Minute
	firstBar   = 5 * time.Minute // after an answer that is about us, doubled each time
	maxBar     = time.Hour       // and the longest Retry-After that is heeded
)

// failed does what a refusal asks for. ErrConflict when somebody else wrote meanwhile, else a fault.
func (k *Keeper) failed(ctx context.Context, c Record, b breaker, r *provider.Refusal) error {
	switch r.Cause {
	case provider.Dead:
		k.reset(ctx, b)
		return k.dead(ctx, c)
	case provider.Misconfigured:
		k.trip(ctx, b, r)
		pause := backoff(c.Failures, firstBar, maxBar)
		return k.putOff(ctx, c, pause, barred(pause))
	}
	pause := backoff(c.Failures, firstPause, maxPause)
	if r.RetryAfter > 0 {
		pause = min(r.RetryAfter, maxBar)
	}
	k.log.WarnContext(ctx, "upstream refresh put off", "person", identity.Alias(c.Subject), "for", pause, "error", r)
	return k.putOff(ctx, c, pause, later(pause))
}

// dead is for a refresh token that opens nothing any more: because it has been used, and what it gave is stored by now, or
// for good. That the connection is still as it was is what writing it over itself tells.
func (k *Keeper) dead(ctx context.Context, c Record) error {
	newest, err := k.store.Load(ctx, c.Subject, "")
	if err == nil && newest.Revision > c.Revision {
		return k.adopt(ctx, c, newest)
	}
	return k.giveUp(ctx, c, "the refresh token is dead")
}

// giveUp writes down that only a login helps, after which this refresh token is never sent again.
func (k *Keeper) giveUp(ctx context.Context, c Record, reason string) error {
	c.Status = NeedsReauth
	c.Lease, c.LeaseUntil = "", time.Time{}
	_, err := k.write(ctx, c)
	switch {
	case errors.Is(err, ErrConflict):
		return err
	case err != nil:
		return unreachable(err)
	}
	k.forget(c.Subject)
	k.log.WarnContext(ctx, "a connection needs a new login", "person", identity.Alias(c.Subject), "revision", c.Revision, "reason", reason)
	return expired()
}

// putOff gives the lease back and lets nobody try again for a while. ErrConflict when somebody else wrote meanwhile, else the
// fault that is the reason.
func (k *Keeper) putOff(ctx context.Context, c Record, pause time.Duration, reason *fault.Error) error {
	c.Lease, c.LeaseUntil = "", time.Time{}
	c.Failures++
	c.NextTry = k.now().Add(pause)
	if _, err := k.write(ctx, c); errors.Is(err, ErrConflict) {
		return err
	}
	return reason
}

// backoff is the pause after so many failures before this one.
func backoff(failures int, first, most time.Duration) time.Duration {
	return min(first<<min(failures, 16), most)
}

// refusalOf understands a provider's error. One that is no Refusal has promised nothing of its text, which might be
// upstream's: it is not repeated.
func refusalOf(err error) *provider.Refusal {
	if r, ok := errors.AsType[*provider.Refusal](err); ok {
		return r
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return &provider.Refusal{Cause: provider.Unavailable, Err: context.DeadlineExceeded}
	}
	return &provider.Refusal{Cause: provider.Unavailable, Err: errors.New("an error of no known kind")}
}
