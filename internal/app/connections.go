package app

import (
	"context"
	"errors"
	"time"

	"basecamp-mcp/internal/catalog/tools"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/authserver"
	"basecamp-mcp/internal/signin/grant"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/text/plaintext"
)

// connections returns the connections of the caller in ctx, and of no other user. It asks no
// provider, so that it also answers when one is down or no longer accepts the user's grant.
func (a *access) connections(ctx context.Context) (tools.Connections, error) {
	caller, _ := identity.From(ctx)
	families, err := a.logins.Auth.FamiliesOf(ctx, caller.Subject)
	if err != nil {
		return tools.Connections{}, fault.New(fault.UpstreamError, "this server could not read its stored connections; try again shortly").Because(err)
	}
	all := tools.Connections{Clients: []tools.ClientConnection{}}
	for i := range a.logins.providers {
		all.Upstreams = append(all.Upstreams, a.upstreamConnection(ctx, a.logins.providers[i], caller))
	}
	all.Upstreams[0].Account = accountOf(caller, families)
	limited := caller.Fence.Bounds() || caller.Fence.Lockdown
	for _, f := range families {
		c := tools.ClientConnection{
			Name: plaintext.Clean(f.Client.Name), Since: f.CreatedAt.UTC(), LastUsed: f.RefreshedAt.UTC(), EndsAt: f.MachineEnd().UTC(), Scopes: f.Scopes,
		}
		if !limited || f.ID == caller.Connection { // the limits of others name places that the client may not know
			c.Fence = f.Fence
		}
		all.Clients = append(all.Clients, c)
	}
	if origin := identity.Origin(ctx); origin != "" && (a.pages == nil || a.pages.Open(ctx) == nil) {
		all.AccountURL = origin + "/account"
	}
	return all, nil
}

// signInNotice is how long before its end a grant comes with the link to renew it.
const signInNotice = 14 * 24 * time.Hour

// upstreamConnection returns the stored state of the caller's grant at a provider.
func (a *access) upstreamConnection(ctx context.Context, p authserver.Upstream, caller identity.Caller) tools.UpstreamConnection {
	v := tools.UpstreamConnection{Provider: p.Name}
	if a.configured(ctx, p.ID) {
		v.Status = tools.ConnectionFixed
		return v
	}
	record, err := p.Keeper.Status(ctx, caller.Subject)
	switch {
	case errors.Is(err, grant.ErrNotFound):
		v.Status = tools.ConnectionMissing
	case err != nil:
		v.Status = tools.ConnectionUnreadable
		return v
	default:
		v.Person, v.ConnectedAt = plaintext.Clean(record.Name), record.ConnectedAt.UTC()
		if v.Status = tools.ConnectionExpired; record.Status != grant.Active {
			break
		}
		v.Status, v.AccessUntil, v.SignInBy = tools.ConnectionActive, record.ExpiresAt.UTC(), record.SignInBy.UTC()
		if v.SignInBy.IsZero() || time.Until(v.SignInBy) > signInNotice {
			return v
		}
	}
	v.ReconnectURL, _ = a.ReconnectURL(ctx, p.ID, nil) // without a link, the status still says what to do
	return v
}

// accountOf returns the account of the caller's connection. Only connections from a login have its
// name.
func accountOf(caller identity.Caller, families []authserver.Family) *tools.ConnectionAccount {
	if caller.Account == 0 {
		return nil
	}
	account := &tools.ConnectionAccount{ID: caller.Account}
	for _, f := range families {
		if f.ID == caller.Connection {
			account.Name = plaintext.Clean(f.Home().Name)
		}
	}
	return account
}
