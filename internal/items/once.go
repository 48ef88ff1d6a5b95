package items

import (
	"context"
	"encoding/json"

	"basecamp-mcp/internal/idempotency"
)

var _ idempotency.Together = (*Store)(nil)

const kindCall = "call"

// callKey returns a key with a digest, because clients choose idempotency keys freely.
func callKey(r idempotency.Record) Key { return Key{kindCall, r.Subject, r.Tool + " " + digest(r.Key)} }

// ClaimCall adds r, or returns ErrFull. If a record of its key exists, it returns that one with
// ErrTaken.
func (s *Store) ClaimCall(ctx context.Context, r idempotency.Record) (found idempotency.Record, err error) {
	err = s.write(ctx, "claim an idempotency key", func(t tx) error {
		t.New(callKey(r))
		taken, err := t.find(callKey(r), &found)
		if err == nil && taken {
			err = idempotency.ErrTaken
		}
		if err != nil {
			return err
		}
		found = r
		return t.addCall(r)
	})
	return found, err
}

// addCall adds the record of a new key, or returns ErrFull.
func (t tx) addCall(r idempotency.Record) error {
	if t.store.local {
		n, err := t.Count(kindCall, r.Subject)
		if err == nil && n >= idempotency.MostKeys {
			err = idempotency.ErrFull
		}
		if err != nil {
			return err
		}
	}
	return t.put(callKey(r), r, r.ExpiresAt)
}

// FindCall returns the record of r's key, and whether there is one.
func (s *Store) FindCall(ctx context.Context, r idempotency.Record) (found idempotency.Record, ok bool, err error) {
	ok, err = s.read(ctx, "read an idempotency key", callKey(r), &found)
	return found, ok, err
}

// make stores the key of the call under ctx, if it has one, together with the row that the
// transaction adds. If an earlier try of the call has added a row, it reads that one into earlier
// and reports true. It returns ErrTaken if the key belongs to another call.
func (t tx) make(ctx context.Context, row, earlier any) (repeated bool, err error) {
	r, ok := idempotency.In(ctx)
	if !ok {
		return false, nil
	}
	var found idempotency.Record
	t.New(callKey(r))
	switch taken, err := t.find(callKey(r), &found); {
	case err != nil:
		return false, err
	case taken && (found.Claim != r.Claim || found.State != idempotency.Made):
		return false, idempotency.ErrTaken
	case taken:
		return true, decode(Item{callKey(r), found.Result, found.ExpiresAt}, earlier)
	}
	r.State = idempotency.Made
	if r.Result, err = json.Marshal(row); err != nil {
		return false, err
	}
	return false, t.addCall(r)
}

// SettleCall replaces the record of r's claim, or returns ErrLost.
func (s *Store) SettleCall(ctx context.Context, r idempotency.Record) error {
	return s.write(ctx, "settle an idempotency key", func(t tx) error { return t.settle(r) })
}

func (t tx) settle(r idempotency.Record) error {
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
	return s.write(ctx, "release an idempotency key", func(t tx) error { return t.release(r) })
}

func (t tx) release(r idempotency.Record) error {
	ours, err := t.claimed(r)
	if err != nil || !ours {
		return err
	}
	return t.Remove(callKey(r))
}

// claimed reports whether r's claim holds the record.
func (t tx) claimed(r idempotency.Record) (bool, error) {
	var found idempotency.Record
	ok, err := t.find(callKey(r), &found)
	return ok && found.Claim == r.Claim, err
}
