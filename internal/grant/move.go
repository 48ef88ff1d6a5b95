package grant

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"basecamp-mcp/internal/identity"
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

// Misplaced reports whether Move would copy the tokens of a record. Errors are faults.
func (k *Keeper) Misplaced(ctx context.Context, r Record) (bool, error) {
	if k.places == nil || r.leased(k.now()) {
		return false, nil
	}
	current, err := k.places.Current(ctx, r.Version)
	if err != nil {
		return false, k.unreachable(err)
	}
	return !current, nil
}

// Move copies a user's tokens to where the Store stores new ones, and makes the record name the
// copy. The revision stays. Tokens that a call stored without a record are adopted first. Errors
// are faults: TOKEN_EXPIRED if the tokens are lost, otherwise a later Move may succeed. Move never
// removes tokens.
func (k *Keeper) Move(ctx context.Context, subject string) (Moved, error) {
	ctx, cancel := context.WithTimeout(ctx, tidyTime)
	defer cancel()
	r, idle, err := k.idle(ctx, subject)
	switch {
	case err != nil || r.Subject == "":
		return Stayed, err
	case !idle:
		return Busy, nil
	}
	current, err := k.places.Current(ctx, r.Version)
	switch {
	case err != nil:
		return Stayed, k.unreachable(err)
	case current:
		return Stayed, nil
	}
	// Without the lease, a refresh could store newer tokens before the copy, which then would be the
	// newest of the Store. If that refresh crashed, nothing would find its tokens.
	r, err = k.reserve(ctx, r)
	switch {
	case errors.Is(err, ErrConflict):
		return Busy, nil
	case err != nil:
		return Stayed, k.unreachable(err)
	}
	did, err := k.copied(ctx, r)
	if err != nil {
		k.release(ctx, r)
	}
	return did, err
}

// copied does the work of Move under the lease of r. On success it ends the lease.
func (k *Keeper) copied(ctx context.Context, r Record) (Moved, error) {
	switch err := k.adopt(ctx, r); {
	case errors.Is(err, ErrConflict):
		return Busy, nil
	case err != nil:
		return Stayed, err
	}
	t, err := k.stored(ctx, r)
	if err != nil {
		return Stayed, err
	}
	if r.Version, err = k.save(ctx, r.Subject, rand.Text(), t); err == nil {
		r.MovedAt, r.Lease, r.LeaseUntil = k.now(), "", time.Time{}
		_, err = k.write(ctx, r)
	}
	if err == nil {
		return Copied, nil
	}
	k.withdraw(ctx, r.Subject)
	if errors.Is(err, ErrConflict) {
		return Busy, nil
	}
	return Stayed, k.unreachable(err)
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
// against another write stay: the Store removes them with their revision. It has time of its own.
func (k *Keeper) withdraw(ctx context.Context, subject string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tidyTime)
	defer cancel()
	if _, err := k.records.Record(ctx, subject); !errors.Is(err, ErrNotFound) {
		return
	}
	if err := k.store.Delete(ctx, subject); err != nil {
		k.log.ErrorContext(ctx, "copied tokens of a user who disconnected were not removed", "person", identity.Alias(subject), "error", err)
	}
}
