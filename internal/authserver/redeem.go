package authserver

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"basecamp-mcp/internal/identity"
)

// retryTTL is how soon a code comes again when a network, and not a thief, repeats it.
const retryTTL = 10 * time.Second

// redeem gives tokens for a code. Nothing is consumed before all is checked: who lacks a part of what it takes cannot spoil
// the code for its owner (T5).
func (b *Broker) redeem(r *http.Request, form clientForm) (tokens, error) {
	for _, name := range []string{"code", "redirect_uri", "code_verifier"} {
		if form.get(name) == "" {
			return tokens{}, refuse(invalidRequest, name+" is missing")
		}
	}
	code, err := b.Store.Code(r.Context(), hashOf(form.get("code")))
	if err != nil && !errors.Is(err, ErrNotFound) {
		return tokens{}, fmt.Errorf("read a code: %w", err)
	}
	if err := b.authenticate(r.Context(), form.credentials, code.Client); err != nil {
		return tokens{}, err
	}
	now := b.Now()
	proven := proves(form.get("code_verifier"), code.Challenge)
	switch {
	case form.id != code.Client.ID: // there is no such code, or it is another client's
		return tokens{}, refuse(invalidGrant, "the code is unknown, or was given to another client")
	case !code.UsedAt.IsZero():
		return tokens{}, b.replayed(r.Context(), code, proven, now)
	case !proven: // T6
		return tokens{}, refuse(invalidGrant, "code_verifier does not match the login")
	case form.get("redirect_uri") != code.RedirectURI: // T4: the very one, port included
		return tokens{}, refuse(invalidGrant, "redirect_uri is not the one of the login")
	case !now.Before(code.ExpiresAt):
		return tokens{}, refuse(invalidGrant, "the code has expired")
	}
	if err := b.checkTarget(r, form.resources(), code.Resource); err != nil {
		return tokens{}, err
	}
	return b.open(r.Context(), code, now)
}

// open begins a family with its first tokens.
func (b *Broker) open(ctx context.Context, code Code, now time.Time) (tokens, error) {
	f := Family{
		ID:          code.Family,
		Subject:     code.Subject,
		Person:      code.Person,
		Account:     code.Account,
		AccountName: code.AccountName,
		Client:      code.Client,
		Scopes:      code.Scopes,
		Resource:    code.Resource,
		Key:         make([]byte, 32),
		Generation:  1,
		CreatedAt:   now,
		RefreshedAt: now,
		ExpiresAt:   now.Add(familyTTL),
		EndsAt:      now.Add(familyEnd),
	}
	_, _ = rand.Read(f.Key) // never fails
	first := newToken(refreshPrefix, f.ID)
	access, given := b.newTokens(f, first, f.Scopes, now)
	refresh := Refresh{Hash: hashOf(first), Generation: f.Generation, ExpiresAt: f.ExpiresAt}
	err := b.Store.Redeem(ctx, code, now, f, access, refresh)
	if errors.Is(err, ErrConflict) { // whoever was first knew the verifier too: the same client, twice
		return tokens{}, refuse(invalidGrant, "the code was used meanwhile, or the person has disconnected; log in again")
	}
	if err != nil {
		return tokens{}, fmt.Errorf("redeem a code: %w", err)
	}
	return given, nil
}

// replayed refuses a code that was used before, and ends what was issued for it: two have had it, and one of them is a thief
// (T5). Who repeats it at once, verifier and all, is the client whose answer got lost.
func (b *Broker) replayed(ctx context.Context, code Code, proven bool, now time.Time) error {
	if !proven || now.Sub(code.UsedAt) > retryTTL {
		if err := b.Store.Revoke(ctx, code.Family, revokedForReplay, now); err != nil {
			return fmt.Errorf("revoke what a replayed code was used for: %w", err)
		}
		b.Log.WarnContext(ctx, "broker: a code was replayed; its connection is revoked",
			"connection", code.Family, "request_id", identity.RequestID(ctx))
	}
	return refuse(invalidGrant, "the code was used before")
}

// proves reports whether the verifier is one (RFC 7636 4.1), and the one behind the S256 challenge.
func proves(verifier, challenge string) bool {
	if len(verifier) < 43 || len(verifier) > 128 || strings.ContainsFunc(verifier, func(c rune) bool {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		return !letter && !('0' <= c && c <= '9') && !strings.ContainsRune("-._~", c)
	}) {
		return false
	}
	sum := sha256.Sum256([]byte(verifier))
	made := base64.RawURLEncoding.EncodeToString(sum[:])
	return subtle.ConstantTimeCompare([]byte(made), []byte(challenge)) == 1
}
