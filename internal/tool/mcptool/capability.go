package mcptool

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"basecamp-mcp/internal/own/calls"
	"basecamp-mcp/internal/signin/identity"
)

// elicits returns how the client of this request can ask its user, or nil if it cannot. Only the
// stateless era can: mcp-go does not check what a client declares, and would wait forever for a
// client of the legacy era.
func elicits(ctx context.Context) *mcp.ElicitationCapability {
	if info := server.RequestProtocolInfoFromContext(ctx); modern(ctx) && info.ClientCapabilities != nil {
		return info.ClientCapabilities.Elicitation
	}
	return nil
}

// opensLinks reports whether the client declared in this request that it can open a link for its
// user.
func opensLinks(ctx context.Context) bool {
	declared := elicits(ctx)
	return declared != nil && declared.URL != nil
}

// showsForms reports whether the client declared in this request that it can show its user a form.
// A capability without a mode means forms (MCP 2026-07-28, elicitation, capabilities).
func showsForms(ctx context.Context) bool {
	declared := elicits(ctx)
	return declared != nil && (declared.Form != nil || declared.URL == nil)
}

// clientName returns the name of the client. A client of the stateless era sends it with every
// request; for the others it is the name from the login, because the server does not store
// handshakes.
func clientName(ctx context.Context, caller identity.Caller) string {
	info := clientInfo(ctx)
	if info == nil {
		return calls.ClientName(caller.Client, "")
	}
	return calls.ClientName(info.Name, info.Version)
}

// clientInfo returns what the client says about itself in this request, or nil.
func clientInfo(ctx context.Context) *mcp.Implementation {
	info := server.RequestProtocolInfoFromContext(ctx)
	if info == nil {
		return nil
	}
	return info.ClientInfo
}

// modern reports whether the request belongs to the stateless era.
func modern(ctx context.Context) bool {
	info := server.RequestProtocolInfoFromContext(ctx)
	return info != nil && info.Modern
}
