package app

import (
	"context"
	"crypto/sha256"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/mcphttp"
)

// people are the persons who may use a server whose access is settled at start, not by a login: their bearer tokens, and
// what they hold at Basecamp. It never changes once it is served.
type people struct {
	callers     map[[sha256.Size]byte]identity.Caller
	credentials map[string]basecamp.Credential // by subject
}

func newPeople() *people {
	return &people{
		callers:     map[[sha256.Size]byte]identity.Caller{},
		credentials: map[string]basecamp.Credential{},
	}
}

// add lets a person in with a bearer token, for the scopes it is good for.
func (p *people) add(bearer, subject string, credential basecamp.Credential, scopes ...identity.Scope) {
	credential.Person = subject
	key := sha256.Sum256([]byte("key of " + bearer))
	p.callers[sha256.Sum256([]byte(bearer))] = identity.Caller{
		Subject: subject, Connection: settled, Scopes: scopes, Account: credential.Account, Key: key[:],
	}
	p.credentials[subject] = credential
}

// settled is the connection of everybody whose access was settled at start.
const settled = "settled"

// known reports whether the caller in ctx is one of them.
func (p *people) known(ctx context.Context) bool {
	caller, ok := identity.From(ctx)
	return ok && caller.Connection == settled
}

// Authenticate compares hashes, so that its time tells nothing of a token.
func (p *people) Authenticate(_ context.Context, bearer string) (identity.Caller, error) {
	caller, ok := p.callers[sha256.Sum256([]byte(bearer))]
	if !ok {
		return identity.Caller{}, mcphttp.ErrInvalidToken
	}
	return caller, nil
}

// Credential gives the caller's token. There is nothing to refresh it with.
func (p *people) Credential(ctx context.Context, refused string) (basecamp.Credential, error) {
	caller, _ := identity.From(ctx)
	credential, ok := p.credentials[caller.Subject]
	if !ok || refused != "" {
		return basecamp.Credential{}, fault.New(fault.TokenExpired, "Basecamp no longer accepts this connection's access token; set BASECAMP_ACCESS_TOKEN to a new one and start again")
	}
	return credential, nil
}
