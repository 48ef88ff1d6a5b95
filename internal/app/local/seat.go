package local

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"

	"basecamp-mcp/internal/own/calls"
	"basecamp-mcp/internal/signin/identity"
)

// Seat is the place of the one user of a server on a pipe who signs in with a browser. Its bearer
// works only in this process; the user is remembered in the store.
type Seat struct {
	Name   string
	Bearer string
	key    [sha256.Size]byte
}

// NewSeat returns the seat of the client with an ID.
func NewSeat(clientID string) *Seat {
	s := &Seat{Name: "stdio " + clientID, Bearer: "stdio-" + rand.Text()}
	s.key = sha256.Sum256([]byte("key of " + s.Bearer))
	return s
}

// Caller returns the caller on the seat before the sign-in, and whether bearer is the seat's. There
// may be no seat.
func (s *Seat) Caller(bearer string) (caller identity.Caller, ok bool) {
	if s == nil || subtle.ConstantTimeCompare([]byte(bearer), []byte(s.Bearer)) != 1 {
		return caller, false
	}
	return identity.Caller{
		Subject: signedOutSubject, SignedOut: true, Connection: SeatConnection, Scopes: identity.AllScopes(), Key: s.key[:],
	}, true
}

// SeatConnection is the connection of a caller on a seat.
const SeatConnection = "stdio"

// signedOutSubject is the subject of a caller before the sign-in.
const signedOutSubject = "local:signed-out"

// pipeClientKey is the key of the name that the client of a pipe sent in its handshake. The client
// has no registration, whose name a client over HTTP has.
type pipeClientKey struct{}

// WithPipeClient returns a context with the name of the client of a pipe.
func WithPipeClient(ctx context.Context, name, version string) context.Context {
	return context.WithValue(ctx, pipeClientKey{}, calls.ClientName(name, version))
}

// Named returns a caller with the name of the pipe's client, if ctx has one.
func Named(ctx context.Context, caller identity.Caller) identity.Caller {
	if name, ok := ctx.Value(pipeClientKey{}).(string); ok && name != "" {
		caller.Client = name
	}
	return caller
}
