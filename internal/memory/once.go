package memory

import (
	"bytes"
	"context"
	"sync"
	"time"

	"basecamp-mcp/internal/once"
)

// mostCalls bounds Once: results may be large.
const mostCalls = 1_000

// Once is a once.Store that keeps the latest thousand records. It is safe for concurrent use.
type Once struct {
	now func() time.Time

	mu      sync.Mutex
	records *shelf[callKey, once.Record]
}

type callKey struct{ subject, tool, key string }

var _ once.Store = (*Once)(nil)

// NewOnce gives an empty store whose time is now, or the real one for nil.
func NewOnce(now func() time.Time) *Once {
	if now == nil {
		now = time.Now
	}
	return &Once{now: now, records: newShelf[callKey](mostCalls, func(r once.Record) time.Time { return r.ExpiresAt })}
}

// ClaimCall adds r, or gives the record that is there with ErrTaken.
func (s *Once) ClaimCall(ctx context.Context, r once.Record) (once.Record, error) {
	if err := ctx.Err(); err != nil {
		return once.Record{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if found, ok := s.records.get(keyOf(r), s.now()); ok {
		return copyOfRecord(found), once.ErrTaken
	}
	s.records.put(keyOf(r), copyOfRecord(r), s.now())
	return r, nil
}

// SettleCall replaces the record of r's claim, or gives ErrLost.
func (s *Once) SettleCall(ctx context.Context, r once.Record) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.claimed(r) {
		return once.ErrLost
	}
	s.records.put(keyOf(r), copyOfRecord(r), s.now())
	return nil
}

// ReleaseCall removes the record of r's claim, if it is there.
func (s *Once) ReleaseCall(ctx context.Context, r once.Record) error {
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

func (s *Once) claimed(r once.Record) bool {
	found, ok := s.records.get(keyOf(r), s.now())
	return ok && found.Claim == r.Claim
}

func keyOf(r once.Record) callKey { return callKey{r.Subject, r.Tool, r.Key} }

func copyOfRecord(r once.Record) once.Record {
	r.Result = bytes.Clone(r.Result)
	return r
}
