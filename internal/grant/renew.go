package grant

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/provider"
)

// A refresh takes 2 s at most to get hold of, 5 s to be answered, and what remains to store. It is begun only by a call
// that has startTime left, less than half of what a call may take in all: a token that Basecamp refuses is noticed only
// after an exchange with it, and must still be mended by the same call (B-47). The seconds by which renewTime is longer are
// those that a function keeps for writing its answer; only a slow Store ever needs them.
const (
	startTime   = 10 * time.Second
	renewTime   = 12 * time.Second
	prepareTime = 2 * time.Second
	askTime     = 5 * time.Second
	leaseTime   = 30 * time.Second // longer than renewTime: no two refresh at once

	// forcedTime is how long a revision that was made by force may not be followed by another.
	forcedTime = time.Hour
	// longest is more than any access token lives.
	longest = 366 * 24 * time.Hour
)

// errLeased means that somebody else is refreshing.
var errLeased = errors.New("another call is refreshing")

// renew gives tokens newer than those held. ErrConflict: what is stored has changed, look again; errLeased: it is about to.
// Else a fault.
func (k *Keeper) renew(ctx context.Context, h holding) (provider.Tokens, error) {
	now := k.now()
	switch {
	case h.tokens.RefreshToken == "" && k.lives(h, 0):
		return h.tokens, nil
	case h.tokens.RefreshToken == "":
		return provider.Tokens{}, k.giveUp(ctx, h.Record, "there is no refresh token")
	case h.refused && now.Sub(h.Forced) < forcedTime:
		return provider.Tokens{}, k.giveUp(ctx, h.Record, "what replaced a refused token was refused too")
	case now.Before(h.NextTry):
		if _, err := k.admit(ctx); err != nil { // it is not about this person
			return provider.Tokens{}, err
		}
		return provider.Tokens{}, later(h.NextTry.Sub(now))
	case h.Lease != "" && now.Before(h.LeaseUntil):
		return provider.Tokens{}, busy(h.LeaseUntil.Sub(now)).Because(errLeased)
	}
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < startTime {
		return provider.Tokens{}, busy(0)
	}
	b, err := k.admit(ctx)
	if err != nil {
		return provider.Tokens{}, err
	}
	return k.refresh(ctx, h, b)
}

// refresh is renew for whom nothing stands in the way. Once begun it is finished, whether or not the caller is still there:
// with a provider that rotates, an answer that is not stored is a login lost.
func (k *Keeper) refresh(ctx context.Context, h holding, b breaker) (provider.Tokens, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), renewTime)
	defer cancel()
	c, newest, err := k.lease(ctx, h.Record)
	if err != nil {
		return provider.Tokens{}, err
	}
	if newest.Revision > c.Revision {
		return provider.Tokens{}, k.adopt(ctx, c, newest)
	}
	if b, err = k.probe(ctx, b); err != nil {
		k.release(ctx, c)
		return provider.Tokens{}, err
	}
	t, refusal := k.ask(ctx, h.tokens)
	if refusal != nil {
		return provider.Tokens{}, k.failed(ctx, c, b, refusal)
	}
	k.refreshed(ctx)
	k.reset(ctx, b)
	t.Revision = c.Revision + 1
	var forced time.Time
	if h.refused {
		forced = k.now()
	}
	err = k.keep(ctx, c, t, forced)
	if errors.Is(err, ErrConflict) {
		return provider.Tokens{}, err
	}
	if err != nil { // they serve this call all the same
		k.log.ErrorContext(ctx, "new upstream tokens were not stored", "person", identity.Alias(c.Subject), "revision", t.Revision, "error", err)
	}
	return t, nil
}

// lease makes this call the one that refreshes, and gives the newest tokens there are: a holder before may have died
// having stored some. ErrConflict when somebody else was first.
func (k *Keeper) lease(ctx context.Context, c Record) (Record, provider.Tokens, error) {
	brief, cancel := context.WithTimeout(ctx, prepareTime)
	defer cancel()
	c.Lease, c.LeaseUntil = rand.Text(), k.now().Add(leaseTime)
	c, err := k.recordStore.SaveRecord(brief, c)
	switch {
	case errors.Is(err, ErrConflict):
		return Record{}, provider.Tokens{}, err
	case err != nil:
		return Record{}, provider.Tokens{}, unreachable(err)
	}
	newest, err := k.store.Load(brief, c.Subject, "")
	switch {
	case errors.Is(err, ErrNotFound) && brief.Err() == nil:
		k.release(ctx, c)
		k.forget(c.Subject)
		return Record{}, provider.Tokens{}, expired().Because(err)
	case err != nil:
		k.release(ctx, c)
		return Record{}, provider.Tokens{}, unreachable(err)
	}
	return c, newest, nil
}

// release gives the lease back with nothing done. If that fails it ends by itself.
func (k *Keeper) release(ctx context.Context, c Record) {
	c.Lease, c.LeaseUntil = "", time.Time{}
	_, _ = k.recordStore.SaveRecord(ctx, c)
}

// ask sends the refresh token, once.
func (k *Keeper) ask(ctx context.Context, old provider.Tokens) (provider.Tokens, *provider.Refusal) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	t, err := k.provider.SignOn.Refresh(ctx, old.RefreshToken)
	if err != nil {
		return provider.Tokens{}, refusalOf(err)
	}
	if t.RefreshToken == "" {
		t.RefreshToken = old.RefreshToken
	}
	t, ok := sound(t, k.now())
	if !ok {
		return provider.Tokens{}, &provider.Refusal{Cause: provider.Unavailable, Err: errors.New("unusable tokens")}
	}
	return t, nil
}

// sound checks tokens, before they replace others.
func sound(t provider.Tokens, now time.Time) (provider.Tokens, bool) {
	if t.ObtainedAt.IsZero() {
		t.ObtainedAt = now
	}
	life := t.ExpiresAt.Sub(now)
	return t, t.AccessToken != "" && loserMargin < life && life <= longest
}
