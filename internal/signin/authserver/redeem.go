package authserver

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"time"

	"basecamp-mcp/internal/signin/identity"
)

// retryTTL is how long a repeated code counts as a retry of the same client, not as a replay.
const retryTTL = 10 * time.Second

// redeem returns tokens for a code. It uses up the code only after every check, so that a request
// that lacks a secret cannot make the code unusable for its owner.
func (s *Server) redeem(r *http.Request, form clientForm) (tokens, error) {
	for _, name := range []string{"code", "redirect_uri", "code_verifier"} {
		if form.get(name) == "" {
			return tokens{}, refuse(invalidRequest, name+" is missing")
		}
	}
	code, err := s.Store.Code(r.Context(), HashOf(form.get("code")))
	if err != nil && !errors.Is(err, ErrNotFound) {
		return tokens{}, fmt.Errorf("read a code: %w", err)
	}
	if err := s.authenticate(r.Context(), form.credentials, code.Client); err != nil {
		return tokens{}, err
	}
	now := s.Now()
	proven := proves(form.get("code_verifier"), code.Challenge)
	switch {
	case form.id != code.Client.ID: // the code does not exist, or belongs to another client
		return tokens{}, refuse(invalidGrant, "the code is unknown or was issued to another client; log in again")
	case !code.UsedAt.IsZero():
		return tokens{}, s.replayed(r.Context(), code, proven, now)
	case !proven: // RFC 7636, 4.6
		return tokens{}, refuse(invalidGrant, "code_verifier does not match the code_challenge of the login")
	case form.get("redirect_uri") != code.RedirectURI: // RFC 6749, 4.1.3: the exact URI, port included
		return tokens{}, refuse(invalidGrant, "redirect_uri differs from the one that the login used")
	case !now.Before(code.ExpiresAt):
		return tokens{}, refuse(invalidGrant, "the code has expired; log in again")
	}
	if err := s.checkTarget(r, form.resources(), code.Resource); err != nil {
		return tokens{}, err
	}
	return s.open(r.Context(), code, now)
}

// open creates a family with its first tokens.
func (s *Server) open(ctx context.Context, code Code, now time.Time) (tokens, error) {
	f := newFamily(code.Family, code.Permit, now, now.Add(familyTTL), now.Add(familyEnd))
	first := newToken(refreshPrefix, f.ID)
	access, issued := s.newTokens(f, first, f.Scopes, now)
	refresh := Refresh{Hash: HashOf(first), Generation: f.Generation, ExpiresAt: f.ExpiresAt}
	err := s.Store.Redeem(ctx, code, now, f, access, refresh)
	if errors.Is(err, ErrConflict) { // the other request knew the verifier too: the same client, twice
		return tokens{}, refuse(invalidGrant, "the code was used in the meantime, or the user has disconnected; log in again")
	}
	if err != nil {
		return tokens{}, fmt.Errorf("redeem a code: %w", err)
	}
	return issued, nil
}

// replayed refuses a code that was used before. It revokes the tokens that were issued for it,
// because two parties had the code (RFC 6749, 4.1.2). A client that repeats the code at once, with
// the right verifier, lost the answer: its tokens stay.
func (s *Server) replayed(ctx context.Context, code Code, proven bool, now time.Time) error {
	if !proven || now.Sub(code.UsedAt) > retryTTL {
		if err := s.Store.Revoke(ctx, code.Family, revokedForReplay, now); err != nil {
			return fmt.Errorf("revoke the tokens of a replayed code: %w", err)
		}
		s.Log.WarnContext(ctx, "authserver: a code was replayed; its connection is revoked",
			"connection", code.Family, "request_id", identity.RequestID(ctx))
	}
	return refuse(invalidGrant, "the code was used before; log in again")
}

// proves reports whether the verifier is well formed (RFC 7636, 4.1) and matches the S256
// challenge.
func proves(verifier, challenge string) bool {
	if len(verifier) < 43 || len(verifier) > 128 || !isPlain(verifier, "-._~") {
		return false
	}
	sum := sha256.Sum256([]byte(verifier))
	made := base64.RawURLEncoding.EncodeToString(sum[:])
	return subtle.ConstantTimeCompare([]byte(made), []byte(challenge)) == 1
}
