package grant

import (
	"context"
	"errors"
	"time"

	"basecamp-mcp/internal/signin/provider"
	"basecamp-mcp/internal/wire/pause"
)

const (
	tries   = 3
	tryTime = 1500 * time.Millisecond
)

// save stores tokens, with retries, and returns their version.
func (k *Keeper) save(ctx context.Context, subject, writer string, t provider.Tokens) (version string, err error) {
	return persist(ctx, func(ctx context.Context) (string, error) { return k.c.Store.Save(ctx, subject, writer, t) })
}

// unsaved postpones the next refresh after tokens could not be stored. It returns ErrConflict if
// the record was written in the meantime, otherwise a fault.
func (k *Keeper) unsaved(ctx context.Context, r Record, err error) error {
	return k.postpone(ctx, r, provider.Backoff(r.Failures, firstPause, maxPause), k.unreachable(err))
}

// settle writes the record of stored tokens, and ends its lease. It returns ErrConflict if the
// record was written in the meantime, and a fault if it fails for another reason.
func (k *Keeper) settle(ctx context.Context, r Record, t provider.Tokens) (Record, error) {
	since := k.c.Now()
	r.Lease, r.LeaseUntil, r.Failures, r.NextTry = "", time.Time{}, 0, time.Time{}
	saved, err := k.write(ctx, r)
	if err != nil {
		return r, k.lost(err)
	}
	k.remember(saved, t, since)
	return saved, nil
}

// write saves a record, with retries. If a try succeeded and its answer was lost, write returns
// ErrConflict, too.
func (k *Keeper) write(ctx context.Context, r Record) (Record, error) {
	return persist(ctx, func(ctx context.Context) (Record, error) { return k.c.Records.SaveRecord(ctx, r) })
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
		if pause.For(ctx, time.Duration(try)*firstPoll) != nil {
			return value, err
		}
	}
}

const (
	pollTime  = 8 * time.Second
	firstPoll = 100 * time.Millisecond // doubled each time
	maxPoll   = time.Second
)

// patience is how long a call waits for a refresh that another call makes.
type patience struct {
	until time.Time
	now   func() time.Time
	next  time.Duration
}

// wait waits until the next look. It returns false once the time is over.
func (p *patience) wait(ctx context.Context) bool {
	p.next = min(max(firstPoll, 2*p.next), maxPoll)
	left := p.until.Sub(p.now())
	return left > 0 && pause.For(ctx, min(p.next, left)) == nil
}
