package dynamo

import (
	"context"

	"basecamp-mcp/internal/authserver"
)

func clientFields(c *authserver.Client) fields { return fields{"client": c, "exp": &c.ExpiresAt} }

// Client returns a client, or ErrNotFound. It sees every earlier write, because clients log in
// immediately after their registration.
func (t *Table) Client(ctx context.Context, id string) (authserver.Client, error) {
	const doing = "read a client"
	it, err := t.get(ctx, doing, clientKey(id))
	if err != nil {
		return authserver.Client{}, err
	}
	var c authserver.Client
	if err := clientFields(&c).read(it); err != nil {
		return authserver.Client{}, failed(doing, err)
	}
	if !t.now().Before(c.ExpiresAt) {
		return authserver.Client{}, authserver.ErrNotFound
	}
	return c, nil
}

// SaveClient adds or replaces a client.
func (t *Table) SaveClient(ctx context.Context, c authserver.Client) error {
	return t.put(ctx, "save a client", clientKey(c.ID), clientFields(&c))
}
