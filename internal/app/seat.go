package app

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"

	"basecamp-mcp/internal/authserver"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/identity"
)

// seat is the place of the one user of a server on a pipe who signs in with a browser. Its bearer
// works only in this process; the user is remembered in the store.
type seat struct {
	name   string
	bearer string
	key    [sha256.Size]byte
}

func newSeat(clientID string) *seat {
	s := &seat{name: "stdio " + clientID, bearer: "stdio-" + rand.Text()}
	s.key = sha256.Sum256([]byte("key of " + s.bearer))
	return s
}

// errSharedSeat refuses a store in which other users would take the same seat.
var errSharedSeat = errors.New("stdio with a sign-in must not use -store aws, because all users of that store would share one sign-in; use another store, or set BASECAMP_ACCESS_TOKEN")

// seatConnection is the connection of a caller on a seat.
const seatConnection = "stdio"

// signedOutSubject is the subject of a caller before the sign-in.
const signedOutSubject = "local:signed-out"

// sitting returns the caller on the seat, and whether bearer is the seat's. A user whose grant is
// gone, because they disconnected everything, must sign in again.
func (a *access) sitting(ctx context.Context, bearer string) (caller identity.Caller, ok bool, err error) {
	if a.seat == nil || subtle.ConstantTimeCompare([]byte(bearer), []byte(a.seat.bearer)) != 1 {
		return caller, false, nil
	}
	caller = identity.Caller{
		Subject: signedOutSubject, SignedOut: true, Connection: seatConnection, Scopes: identity.AllScopes(), Key: a.seat.key[:],
	}
	user, err := a.links.SeatUser(ctx, a.seat.name)
	if errors.Is(err, authserver.ErrNotFound) {
		return caller, true, nil
	}
	if err != nil {
		return caller, true, err
	}
	_, err = a.logins.primary().keeper.Status(ctx, user.Subject)
	if errors.Is(err, grant.ErrNotFound) || err == nil && !a.accounts.Allow(user.Account) {
		return caller, true, nil
	}
	caller.Subject, caller.Account, caller.SignedOut = user.Subject, user.Account, false
	return caller, true, err
}

// onSeat reports whether the caller in ctx is on the seat.
func (a *access) onSeat(ctx context.Context) (caller identity.Caller, ok bool) {
	caller, _ = identity.From(ctx)
	return caller, a.seat != nil && caller.Connection == seatConnection
}
