package grant

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"time"

	"basecamp-mcp/internal/identity"
)

const (
	// settled is how long a record must have named its version before Tidy removes others. Calls
	// that read an older record have ended by then.
	settled = time.Hour
	// tidyTime is how long Tidy may take, and tidyLease how long others wait for it.
	tidyTime  = 5 * time.Second
	tidyLease = 8 * time.Second
	// skew is the most by which the clocks of two instances differ. AWS refuses requests beyond it.
	skew = 5 * time.Minute
	// tidying is the beginning of the lease of a Tidy. Sign-ins wait for it, too.
	tidying = "tidy-"
)

// Moved is what Move did.
type Moved int

const (
	// Stayed means that the tokens are where they belong, or that there are none.
	Stayed Moved = iota
	// Copied means that the record names a copy in the current place.
	Copied
	// Busy means that another call is changing the grant, so that it must be moved later.
	Busy
)

// Move copies a user's tokens to where the Store stores new ones, and makes the record name the
// copy. The revision stays. Tokens that a call stored without a record are adopted first. Errors
// are faults: TOKEN_EXPIRED if the tokens are lost, otherwise a later Move may succeed. Move never
// removes tokens.
func (k *Keeper) Move(ctx context.Context, subject string) (Moved, error) {
	r, idle, err := k.idle(ctx, subject)
	if err != nil || !idle {
		return busyIf(r.Subject != ""), err
	}
	current, err := k.places.Current(ctx, r.Version)
	switch {
	case err != nil:
		return Stayed, k.unreachable(err)
	case current:
		return Stayed, nil
	}
	if err := k.adopt(ctx, r); err != nil {
		return adopted(err)
	}
	t, err := k.store.Load(ctx, subject, r.Version)
	switch {
	case errors.Is(err, ErrNotFound) && ctx.Err() == nil:
		return Stayed, k.expired().Because(err)
	case err != nil:
		return Stayed, k.unreachable(err)
	}
	if r.Version, err = k.save(ctx, subject, rand.Text(), t); err != nil {
		return Stayed, k.unreachable(err)
	}
	r.MovedAt = k.now()
	_, err = k.write(ctx, r)
	switch {
	case errors.Is(err, ErrConflict):
		k.withdraw(ctx, subject)
		return Busy, nil
	case err != nil:
		return Stayed, k.unreachable(err)
	}
	return Copied, nil
}

// idle returns the record of a grant, and whether no other call is changing it. Without a record,
// the returned one is empty. It reports false if the Store has only one place.
func (k *Keeper) idle(ctx context.Context, subject string) (Record, bool, error) {
	if k.places == nil {
		return Record{}, false, nil
	}
	r, err := k.records.Record(ctx, subject)
	switch {
	case errors.Is(err, ErrNotFound):
		return Record{}, false, nil
	case err != nil:
		return Record{}, false, k.unreachable(err)
	}
	return r, !r.leased(k.now()), nil
}

func busyIf(busy bool) Moved {
	if busy {
		return Busy
	}
	return Stayed
}

// adopted returns the result of Move after adopt. The record has changed if it is ErrConflict.
func adopted(err error) (Moved, error) {
	if errors.Is(err, ErrConflict) {
		return Busy, nil
	}
	return Stayed, err
}

// adopt rescues tokens that are newer than the record, wherever they are. It returns ErrConflict if
// there are some, and nil if there are none. Dead grants have none.
func (k *Keeper) adopt(ctx context.Context, r Record) error {
	if r.Status != Active {
		return nil
	}
	newest, err := k.store.Load(ctx, r.Subject, "")
	switch {
	case errors.Is(err, ErrNotFound) && ctx.Err() == nil:
		return nil
	case err != nil:
		return k.unreachable(err)
	}
	return k.rescue(ctx, r, newest)
}

// withdraw removes the copy of tokens whose user has disconnected in the meantime. Copies that lost
// against another write stay: the Store removes them with their revision.
func (k *Keeper) withdraw(ctx context.Context, subject string) {
	if _, err := k.records.Record(ctx, subject); !errors.Is(err, ErrNotFound) {
		return
	}
	if err := k.store.Delete(ctx, subject); err != nil {
		k.log.ErrorContext(ctx, "copied tokens of a user who disconnected were not removed", "person", identity.Alias(subject), "error", err)
	}
}

// Tidy removes what a move left: tokens in the other place, and tokens stored in another way. It
// does so only once the record has named tokens in the current place for an hour, and if they can
// be read. It reports whether it removed any. Errors are faults; then Tidy can be called again.
func (k *Keeper) Tidy(ctx context.Context, subject string) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, tidyTime)
	defer cancel()
	r, idle, err := k.idle(ctx, subject)
	if err != nil || !idle {
		return false, err
	}
	due, err := k.untidy(ctx, r)
	if err != nil || !due {
		return false, err
	}
	// From here on, no call stores tokens of this user: refreshes and sign-ins wait for the lease.
	r.Lease, r.LeaseUntil = tidying+rand.Text(), k.now().Add(tidyLease)
	r, err = k.records.SaveRecord(ctx, r)
	switch {
	case errors.Is(err, ErrConflict):
		return false, nil
	case err != nil:
		return false, k.unreachable(err)
	}
	if err := k.adopt(ctx, r); err != nil {
		if errors.Is(err, ErrConflict) {
			return false, nil
		}
		k.release(ctx, r)
		return false, err
	}
	err = k.places.Clear(ctx, subject, r.Version)
	k.release(ctx, r)
	if err != nil {
		return false, k.unreachable(err)
	}
	return true, nil
}

// untidy reports whether Tidy has something to remove, and may remove it.
func (k *Keeper) untidy(ctx context.Context, r Record) (bool, error) {
	current, err := k.places.Current(ctx, r.Version)
	if err != nil {
		return false, k.unreachable(err)
	}
	if !current || k.now().Sub(r.MovedAt) < settled || k.now().Sub(r.ConnectedAt) < settled {
		return false, nil
	}
	remains, err := k.places.Remains(ctx, r.Subject, r.Version)
	if err != nil {
		return false, k.unreachable(err)
	}
	if !remains {
		return false, nil
	}
	t, err := k.store.Load(ctx, r.Subject, r.Version)
	switch {
	case errors.Is(err, ErrNotFound) && ctx.Err() == nil:
		return false, k.expired().Because(err)
	case err != nil:
		return false, k.unreachable(err)
	}
	return k.now().Sub(t.ObtainedAt) >= settled, nil
}

// leased reports whether a call is changing the grant.
func (r Record) leased(now time.Time) bool { return r.Lease != "" && now.Before(r.LeaseUntil) }

// untouched returns a user's record once no Tidy is running. It waits for tidyLease by its own
// clock, because the clock of the instance that tidies may be slow.
func (k *Keeper) untouched(ctx context.Context, subject string) (Record, error) {
	patience := patience{until: k.now().Add(tidyLease), now: k.now}
	for {
		r, err := k.records.Record(ctx, subject)
		tidied := r.leased(k.now().Add(-skew)) && strings.HasPrefix(r.Lease, tidying)
		if err != nil || !tidied || !patience.wait(ctx) {
			return r, err
		}
	}
}
