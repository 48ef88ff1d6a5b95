package grant

import (
	"context"
	"errors"

	"basecamp-mcp/internal/provider"
)

// breakerSubject is whose connection stands for the provider as a whole. No person's subject looks like it.
const breakerSubject = "37s"

// breaker is the record of how the provider deals with this deployment. When it refuses us, and not a person, everybody
// stays away until NextTry: asking on would make a ban of it. There is a record only while the breaker is tripped.
type breaker struct{ Record }

// admit reads whether a refresh may be sent; a fault when not.
func (k *Keeper) admit(ctx context.Context) (breaker, error) {
	c, err := k.recordStore.Record(ctx, breakerSubject)
	now := k.now()
	switch {
	case errors.Is(err, ErrNotFound):
		return breaker{Record{Subject: breakerSubject, Status: Active}}, nil
	case err != nil:
		return breaker{}, unreachable(err)
	case now.Before(c.NextTry):
		return breaker{}, barred(c.NextTry.Sub(now))
	}
	return breaker{c}, nil
}

// probe lets one call for all try a provider that refused us a while ago; a fault for the others.
func (k *Keeper) probe(ctx context.Context, b breaker) (breaker, error) {
	if b.Change == 0 {
		return b, nil
	}
	b.NextTry = k.now().Add(leaseTime)
	c, err := k.recordStore.SaveRecord(ctx, b.Record)
	switch {
	case errors.Is(err, ErrConflict):
		return b, barred(leaseTime)
	case err != nil:
		return b, unreachable(err)
	}
	return breaker{c}, nil
}

// reset forgets that the breaker was tripped: the provider has given an answer about a person.
func (k *Keeper) reset(ctx context.Context, b breaker) {
	if b.Change != 0 {
		_ = k.recordStore.DeleteRecord(ctx, breakerSubject) // else the next probe does
	}
}

// trip keeps everybody away, for longer each time. Whoever was first to do so says it in the log.
func (k *Keeper) trip(ctx context.Context, b breaker, r *provider.Refusal) {
	pause := backoff(b.Failures, firstBar, maxBar)
	b.Failures++
	b.NextTry = k.now().Add(pause)
	if _, err := k.write(ctx, b.Record); errors.Is(err, ErrConflict) {
		return
	}
	k.tripped(ctx)
	k.log.ErrorContext(ctx, "upstream refuses this deployment", "for", pause, "error", r)
}
