package authserver

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/signin/pages"
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

// linkGone returns the page for a link that is missing. Other errors stay as they are.
func linkGone(err error) error {
	if !errors.Is(err, ErrNotFound) {
		return err
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
	if err := s.admitUser(w, r, toSeat, who); err != nil {
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
