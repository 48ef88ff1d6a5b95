package mcptool

import (
	"context"
	"crypto/rand"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/provider"
)

const (
	linkLife = int(roundTime / time.Second)
	ssoLife  = 3600 // seconds, of a provider's own link
)

// linkID returns the name of the request to link a provider: "link_orchard".
func linkID(p provider.Provider) string { return "link_" + p.ID }

// linkFault returns a copy of the fault of an invocation that the user's link to a provider did not
// allow, and the provider. of is the provider that the invocation works on. The copy always has a
// Link. The link of a user who never linked the provider asks for the scopes of a first sign-in if
// the call needs no others. ok is false for any other fault. A dead grant of the provider with
// which users sign in is such a fault.
func (s *Server) linkFault(f *fault.Error, of string) (told *fault.Error, p provider.Provider, ok bool) {
	if p = s.provider(""); f.Link != nil && f.Link.Provider == p.ID { // the caller has not signed in
		c, link := *f, *f.Link
		c.Link = &link
		return &c, p, true
	}
	p = s.failedProvider(f, of)
	if s.isPrimary(p.ID) || f.Link == nil && f.Code != fault.TokenExpired {
		return nil, p, false
	}
	link := fault.Link{Reason: fault.Reauthorize}
	if f.Link != nil {
		link = *f.Link
	}
	link.Provider = p.ID
	if link.Reason == fault.NeverLinked && len(link.Scopes) == 0 {
		link.Scopes = p.Scopes.First
	}
	copied := *f
	copied.Link = &link
	return &copied, p, true
}

// addLink adds the address where the user can do what the fault's link is about. The address for a
// single sign-on comes from the provider.
func (s *Server) addLink(ctx context.Context, p provider.Provider, f *fault.Error) {
	if f.Link.Reason == fault.SSO {
		if f.Link.URL != "" {
			f.Link.ExpiresIn = ssoLife
		}
		return
	}
	if f.Link.URL = s.reconnectLink(ctx, p, f.Link.Scopes); f.Link.URL != "" {
		f.Link.ExpiresIn = linkLife
	}
}

// link answers a call that the user's link to a provider did not allow. A client that can open the
// link is asked to open it and repeat the call. Any other client gets the link as text. The
// client's connection never depends on it.
func (s *Server) link(ctx context.Context, c toolCall, p provider.Provider, f *fault.Error) *Outcome {
	s.addLink(ctx, p, f)
	request := mcp.ElicitationParams{Mode: mcp.ElicitationModeURL, URL: f.Link.URL, Message: linkRequest(p, f.Link)}
	f.Message = linkAdvice(p, f, "Ask the user to open ", "call")
	switch {
	case !linkHelps(f):
	case opensLinks(ctx) && c.mayAsk(ctx):
		return c.asks(ctx, f, round{Provider: p.ID, Reason: f.Link.Reason}, linkID(p), request)
	case opensLinksInSession(ctx):
		request.ElicitationID = linkID(p) + "_" + rand.Text()
		outcome := failure(c.tool.Name, f)
		outcome.requires = &elicitationRequired{f, request}
		return outcome
	}
	return failure(c.tool.Name, f)
}

// linkHelps reports whether the call succeeds after the user has opened the fault's link. A missing
// thing may not exist at all, and a call that may have happened must not be repeated unasked.
func linkHelps(f *fault.Error) bool {
	switch f.Link.Reason {
	case fault.NeverLinked, fault.Reauthorize:
		return (f.Code == fault.TokenExpired || f.Code == fault.NotLinked) && f.Link.URL != "" && !f.MayHaveHappened
	case fault.MissingScope:
		return f.Code == fault.PermissionDenied && f.Link.URL != "" && !f.MayHaveHappened
	}
	return false
}

// opensLinksInSession reports whether the client of the legacy era declared at the beginning of its
// session that it can open a link for its user.
func opensLinksInSession(ctx context.Context) bool {
	caller, _ := identity.From(ctx)
	return caller.OpensLinks && !modern(ctx)
}

// elicitationRequired is the error of a call whose client must open a link for its user first (MCP
// 2025-11-25, elicitation, URL elicitation required error).
type elicitationRequired struct { //nolint:errname // the specification's word
	fault   *fault.Error
	request mcp.ElicitationParams
}

func (e *elicitationRequired) Error() string { return e.fault.Error() }

// Unwrap returns the fault of the call.
func (e *elicitationRequired) Unwrap() error { return e.fault }

// linkRequest returns the words with which a client asks its user to open a link.
func linkRequest(p provider.Provider, link *fault.Link) string {
	switch link.Reason {
	case fault.NeverLinked:
		return "This needs your " + p.Name + " account, which is not linked yet. Link it to continue."
	case fault.MissingScope:
		return "This needs more access to " + p.Name + " than you have granted" + inWords(p, link.Scopes) + ". Grant it to continue."
	}
	return p.Name + " no longer accepts the link to your account. Link it again to continue."
}

// linkAdvice returns the message of a failed invocation: what failed, the address, and what to do
// there and next. Without an address, or about something that may not exist, the message stays.
func linkAdvice(p provider.Provider, f *fault.Error, open, repeat string) string {
	link := f.Link
	open += link.URL
	switch {
	case link.URL == "":
	case link.Reason == fault.SSO:
		return f.Message + "; the page to sign in is " + link.URL + " (good for an hour)"
	case !linkHelps(f):
	case link.Reason == fault.NeverLinked:
		return p.Name + " is not linked yet. " + open + " (good for ten minutes) and link " + p.Name + ", then " + repeat + " again."
	case link.Reason == fault.MissingScope:
		return p.Name + " needs more access for this" + inWords(p, link.Scopes) + ". " + open + " (good for ten minutes) and grant it, then " + repeat + " again."
	default:
		return p.Name + " no longer accepts this link. " + open + " (good for ten minutes) and link " + p.Name + " again, then " + repeat + " again."
	}
	return f.Message
}

// inWords returns what the scopes of a provider allow: ": read trees; plant trees". A scope without
// words shows by its name.
func inWords(p provider.Provider, scopes []string) string {
	if len(scopes) == 0 {
		return ""
	}
	return ": " + strings.Join(p.Scopes.Words(scopes), "; ")
}

// notLinked returns the failure of a call whose user did not open the link.
func notLinked(p provider.Provider, reason fault.LinkReason) *fault.Error {
	var f *fault.Error
	switch reason {
	case fault.MissingScope:
		f = fault.New(fault.PermissionDenied, "the user chose not to grant more access to %s now; no changes were made", p.Name)
	case fault.NeverLinked:
		f = fault.New(fault.NotLinked, "the user chose not to link %s now; no changes were made", p.Name)
	default:
		f = fault.New(fault.TokenExpired, "the user chose not to link %s again now; no changes were made", p.Name)
	}
	f.Link = &fault.Link{Provider: p.ID, Reason: reason}
	return f
}
