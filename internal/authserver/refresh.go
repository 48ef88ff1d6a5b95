package authserver

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"basecamp-mcp/internal/identity"
)

// refreshTries is how often a refresh looks again when somebody else was first. The second look finds what they left.
const refreshTries = 4

// refresh gives new tokens for a refresh token, which is spent by it (T10).
func (b *Broker) refresh(r *http.Request, form clientForm) (given tokens, err error) {
	if form.get("refresh_token") == "" {
		return tokens{}, refuse(invalidRequest, "refresh_token is missing")
	}
	for range refreshTries {
		given, err = b.refreshOnce(r, form)
		if !errors.Is(err, ErrConflict) {
			break
		}
	}
	if err == nil && !isDocumentID(form.id) {
		// A look renews the registration, or a client that does nothing but refresh would lose it. Nothing hangs on it here.
		_, _ = b.client(r.Context(), form.id)
	}
	return given, err
}

// refreshOnce fails with ErrConflict when what it read has changed, or was changing while it read.
func (b *Broker) refreshOnce(r *http.Request, form clientForm) (tokens, error) {
	ctx, token, now := r.Context(), form.get("refresh_token"), b.Now()
	f, old, err := b.findRefresh(ctx, token)
	if err != nil {
		return tokens{}, err
	}
	var known Client
	if f.Live(now) {
		known = f.Client
	}
	if err := b.authenticate(ctx, form.credentials, known); err != nil {
		return tokens{}, err
	}
	// A family for another origin of ours would give access tokens that open nothing here: only a login ends that.
	// The same goes for an account that was taken off the list.
	if form.id != known.ID || !covers(b.Origin(r), f.Resource) || !b.AllowedAccounts.Allow(f.Account) {
		return tokens{}, refuse(invalidGrant, "the refresh token opens nothing; log in again")
	}
	rotated := !old.RotatedAt.IsZero()
	if rotated && old.Generation >= f.Generation { // read on both sides of somebody else's write
		return tokens{}, ErrConflict
	}
	if rotated && !mayRepeat(f, old, now) {
		return tokens{}, b.reused(ctx, f, now)
	}
	if err := b.checkTarget(r, form.resources(), f.Resource); err != nil {
		return tokens{}, err
	}
	scopes, err := narrow(f.Scopes, form.get("scope"))
	if err != nil {
		return tokens{}, err
	}
	if rotated {
		return b.again(ctx, f, old, token, scopes, now)
	}
	return b.rotate(ctx, f, old, token, scopes, now)
}

// mayRepeat reports whether a rotated token is taken once more. It must be the direct predecessor of the newest. For ten minutes
// it may come from another session of the same client (T13). After that the client can only have lost the answer, and nobody
// has used what was in it: neither the successor nor one of its access tokens.
func mayRepeat(f Family, old Refresh, now time.Time) bool {
	return old.Generation == f.Generation-1 && (now.Sub(old.RotatedAt) <= graceTTL || f.isUnconfirmed())
}

// findRefresh gives an empty Family when the token is none of ours, or no longer.
func (b *Broker) findRefresh(ctx context.Context, token string) (Family, Refresh, error) {
	family, ok := familyOf(refreshPrefix, token)
	if !ok {
		return Family{}, Refresh{}, nil
	}
	f, found, err := b.Store.Refresh(ctx, family, hashOf(token))
	if errors.Is(err, ErrNotFound) {
		return Family{}, Refresh{}, nil
	}
	if err != nil {
		return Family{}, Refresh{}, fmt.Errorf("read a refresh token: %w", err)
	}
	return f, found, nil
}

// rotate puts a successor in the token's place and seals it with the token itself, for whoever comes with it again.
func (b *Broker) rotate(ctx context.Context, f Family, old Refresh, token string, scopes []identity.Scope, now time.Time) (tokens, error) {
	f.Generation++
	f.Unconfirmed = f.Generation
	f.RefreshedAt = now
	f.ExpiresAt = earlier(now.Add(familyTTL), f.EndsAt) // T16
	successor := newToken(refreshPrefix, f.ID)
	old.RotatedAt, old.Sealed = now, seal(token, atSuccessor, []byte(successor))
	old.ExpiresAt = f.ExpiresAt // as long as its successor may turn out to have been lost
	next := Refresh{Hash: hashOf(successor), Generation: f.Generation, ExpiresAt: f.ExpiresAt}
	access, given := b.newTokens(f, successor, scopes, now)
	if err := b.Store.Rotate(ctx, f, old, next, access); err != nil {
		return tokens{}, fmt.Errorf("rotate a refresh token: %w", err)
	}
	return given, nil
}

// again answers a client that comes with the predecessor of the newest token: another of its sessions, or the same one whose
// answer got lost. All of them get the one successor, so that they stay one chain (T13).
func (b *Broker) again(ctx context.Context, f Family, old Refresh, token string, scopes []identity.Scope, now time.Time) (tokens, error) {
	successor, err := unseal(token, atSuccessor, old.Sealed)
	if err != nil {
		return tokens{}, fmt.Errorf("open a successor: %w", err)
	}
	access, given := b.newTokens(f, string(successor), scopes, now)
	if err := b.Store.AddAccess(ctx, f.ID, access); err != nil {
		return tokens{}, fmt.Errorf("add an access token: %w", err)
	}
	return given, nil
}

// reused ends a family of which an old token has come up: the client or a thief has the newer one, and nobody can tell which
// (T12).
func (b *Broker) reused(ctx context.Context, f Family, now time.Time) error {
	if err := b.Store.Revoke(ctx, f.ID, revokedForReuse, now); err != nil {
		return fmt.Errorf("revoke a family whose old token was used: %w", err)
	}
	b.Log.WarnContext(ctx, "broker: an old refresh token was used; its connection is revoked",
		"connection", f.ID, "request_id", identity.RequestID(ctx))
	return refuse(invalidGrant, "the refresh token was used before; log in again")
}
