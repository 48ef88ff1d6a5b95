package sandbox

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// A token is an access token for a person.
type token struct {
	value   string
	person  *account
	app     bool     // of a GitHub App, which has no scopes
	scopes  []string // of an OAuth App
	expires time.Time
	refresh string // the refresh token of a GitHub App
	renewal time.Time
	revoked bool
	issued  bool       // by a sign-on, and not one of the fixed tokens
	unsaid  []*account // organizations whose single sign-on the token lacks
	serial  int
}

const (
	appTokenLife   = 8 * time.Hour
	refreshLife    = 184 * 24 * time.Hour
	tokensPerScope = 10 // GitHub Docs, "Token expiration and revocation"
)

// implied has the scopes that a broader one contains (GitHub Docs, "Scopes for OAuth apps").
var implied = map[string][]string{
	"repo":      {"public_repo", "repo:status", "repo_deployment", "repo:invite", "security_events"},
	"project":   {"read:project"},
	"admin:org": {"write:org", "read:org"},
	"write:org": {"read:org"},
	"user":      {"read:user", "user:email", "user:follow"},
}

// has reports whether the token has one of these scopes. Tokens of a GitHub App have no scopes, and
// their permissions are checked elsewhere.
func (t *token) has(anyOf ...string) bool {
	return t.app || slices.ContainsFunc(anyOf, func(scope string) bool {
		return slices.ContainsFunc(t.scopes, func(granted string) bool {
			return granted == scope || slices.Contains(implied[granted], scope)
		})
	})
}

// normalized returns scopes without repetitions and without those that a broader one contains.
func normalized(scopes []string) []string {
	var out []string
	for _, scope := range scopes {
		covered := slices.ContainsFunc(scopes, func(other string) bool { return slices.Contains(implied[other], scope) })
		if !covered && !slices.Contains(out, scope) {
			out = append(out, scope)
		}
	}
	slices.Sort(out)
	return out
}

// bearer returns the token of a request. GitHub accepts the schemes Bearer and token.
func bearer(r *http.Request) string {
	scheme, value, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") && !strings.EqualFold(scheme, "token") {
		return ""
	}
	return strings.TrimSpace(value)
}

// valid returns the token with a value, or nil if there is none that is alive.
func (s *Server) valid(value string) *token {
	t := s.token(value)
	if t == nil || t.revoked || !t.expires.IsZero() && !s.now().Before(t.expires) {
		return nil
	}
	return t
}

// authorize adds a token for a person. Of more than ten tokens with the same scopes, the oldest is
// revoked.
func (s *Server) authorize(person *account, value string, scopes []string) *token {
	s.issued++
	t := &token{value: value, person: person, app: s.app, serial: s.issued}
	if person.login == singleSignOn {
		t.unsaid = []*account{s.account(organization)}
	}
	if s.app {
		t.expires = s.now().Add(appTokenLife)
	} else {
		t.scopes = normalized(scopes)
	}
	s.tokens[value] = t
	var same []*token
	for _, other := range s.tokens {
		if other.person == person && !other.app && !other.revoked && slices.Equal(other.scopes, t.scopes) {
			same = append(same, other)
		}
	}
	if len(same) > tokensPerScope {
		s.revoke(slices.MinFunc(same, func(a, b *token) int { return a.serial - b.serial }))
	}
	return t
}

// Grant returns a new token for a person with scopes. The scopes of a GitHub App's token are
// ignored. It panics if there is no such person.
func (s *Server) Grant(login string, scopes ...string) string {
	defer s.lock()()
	person := s.account(login)
	if person == nil || person.kind != "User" {
		panic(fmt.Sprintf("sandbox: no person has the login %q", login))
	}
	return s.authorize(person, s.freshToken(), scopes).value
}

// Revoke does what a person does who removes the application at GitHub: all of their tokens end.
func (s *Server) Revoke(login string) {
	defer s.lock()()
	for _, t := range s.tokens {
		if strings.EqualFold(t.person.login, login) {
			s.revoke(t)
		}
	}
}

// ExpireToken makes a token expire now. Its refresh token stays valid.
func (s *Server) ExpireToken(value string) {
	defer s.lock()()
	if t := s.tokens[value]; t != nil {
		t.expires = s.now()
	}
}

// Alive reports whether a token is valid.
func (s *Server) Alive(value string) bool {
	defer s.lock()()
	return s.valid(value) != nil
}
