package authserver

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"basecamp-mcp/internal/fence"
	"basecamp-mcp/internal/pages"
)

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

func seatKey(seat string) Hash { return hashOf(kindSeat, seat) }

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
	pages.Connected{Provider: s.first().Name, Person: who.Name, Assistant: true}.Write(w)
	return nil
}

func (s *Server) saveSeat(ctx context.Context, seat string, of SeatUser) error {
	stored, err := s.newState(kindSeat, seatKey(seat), "", of)
	if err != nil {
		return err
	}
	stored.ExpiresAt = s.Now().Add(seatTTL)
	_, err = s.Store.TakeLoginState(ctx, stored.Key, "") // an earlier user
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	return s.Store.AddLoginState(ctx, stored)
}

// seatTTL is how long a seat remembers its user.
const seatTTL = 180 * 24 * time.Hour
