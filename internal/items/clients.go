package items

import (
	"context"

	"basecamp-mcp/internal/authserver"
)

const (
	kindClient    = "client"
	kindConnected = "connected client" // has no content: the client with this name has a family
)

// clientKey returns a key with a digest, because a client ID may be a long URL.
func clientKey(id string) Key { return Key{kindClient, "", digest(id)} }

// Client returns a client, or ErrNotFound.
func (s *Store) Client(ctx context.Context, id string) (c authserver.Client, err error) {
	err = s.get(ctx, "read a client", clientKey(id), &c, authserver.ErrNotFound)
	return c, err
}

// putConnected stores that a client has a family, until that expires. The client is then displaced
// by no client without one.
func (t tx) putConnected(f authserver.Family) error {
	return t.put(Key{kindConnected, "", clientKey(f.Client.ID).Name}, struct{}{}, endOf(f))
}

// SaveClient adds or replaces a client. It displaces no client that has redeemed a code.
func (s *Store) SaveClient(ctx context.Context, c authserver.Client) error {
	return s.put(ctx, "save a client", clientKey(c.ID), c, c.ExpiresAt)
}
