package dynamo

import (
	"context"

	"basecamp-mcp/internal/broker"
)

func clientFields(c *broker.Client) fields { return fields{"client": c, "exp": &c.ExpiresAt} }

// Client reads one, seeing every write before: clients go on to log in the moment they have registered. ErrNotFound.
func (t *Table) Client(ctx context.Context, id string) (broker.Client, error) {
	const doing = "read a client"
	it, err := t.get(ctx, doing, clientKey(id))
	if err != nil {
		return broker.Client{}, err
	}
	var c broker.Client
	if err := clientFields(&c).read(it); err != nil {
		return broker.Client{}, failed(doing, err)
	}
	if !t.now().Before(c.ExpiresAt) {
		return broker.Client{}, broker.ErrNotFound
	}
	return c, nil
}

// SaveClient adds or replaces one.
func (t *Table) SaveClient(ctx context.Context, c broker.Client) error {
	return t.put(ctx, "save a client", clientKey(c.ID), clientFields(&c))
}
