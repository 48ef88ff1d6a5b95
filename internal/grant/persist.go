package grant

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/pause"
	"basecamp-mcp/internal/provider"
)

const (
	tries   = 3
	tryTime = 1500 * time.Millisecond
)

// rescue adopts stored tokens that are newer than the record: the call that stored them ended
// before it could write the record. On success it returns ErrConflict: the caller must read the
// grant again. It returns nil if the tokens are not newer, or not of the record's account.
func (k *Keeper) rescue(ctx context.Context, r Record, newest provider.Tokens) error {
	if newest.Revision <= r.Revision {
		return nil
	}
	r, ours := k.recognize(ctx, r, newest)
	if !ours {
		return nil
	}
	version, err := k.save(ctx, r.Subject, rand.Text(), newest)
	if err != nil {
		return k.unsaved(ctx, r, err)
	}
	_, err = k.settle(ctx, r.withTokens(newest, version), newest)
	if errors.Is(err, ErrConflict) {
		k.drop(ctx, r.Subject, newest)
	}
	if err != nil {
		return err
	}
	return ErrConflict
}

// adopt rescues tokens that are newer than the record. It returns ErrConflict if there are some,
// and nil if there are none. Dead grants have none.
func (k *Keeper) adopt(ctx context.Context, r Record) error {
	if r.Status != Active {
		return nil
	}
	newest, err := k.c.Store.Load(ctx, r.Subject, "")
	switch {
	case errors.Is(err, ErrNotFound) && ctx.Err() == nil:
		return nil
	case err != nil:
		return k.unreachable(err)
	}
	return k.rescue(ctx, r, newest)
}

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

// replaceLost writes the newest tokens into a record whose own tokens the Store has lost: the
// record came from a backup. It does so under a lease, and then returns ErrConflict: the caller
// must read the grant again. It returns errLeased if another call is writing, and lost if there are
// no newer tokens of the record's account.
func (k *Keeper) replaceLost(ctx context.Context, r Record, lost error) error {
	newest, err := k.c.Store.Load(ctx, r.Subject, "")
	switch now := k.c.Now(); {
	case errors.Is(err, ErrNotFound), err == nil && newest.Revision <= r.Revision:
		return lost
	case err != nil:
		return k.unreachable(err)
	case r.leased(now):
		return k.busy(r.LeaseUntil.Sub(now)).Because(errLeased)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), renewTime)
	defer cancel()
	r, newest, err = k.lease(ctx, r)
	if err != nil {
		return err
	}
	if err := k.rescue(ctx, r, newest); err != nil {
		if errors.Is(err, ErrConflict) {
			k.c.Log.InfoContext(ctx, "adopted tokens that are newer than the record of a grant", "person", identity.Alias(r.Subject), "revision", newest.Revision)
		}
		return err
	}
	k.release(ctx, r)
	return lost
}
