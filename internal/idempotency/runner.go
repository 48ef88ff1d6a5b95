package idempotency

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

// settleTime is the timeout for storing how a call ended. It is part of the time that is left for
// the answer when the call's own time is over.
const settleTime = time.Second

// again is how long a caller should wait for a call that is still running.
const again = 2 * time.Second

// Runner runs each call once.
type Runner struct {
	store Store
	log   *slog.Logger
	now   func() time.Time
}

// NewRunner returns a Runner whose clock is now; nil means the real time.
func NewRunner(store Store, log *slog.Logger, now func() time.Time) *Runner {
	if now == nil {
		now = time.Now
	}
	return &Runner{store: store, log: log, now: now}
}

// Call is a person's call and its idempotency key. Asked is a digest of everything that the call
// depends on.
type Call struct {
	Subject string
	Tool    string
	Key     string
	Asked   string
	// Stored means that all the call does is to add a row to the Store that has the keys.
	Stored bool
	// Ended receives how the call ended, which the caller must then store, for example by Settle. If
	// it is nil, Do stores it.
	Ended func(End)
}

// End is how a call that had claimed its key ended.
type End struct {
	Record
	Free bool // the call certainly failed, so its key is free again
}

// Do runs a call, or returns the stored result of the first call with its key, byte for byte. An
// error from run is returned unchanged and decides what happens to the key: a *fault.Error without
// MayHaveHappened frees the key; after any other error, it is unknown whether the call was carried
// out.
//
// Do itself returns CONFLICT if the key belongs to a different call, to a call that is still
// running (retryable), or to a call whose result is not available. It returns UPSTREAM_ERROR,
// retryable, if the key could not be checked, and LIMIT_REACHED if the person has too many keys.
// Then the call did not run.
func (r *Runner) Do(ctx context.Context, call Call, run func(context.Context) ([]byte, error)) ([]byte, error) {
	if store, ok := r.store.(Together); ok && call.Stored {
		return r.together(ctx, store, call, run)
	}
	claim := r.record(call)
	found, err := r.store.ClaimCall(ctx, claim)
	if errors.Is(err, ErrTaken) {
		return r.repeat(found, call)
	}
	if errors.Is(err, ErrFull) {
		return nil, refusedIfFull(err)
	}
	if err != nil {
		r.settle(ctx, claim, r.store.ReleaseCall) // the claim may have been stored; it would block the key
		return nil, unchecked(err)
	}
	result, err := run(ctx)
	if failed, certain := errors.AsType[*fault.Error](err); certain && !failed.MayHaveHappened {
		r.end(ctx, call, End{claim, true})
		return result, err
	}
	ended := claim.done(result)
	if err != nil {
		ended = claim
		ended.State = Unknown
	}
	r.end(ctx, call, End{ended, false})
	return result, err
}

// record returns the record of a call that begins.
func (r *Runner) record(call Call) Record {
	now := r.now()
	return Record{
		Subject: call.Subject, Tool: call.Tool, Key: call.Key, Asked: call.Asked, Claim: rand.Text(),
		State: Running, HeldUntil: now.Add(Held), ExpiresAt: now.Add(Kept),
	}
}

// done returns the record of a call that has a result.
func (r Record) done(result []byte) Record {
	r.State, r.Result = Done, bytes.Clone(result)
	if len(result) > MaxResult {
		r.State, r.Result = Unkept, nil
	}
	return r
}

func (r *Runner) end(ctx context.Context, call Call, e End) {
	if call.Ended != nil {
		call.Ended(e)
		return
	}
	r.Settle(ctx, e)
}

// Settle stores how a call ended, and logs a failure.
func (r *Runner) Settle(ctx context.Context, e End) {
	if e.Free {
		r.settle(ctx, e.Record, r.store.ReleaseCall)
		return
	}
	r.settle(ctx, e.Record, r.store.SettleCall)
}

// settle stores how a call ended, even after its deadline. If that fails, the record says "running"
// until HeldUntil and then counts as unknown, so that a repeat cannot run the call twice.
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
		return nil, fault.New(fault.Conflict, "the first call with this idempotency_key succeeded, but its answer was too large to keep; read what it created instead of calling again")
	case running:
		f := fault.New(fault.Conflict, "the first call with this idempotency_key is still running; repeat this one in 2 seconds to get its answer")
		f.Retryable, f.RetryAfter = true, again
		return nil, f
	}
	f := fault.New(fault.Conflict, "the first call with this idempotency_key ended without a clear answer and may have happened; look whether it did, and use a new key only if it did not")
	f.MayHaveHappened = true
	return nil, f
}

// Together is a Store that also keeps what some calls make. It adds the record of such a call, with
// the state Made, in the transaction in which it adds the row. So a call that was cut either left
// both, or did nothing.
type Together interface {
	Store
	// FindCall returns the unexpired record of r's person, tool and key, and whether there is one.
	FindCall(ctx context.Context, r Record) (found Record, ok bool, err error)
}

type withKey struct{}

// In returns the record of the call under ctx, and whether its row must be stored together with it.
// If its state is Made, the row exists, and Result has what the Store put there.
func In(ctx context.Context) (Record, bool) {
	r, ok := ctx.Value(withKey{}).(Record)
	return r, ok
}

// together runs a call whose key is stored with its row. A repeat of a call that was cut runs
// again, and gets the row of the first one.
func (r *Runner) together(ctx context.Context, store Together, call Call, run func(context.Context) ([]byte, error)) (result []byte, err error) {
	record := r.record(call)
	for range 3 { // again if another call has made the row meanwhile, and again if it has ended
		found, ok, err := store.FindCall(ctx, record)
		if err != nil {
			return nil, unchecked(err)
		}
		if ok && (found.State != Made || found.Asked != call.Asked) {
			return r.repeat(found, call)
		}
		if ok {
			record = found
		}
		result, err = run(context.WithValue(ctx, withKey{}, record))
		if err == nil {
			r.end(ctx, call, End{record.done(result), false})
			return result, nil
		}
		if !errors.Is(err, ErrTaken) {
			return nil, refusedIfFull(err)
		}
	}
	return nil, unchecked(ErrTaken)
}

// refusedIfFull returns LIMIT_REACHED if a store has refused a key, and otherwise the error.
func refusedIfFull(err error) error {
	if !errors.Is(err, ErrFull) {
		return err
	}
	return fault.New(fault.LimitReached, "you have used %d different idempotency_keys in the last 24 hours, which is the limit, so nothing was done; "+
		"send the call without idempotency_key, or try again later", MostKeys).Because(err)
}

// unchecked returns the fault for a key that could not be checked.
func unchecked(err error) error {
	return fault.New(fault.UpstreamError, "the idempotency_key could not be checked, so nothing was done; try again in a moment").Because(err)
}
