package sandbox

import (
	"cmp"
	"crypto/rand"
	"crypto/subtle"
	"net/http"
	"net/url"
)

// A refreshable is what a refresh token stands for.
type refreshable struct {
	person  *person
	revoked bool // the person has changed their password since
}

// RevokeGrants does what changing a password does at 37signals: from now on nothing that was given for an identity before
// opens anything. Their access tokens, those of People included, are answered 401, and their refresh tokens
// authorization_expired. They may log in again.
func (s *Sandbox) RevokeGrants(identity int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.tokens {
		if t.identity == identity {
			t.revoked = true
		}
	}
	for _, g := range s.grants {
		if g.person.identity == identity {
			g.revoked = true
		}
	}
	for value, c := range s.codes {
		if c.person.identity == identity {
			delete(s.codes, value)
		}
	}
}

// Refreshes returns how many refresh requests have been answered, whatever the answer was; those that met a Fault instead
// are not among them.
func (s *Sandbox) Refreshes() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.renewed
}

// trade answers a token request, in the documented form or the one before it, which Launchpad still takes (type).
func (s *Sandbox) trade(form url.Values) reply {
	kind := cmp.Or(form.Get("grant_type"), form.Get("type"))
	if kind == "refresh_token" || kind == "refresh" {
		s.renewed++
	}
	if !equal(form.Get("client_id"), s.clientID) || !equal(form.Get("client_secret"), s.clientSecret) {
		return oauthError(http.StatusUnauthorized, "invalid_client")
	}
	switch kind {
	case "authorization_code", "web_server":
		return s.redeem(form.Get("code"), form.Get("redirect_uri"))
	case "refresh_token", "refresh":
		return s.renew(form.Get("refresh_token"))
	}
	return oauthError(http.StatusBadRequest, "unsupported_grant_type")
}

func equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// redeem trades a code, once.
func (s *Sandbox) redeem(value, redirectURI string) reply {
	c := s.codes[value]
	if c == nil || c.redirectURI != redirectURI || !s.now().Before(c.expires) {
		return oauthError(http.StatusBadRequest, "invalid_grant")
	}
	delete(s.codes, value)
	return s.grantAnew(c.person)
}

// renew trades a refresh token.
func (s *Sandbox) renew(value string) reply {
	g := s.grants[value]
	switch {
	case g == nil:
		return oauthError(http.StatusBadRequest, "invalid_grant")
	case g.revoked:
		return oauthError(http.StatusBadRequest, "authorization_expired")
	case s.rotates:
		delete(s.grants, value)
		return s.grantAnew(g.person)
	}
	return s.tokenReply(g.person, value)
}

// grantAnew gives a person tokens that nobody has yet.
func (s *Sandbox) grantAnew(p *person) reply {
	refresh := "sandbox-refresh-" + rand.Text()
	s.grants[refresh] = &refreshable{person: p}
	return s.tokenReply(p, refresh)
}

// tokenReply gives an access token, with a refresh token to get the next one.
func (s *Sandbox) tokenReply(p *person, refresh string) reply {
	access := "sandbox-access-" + rand.Text()
	s.grant(access, p)
	r := ok(map[string]any{
		"access_token": access, "token_type": "Bearer", "expires_in": int(tokenLife.Seconds()), "refresh_token": refresh,
	})
	r.header.Set("Cache-Control", "no-store")
	return r
}

// oauthError is a refusal in OAuth's words.
func oauthError(status int, code string) reply {
	r := failure(status, code)
	r.header.Set("Cache-Control", "no-store")
	return r
}
