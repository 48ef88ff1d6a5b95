package mcptool

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/provider"
)

// Reconnector repairs connections to a provider that no longer accepts the user's grant.
type Reconnector interface {
	// ReconnectURL returns a link with which only the caller in ctx can connect to a provider, for the
	// first time or again, or "" if a link would not help. scopes are what the caller must grant in
	// addition to what the provider has granted.
	ReconnectURL(ctx context.Context, providerID string, scopes []string) (string, error)
	// EndConnection ends the caller's connection after the failure of a provider's grant, if nothing
	// else can repair it, so that the client asks the user to sign in again. The failure of a provider
	// with which users do not sign in ends no connection.
	EndConnection(ctx context.Context, providerID string) error
}

// reconnect answers a call that failed because the provider with which users sign in no longer
// accepts the user's grant. A client that can open a link is asked to open it and repeat the call.
// Any other client gets the link as text, and its connection ends.
func (s *Server) reconnect(ctx context.Context, c toolCall, f *fault.Error) *Outcome {
	p := s.provider("")
	link := s.reconnectLink(ctx, p, nil)
	if link == "" {
		return failure(c.tool.Name, f)
	}
	if opensLinks(ctx) && c.mayAsk(ctx) {
		return c.asks(ctx, f, round{}, reconnectID(p), mcp.ElicitationParams{
			Mode:    mcp.ElicitationModeURL,
			URL:     link,
			Message: p.Name + " no longer accepts our access, as happens after a change of password. Reconnect to continue.",
		})
	}
	told := *f
	told.Message = p.Name + " no longer accepts this connection. Ask the person to open " + link +
		" (good for ten minutes) and log in to " + p.Name + ", then call again; the client may ask them to log in once more."
	outcome := failure(c.tool.Name, &told)
	if !opensLinks(ctx) {
		outcome.meta = loginAgain(ctx, p)
		s.endConnection(ctx, p)
	}
	return outcome
}

// signedOut returns the fault for a caller who has not signed in yet. Callers read the message only
// if there is no link.
func (s *Server) signedOut() *fault.Error {
	p := s.provider("")
	f := fault.New(fault.TokenExpired, "no user has signed in to %s for this server, and it cannot show its sign-in page; ask the person to read its log", p.Name)
	f.Link = &fault.Link{Provider: p.ID, Reason: fault.NeverLinked}
	return f
}

// reconnectLink returns the link for connecting to a provider with more scopes, or "" if there is
// none.
func (s *Server) reconnectLink(ctx context.Context, p provider.Provider, scopes []string) string {
	link, err := s.options.Reconnector.ReconnectURL(ctx, p.ID, scopes)
	if err != nil {
		s.options.Log.ErrorContext(ctx, "make a reconnect link", "err", err, "request_id", identity.RequestID(ctx))
	}
	return link
}

func (s *Server) endConnection(ctx context.Context, p provider.Provider) {
	if err := s.options.Reconnector.EndConnection(ctx, p.ID); err != nil {
		s.options.Log.ErrorContext(ctx, "end a connection", "err", err, "request_id", identity.RequestID(ctx))
	}
}

// loginAgain returns the metadata that makes ChatGPT offer its login.
func loginAgain(ctx context.Context, p provider.Provider) *mcp.Meta {
	challenge := `Bearer resource_metadata="` + identity.Origin(ctx) + `/.well-known/oauth-protected-resource/mcp", ` +
		`error="invalid_token", error_description="` + p.Name + ` no longer accepts this connection; log in again"`
	return &mcp.Meta{AdditionalFields: map[string]any{"mcp/www_authenticate": []string{challenge}}}
}
