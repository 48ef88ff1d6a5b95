package calls

import (
	"bytes"
	"context"
	"errors"
	"time"

	"basecamp-mcp/internal/report/fault"
)

// again is how long a caller should wait for a call that is still running.
const again = 2 * time.Second

// Once runs a call that has an idempotency key, or returns the answer of the first call with its
// key, byte for byte. The caller ends c afterwards, if it has a record. asks has the key and what
// it depends on. An error of run is returned unchanged and decides what happens to the key: a
// *fault.Error without MayHaveHappened frees it; after any other error, it is unknown whether the
// call was carried out.
//
// If withRow is true, all the call does is to add a row to the Store, which adds the key in the
// same transaction (see [In]). So a call that was cut either left both, or did nothing, and a
// repeat runs again and gets the row of the first one.
//
// Once itself returns CONFLICT if the key belongs to a different call, to a call that is still
// running (retryable), or to a call whose answer is not available. It returns UPSTREAM_ERROR,
// retryable, if the key could not be checked, and LIMIT_REACHED if the person has too many keys.
// Then the call did not run.
func (l *Log) Once(ctx context.Context, c *Call, asks Key, withRow bool, run func(context.Context) ([]byte, error)) ([]byte, error) {
	c.ID = l.newID()
	now := l.now()
	asks.Call, asks.Progress, asks.HeldUntil, asks.ExpiresAt = c.ID, Started, now.Add(Held), now.Add(Kept)
	if withRow {
		return l.withRow(ctx, c, asks, run)
	}
	c.key = &asks
	found, err := l.claim(ctx, c)
	switch {
	case errors.Is(err, ErrKeyTaken):
		return l.repeat(found, asks)
	case errors.Is(err, ErrFull):
		return nil, refusedIfFull(err)
	case err != nil: // the claim may have been stored; it would block the key
		c.key.Progress, c.State, c.Outcome = Free, "", string(fault.UpstreamError)
		_ = l.End(ctx, c)
		return nil, unchecked(err)
	}
	answer, err := run(ctx)
	c.key.answer(answer, err)
	return answer, err
}

// answer says how the call ended that has the key.
func (k *Key) answer(answer []byte, err error) {
	failed, certain := errors.AsType[*fault.Error](err)
	switch {
	case certain && !failed.MayHaveHappened:
		k.Progress, k.Answer = Free, nil
	case err != nil:
		k.Progress, k.Answer = Unknown, nil
	case len(answer) > MostBytes:
		k.Progress, k.Answer = Unkept, nil
	default:
		k.Progress, k.Answer = Answered, bytes.Clone(answer)
	}
}

// repeat answers a call whose key is taken.
func (l *Log) repeat(first, asks Key) ([]byte, error) {
	switch {
	case first.Asked != asks.Asked:
		return nil, fault.New(fault.Conflict, "this idempotency_key was used for another call of %s in the last 24 hours; use a new key", asks.Tool)
	case first.Progress == Answered:
		return first.Answer, nil
	case first.Progress == Unkept:
		return nil, fault.New(fault.Conflict, "the first call with this idempotency_key succeeded, but its answer was too large to keep; read what it created instead of calling again")
	case first.Progress == Started && l.now().Before(first.HeldUntil):
		f := fault.New(fault.Conflict, "the first call with this idempotency_key is still running; repeat this one in 2 seconds to get its answer")
		f.Retryable, f.RetryAfter = true, again
		return nil, f
	}
	f := fault.New(fault.Conflict, "the first call with this idempotency_key ended without a clear answer and may have happened; look whether it did, and use a new key only if it did not")
	f.MayHaveHappened = true
	return nil, f
}

type withKey struct{}

// In returns the key of the call under ctx, and whether its row must be stored together with it. If
// its Progress is Made, the row exists, and Answer has what the Store put there.
func In(ctx context.Context) (Key, bool) {
	k, ok := ctx.Value(withKey{}).(Key)
	return k, ok
}

// withRow runs a call whose key is stored with its row.
func (l *Log) withRow(ctx context.Context, c *Call, asks Key, run func(context.Context) ([]byte, error)) ([]byte, error) {
	for range 3 { // again if another call has made the row meanwhile, and again if it has ended
		found, ok, err := l.store.FindKey(ctx, c.subject, asks)
		if err != nil {
			return nil, unchecked(err)
		}
		if ok && (found.Progress != Made || found.Asked != asks.Asked) {
			return l.repeat(found, asks)
		}
		if ok {
			found.Tool, found.Key, found.Limits = asks.Tool, asks.Key, asks.Limits
			asks = found
		}
		answer, err := run(context.WithValue(ctx, withKey{}, asks))
		if err == nil {
			c.key = &asks
			c.key.answer(answer, nil)
			return answer, nil
		}
		if !errors.Is(err, ErrKeyTaken) {
			return nil, refusedIfFull(err)
		}
	}
	return nil, unchecked(ErrKeyTaken)
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
