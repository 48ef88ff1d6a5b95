package memory

import (
	"bytes"
	"context"
	"math"
	"sync"
	"time"

	"basecamp-mcp/internal/idempotency"
)

// Once is an idempotency.Store that keeps the records of each user until they expire, and refuses
// more than idempotency.MostKeys of one user. It is safe for concurrent use.
type Once struct {
	now func() time.Time

	mu    sync.Mutex
	users *shelf[string, *calls]
}

// calls are the records of one user, and when the last one expires.
type calls struct {
	records *shelf[callKey, idempotency.Record]
	until   time.Time
}

type callKey struct{ tool, key string }

var _ idempotency.Store = (*Once)(nil)

// NewOnce returns an empty store. now returns the time; nil means the real time.
func NewOnce(now func() time.Time) *Once {
	if now == nil {
		now = time.Now
	}
	return &Once{now: now, users: newShelf[string](math.MaxInt, func(c *calls) time.Time { return c.until })}
}

// ClaimCall adds r, or returns ErrFull. If a record of its key exists, it returns that one with
// ErrTaken.
func (s *Once) ClaimCall(ctx context.Context, r idempotency.Record) (idempotency.Record, error) {
	if err := ctx.Err(); err != nil {
		return idempotency.Record{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	own, ok := s.users.get(r.Subject, s.now())
	if !ok {
		own = &calls{records: newShelf[callKey](math.MaxInt, func(r idempotency.Record) time.Time { return r.ExpiresAt })}
	}
	if found, ok := own.records.get(keyOf(r), s.now()); ok {
		return copyOfRecord(found), idempotency.ErrTaken
	}
	if len(own.records.slots) >= idempotency.MostKeys {
		own.records.sweep(s.now())
	}
	if len(own.records.slots) >= idempotency.MostKeys {
		return idempotency.Record{}, idempotency.ErrFull
	}
	s.put(own, r)
	return r, nil
}

// put stores a record of a user.
func (s *Once) put(own *calls, r idempotency.Record) {
	own.records.put(keyOf(r), copyOfRecord(r), s.now())
	if own.until.Before(r.ExpiresAt) {
		own.until = r.ExpiresAt
	}
	s.users.put(r.Subject, own, s.now())
}

// SettleCall replaces the record of r's claim, or returns ErrLost.
func (s *Once) SettleCall(ctx context.Context, r idempotency.Record) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	own, ok := s.claimed(r)
	if !ok {
		return idempotency.ErrLost
	}
	s.put(own, r)
	return nil
}

// ReleaseCall removes the record of r's claim, if it exists.
func (s *Once) ReleaseCall(ctx context.Context, r idempotency.Record) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if own, ok := s.claimed(r); ok {
		own.records.remove(keyOf(r))
	}
	return nil
}

// claimed returns the calls of r's user, and whether r's claim holds the record.
func (s *Once) claimed(r idempotency.Record) (*calls, bool) {
	own, ok := s.users.get(r.Subject, s.now())
	if !ok {
		return nil, false
	}
	found, ok := own.records.get(keyOf(r), s.now())
	return own, ok && found.Claim == r.Claim
}

func keyOf(r idempotency.Record) callKey { return callKey{r.Tool, r.Key} }

func copyOfRecord(r idempotency.Record) idempotency.Record {
	r.Result = bytes.Clone(r.Result)
	return r
}
