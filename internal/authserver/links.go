package authserver

import (
	"context"
	"encoding/json"
	"time"

	"basecamp-mcp/internal/identity"
)

// Links is what the MCP endpoint needs of the broker besides its Verifier, for the day Basecamp stops accepting a person's
// grant: links by which the person reconnects, and an end to connections that have no other way to notice.
type Links struct {
	Steps    Steps
	Families Revocations
	Now      func() time.Time
}

// ReconnectURL makes a link for the caller in ctx, good for ten minutes and for nobody else. It is safe to show: whoever
// follows it has to log in to Basecamp as the caller.
func (l *Links) ReconnectURL(ctx context.Context) (string, error) {
	caller, _ := identity.From(ctx)
	body, err := json.Marshal(link{Subject: caller.Subject})
	if err != nil {
		return "", err
	}
	secret := newSecret()
	step := Step{Key: hashOf(atLink, secret), Body: body, ExpiresAt: l.Now().Add(stepTTL)}
	if err := l.Steps.AddStep(ctx, step); err != nil {
		return "", err
	}
	return identity.Origin(ctx) + "/oauth/start?t=" + secret, nil
}

// EndConnection revokes the connection of the caller in ctx, access and refresh tokens together: a client whose refresh
// still worked would go round in circles instead of having the person log in, which is what mends the grant.
func (l *Links) EndConnection(ctx context.Context) error {
	caller, _ := identity.From(ctx)
	return l.Families.Revoke(ctx, caller.Connection, needsReauth, l.Now())
}
