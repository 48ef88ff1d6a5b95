package grant

import (
	"context"
	"errors"

	"basecamp-mcp/internal/provider"
)

// breaker is the record of how the provider treats this deployment. If the provider refuses the
// deployment, and not a user, all calls stop refreshing until NextTry: more requests could get the
// deployment banned. The record exists only while the breaker is open.
type breaker struct{ Record }

func (b breaker) circuit() provider.Circuit {
	return provider.Circuit{Failures: b.Failures, NextTry: b.NextTry}
}

func (b *breaker) set(c provider.Circuit) { b.Failures, b.NextTry = c.Failures, c.NextTry }

// breakerSubject returns the subject of the breaker's record: the provider's namespace. Subjects of
// users have a colon, so no user has it.
func (k *Keeper) breakerSubject() string { return k.c.Provider.Namespace }

// admit returns the breaker if a refresh may be sent, or a fault.
func (k *Keeper) admit(ctx context.Context) (breaker, error) {
	r, err := k.c.Records.Record(ctx, k.breakerSubject())
	now := k.c.Now()
	switch {
	case errors.Is(err, ErrNotFound):
		return breaker{Record{Subject: k.breakerSubject(), Status: Active}}, nil
	case err != nil:
		return breaker{}, k.unreachable(err)
	}
	b := breaker{r}
	if wait := b.circuit().Wait(now); wait > 0 {
		return breaker{}, k.barred(wait)
	}
	return b, nil
}

// probe lets one call test a provider that refused this deployment. All other calls receive a
// fault.
func (k *Keeper) probe(ctx context.Context, b breaker) (breaker, error) {
	if b.Change == 0 {
		return b, nil
	}
	b.set(b.circuit().Tested(k.c.Now(), leaseTime))
	r, err := k.c.Records.SaveRecord(ctx, b.Record)
	switch {
	case errors.Is(err, ErrConflict):
		return b, k.barred(leaseTime)
	case err != nil:
		return b, k.unreachable(err)
	}
	return breaker{r}, nil
}

// reset closes the breaker, after an answer of the provider about a user.
func (k *Keeper) reset(ctx context.Context, b breaker) {
	if b.Change != 0 {
		_ = k.c.Records.DeleteRecord(ctx, k.breakerSubject()) // if it fails, the next probe repeats it
	}
}

// trip opens the breaker, for longer each time. Of several concurrent calls, the first logs it.
func (k *Keeper) trip(ctx context.Context, b breaker, refused *provider.Refusal) {
	now := k.c.Now()
	b.set(b.circuit().Opened(now, firstBar, maxBar))
	if _, err := k.write(ctx, b.Record); errors.Is(err, ErrConflict) {
		return
	}
	k.c.Tripped(ctx)
	k.c.Log.ErrorContext(ctx, "upstream refuses this deployment", "for", b.circuit().Wait(now), "error", refused)
}
