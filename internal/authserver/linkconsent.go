package authserver

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/pages"
	"basecamp-mcp/internal/provider"
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

// linkNames returns the names of the providers that users can link. It leaves out those whose
// access token is configured.
func (s *Server) linkNames() []string {
	var names []string
	for _, up := range s.Upstreams[1:] {
		if !s.isConfigured(up) {
			names = append(names, up.Name)
		}
	}
	return names
}

// configuredNames returns the names of the further providers whose access token is configured.
func (s *Server) configuredNames() []string {
	var names []string
	for _, up := range s.Upstreams[1:] {
		if s.isConfigured(up) {
			names = append(names, up.Name)
		}
	}
	return names
}

func (s *Server) isConfigured(up Upstream) bool {
	return s.Owner != nil && slices.Contains(s.Owner.Configured, up.ID)
}

// owner returns the session of a link's user. It returns ErrNotFound if the browser has no session,
// and a page if another user is signed in: a link that worked for every user would let one person
// attach another's account to themselves.
func (s *Server) owner(r *http.Request, up Upstream, subject string) (session, error) {
	of, _, err := s.session(r)
	if err != nil {
		return session{}, fmt.Errorf("read the session of a link: %w", err)
	}
	if of.Subject != subject {
		return session{}, show(pages.Failure{
			Status: http.StatusForbidden, Title: "This link belongs to another user",
			Message: "You are signed in here as " + of.Name + ", but the link to " + up.Name + " is for another user. No changes were made.",
			Next:    "Sign in as the user whose assistant showed the link, then open the link again.", Link: "/oauth/start?for=" + startAccount,
		})
	}
	return of, nil
}

// askToLink shows the page that says what a further provider is asked for. It changes nothing.
func (s *Server) askToLink(w http.ResponseWriter, r *http.Request, up Upstream, of session, step string, lacked []string) error {
	held, asked, err := s.linkOf(r.Context(), up, of.Subject, lacked)
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
	pages.Link{
		Form:     s.startForm(w, r, step),
		Provider: up.Name,
		First:    s.first().Name,
		Person:   of.Name,
		Account:  marked(up, held.Name),
		Asks:     up.Scopes.Words(missing),
		Keeps:    up.Scopes.Words(up.Scopes.Missing(missing, granted)),
	}.Write(w)
	return nil
}

// marked returns the name of a provider's user as pages show it.
func marked(up Upstream, name string) string {
	if name == "" {
		return ""
	}
	return up.Mark + name
}

// offerLink serves the link on the account page: GET /oauth/start?link=ID. The user comes from
// the browser's session.
func (s *Server) offerLink(w http.ResponseWriter, r *http.Request, id string) error {
	up, err := s.further(id)
	if err != nil {
		return err
	}
	of, _, err := s.session(r)
	if errors.Is(err, ErrNotFound) {
		redirect(w, r, "/account") // to sign in; the page has the same link
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the session of a link: %w", err)
	}
	return s.askToLink(w, r, up, of, startFurther+id, nil)
}

// acceptLink sends the user of the account page to a further provider.
func (s *Server) acceptLink(w http.ResponseWriter, r *http.Request, id string) error {
	up, err := s.further(id)
	if err != nil {
		return err
	}
	of, _, err := s.session(r)
	if err != nil {
		return stateGone("read the session of a link", err)
	}
	_, asked, err := s.linkOf(r.Context(), up, of.Subject, nil)
	if err != nil {
		return err
	}
	return s.sendToSignOn(w, r, signIn{Purpose: toLink, Provider: up.ID, Subject: of.Subject, Link: asked}, newDeparture())
}
