package grant

import (
	"context"
	"errors"
	"time"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/signin/provider"
)

const (
	firstPause = 5 * time.Second // after a refresh without an answer; doubled each time
	maxPause   = 15 * time.Minute
	firstBar   = 5 * time.Minute // after an answer that refuses this deployment; doubled each time
	maxBar     = time.Hour       // also the longest Retry-After that is followed
)

// failed handles a refusal. It returns ErrConflict if another call wrote in the meantime, otherwise
// a fault.
func (k *Keeper) failed(ctx context.Context, r Record, refused *provider.Refusal) error {
	switch refused.Cause {
	case provider.Dead:
		return k.giveUp(ctx, r, "the refresh token is dead")
	case provider.Misconfigured:
		pause := provider.Backoff(r.Failures, firstBar, maxBar)
		k.c.Tripped(ctx)
		k.c.Log.ErrorContext(ctx, "upstream refuses this deployment", "for", pause, "error", refused)
		return k.postpone(ctx, r, pause, k.barred(pause))
	}
	pause := provider.Backoff(r.Failures, firstPause, maxPause)
	if refused.RetryAfter > 0 {
		pause = min(refused.RetryAfter, maxBar)
	}
	k.c.Log.WarnContext(ctx, "upstream refresh postponed", "person", identity.Alias(r.Subject), "for", pause, "error", refused)
	return k.postpone(ctx, r, pause, k.later(pause))
}

// disown ends refreshed tokens that belong to another account than the record, and the grant with
// them: its refresh token is used up.
func (k *Keeper) disown(ctx context.Context, r Record, t provider.Tokens) error {
	err := k.giveUp(ctx, r, "the refreshed tokens belong to another account")
	k.revoke(ctx, r.Subject, t)
	return err
}

// giveUp records that the user must sign in again. This refresh token is never sent again. It
// returns ErrConflict if another call has written in the meantime, and may have used the token.
func (k *Keeper) giveUp(ctx context.Context, r Record, reason string) error {
	r.Status = NeedsReauth
	r.Lease, r.LeaseUntil = "", time.Time{}
	if _, err := k.write(ctx, r); err != nil {
		return k.lost(err)
	}
	k.forget(r.Subject)
	k.c.Log.WarnContext(ctx, "a grant needs a new login", "person", identity.Alias(r.Subject), "revision", r.Revision, "reason", reason)
	return k.expired()
}

// postpone releases the lease and sets the time of the next try. It returns ErrConflict if another
// call wrote in the meantime, otherwise the fault reason.
func (k *Keeper) postpone(ctx context.Context, r Record, pause time.Duration, reason *fault.Error) error {
	r.Lease, r.LeaseUntil = "", time.Time{}
	r.Failures++
	r.NextTry = k.c.Now().Add(pause)
	if _, err := k.write(ctx, r); errors.Is(err, ErrConflict) {
		return err
	}
	return reason
}

// refusalOf returns a provider's error as a refusal. The text of any other error could be upstream
// text, so it is not repeated.
func refusalOf(err error) *provider.Refusal {
	if r, ok := errors.AsType[*provider.Refusal](err); ok {
		return r
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return &provider.Refusal{Cause: provider.Unavailable, Err: context.DeadlineExceeded}
	}
	return &provider.Refusal{Cause: provider.Unavailable, Err: errors.New("an error of an unknown kind")}
}

// fault returns a failure of this provider's grants.
func (k *Keeper) fault(code fault.Code, format string) *fault.Error {
	f := fault.New(code, format, k.c.Provider.Name)
	f.Provider = k.c.Provider.ID
	return f
}

// expired returns TOKEN_EXPIRED: the user must sign in again.
func (k *Keeper) expired() *fault.Error {
	return k.fault(fault.TokenExpired, "%[1]s no longer accepts this connection; connect to %[1]s again")
}

// unreachable returns the fault of a Store or Records that cannot be reached.
func (k *Keeper) unreachable(err error) *fault.Error {
	return k.fault(fault.UpstreamError, "this server could not reach its stored %[1]s connection; try again shortly").Because(err)
}

// lost returns ErrConflict if a write lost to another one, and otherwise a fault.
func (k *Keeper) lost(err error) error {
	if errors.Is(err, ErrConflict) {
		return ErrConflict
	}
	return k.unreachable(err)
}

// busy returns the fault of a refresh that another call makes, or for which this call has no time.
func (k *Keeper) busy(wait time.Duration) *fault.Error {
	return retryAfter(wait, k.fault(fault.UpstreamError, "the access to %[1]s is being refreshed; try again shortly"))
}

// later returns the fault of a refresh that failed and can be retried later.
func (k *Keeper) later(wait time.Duration) *fault.Error {
	return retryAfter(wait, k.fault(fault.UpstreamError, "could not refresh the %[1]s token; try again later"))
}

// barred returns the fault of a sign-on that refuses this deployment.
func (k *Keeper) barred(wait time.Duration) *fault.Error {
	return retryAfter(wait, k.fault(fault.UpstreamError, "%[1]s's sign-on does not accept this server at present; try again later, or tell the operator of this server"))
}

// tooLarge returns the fault of tokens that exceed the size limit. A retry does not help.
func (k *Keeper) tooLarge() *fault.Error {
	f := k.fault(fault.UpstreamError, "%[1]s's sign-on returned tokens that are too large to store; tell the operator of this server")
	f.Retryable = false
	return f
}

// unusable returns the fault of a sign-on that returned invalid tokens.
func (k *Keeper) unusable() *fault.Error {
	return k.fault(fault.UpstreamError, "%[1]s's sign-on returned invalid tokens; try again shortly")
}

func retryAfter(wait time.Duration, f *fault.Error) *fault.Error {
	f.RetryAfter = max(0, wait)
	return f
}
