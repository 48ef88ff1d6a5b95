package sandbox

import (
	"cmp"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"net/http"
	"net/url"
)

// RevokeGrants does what a changed password does at 37signals: it revokes all tokens of an
// identity. Access tokens, including those of People, are answered with 401, and refresh tokens
// with authorization_expired. The user can sign in again.
func (s *Sandbox) RevokeGrants(identity int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for value, t := range s.tokens {
		if t.Identity == identity {
			t.Revoked = true
			s.keep(value, t)
		}
	}
	for value, c := range s.codes {
		if c.person.IdentityID == identity {
			delete(s.codes, value)
		}
	}
}

// Refreshes returns the number of answered refresh requests, failed ones included. Requests that
// met a Fault do not count.
func (s *Sandbox) Refreshes() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refreshes
}

// exchange answers a token request, in the documented form or in the older form with type, which
// Launchpad still accepts.
func (s *Sandbox) exchange(form url.Values) reply {
	kind := cmp.Or(form.Get("grant_type"), form.Get("type"))
	if kind == "refresh_token" || kind == "refresh" {
		s.refreshes++
	}
	if !equal(form.Get("client_id"), s.clientID) || !equal(form.Get("client_secret"), s.clientSecret) {
		return oauthError(http.StatusUnauthorized, "invalid_client")
	}
	switch kind {
	case "authorization_code", "web_server":
		return s.redeem(form.Get("code"), form.Get("redirect_uri"))
	case "refresh_token", "refresh":
		return s.refreshTokens(form.Get("refresh_token"))
	}
	return oauthError(http.StatusBadRequest, "unsupported_grant_type")
}

func equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// redeem exchanges a code, which works once.
func (s *Sandbox) redeem(value, redirectURI string) reply {
	c := s.codes[value]
	if c == nil || c.redirectURI != redirectURI || !s.now().Before(c.expires) {
		return oauthError(http.StatusBadRequest, "invalid_grant")
	}
	delete(s.codes, value)
	return s.newTokens(c.person)
}

// refreshTokens exchanges a refresh token.
func (s *Sandbox) refreshTokens(value string) reply {
	t := s.token(value, true)
	switch {
	case t == nil:
		return oauthError(http.StatusBadRequest, "invalid_grant")
	case t.Revoked:
		return oauthError(http.StatusBadRequest, "authorization_expired")
	}
	return s.tokenReply(first(s.identities(), func(p *Person) bool { return p.IdentityID == t.Identity }), value)
}

// newTokens issues new tokens to a person.
func (s *Sandbox) newTokens(p *Person) reply {
	refresh := "sandbox-refresh-" + rand.Text()
	s.tokens[refresh] = &token{Identity: p.IdentityID, Refresh: true, name: p.Name}
	s.keep(refresh, s.tokens[refresh])
	return s.tokenReply(p, refresh)
}

// tokenReply answers with a new access token and a refresh token.
func (s *Sandbox) tokenReply(p *Person, refresh string) reply {
	access := "sandbox-access-" + rand.Text()
	s.keep(access, s.grant(access, p))
	r := ok(view{
		{"access_token", access}, {"expires_in", int(tokenLife.Seconds())}, {"refresh_token", refresh}, {"token_type", "Bearer"},
	})
	r.header.Set("Cache-Control", "no-store")
	return r
}

// oauthError returns an OAuth error (RFC 6749, section 5.2).
func oauthError(status int, code string) reply {
	r := failure(status, code)
	r.header.Set("Cache-Control", "no-store")
	return r
}

// Ledger keeps what Launchpad keeps of the tokens that it issued, outside the sandbox. A sandbox
// with the same ledger knows these tokens, so that a restart of the sandbox ends no login.
type Ledger struct {
	Save func(token string, state []byte) // stores a state under the name of a token
	Load func(token string) []byte        // returns the stored state, or nil
}

// keep stores the state of a token that the sandbox issued.
func (s *Sandbox) keep(value string, t *token) {
	if s.ledger == nil {
		return
	}
	state, _ := json.Marshal(t) // never fails for this type
	s.ledger.Save(value, state)
}
