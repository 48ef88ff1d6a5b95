package sandbox

import "encoding/json"

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
	if s.ledger == nil || !t.issued || t.app {
		return
	}
	state, _ := json.Marshal(kept{t.person.login, t.scopes, t.revoked}) // never fails for these types
	s.ledger.Save(t.value, state)
}

// revoke ends a token.
func (s *Server) revoke(t *token) {
	t.revoked = true
	s.keep(t)
}

// token returns a token, or nil if it was never issued. Another sandbox with the same ledger may
// have issued or revoked it.
func (s *Server) token(value string) *token {
	t := s.tokens[value]
	if s.ledger == nil || value == "" || t != nil && !t.issued {
		return t
	}
	var state kept
	if json.Unmarshal(s.ledger.Load(value), &state) != nil {
		return t
	}
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
