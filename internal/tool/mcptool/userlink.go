package mcptool

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/signin/provider"
	"basecamp-mcp/internal/text/plaintext"
)

const (
	linkLife = int(roundTime / time.Second)
	ssoLife  = 3600 // seconds, of a provider's own link
)

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

// wording is how the message of a failed invocation says what to do.
type wording struct {
	open, repeat string // a link to a provider
	reconnect    string // a format of the name and the link of the provider with which users sign in
}

var (
	ofTool = wording{"Ask the user to open ", "call", "%s no longer accepts this connection. Ask the person to open %s (good for ten minutes) and log in to %[1]s, then call again; " +
		"the client may ask them to log in once more."}
	ofReading = wording{"Open ", "try", "%s no longer accepts this connection. Open %s (good for ten minutes), log in to %[1]s and try again; " +
		"your client may ask you to log in once more."}
)

// remedy returns the fault of an invocation that worked on a provider, with what the user can do
// about it, and the request that a client can make of its user, or nil if none would help. A
// client's connection never depends on a link to a provider with which users do not sign in.
func (s *Server) remedy(ctx context.Context, f *fault.Error, of string, words wording) (told *fault.Error, q *request) {
	if s.options.ReconnectURL == nil {
		return f, nil
	}
	if told, ok := s.unattended(ctx, f, of); ok {
		return told, nil
	}
	if told, p, ok := s.linkFault(f, of); ok {
		s.addLink(ctx, p, told)
		told.Message = linkAdvice(p, told, words)
		if linkHelps(told) {
			q = new(linkRequest(p, told.Link))
		}
		return told, q
	}
	if f.Code != fault.TokenExpired {
		return f, nil
	}
	p := s.provider("")
	link := s.reconnectLink(ctx, p, nil)
	if link == "" {
		return f, nil
	}
	copied := *f
	copied.Message = fmt.Sprintf(words.reconnect, p.Name, link)
	return &copied, new(reconnectRequest(p, link))
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

// elicitationRequired is the error of a call whose client must open a link for its user first (MCP
// 2025-11-25, elicitation, URL elicitation required error).
type elicitationRequired struct { //nolint:errname // the specification's word
	fault   *fault.Error
	request mcp.ElicitationParams
}

func (e *elicitationRequired) Error() string { return e.fault.Error() }

// Unwrap returns the fault of the call.
func (e *elicitationRequired) Unwrap() error { return e.fault }

// linkAdvice returns the message of a failed invocation: what failed, the address, and what to do
// there and next. Without an address, or about something that may not exist, the message stays.
func linkAdvice(p provider.Provider, f *fault.Error, words wording) string {
	link, repeat := f.Link, words.repeat
	open := words.open + link.URL
	switch {
	case link.URL == "":
	case link.Reason == fault.SSO:
		return f.Message + "; the page to sign in is " + link.URL + " (good for an hour)"
	case !linkHelps(f):
	case link.Reason == fault.NeverLinked:
		return p.Name + " is not linked yet. " + open + " (good for ten minutes) and link " + p.Name + ", then " + repeat + " again."
	case link.Reason == fault.MissingScope:
		return p.Name + " needs more access for this" + scopeWords(p, link.Scopes) + ". " + open + " (good for ten minutes) and grant it, then " + repeat + " again."
	default:
		return p.Name + " no longer accepts this link. " + open + " (good for ten minutes) and link " + p.Name + " again, then " + repeat + " again."
	}
	return f.Message
}

// scopeWords returns what the scopes of a provider allow: ": read trees; plant trees". A scope
// without words shows by its name.
func scopeWords(p provider.Provider, scopes []string) string {
	if len(scopes) == 0 {
		return ""
	}
	return ": " + strings.Join(p.Scopes.Words(scopes), "; ")
}

// unattended returns the fault of a program without a browser whose user must sign in to a provider
// again, or link it: it says who must open which address. The program keeps its connection, and a
// link that ends in ten minutes would not help at night. ok is false for any other client or fault.
func (s *Server) unattended(ctx context.Context, f *fault.Error, of string) (told *fault.Error, ok bool) {
	caller, _ := identity.From(ctx)
	if caller.ActsFor == "" || f.Code != fault.TokenExpired && f.Code != fault.NotLinked {
		return nil, false
	}
	c := *f
	told, address := &c, identity.Origin(ctx)+"/account"
	p, does := s.provider(""), " no longer accepts this connection: "
	if linked, of, foreign := s.linkFault(f, of); foreign {
		told, p, does = linked, of, " is not linked, or no longer accepts the link: "
		told.Link.URL = address
	}
	told.Message = p.Name + does + plaintext.Quote(caller.ActsFor) + " must open " + address + " and connect " + p.Name + " there; then this program's calls work again"
	return told, true
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
	link, err := s.options.ReconnectURL(ctx, p.ID, scopes)
	if err != nil {
		s.options.Log.ErrorContext(ctx, "make a reconnect link", "err", err, "request_id", identity.RequestID(ctx))
	}
	return link
}

// endConnection ends the connection of a client that cannot open links for its user, and reports
// whether it did.
func (s *Server) endConnection(ctx context.Context) bool {
	if opensLinks(ctx) {
		return false
	}
	if err := s.options.EndConnection(ctx, s.provider("").ID); err != nil {
		s.options.Log.ErrorContext(ctx, "end a connection", "err", err, "request_id", identity.RequestID(ctx))
	}
	return true
}

// loginAgain returns the metadata that makes ChatGPT offer its login.
func loginAgain(ctx context.Context, p provider.Provider) *mcp.Meta {
	challenge := `Bearer resource_metadata="` + identity.Origin(ctx) + `/.well-known/oauth-protected-resource/mcp", ` +
		`error="invalid_token", error_description="` + p.Name + ` no longer accepts this connection; log in again"`
	return &mcp.Meta{AdditionalFields: map[string]any{"mcp/www_authenticate": []string{challenge}}}
}

// provider returns the provider with an ID. An empty ID means the one with which users sign in. An
// unknown provider has its ID as its name.
func (s *Server) provider(id string) provider.Provider {
	all := s.options.Providers
	if id == "" && len(all) > 0 {
		return all[0]
	}
	if i := slices.IndexFunc(all, func(p provider.Provider) bool { return p.ID == id }); i >= 0 {
		return all[i]
	}
	return provider.Provider{ID: id, Name: id}
}

// isPrimary reports whether users sign in with a provider. The empty ID of the server's own tools
// counts as primary.
func (s *Server) isPrimary(id string) bool { return id == "" || id == s.provider("").ID }

// failedProvider returns the provider whose grant failed: the one that the fault or its link names,
// or the one that the failed tool works on.
func (s *Server) failedProvider(f *fault.Error, of string) provider.Provider {
	linked := ""
	if f.Link != nil {
		linked = f.Link.Provider
	}
	return s.provider(cmp.Or(linked, f.Provider, of))
}

// awaitedName returns what an invocation waits for, for messages.
func (s *Server) awaitedName(i invocation) string {
	if i.provider == "" {
		return "this server"
	}
	return s.provider(i.provider).Name
}
