package authserver

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"basecamp-mcp/internal/signin/grant"
	"basecamp-mcp/internal/signin/pages"
	"basecamp-mcp/internal/signin/provider"
)

// linking is what a trip to link a further provider asks for.
type linking struct {
	Scopes    []string `json:"scopes,omitempty"`    // empty: those of a first sign-in
	Login     string   `json:"login,omitempty"`     // the name of the linked account, which must return
	Account   string   `json:"account,omitempty"`   // the subject of the linked account
	Assistant bool     `json:"assistant,omitempty"` // a tool's answer showed the link
}

// all returns the scopes that a provider is asked for.
func (l linking) all(up Upstream) []string {
	if len(l.Scopes) == 0 {
		return up.Scopes.First
	}
	return l.Scopes
}

// linkOf returns a user's link to a provider, and what to ask the provider for. A first link asks
// for the scopes of a first sign-in. A later one asks for the granted scopes again, because a
// provider grants what it is asked for and forgets the rest. Both add what a call lacked.
// The record is zero if there is no link.
func (s *Server) linkOf(ctx context.Context, up Upstream, subject string, lacked []string) (grant.Record, linking, error) {
	held, err := up.Keeper.Status(ctx, subject)
	if err != nil && !errors.Is(err, grant.ErrNotFound) {
		return grant.Record{}, linking{}, fmt.Errorf("read a link: %w", err)
	}
	scopes := provider.Names(held.Scope)
	if len(scopes) == 0 && len(lacked) > 0 {
		scopes = up.Scopes.First
	}
	return held, linking{Scopes: provider.Join(scopes, lacked), Login: held.Name, Account: held.Account}, nil
}

// further returns a provider that users link. Users sign in with the first, and cannot link it.
func (s *Server) further(id string) (Upstream, error) {
	up, ok := s.upstream(id)
	if !ok || up.ID == s.first().ID {
		return Upstream{}, errNoRoute
	}
	return up, nil
}

// furtherNames returns the names of the further providers: those that users can link, and those
// whose access token is configured.
func (s *Server) furtherNames() (links, configured []string) {
	for _, up := range s.Upstreams[1:] {
		if s.Owner != nil && slices.Contains(s.Owner.Configured, up.ID) {
			configured = append(configured, up.Name)
		} else {
			links = append(links, up.Name)
		}
	}
	return links, configured
}

// owner returns the session of a link's user, or of any user for "". It returns ErrNotFound if the
// browser has no session, and a page if another user is signed in: a link that worked for every
// user would let one person attach another's account to themselves.
func (s *Server) owner(r *http.Request, up Upstream, subject string) (session, error) {
	of, err := s.session(r)
	if err != nil {
		return session{}, fmt.Errorf("read the session of a link: %w", err)
	}
	if subject != "" && of.Subject != subject {
		return session{}, show(pages.Failure{
			Status: http.StatusForbidden, Title: "This link belongs to another user",
			Message: "You are signed in here as " + of.Name + ", but the link to " + up.Name + " is for another user. No changes were made.",
			Next:    "Sign in as the user whose assistant showed the link, then open the link again.", Link: "/oauth/start?for=" + startAccount,
		})
	}
	return of, nil
}

// askToLink shows the page that says what a further provider is asked for. It changes nothing.
func (s *Server) askToLink(w http.ResponseWriter, r *http.Request, e errand) error {
	up := e.up
	held, asked, err := s.linkOf(r.Context(), up, e.of.Subject, e.link.Scopes)
	if err != nil {
		return err
	}
	if _, err := s.authorizationURL(r, up, provider.Authorization{}); err != nil {
		return err
	}
	var granted []string
	if held.Status == grant.Active { // a dead link is asked for as a whole
		granted = provider.Names(held.Scope)
	}
	missing := up.Scopes.Missing(granted, asked.all(up))
	pages.Write(w, pages.Link{
		Form:     s.startForm(w, r, e.step),
		Provider: up.Name,
		First:    s.first().Name,
		Person:   e.of.Name,
		Account:  marked(up, held.Name),
		Asks:     up.Scopes.Words(missing),
		Keeps:    up.Scopes.Words(up.Scopes.Missing(missing, granted)),
	})
	return nil
}

// marked returns the name of a provider's user as pages show it.
func marked(up Upstream, name string) string {
	if name == "" {
		return ""
	}
	return up.Mark + name
}

// finishLink stores the grant of a further provider under the subject of the user who started the
// link.
func (s *Server) finishLink(w http.ResponseWriter, r *http.Request, up Upstream, trip signIn, who upstreamUser) error {
	asked := trip.Link
	if asked.Account != "" && asked.Account != who.Subject { // unlinked meanwhile: the grant no longer says so
		s.discard(r, up, who.tokens)
		return otherAccount(up, asked, who)
	}
	_, err := up.Keeper.Link(r.Context(), trip.Subject, provider.Identity{Subject: who.Subject, Name: who.Name}, who.tokens)
	if errors.Is(err, grant.ErrOtherAccount) {
		return otherAccount(up, asked, who)
	}
	if err != nil {
		return interrupted("store a link", err)
	}
	var refused []string
	granted := provider.Names(who.tokens.Scope)
	if len(granted) > 0 {
		refused = up.Scopes.Missing(granted, asked.all(up))
	}
	if asked.Assistant {
		pages.Write(w, pages.Linked{
			Provider: up.Name, Account: marked(up, who.Name), May: up.Scopes.Words(granted), Refused: up.Scopes.Words(refused),
		})
		return nil
	}
	done := linkDone
	if len(refused) > 0 {
		done = lessDone
	}
	return s.backToAccount(w, r, done+up.ID)
}

// discard revokes tokens that no grant holds. A failure is only logged.
func (s *Server) discard(r *http.Request, up Upstream, t provider.Tokens) {
	if !up.Revokes {
		return
	}
	if err := up.SignOn.Revoke(r.Context(), t); err != nil {
		s.Log.WarnContext(r.Context(), "authserver: tokens were not revoked at the provider", "provider", up.ID, "err", err)
	}
}

// otherAccount returns the page for a user who came back with another account than the linked one.
func otherAccount(up Upstream, asked linking, who upstreamUser) error {
	linked := "another account"
	if asked.Login != "" {
		linked = marked(up, asked.Login)
	}
	return show(pages.Failure{
		Status: http.StatusForbidden, Title: "Another " + up.Name + " account is linked",
		Message: "You signed in to " + up.Name + " as " + marked(up, who.Name) + ", but " + linked + " is linked. No changes were made.",
		Next:    "To link this account, unlink " + up.Name + " on your account page first.", Link: "/account",
	})
}
