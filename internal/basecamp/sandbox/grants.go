package sandbox

import (
	"cmp"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"net/http"
	"net/url"
	"time"
)

// A refreshable is the grant behind a refresh token.
type refreshable struct {
	person  *person
	revoked bool // the person has changed their password
}

// RevokeGrants does what a changed password does at 37signals: it revokes all tokens of an
// identity. Access tokens, including those of People, are answered with 401, and refresh tokens
// with authorization_expired. The user can sign in again.
func (s *Sandbox) RevokeGrants(identity int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for value, t := range s.tokens {
		if t.identity == identity {
			t.revoked = true
			s.keep(value, issued{Identity: identity, Expires: t.expires, Revoked: true})
		}
	}
	for value, g := range s.grants {
		if g.person.Identity == identity {
			g.revoked = true
			s.keep(value, issued{Identity: identity, Refresh: true, Revoked: true})
		}
	}
	for value, c := range s.codes {
		if c.person.Identity == identity {
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
	g := s.refreshToken(value)
	switch {
	case g == nil:
		return oauthError(http.StatusBadRequest, "invalid_grant")
	case g.revoked:
		return oauthError(http.StatusBadRequest, "authorization_expired")
	}
	return s.tokenReply(g.person, value)
}

// newTokens issues new tokens to a person.
func (s *Sandbox) newTokens(p *person) reply {
	refresh := "sandbox-refresh-" + rand.Text()
	s.grants[refresh] = &refreshable{person: p}
	s.keep(refresh, issued{Identity: p.Identity, Refresh: true})
	return s.tokenReply(p, refresh)
}

// tokenReply answers with a new access token and a refresh token.
func (s *Sandbox) tokenReply(p *person, refresh string) reply {
	access := "sandbox-access-" + rand.Text()
	s.grant(access, p)
	s.keep(access, issued{Identity: p.Identity, Expires: s.tokens[access].expires})
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

// issued is the state of an access token or a refresh token.
type issued struct {
	Identity int64
	Refresh  bool
	Expires  time.Time // of an access token
	Revoked  bool
}

// keep stores the state of a token that the sandbox issued.
func (s *Sandbox) keep(value string, i issued) {
	if s.ledger == nil {
		return
	}
	state, _ := json.Marshal(i) // never fails for these types
	s.ledger.Save(value, state)
}

// recall returns the stored state of a token, and its owner, who may no longer exist.
func (s *Sandbox) recall(value string, refresh bool) (i issued, owner *person) {
	if s.ledger == nil || value == "" {
		return i, nil
	}
	if json.Unmarshal(s.ledger.Load(value), &i) != nil || i.Refresh != refresh {
		return i, nil
	}
	for _, p := range s.identities() {
		if p.Identity == i.Identity {
			return i, p
		}
	}
	return i, nil
}

// accessToken returns an access token, or nil if it was never issued.
func (s *Sandbox) accessToken(value string) *token {
	if t := s.tokens[value]; t != nil {
		return t
	}
	i, owner := s.recall(value, false)
	if owner == nil {
		return nil
	}
	s.grant(value, owner)
	s.tokens[value].expires, s.tokens[value].revoked = i.Expires, i.Revoked
	return s.tokens[value]
}

// refreshToken returns the grant behind a refresh token, or nil if it was never issued.
func (s *Sandbox) refreshToken(value string) *refreshable {
	if g := s.grants[value]; g != nil {
		return g
	}
	i, owner := s.recall(value, true)
	if owner == nil {
		return nil
	}
	s.grants[value] = &refreshable{person: owner, revoked: i.Revoked}
	return s.grants[value]
}
