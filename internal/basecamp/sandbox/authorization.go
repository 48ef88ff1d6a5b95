package sandbox

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"basecamp-mcp/internal/wire/inprocess"
)

// tokenLife is how long an access token is valid: two weeks, as at Launchpad.
const tokenLife = 14 * 24 * time.Hour

// A token is an access token or a refresh token of an identity, which a Ledger keeps. It is valid
// in every account of the identity.
type token struct {
	Identity int64
	Refresh  bool
	Expires  time.Time // of an access token
	Revoked  bool      // the person has changed their password
	name     string
	expired  bool
}

// personIn returns the token's owner in an account, or nil if the owner is not in that account.
func (t *token) personIn(a *account) *Person {
	return first(a.people, func(p *Person) bool { return p.IdentityID == t.Identity })
}

// ExpireToken makes the sandbox refuse a token as expired.
func (s *Sandbox) ExpireToken(bearer string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.tokens[bearer]; t != nil {
		t.expired = true
	}
}

// IssueToken returns a new token for a person of any account. It panics if there is no such person.
func (s *Sandbox) IssueToken(person int64) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.accounts {
		for _, p := range a.people {
			if p.ID == person {
				fresh := fmt.Sprintf("%s-%d", p.Token, len(s.tokens)+1)
				s.grant(fresh, p)
				return fresh
			}
		}
	}
	panic(fmt.Sprintf("sandbox: no person has the id %d", person))
}

// grant makes a bearer valid for a person's identity.
func (s *Sandbox) grant(bearer string, p *Person) *token {
	s.tokens[bearer] = &token{Identity: p.IdentityID, name: p.Name, Expires: s.now().Add(tokenLife)}
	return s.tokens[bearer]
}

// token returns a token that was issued, or nil.
func (s *Sandbox) token(value string, refresh bool) *token {
	t := s.tokens[value]
	if t == nil && s.ledger != nil && value != "" {
		t = &token{}
		_ = json.Unmarshal(s.ledger.Load(value), t)
		owner := first(s.identities(), func(p *Person) bool { return p.IdentityID == t.Identity })
		if owner == nil {
			return nil
		}
		t.name, s.tokens[value] = owner.Name, t
	}
	if t == nil || t.Refresh != refresh {
		return nil
	}
	return t
}

func bearer(r *http.Request) string {
	scheme, value, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(value)
}

// authenticate returns the token of a request. It refuses a request without a valid one.
func (s *Sandbox) authenticate(r *http.Request) *token {
	value := bearer(r)
	t := s.token(value, false)
	refuse(value == "", unauthorized("No OAuth token was sent. Authorize your application first."))
	refuse(t == nil, unauthorized("OAuth token not recognized. Authorize your application again."))
	refuse(t.Revoked, unauthorized("This Basecamp ID rekeyed its deadbolt. Authorize your application again."))
	refuse(t.expired || s.now().After(t.Expires), unauthorized("OAuth token expired (old age). Ask for a new one with your refresh token."))
	return t
}

func unauthorized(message string) reply {
	r := failure(http.StatusUnauthorized, message)
	r.header.Set("WWW-Authenticate", `Bearer realm="Basecamp", error="invalid_token"`)
	return r
}

// authorization answers with the token's identity and accounts in Launchpad's format.
func (s *Sandbox) authorization(r *http.Request, t *token) reply {
	first, last, _ := strings.Cut(t.name, " ")
	accounts := []view{{
		{"product", "hey"}, {"id", 730418826}, {"name", first + "'s HEY"}, {"href", "https://app.hey.com"}, {"app_href", "https://app.hey.com"},
	}}
	for _, a := range s.accountsOf(t) {
		accounts = append(accounts, view{
			{"product", "bc3"}, {"id", a.ID}, {"name", a.Name},
			{"href", fmt.Sprintf("%s/%d", apiOrigin(r), a.ID)},
			{"app_href", fmt.Sprintf("%s/%d", appOrigin, a.ID)},
		})
	}
	return ok(view{
		{"accounts", accounts},
		{"expires_at", t.Expires.UTC().Format(time.RFC3339)},
		{"identity", view{{"email_address", t.personIn(s.accountsOf(t)[0]).Email}, {"first_name", first}, {"id", t.Identity}, {"last_name", last}}},
	})
}

// accountsOf returns the accounts of a token, including the suspended one.
func (s *Sandbox) accountsOf(t *token) []*account {
	return filter(s.accounts, func(a *account) bool { return t.personIn(a) != nil })
}

// apiOrigin returns the origin of the API for a request to Launchpad: the real one for Launchpad's
// real host, otherwise the host of the request.
func apiOrigin(r *http.Request) string {
	if strings.Contains(r.Host, "launchpad") {
		return liveAPI
	}
	return inprocess.Origin(r)
}
