package grant

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"time"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/signin/provider"
)

// A refresh takes at most 2 s to lease, 5 s for the answer, 2 s to ask whose the tokens are if the
// record names an account, and the rest of renewTime to store. A call starts one only if it has
// startTime left, which is less than half of the longest call: a token that the provider refuses is
// noticed after a request, and the same call must still replace it. renewTime is longer by the
// seconds that a function reserves for writing its answer; only a slow Store needs them.
const (
	startTime   = 10 * time.Second
	renewTime   = 12 * time.Second
	prepareTime = 2 * time.Second
	askTime     = 5 * time.Second
	nameTime    = 2 * time.Second
	leaseTime   = 30 * time.Second // longer than renewTime, so that two calls never refresh at once

	// forcedTime is the shortest time between two revisions that were made because the provider
	// refused an access token.
	forcedTime = time.Hour
	// longest is longer than the life of any access token that expires.
	longest = 366 * 24 * time.Hour
)

// errLeased means that another call is refreshing.
var errLeased = errors.New("another call is refreshing")

// renew returns a grant with newer tokens than those of h. It returns ErrConflict if the stored
// grant has changed, errLeased if it is about to change, and otherwise a fault.
func (k *Keeper) renew(ctx context.Context, h holding) (holding, error) {
	now := k.c.Now()
	reason := h.unrefreshable(now)
	switch {
	case reason != "" && k.lives(h, 0):
		return h, nil
	case h.leased(now):
		return holding{}, k.busy(h.LeaseUntil.Sub(now)).Because(errLeased)
	case reason != "":
		return holding{}, k.giveUp(ctx, h.Record, reason)
	case h.refused && now.Sub(h.Forced) < forcedTime:
		return holding{}, k.giveUp(ctx, h.Record, "the token that replaced a refused one was refused, too")
	case now.Before(h.NextTry):
		return holding{}, k.later(h.NextTry.Sub(now))
	}
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < startTime {
		return holding{}, k.busy(0)
	}
	return k.refresh(ctx, h)
}

// unrefreshable returns why the tokens cannot be refreshed, or "".
func (h holding) unrefreshable(now time.Time) string {
	switch ends := h.tokens.RefreshExpiresAt; {
	case h.tokens.RefreshToken == "":
		return "there is no refresh token"
	case !ends.IsZero() && !now.Before(ends):
		return "the refresh token has expired"
	}
	return ""
}

// refresh does the work of renew after its checks. Once started it finishes, even if the caller has
// left: if the provider rotates refresh tokens, an answer that is not stored ends the grant.
func (k *Keeper) refresh(ctx context.Context, h holding) (holding, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), renewTime)
	defer cancel()
	r, err := k.lease(ctx, h.Record)
	if err != nil {
		return holding{}, err
	}
	t, refused := k.ask(ctx, h.tokens)
	if refused != nil {
		return holding{}, k.failed(ctx, r, refused)
	}
	k.c.Refreshed(ctx)
	t.Revision = r.Revision + 1
	r, err = k.keep(ctx, r, t, h.refused)
	switch {
	case errors.Is(err, ErrConflict):
		k.drop(ctx, r.Subject, t)
		return holding{}, err
	case fault.Is(err, fault.TokenExpired):
		return holding{}, err
	case err != nil: // this call can use the tokens anyway
		k.c.Log.ErrorContext(ctx, "new upstream tokens were not stored", "person", identity.Alias(r.Subject), "revision", t.Revision, "error", err)
	}
	return holding{Record: r, tokens: t}, nil
}

// keep stores refreshed tokens under the lease of r and returns the record for them, also if it is
// not stored. The tokens are stored first: nothing that follows may lose them. It returns
// ErrConflict if the record was written in the meantime, TOKEN_EXPIRED if the tokens belong to
// another account, and another fault if it fails for another reason.
func (k *Keeper) keep(ctx context.Context, r Record, t provider.Tokens, forced bool) (Record, error) {
	version, err := k.save(ctx, r.Subject, r.Lease, t)
	r, ours := k.recognize(ctx, r, t)
	switch {
	case !ours:
		return r, k.disown(ctx, r, t)
	case err != nil:
		return r, k.unsaved(ctx, r, err)
	}
	r = r.withTokens(t, version)
	if forced {
		r.Forced = k.c.Now()
	}
	return k.settle(ctx, r, t)
}

// recognize asks whose tokens are, if r names an account. It returns r with the name that the
// account has now, and false if the tokens are of another account, or useless. Without an answer, r
// stays as it is.
func (k *Keeper) recognize(ctx context.Context, r Record, t provider.Tokens) (Record, bool) {
	if r.Account == "" {
		return r, true
	}
	ctx, cancel := context.WithTimeout(ctx, nameTime)
	defer cancel()
	who, err := k.c.Provider.SignOn.Identity(ctx, t.AccessToken)
	switch {
	case fault.Is(err, fault.TokenExpired) && t.RefreshToken == "":
		return r, false
	case err != nil:
		k.c.Log.WarnContext(ctx, "upstream did not say whose the new tokens are", "person", identity.Alias(r.Subject), "code", fault.From(err).Code)
		return r, true
	case who.Subject != r.Account:
		return r, false
	}
	r.Name = cmp.Or(who.Name, r.Name)
	return r, true
}

// lease reserves the refresh for this call. It reads the Store, because a refresh whose answer
// cannot be stored may end the grant. It returns ErrConflict if another call was first.
func (k *Keeper) lease(ctx context.Context, r Record) (Record, error) {
	brief, cancel := context.WithTimeout(ctx, prepareTime)
	defer cancel()
	r.Lease, r.LeaseUntil = rand.Text(), k.c.Now().Add(leaseTime)
	r, err := k.c.Records.SaveRecord(brief, r)
	if err != nil {
		return Record{}, k.lost(err)
	}
	if _, err := k.stored(brief, r); err != nil {
		k.release(ctx, r)
		return Record{}, err
	}
	return r, nil
}

// release ends the lease without a refresh. If that fails, the lease expires.
func (k *Keeper) release(ctx context.Context, r Record) {
	r.Lease, r.LeaseUntil = "", time.Time{}
	_, _ = k.c.Records.SaveRecord(ctx, r)
}

// ask sends the refresh token, once.
func (k *Keeper) ask(ctx context.Context, old provider.Tokens) (provider.Tokens, *provider.Refusal) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	t, err := k.c.Provider.SignOn.Refresh(ctx, old.RefreshToken)
	if err != nil {
		return provider.Tokens{}, refusalOf(err)
	}
	if t.RefreshToken == "" {
		t.RefreshToken, t.RefreshExpiresAt = old.RefreshToken, old.RefreshExpiresAt
	}
	if t.Scope == "" { // it is unchanged (RFC 6749, section 5.1)
		t.Scope = old.Scope
	}
	t, ok := sound(t, k.c.Now())
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
