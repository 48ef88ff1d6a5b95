package tools

import (
	"context"
	"time"

	"basecamp-mcp/internal/own/hub"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/tool/mcptool"
)

// Connections are what connects a user's clients to this server, and this server to the providers.
// A fact that is not known is absent.
type Connections struct {
	Upstreams  []UpstreamConnection `json:"upstreams"`
	Clients    []ClientConnection   `json:"clients"`
	AccountURL string               `json:"account_url,omitzero"` // where the user disconnects clients
}

// UpstreamConnection is this server's access to a provider for the user.
type UpstreamConnection struct {
	Provider     string             `json:"provider"`
	Status       string             `json:"status"` // see the statuses below
	Person       string             `json:"person,omitzero"`
	Account      *ConnectionAccount `json:"account,omitempty"`
	ConnectedAt  time.Time          `json:"connected_at,omitzero"`
	AccessUntil  time.Time          `json:"access_until,omitzero"` // of the current access token
	SignInBy     time.Time          `json:"sign_in_by,omitzero"`   // until then, the user must sign in again
	ReconnectURL string             `json:"reconnect_url,omitzero"`
}

// ConnectionAccount is an account at a provider.
type ConnectionAccount struct {
	ID   int64  `json:"id"`
	Name string `json:"name,omitzero"`
}

// The statuses of an UpstreamConnection.
const (
	ConnectionActive     = "active"        // the server refreshes the access by itself
	ConnectionFixed      = "configured"    // the operator configured an access token
	ConnectionExpired    = "needs_reauth"  // the user must sign in again
	ConnectionMissing    = "not_connected" // the user has not connected the provider
	ConnectionUnreadable = "unknown"       // the server cannot read its state now
)

// ClientConnection is a client that may act for the user. Its name is what the client calls itself.
type ClientConnection struct {
	Name     string           `json:"name"`
	Since    time.Time        `json:"since"`
	LastUsed time.Time        `json:"last_used,omitzero"` // the latest refresh of its tokens
	EndsAt   time.Time        `json:"ends_at,omitzero"`   // of a program without a browser
	Scopes   []identity.Scope `json:"scopes"`
	Fence    fence.Fence      `json:"fence,omitzero"` // what it may do of that, as the user decided
}

// account returns the toolset for the user's own connections.
func account(read func(context.Context) (Connections, error)) mcptool.Toolset {
	return mcptool.Toolset{Name: Account, ClosedWorld: true, Tools: []mcptool.Tool{connections(read)}}
}

func connections(read func(context.Context) (Connections, error)) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "connections",
		Title:       "Show connections",
		Description: "Shows the caller's connected apps with scopes and dates, how long access lasts, and where to disconnect.",
	}, func(ctx context.Context, _ struct{}) (Connections, error) { return read(ctx) })
}

// linking makes the failures that the user can repair say where.
func (s Sources) linking(read hub.ReadChanges) hub.ReadChanges {
	return func(ctx context.Context, of hub.ChangesOf) hub.Changes {
		got := read(ctx, of)
		for i, part := range got.Failed {
			if f := fault.From(part.Err); f.Link != nil {
				told := *f
				told.Message += s.whereToLink(ctx)
				got.Failed[i].Err = &told
			}
		}
		return got
	}
}

// whereToLink returns the address at which the caller links GitHub, in words; "" if it is not
// known.
func (s Sources) whereToLink(ctx context.Context) string {
	if s.Connections == nil {
		return ""
	}
	all, err := s.Connections(ctx)
	if err != nil { // without the address, the message still says what to do
		return ""
	}
	for _, u := range all.Upstreams {
		if u.Provider == "GitHub" && u.ReconnectURL != "" {
			return "; ask the user to open " + u.ReconnectURL + " (good for ten minutes) and link it"
		}
	}
	if all.AccountURL == "" {
		return ""
	}
	return "; ask the user to open " + all.AccountURL
}
