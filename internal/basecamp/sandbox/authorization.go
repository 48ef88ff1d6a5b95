package sandbox

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/wire/inprocess"
)

// tokenLife is how long an access token is valid: two weeks, as at Launchpad.
const tokenLife = 14 * 24 * time.Hour

// A token is an access token for an identity. It is valid in every account of the identity.
type token struct {
	identity int64
	name     string
	people   []*person // one for each account
	expires  time.Time
	expired  bool
	revoked  bool
}

// personIn returns the token's owner in an account, or nil if the owner is not in that account.
func (t *token) personIn(a *account) *person {
	return first(t.people, func(p *person) bool { return slices.Contains(a.people, p) })
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
				fresh := fmt.Sprintf("%s-%d", p.login, len(s.tokens)+1)
				s.grant(fresh, p)
				return fresh
			}
		}
	}
	panic(fmt.Sprintf("sandbox: no person has the id %d", person))
}

// grant makes a bearer valid for a person's identity.
func (s *Sandbox) grant(bearer string, p *person) {
	t := &token{identity: p.Identity, name: p.Name, expires: s.now().Add(tokenLife)}
	for _, a := range s.accounts {
		for _, candidate := range a.people {
			if candidate.Identity == p.Identity {
				t.people = append(t.people, candidate)
			}
		}
	}
	s.tokens[bearer] = t
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
	t := s.accessToken(value)
	refuse(value == "", unauthorized("No OAuth token was sent. Authorize your application first."))
	refuse(t == nil, unauthorized("OAuth token not recognized. Authorize your application again."))
	refuse(t.revoked, unauthorized("This Basecamp ID rekeyed its deadbolt. Authorize your application again."))
	refuse(t.expired || s.now().After(t.expires), unauthorized("OAuth token expired (old age). Ask for a new one with your refresh token."))
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
		{"expires_at", t.expires.UTC().Format(time.RFC3339)},
		{"identity", view{{"email_address", t.people[0].Email}, {"first_name", first}, {"id", t.identity}, {"last_name", last}}},
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
