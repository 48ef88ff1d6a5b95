package memory

import (
	"bytes"
	"context"
	"sync"
	"time"

	"basecamp-mcp/internal/idempotency"
)

// mostCalls limits Once, because results may be large.
const mostCalls = 1_000

// Once is an idempotency.Store that keeps the latest thousand records. It is safe for concurrent
// use.
type Once struct {
	now func() time.Time

	mu      sync.Mutex
	records *shelf[callKey, idempotency.Record]
}

type callKey struct{ subject, tool, key string }

var _ idempotency.Store = (*Once)(nil)

// NewOnce returns an empty store. now returns the time; nil means the real time.
func NewOnce(now func() time.Time) *Once {
	if now == nil {
		now = time.Now
	}
	return &Once{now: now, records: newShelf[callKey](mostCalls, func(r idempotency.Record) time.Time { return r.ExpiresAt })}
}

// ClaimCall adds r. If a record of its key exists, it returns that one with ErrTaken.
func (s *Once) ClaimCall(ctx context.Context, r idempotency.Record) (idempotency.Record, error) {
	if err := ctx.Err(); err != nil {
		return idempotency.Record{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if found, ok := s.records.get(keyOf(r), s.now()); ok {
		return copyOfRecord(found), idempotency.ErrTaken
	}
	s.records.put(keyOf(r), copyOfRecord(r), s.now())
	return r, nil
}

// SettleCall replaces the record of r's claim, or returns ErrLost.
func (s *Once) SettleCall(ctx context.Context, r idempotency.Record) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.claimed(r) {
		return idempotency.ErrLost
	}
	s.records.put(keyOf(r), copyOfRecord(r), s.now())
	return nil
}

// ReleaseCall removes the record of r's claim, if it exists.
func (s *Once) ReleaseCall(ctx context.Context, r idempotency.Record) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.claimed(r) {
		s.records.remove(keyOf(r))
	}
	return nil
}

func (s *Once) claimed(r idempotency.Record) bool {
	found, ok := s.records.get(keyOf(r), s.now())
	return ok && found.Claim == r.Claim
}

func keyOf(r idempotency.Record) callKey { return callKey{r.Subject, r.Tool, r.Key} }

func copyOfRecord(r idempotency.Record) idempotency.Record {
	r.Result = bytes.Clone(r.Result)
	return r
}
