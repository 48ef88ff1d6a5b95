package authserver

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"basecamp-mcp/internal/signin/identity"
)

// refreshTries is how often a refresh starts over after a conflict with another request. The
// second try usually finds what that request stored.
const refreshTries = 4

// refresh returns new tokens for a refresh token and rotates it (OAuth 2.1, 4.3.1).
func (s *Server) refresh(r *http.Request, form clientForm) (issued tokens, err error) {
	if form.get("refresh_token") == "" {
		return tokens{}, refuse(invalidRequest, "refresh_token is missing")
	}
	for range refreshTries {
		issued, err = s.refreshOnce(r, form)
		if !errors.Is(err, ErrConflict) {
			break
		}
	}
	if err == nil && !isDocumentID(form.id) {
		// A lookup renews the registration. Without it, a client that only refreshes would lose
		// its registration. The result does not matter here.
		_, _ = s.client(r.Context(), form.id)
	}
	return issued, err
}

// refreshOnce returns ErrConflict if another request changed the family while it was reading.
func (s *Server) refreshOnce(r *http.Request, form clientForm) (tokens, error) {
	ctx, token, now := r.Context(), form.get("refresh_token"), s.Now()
	f, old, err := s.findRefresh(ctx, token)
	if err != nil {
		return tokens{}, err
	}
	var known Client
	if f.Live(now) {
		known = f.Client
	}
	if err := s.authenticate(ctx, form.credentials, known); err != nil {
		return tokens{}, err
	}
	// The access tokens of a family for another origin, or for an account that is no longer
	// allowed, would be refused: the user must log in again.
	if form.id != known.ID || !covers(s.Origin(r), f.Resource) || !s.AllowedAccounts.Allow(f.Home().ID) {
		return tokens{}, refuse(invalidGrant, "the refresh token is unknown or has expired; log in again")
	}
	rotated := !old.RotatedAt.IsZero()
	if rotated && old.Generation >= f.Generation { // another request wrote between the two reads
		return tokens{}, ErrConflict
	}
	if rotated && !mayRepeat(f, old, now) {
		return tokens{}, s.reused(ctx, f, now)
	}
	if err := s.checkTarget(r, form.resources(), f.Resource); err != nil {
		return tokens{}, err
	}
	scopes, err := narrow(f.Scopes, form.get("scope"))
	if err != nil {
		return tokens{}, err
	}
	if rotated {
		return s.again(ctx, f, old, token, scopes, now)
	}
	return s.rotate(ctx, f, old, token, scopes, now)
}

// mayRepeat reports whether a rotated token is accepted again. It must be the direct predecessor
// of the newest. For ten minutes it may come from another session of the same client. After that
// it is accepted only if the client never used the tokens in the answer, so that the answer was
// lost.
func mayRepeat(f Family, old Refresh, now time.Time) bool {
	return old.Generation == f.Generation-1 && (now.Sub(old.RotatedAt) <= graceTTL || f.isUnconfirmed())
}

// findRefresh returns an empty Family if the token is unknown.
func (s *Server) findRefresh(ctx context.Context, token string) (Family, Refresh, error) {
	family, ok := familyOf(refreshPrefix, token)
	if !ok {
		return Family{}, Refresh{}, nil
	}
	f, found, err := s.Store.Refresh(ctx, family, HashOf(token))
	if errors.Is(err, ErrNotFound) {
		return Family{}, Refresh{}, nil
	}
	if err != nil {
		return Family{}, Refresh{}, fmt.Errorf("read a refresh token: %w", err)
	}
	return f, found, nil
}

// rotate replaces the token with a successor. It encrypts the successor with the token itself, for
// a client that repeats the token.
func (s *Server) rotate(ctx context.Context, f Family, old Refresh, token string, scopes []identity.Scope, now time.Time) (tokens, error) {
	f.Generation++
	f.Unconfirmed = f.Generation
	f.RefreshedAt = now
	f.ExpiresAt = earlier(now.Add(familyTTL), f.EndsAt) // RFC 9700, 4.14.2
	successor := newToken(refreshPrefix, f.ID)
	old.RotatedAt, old.Sealed = now, seal(token, atSuccessor, []byte(successor))
	old.ExpiresAt = f.ExpiresAt // as long as the answer with its successor may have been lost
	next := Refresh{Hash: HashOf(successor), Generation: f.Generation, ExpiresAt: f.ExpiresAt}
	access, issued := s.newTokens(f, successor, scopes, now)
	if err := s.Store.Rotate(ctx, f, old, next, access); err != nil {
		return tokens{}, fmt.Errorf("rotate a refresh token: %w", err)
	}
	return issued, nil
}

// again answers a client that repeats the predecessor of the newest token: another session of the
// client, or the same session after a lost answer. All of them receive the same successor, so that
// they share one chain of tokens.
func (s *Server) again(ctx context.Context, f Family, old Refresh, token string, scopes []identity.Scope, now time.Time) (tokens, error) {
	successor, err := unseal(token, atSuccessor, old.Sealed)
	if err != nil {
		return tokens{}, fmt.Errorf("decrypt a successor: %w", err)
	}
	access, issued := s.newTokens(f, string(successor), scopes, now)
	if err := s.Store.AddAccess(ctx, f.ID, access); err != nil {
		return tokens{}, fmt.Errorf("add an access token: %w", err)
	}
	return issued, nil
}

// reused revokes a family after an old token of it was used. Either the client or an attacker has
// the newer token, and the server cannot know which (RFC 9700, 4.14.2).
func (s *Server) reused(ctx context.Context, f Family, now time.Time) error {
	if err := s.Store.Revoke(ctx, f.ID, revokedForReuse, now); err != nil {
		return fmt.Errorf("revoke a family after an old token was used: %w", err)
	}
	s.Log.WarnContext(ctx, "authserver: an old refresh token was used; its connection is revoked",
		"connection", f.ID, "request_id", identity.RequestID(ctx))
	return refuse(invalidGrant, "the refresh token was used before; log in again")
}
