package sqlite

import (
	"context"

	"basecamp-mcp/internal/authserver"
)

const kindClient = "client"

// clientKey returns a key with a digest, because a client ID may be a long URL.
func clientKey(id string) key { return key{kindClient, "", digest(id)} }

// Client returns a client, or ErrNotFound.
func (s *Store) Client(ctx context.Context, id string) (c authserver.Client, err error) {
	ok, err := s.read(ctx, "read a client", clientKey(id), &c)
	if err == nil && !ok {
		err = authserver.ErrNotFound
	}
	return c, err
}

// SaveClient adds or replaces a client.
func (s *Store) SaveClient(ctx context.Context, c authserver.Client) error {
	return s.put(ctx, "save a client", clientKey(c.ID), c, c.ExpiresAt)
}
