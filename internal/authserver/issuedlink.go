package authserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"basecamp-mcp/internal/fence"
	"basecamp-mcp/internal/identity"
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

func linkKey(secret string) Hash { return LinkKey + HashOf(kindLink, secret) }

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
			pages.Write(w, pages.Start{Form: s.startForm(w, r, startLink+secret), Provider: up.Name, Pipe: true})
			return nil
		}
		return s.askToSignIn(w, r, startLink+secret, true)
	}
	of, err := s.owner(r, up, link.Subject)
	if errors.Is(err, ErrNotFound) {
		pages.Write(w, pages.SignInFirst{Form: s.startForm(w, r, startIdentify+secret), Provider: up.Name, First: s.first().Name})
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
	if errors.Is(err, ErrNotFound) {
		if trip, gone := s.onItsWay(r, leave); gone == nil && s.repeat(w, r, trip, leave) == nil {
			return nil
		}
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
		return s.anotherUser(who, "Open the link again, and sign in to "+s.first().Name+" as the user whose assistant showed it.")
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

// Links serves the MCP endpoint when a provider does not accept a user's grant, or when a user has
// none. It creates links, and it revokes connections that have no other way to notice.
type Links struct {
	LoginStates LoginStates
	Families    Revocations
	Now         func() time.Time
}

// ReconnectURL returns a link with which the caller in ctx reconnects the provider that users sign
// in with. It works once, for ten minutes. It is safe to show: the user who follows it must sign in
// to the provider as the caller.
func (l *Links) ReconnectURL(ctx context.Context) (string, error) {
	caller, _ := identity.From(ctx)
	return l.issue(ctx, issuedLink{Subject: caller.Subject})
}

// LinkURL returns a link with which the caller in ctx links a further provider, or allows it more:
// the scopes that a call lacked. It works once, for ten minutes. It is safe to show: the user who
// follows it must be signed in here as the caller.
func (l *Links) LinkURL(ctx context.Context, providerID string, scopes []string) (string, error) {
	caller, _ := identity.From(ctx)
	return l.issue(ctx, issuedLink{Subject: caller.Subject, Provider: providerID, Scopes: scopes})
}

// issue stores a link and returns its address.
func (l *Links) issue(ctx context.Context, link issuedLink) (string, error) {
	body, err := json.Marshal(link)
	if err != nil {
		return "", err
	}
	secret := newSecret()
	stored := LoginState{Kind: kindLink, Key: linkKey(secret), Body: body, ExpiresAt: l.Now().Add(stateTTL)}
	if err := l.LoginStates.AddLoginState(ctx, stored); err != nil {
		return "", err
	}
	return identity.Origin(ctx) + "/oauth/start?t=" + secret, nil
}

// EndConnection revokes the connection of the caller in ctx, access and refresh tokens together. A
// client whose refresh token still worked would keep refreshing, and the user would never sign in
// again.
func (l *Links) EndConnection(ctx context.Context) error {
	caller, _ := identity.From(ctx)
	return l.Families.Revoke(ctx, caller.Connection, needsReauth, l.Now())
}

// A server on a pipe acts for one user, and its client holds no token. The user signs in by a link
// that a tool's answer shows, and a seat stores who that was. It is stored like the session of a
// browser, for as long as a client's connection may last.

// SeatUser is the user of a seat, with the default account that the user chose.
type SeatUser struct {
	Subject string `json:"subject"`
	Name    string `json:"name"`
	Account int64  `json:"account"`
	// Accounts are all that the user chose, the default first; nil if the user has only one.
	Accounts []fence.Account `json:"accounts,omitempty"`
}

func seatKey(seat string) Hash { return HashOf(kindSeat, seat) }

// SeatUser returns the user of a seat. Error: ErrNotFound if no user has signed in.
func (l *Links) SeatUser(ctx context.Context, seat string) (of SeatUser, err error) {
	stored, err := l.LoginStates.LoginState(ctx, seatKey(seat))
	if err != nil {
		return SeatUser{}, err
	}
	err = json.Unmarshal(stored.Body, &of)
	return of, err
}

// SeatURL returns a link with which a user takes a seat. It works once, for ten minutes.
func (l *Links) SeatURL(ctx context.Context, seat string) (string, error) {
	return l.issue(ctx, issuedLink{Seat: seat})
}

// takeSeat stores the user's grant and then the user of the seat.
func (s *Server) takeSeat(w http.ResponseWriter, r *http.Request, seat string, who upstreamUser, accounts []fence.Account) error {
	if err := s.admitUser(w, r, who); err != nil {
		return err
	}
	of := SeatUser{Subject: who.Subject, Name: who.Name, Account: accounts[0].ID}
	if len(who.Accounts) > 1 {
		of.Accounts = accounts
	}
	if err := s.saveSeat(r.Context(), seat, of); err != nil {
		return interrupted("store the user of a seat", err)
	}
	pages.Write(w, pages.Connected{Provider: s.first().Name, Person: who.Name, Assistant: true})
	return nil
}

func (s *Server) saveSeat(ctx context.Context, seat string, of SeatUser) error {
	stored, err := s.newState(kindSeat, seatKey(seat), "", of, seatTTL)
	if err != nil {
		return err
	}
	_, err = s.Store.TakeLoginState(ctx, stored.Key, "") // an earlier user
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	return s.Store.AddLoginState(ctx, stored)
}

// seatTTL is how long a seat remembers its user.
const seatTTL = 180 * 24 * time.Hour
