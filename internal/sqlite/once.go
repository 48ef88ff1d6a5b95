package sqlite

import (
	"context"

	"basecamp-mcp/internal/idempotency"
)

var _ idempotency.Store = (*Store)(nil)

const kindCall = "call"

// callKey returns a key with a digest, because clients choose idempotency keys freely.
func callKey(r idempotency.Record) key { return key{kindCall, r.Subject, r.Tool + " " + digest(r.Key)} }

// ClaimCall adds r. If a record of its key exists, it returns that one with ErrTaken.
func (s *Store) ClaimCall(ctx context.Context, r idempotency.Record) (found idempotency.Record, err error) {
	err = s.write(ctx, "claim an idempotency key", func(t *tx) error {
		taken, err := t.find(callKey(r), &found)
		if err == nil && taken {
			err = idempotency.ErrTaken
		}
		if err != nil {
			return err
		}
		found = r
		return t.put(callKey(r), r, r.ExpiresAt)
	})
	return found, err
}

// SettleCall replaces the record of r's claim, or returns ErrLost.
func (s *Store) SettleCall(ctx context.Context, r idempotency.Record) error {
	return s.write(ctx, "settle an idempotency key", func(t *tx) error { return t.settle(r) })
}

func (t *tx) settle(r idempotency.Record) error {
	ours, err := t.claimed(r)
	if err == nil && !ours {
		err = idempotency.ErrLost
	}
	if err != nil {
		return err
	}
	return t.put(callKey(r), r, r.ExpiresAt)
}

// ReleaseCall removes the record of r's claim, if it exists.
func (s *Store) ReleaseCall(ctx context.Context, r idempotency.Record) error {
	return s.write(ctx, "release an idempotency key", func(t *tx) error { return t.release(r) })
}

func (t *tx) release(r idempotency.Record) error {
	ours, err := t.claimed(r)
	if err != nil || !ours {
		return err
	}
	return t.remove(callKey(r))
}

// claimed reports whether r's claim holds the record.
func (t *tx) claimed(r idempotency.Record) (bool, error) {
	var found idempotency.Record
	ok, err := t.find(callKey(r), &found)
	return ok && found.Claim == r.Claim, err
}
