package sandbox

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// A token is an access token of an OAuth App for a person.
type token struct {
	value   string
	person  *account
	scopes  []string
	revoked bool
	issued  bool // by a sign-on, and not one of the fixed tokens
}

// implied has the scopes that a broader one contains (GitHub Docs, "Scopes for OAuth apps").
var implied = map[string][]string{
	"repo":      {"public_repo", "repo:status", "repo_deployment", "repo:invite", "security_events"},
	"project":   {"read:project"},
	"admin:org": {"write:org", "read:org"},
	"write:org": {"read:org"},
	"user":      {"read:user", "user:email", "user:follow"},
}

// has reports whether the token has one of these scopes.
func (t *token) has(anyOf ...string) bool {
	return slices.ContainsFunc(anyOf, func(scope string) bool {
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

func bearer(r *http.Request) string {
	value, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return value
}

// valid returns the token with a value, or nil if no live token has it.
func (s *Server) valid(value string) *token {
	if t := s.token(value); t != nil && !t.revoked {
		return t
	}
	return nil
}

// authorize adds a token for a person.
func (s *Server) authorize(person *account, value string, scopes []string) *token {
	t := &token{value: value, person: person, scopes: normalized(scopes)}
	s.tokens[value] = t
	return t
}

func freshToken() string { return "gho_" + rand.Text() + rand.Text()[:10] }

// Grant returns a new token for a person with scopes. It panics if there is no such person.
func (s *Server) Grant(login string, scopes ...string) string {
	defer s.lock()()
	person := s.account(login)
	if person == nil || person.kind != "User" {
		panic(fmt.Sprintf("sandbox: no person has the login %q", login))
	}
	return s.authorize(person, freshToken(), scopes).value
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

// Alive reports whether a token is valid.
func (s *Server) Alive(value string) bool {
	defer s.lock()()
	return s.valid(value) != nil
}

// Ledger keeps what GitHub keeps of the tokens of an OAuth App, outside the sandbox. A sandbox with
// the same ledger knows these tokens, so that a restart of the sandbox ends no link.
type Ledger struct {
	Save func(token string, state []byte) // stores a state under the name of a token
	Load func(token string) []byte        // returns the stored state, or nil
}

// kept is the stored state of a token.
type kept struct {
	Login   string
	Scopes  []string
	Revoked bool
}

// keep stores the state of a token that a sign-on issued.
func (s *Server) keep(t *token) {
	if s.options.Ledger != nil && t.issued {
		state, _ := json.Marshal(kept{t.person.login, t.scopes, t.revoked}) // never fails for these types
		s.options.Ledger.Save(t.value, state)
	}
}

func (s *Server) revoke(t *token) {
	t.revoked = true
	s.keep(t)
}

// token returns a token, or nil if it was never issued. Another sandbox with the same ledger may
// have issued or revoked it.
func (s *Server) token(value string) *token {
	t := s.tokens[value]
	if s.options.Ledger == nil || value == "" || t != nil && !t.issued {
		return t
	}
	var state kept
	_ = json.Unmarshal(s.options.Ledger.Load(value), &state) // what is not stored is nobody's token
	person := s.account(state.Login)
	if person == nil {
		return t
	}
	if t == nil {
		t = s.authorize(person, value, state.Scopes)
		t.issued = true
	}
	t.revoked = t.revoked || state.Revoked
	return t
}

// inRepository returns what the token's person may do in a repository, and the token shows.
// Scopes for writing are checked elsewhere.
func (t *token) inRepository(r *repository) access {
	if r.private && !t.has("repo") {
		return noAccess
	}
	return t.person.inRepository(r)
}

func (a *account) inRepository(r *repository) access {
	switch {
	case r.owner == a, slices.Contains(r.owner.members, a) && !slices.Contains(r.closedTo, a):
		return mayPush
	case !r.private:
		return mayRead
	}
	return noAccess
}

// association returns what a person is in a repository, in GitHub's words.
func (a *account) association(r *repository) string {
	switch {
	case a == nil:
		return "NONE"
	case r.owner == a:
		return "OWNER"
	case slices.Contains(r.owner.members, a):
		return "MEMBER"
	}
	return "NONE"
}

// sees reports whether a person may read a project. Who belongs to its owner may also write to it.
func (a *account) sees(p *project) bool { return p.public || a.belongsTo(p.owner) }

func (a *account) belongsTo(owner *account) bool {
	return a == owner || slices.Contains(owner.members, a)
}
