package items

import (
	"context"

	"basecamp-mcp/internal/signin/grant"
)

const (
	kindRecord = "grant"
	// subjectsAtOnce is how many users Subjects returns at most.
	subjectsAtOnce = 1_000
)

// Records is the grant.Records of one provider.
type Records struct {
	store    *Store
	provider string
}

var _ grant.Records = Records{}

// Records returns the grant records of a provider. The name is the provider's ID, with its origin
// if that can change: a token must not reach another origin.
func (s *Store) Records(provider string) Records { return Records{s, provider} }

func (r Records) key(subject string) Key { return Key{kindRecord, r.provider, subject} }

// Record returns a user's record, or ErrNotFound.
func (r Records) Record(ctx context.Context, subject string) (found grant.Record, err error) {
	err = r.store.get(ctx, "read a grant", r.key(subject), &found, grant.ErrNotFound)
	return found, err
}

// SaveRecord writes c with Change+1 over the record from which it was read. It returns ErrConflict
// if that record has changed or does not exist any more.
func (r Records) SaveRecord(ctx context.Context, c grant.Record) (grant.Record, error) {
	next := c
	next.Change++
	err := r.store.write(ctx, "save a grant", func(t *tx) {
		var stored grant.Record
		t.find(r.key(c.Subject), &stored)
		t.refuse(stored.Change != c.Change, grant.ErrConflict)
		t.put(r.key(c.Subject), next, never)
	})
	if err != nil {
		return grant.Record{}, err
	}
	return next, nil
}

// RemoveRecord removes the record if it has not changed since it was read. Otherwise it returns
// ErrConflict.
func (r Records) RemoveRecord(ctx context.Context, c grant.Record) error {
	return r.store.write(ctx, "remove a grant", func(t *tx) {
		var stored grant.Record
		t.get(r.key(c.Subject), &stored, grant.ErrConflict)
		t.refuse(stored.Change != c.Change, grant.ErrConflict)
		t.remove(r.key(c.Subject))
	})
}

// DeleteRecord removes the record, if it exists.
func (r Records) DeleteRecord(ctx context.Context, subject string) error {
	return r.store.remove(ctx, "delete a grant", r.key(subject))
}

// Subjects returns the next users who have a record, in order, after a subject. It returns none
// after the last.
func (r Records) Subjects(ctx context.Context, after string) (all []string, err error) {
	found, err := r.store.engine.List(ctx, Range{Kind: kindRecord, Owner: r.provider, From: after + "\x00", Limit: subjectsAtOnce})
	for _, i := range found {
		all = append(all, i.Name)
	}
	return all, r.store.failed("list grants", err)
}
