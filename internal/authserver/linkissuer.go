package authserver

import (
	"context"
	"encoding/json"
	"time"

	"basecamp-mcp/internal/identity"
)

// Links serves the MCP endpoint when a provider does not accept a user's grant, or when a user has
// none. It creates links, and it revokes connections that have no other way to notice.
type Links struct {
	LoginStates LoginStates
	Families    Revocations
	Now         func() time.Time
}

// ReconnectURL returns a link with which the caller in ctx reconnects the provider that users sign
// in with. It works once, for ten minutes. It is safe to show: the user who follows it must sign in
// to the provider as the caller.
func (l *Links) ReconnectURL(ctx context.Context) (string, error) {
	caller, _ := identity.From(ctx)
	return l.issue(ctx, issuedLink{Subject: caller.Subject})
}

// LinkURL returns a link with which the caller in ctx links a further provider, or allows it more:
// the scopes that a call lacked. It works once, for ten minutes. It is safe to show: the user who
// follows it must be signed in here as the caller.
func (l *Links) LinkURL(ctx context.Context, providerID string, scopes []string) (string, error) {
	caller, _ := identity.From(ctx)
	return l.issue(ctx, issuedLink{Subject: caller.Subject, Provider: providerID, Scopes: scopes})
}

// issue stores a link and returns its address.
func (l *Links) issue(ctx context.Context, link issuedLink) (string, error) {
	body, err := json.Marshal(link)
	if err != nil {
		return "", err
	}
	secret := newSecret()
	stored := LoginState{Kind: kindLink, Key: linkKey(secret), Body: body, ExpiresAt: l.Now().Add(stateTTL)}
	if err := l.LoginStates.AddLoginState(ctx, stored); err != nil {
		return "", err
	}
	return identity.Origin(ctx) + "/oauth/start?t=" + secret, nil
}

// EndConnection revokes the connection of the caller in ctx, access and refresh tokens together. A
// client whose refresh token still worked would keep refreshing, and the user would never sign in
// again.
func (l *Links) EndConnection(ctx context.Context) error {
	caller, _ := identity.From(ctx)
	return l.Families.Revoke(ctx, caller.Connection, needsReauth, l.Now())
}
