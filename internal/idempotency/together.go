package idempotency

import (
	"context"
	"errors"

	"basecamp-mcp/internal/fault"
)

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
