package sandbox

import (
	"encoding/json"
	"time"
)

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
		if p.identity == i.Identity {
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
