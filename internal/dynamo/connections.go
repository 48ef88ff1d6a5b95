package dynamo

import (
	"context"

	"basecamp-mcp/internal/grant"
)

// connectionFields have no exp: a connection outlives its access token, whose end is in expires, and is never cleaned away.
func connectionFields(c *grant.Connection) fields {
	return fields{
		"name": &c.Name, "rev": &c.Revision, "version": &c.Version, "status": (*string)(&c.Status),
		"connected": &c.ConnectedAt, "expires": &c.ExpiresAt, "forced": &c.Forced,
		"lease": &c.Lease, "lease_until": &c.LeaseUntil, "failures": &c.Failures, "next_try": &c.NextTry,
		"changes": &c.Change,
	}
}

// Connection gives a person's record, or ErrNotFound.
func (t *Table) Connection(ctx context.Context, subject string) (grant.Connection, error) {
	const doing = "read a connection"
	it, err := t.get(ctx, doing, connectionKey(subject))
	if err != nil {
		return grant.Connection{}, err
	}
	if it == nil {
		return grant.Connection{}, grant.ErrNotFound
	}
	c := grant.Connection{Subject: subject}
	if err := connectionFields(&c).read(it); err != nil {
		return grant.Connection{}, failed(doing, err)
	}
	return c, nil
}

// SaveConnection writes c with Change+1 over the record it was read from. ErrConflict when that is there no more.
func (t *Table) SaveConnection(ctx context.Context, c grant.Connection) (grant.Connection, error) {
	same := condition{"changes = :changes", fields{":changes": new(c.Change)}}
	if c.Change == 0 {
		same = condition{text: "attribute_not_exists(pk)"}
	}
	c.Change++
	tx := t.begin("save a connection")
	tx.put(connectionKey(c.Subject), connectionFields(&c), same)
	refused, err := tx.commit(ctx)
	if refused > 0 {
		err = grant.ErrConflict
	}
	if err != nil {
		return grant.Connection{}, err
	}
	return c, nil
}

// DeleteConnection removes the record, if there is one.
func (t *Table) DeleteConnection(ctx context.Context, subject string) error {
	_, err := t.remove(ctx, "delete a connection", connectionKey(subject))
	return err
}
