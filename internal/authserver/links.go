package authserver

import (
	"context"
	"encoding/json"
	"net/url"
	"time"

	"basecamp-mcp/internal/identity"
)

// Links serves the MCP endpoint after a provider has stopped accepting a user's grant. It creates
// links to reconnect, and it revokes connections that have no other way to notice.
type Links struct {
	LoginStates LoginStates
	Families    Revocations
	Now         func() time.Time
}

// ReconnectURL returns a link for the caller in ctx. It works once, for ten minutes. It is safe to
// show: the user who follows it must sign in to the provider as the caller.
func (l *Links) ReconnectURL(ctx context.Context) (string, error) {
	caller, _ := identity.From(ctx)
	body, err := json.Marshal(reconnectLink{Subject: caller.Subject})
	if err != nil {
		return "", err
	}
	secret := newSecret()
	stored := LoginState{Key: hashOf(kindLink, secret), Body: body, ExpiresAt: l.Now().Add(stateTTL)}
	if err := l.LoginStates.AddLoginState(ctx, stored); err != nil {
		return "", err
	}
	return identity.Origin(ctx) + "/oauth/start?t=" + secret, nil
}

// LinkURL returns a link with which the caller in ctx can link a further provider again. It carries
// no caller: it works for the user who is signed in to the account page.
func (*Links) LinkURL(ctx context.Context, providerID string, _ []string) (string, error) {
	return identity.Origin(ctx) + "/oauth/start?link=" + url.QueryEscape(providerID), nil
}

// EndConnection revokes the connection of the caller in ctx, access and refresh tokens together. A
// client whose refresh token still worked would keep refreshing, and the user would never sign in
// again.
func (l *Links) EndConnection(ctx context.Context) error {
	caller, _ := identity.From(ctx)
	return l.Families.Revoke(ctx, caller.Connection, needsReauth, l.Now())
}
