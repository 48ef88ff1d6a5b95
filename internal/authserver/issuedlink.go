package authserver

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"basecamp-mcp/internal/pages"
)

// issuedLink is the state of a link that a tool's answer showed to one user. Its secret is in the
// address.
type issuedLink struct {
	Subject  string   `json:"subject"`
	Provider string   `json:"provider,omitempty"` // ID; empty: the one that users sign in with
	Scopes   []string `json:"scopes,omitempty"`   // those that a call lacked
	Seat     string   `json:"seat,omitempty"`     // which the user takes; then there is no Subject
}

// LinkKey begins the keys of links, and of no other state. A store can keep them apart by it: the
// MCP function makes links, and must not be able to make a state that continues a sign-in. A link
// whose content is forged leads to a sign-in that its user must complete.
const LinkKey = kindLink + "."

func linkKey(secret string) Hash { return LinkKey + hashOf(kindLink, secret) }

// offerIssued serves a link: GET /oauth/start?t=SECRET. A link to the provider that users sign in
// with needs no session: the sign-in itself shows who the user is. A further provider knows another
// identity, so its link needs the session of its user.
func (s *Server) offerIssued(w http.ResponseWriter, r *http.Request, secret string) error {
	link, up, _, err := s.issued(r.Context(), secret)
	if err != nil {
		return linkGone(err)
	}
	if up.ID == s.first().ID {
		if link.Seat != "" {
			pages.Start{Form: s.startForm(w, r, startLink+secret), Provider: up.Name, Pipe: true}.Write(w)
			return nil
		}
		return s.askToSignIn(w, r, startLink+secret, true)
	}
	of, err := s.owner(r, up, link.Subject)
	if errors.Is(err, ErrNotFound) {
		pages.SignInFirst{Form: s.startForm(w, r, startIdentify+secret), Provider: up.Name, First: s.first().Name}.Write(w)
		return nil
	}
	if err != nil {
		return err
	}
	return s.askToLink(w, r, up, of, startLink+secret, link.Scopes)
}

// issued returns a link with its provider and its key. It returns ErrNotFound if the link has
// expired or was used, and errNoRoute if the deployment no longer has the provider.
func (s *Server) issued(ctx context.Context, secret string) (link issuedLink, up Upstream, key Hash, err error) {
	key = linkKey(secret)
	err = s.peek(ctx, key, "", &link)
	if err != nil {
		return link, up, key, err
	}
	up, ok := s.upstream(link.Provider)
	if !ok {
		return link, up, key, errNoRoute
	}
	return link, up, key, nil
}

// acceptIssued sends the user of a link to its provider. The state of the trip replaces the link's,
// so the link is used up only if the trip is stored. cookie belongs to the form.
func (s *Server) acceptIssued(w http.ResponseWriter, r *http.Request, secret, cookie string) error {
	link, up, key, err := s.issued(r.Context(), secret)
	leave := linkDeparture(key, secret, cookie)
	if errors.Is(err, ErrNotFound) && s.repeat(w, r, leave) {
		return nil
	}
	if err != nil {
		return linkGone(err)
	}
	trip := signIn{Purpose: toReconnect, Provider: up.ID, Subject: link.Subject}
	if link.Seat != "" {
		trip.Purpose, trip.Seat = toSeat, link.Seat
	}
	if up.ID != s.first().ID {
		_, err := s.owner(r, up, link.Subject)
		if errors.Is(err, ErrNotFound) { // the session has expired since the page was shown
			redirect(w, r, "/oauth/start?t="+secret)
			return nil
		}
		if err != nil {
			return err
		}
		_, asked, err := s.linkOf(r.Context(), up, link.Subject, link.Scopes)
		if err != nil {
			return err
		}
		asked.Assistant = true
		trip.Purpose, trip.Link = toLink, asked
	}
	return s.sendToSignOn(w, r, trip, leave)
}

// identify sends the user of a link to the sign-on of the first provider, from which the trip
// returns to the link. The stored trip keeps the link's secret, encrypted with the cookie of the
// browser; the provider never sees it.
func (s *Server) identify(w http.ResponseWriter, r *http.Request, secret string) error {
	link, _, _, err := s.issued(r.Context(), secret)
	if err != nil {
		return linkGone(err)
	}
	leave := newDeparture()
	trip := signIn{Purpose: toIdentify, Provider: s.first().ID, Subject: link.Subject, Sealed: seal(leave.cookie, kindLink, []byte(secret))}
	return s.sendToSignOn(w, r, trip, leave)
}

// finishIdentify opens a link again, after its user has signed in. Another user changes nothing.
func (s *Server) finishIdentify(w http.ResponseWriter, r *http.Request, trip signIn, cookie string, who upstreamUser) error {
	if who.Subject != trip.Subject {
		name := s.first().Name
		return show(pages.Failure{
			Status: http.StatusForbidden, Title: "You signed in as another user",
			Message: "You signed in to " + name + " as " + who.Name + ", but the link belongs to another user. No changes were made.",
			Next:    "Open the link again, and sign in to " + name + " as the user whose assistant showed it.",
		})
	}
	secret, err := unseal(cookie, kindLink, trip.Sealed)
	if err != nil {
		return interrupted("decrypt a link", err)
	}
	if err := s.admitUser(w, r, who); err != nil {
		return err
	}
	redirect(w, r, "/oauth/start?t="+string(secret))
	return nil
}

// linkGone returns the page for a link that is missing.
func linkGone(err error) error {
	switch {
	case errors.Is(err, errNoRoute):
		return err
	case !errors.Is(err, ErrNotFound):
		return fmt.Errorf("read a link: %w", err)
	}
	return show(pages.Failure{
		Status: http.StatusBadRequest, Title: "This link has expired",
		Message: "Such a link works once, for ten minutes.",
		Next:    "Ask your assistant to try again. It will show you a new link.",
	})
}
