package once

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/identity"
)

// settleTime is what a call is given to write down how it ended, out of what is left to answer once its own time is up.
const settleTime = time.Second

// again is how long to wait for a call that is still running.
const again = 2 * time.Second

// Runner runs calls once each.
type Runner struct {
	store Store
	log   *slog.Logger
	now   func() time.Time
}

// NewRunner gives one whose time is now, or the real one for nil.
func NewRunner(store Store, log *slog.Logger, now func() time.Time) *Runner {
	if now == nil {
		now = time.Now
	}
	return &Runner{store: store, log: log, now: now}
}

// Call is what a person asked, and the key they asked it under. Asked is a digest of all that the call depends on.
type Call struct {
	Subject string
	Tool    string
	Key     string
	Asked   string
}

// Do runs a call, or gives the result of the one that was run under its key, byte for byte. An error of run is given back as
// it is, and says what becomes of the key: a *fault.Error without MayHaveHappened frees it; any other error means that nobody
// knows what happened. Errors of Do's own: CONFLICT when the key stands for something else, for a call that is still running
// (retryable), or for one whose result cannot be given again; UPSTREAM_ERROR, retryable, when the key could not be checked,
// and nothing was run.
func (r *Runner) Do(ctx context.Context, call Call, run func(context.Context) ([]byte, error)) ([]byte, error) {
	now := r.now()
	claim := Record{
		Subject: call.Subject, Tool: call.Tool, Key: call.Key, Asked: call.Asked, Claim: rand.Text(),
		State: Running, HeldUntil: now.Add(Held), ExpiresAt: now.Add(Kept),
	}
	found, err := r.store.ClaimCall(ctx, claim)
	if errors.Is(err, ErrTaken) {
		return r.repeat(found, call)
	}
	if err != nil {
		r.settle(ctx, claim, r.store.ReleaseCall) // it may be there all the same, and would stand for a call never made
		return nil, fault.New(fault.UpstreamError, "the idempotency_key could not be checked, so nothing was done; try again in a moment").Because(err)
	}
	result, err := run(ctx)
	if failed, certain := errors.AsType[*fault.Error](err); certain && !failed.MayHaveHappened {
		r.settle(ctx, claim, r.store.ReleaseCall)
		return result, err
	}
	switch {
	case err != nil:
		claim.State = Unknown
	case len(result) > MaxResult:
		claim.State = Unkept
	default:
		claim.State, claim.Result = Done, bytes.Clone(result)
	}
	r.settle(ctx, claim, r.store.SettleCall)
	return result, err
}

// settle writes how a call ended, also when its time is up. What cannot be written leaves a call that seems to run, and then
// one of which nobody knows how it ended: a repeat does no harm.
func (r *Runner) settle(ctx context.Context, claim Record, write func(context.Context, Record) error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	if err := write(ctx, claim); err != nil {
		r.log.ErrorContext(ctx, "settle an idempotency key", "tool", claim.Tool, "err", err, "request_id", identity.RequestID(ctx))
	}
}

// repeat answers a call whose key is taken.
func (r *Runner) repeat(first Record, call Call) ([]byte, error) {
	running := first.State == Running && r.now().Before(first.HeldUntil)
	switch {
	case first.Asked != call.Asked:
		return nil, fault.New(fault.Conflict, "this idempotency_key was used for another call of %s in the last 24 hours; use a new key", call.Tool)
	case first.State == Done:
		return first.Result, nil
	case first.State == Unkept:
		return nil, fault.New(fault.Conflict, "the first call with this idempotency_key was carried out, but its answer was too large to keep; look at what it made instead of calling again")
	case running:
		f := fault.New(fault.Conflict, "the first call with this idempotency_key is still running; repeat this one in 2 seconds to get its answer")
		f.Retryable, f.RetryAfter = true, again
		return nil, f
	}
	f := fault.New(fault.Conflict, "the first call with this idempotency_key got no clear answer and may have happened; look whether it did, and call with a new key only if not")
	f.MayHaveHappened = true
	return nil, f
}
