package grant

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/provider"
)

// A refresh takes at most 2 s to lease, 5 s for the answer, and the rest of renewTime to store. A
// call starts one only if it has startTime left, which is less than half of the longest call: a
// token that the provider refuses is noticed after a request, and the same call must still replace
// it. renewTime is longer by the seconds that a function reserves for writing its answer; only a
// slow Store needs them.
const (
	startTime   = 10 * time.Second
	renewTime   = 12 * time.Second
	prepareTime = 2 * time.Second
	askTime     = 5 * time.Second
	leaseTime   = 30 * time.Second // longer than renewTime, so that two calls never refresh at once

	// forcedTime is the shortest time between two revisions that were made because the provider
	// refused an access token.
	forcedTime = time.Hour
	// longest is longer than the life of any access token that expires.
	longest = 366 * 24 * time.Hour
)

// errLeased means that another call is refreshing.
var errLeased = errors.New("another call is refreshing")

// renew returns tokens that are newer than those of h. It returns ErrConflict if the stored grant
// has changed, errLeased if it is about to change, and otherwise a fault.
func (k *Keeper) renew(ctx context.Context, h holding) (provider.Tokens, error) {
	now := k.now()
	switch {
	case h.tokens.RefreshToken == "" && k.lives(h, 0):
		return h.tokens, nil
	case h.tokens.RefreshToken == "":
		return provider.Tokens{}, k.giveUp(ctx, h.Record, "there is no refresh token")
	case h.refused && now.Sub(h.Forced) < forcedTime:
		return provider.Tokens{}, k.giveUp(ctx, h.Record, "the token that replaced a refused one was refused, too")
	case now.Before(h.NextTry):
		if _, err := k.admit(ctx); err != nil { // the deployment is refused, not this user
			return provider.Tokens{}, err
		}
		return provider.Tokens{}, k.later(h.NextTry.Sub(now))
	case h.Lease != "" && now.Before(h.LeaseUntil):
		return provider.Tokens{}, k.busy(h.LeaseUntil.Sub(now)).Because(errLeased)
	}
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < startTime {
		return provider.Tokens{}, k.busy(0)
	}
	b, err := k.admit(ctx)
	if err != nil {
		return provider.Tokens{}, err
	}
	return k.refresh(ctx, h, b)
}

// refresh does the work of renew after its checks. Once started it finishes, even if the caller has
// left: if the provider rotates refresh tokens, an answer that is not stored ends the grant.
func (k *Keeper) refresh(ctx context.Context, h holding, b breaker) (provider.Tokens, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), renewTime)
	defer cancel()
	r, newest, err := k.lease(ctx, h.Record)
	if err != nil {
		return provider.Tokens{}, err
	}
	if newest.Revision > r.Revision {
		return provider.Tokens{}, k.adopt(ctx, r, newest)
	}
	if b, err = k.probe(ctx, b); err != nil {
		k.release(ctx, r)
		return provider.Tokens{}, err
	}
	t, refused := k.ask(ctx, h.tokens)
	if refused != nil {
		return provider.Tokens{}, k.failed(ctx, r, b, refused)
	}
	k.refreshed(ctx)
	k.reset(ctx, b)
	t.Revision = r.Revision + 1
	var forced time.Time
	if h.refused {
		forced = k.now()
	}
	err = k.keep(ctx, r, t, forced)
	if errors.Is(err, ErrConflict) {
		return provider.Tokens{}, err
	}
	if err != nil { // this call can use the tokens anyway
		k.log.ErrorContext(ctx, "new upstream tokens were not stored", "person", identity.Alias(r.Subject), "revision", t.Revision, "error", err)
	}
	return t, nil
}

// lease reserves the refresh for this call, and returns the newest stored tokens: an earlier holder
// of the lease may have ended after storing some. It returns ErrConflict if another call was first.
func (k *Keeper) lease(ctx context.Context, r Record) (Record, provider.Tokens, error) {
	brief, cancel := context.WithTimeout(ctx, prepareTime)
	defer cancel()
	r.Lease, r.LeaseUntil = rand.Text(), k.now().Add(leaseTime)
	r, err := k.records.SaveRecord(brief, r)
	switch {
	case errors.Is(err, ErrConflict):
		return Record{}, provider.Tokens{}, err
	case err != nil:
		return Record{}, provider.Tokens{}, k.unreachable(err)
	}
	newest, err := k.store.Load(brief, r.Subject, "")
	switch {
	case errors.Is(err, ErrNotFound) && brief.Err() == nil:
		k.release(ctx, r)
		k.forget(r.Subject)
		return Record{}, provider.Tokens{}, k.expired().Because(err)
	case err != nil:
		k.release(ctx, r)
		return Record{}, provider.Tokens{}, k.unreachable(err)
	}
	return r, newest, nil
}

// release ends the lease without a refresh. If that fails, the lease expires.
func (k *Keeper) release(ctx context.Context, r Record) {
	r.Lease, r.LeaseUntil = "", time.Time{}
	_, _ = k.records.SaveRecord(ctx, r)
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
	if t.Scope == "" { // it is unchanged (RFC 6749, section 5.1)
		t.Scope = old.Scope
	}
	t, ok := sound(t, k.now())
	if !ok {
		return provider.Tokens{}, &provider.Refusal{Cause: provider.Unavailable, Err: errors.New("unusable tokens")}
	}
	return t, nil
}

// sound completes tokens and reports whether they may replace others: there is an access token, and
// it either never expires or expires within a year.
func sound(t provider.Tokens, now time.Time) (provider.Tokens, bool) {
	if t.ObtainedAt.IsZero() {
		t.ObtainedAt = now
	}
	life := t.ExpiresAt.Sub(now)
	return t, t.AccessToken != "" && (t.ExpiresAt.IsZero() || loserMargin < life && life <= longest)
}
