package memory

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"basecamp-mcp/internal/undo"
)

// mostUndo is how many records a store keeps.
const mostUndo = 10_000

type undoKey struct{ subject, id string }

// Undo is an undo.Store. It is safe for concurrent use.
type Undo struct {
	now func() time.Time

	mu      sync.Mutex
	records *shelf[undoKey, undo.Record]
}

var _ undo.Store = (*Undo)(nil)

// NewUndo returns an empty store. Its clock is now; nil means the real time.
func NewUndo(now func() time.Time) *Undo {
	if now == nil {
		now = time.Now
	}
	return &Undo{now: now, records: newShelf[undoKey](mostUndo, func(r undo.Record) time.Time { return r.ExpiresAt })}
}

// AddUndo stores a new record, or returns ErrTaken.
func (s *Undo) AddUndo(ctx context.Context, subject string, r undo.Record) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, taken := s.records.get(undoKey{subject, r.ID}, s.now()); taken {
		return undo.ErrTaken
	}
	s.records.put(undoKey{subject, r.ID}, copiedUndo(r), s.now())
	return nil
}

// FindUndo returns a record, or ErrNotFound.
func (s *Undo) FindUndo(ctx context.Context, subject, id string) (undo.Record, error) {
	if err := ctx.Err(); err != nil {
		return undo.Record{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.records.get(undoKey{subject, id}, s.now())
	if !ok {
		return undo.Record{}, undo.ErrNotFound
	}
	return copiedUndo(r), nil
}

// Undos returns records of a user, newest first.
func (s *Undo) Undos(ctx context.Context, subject, before string, limit int) (found []undo.Record, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for key := range s.records.slots {
		r, ok := s.records.get(key, s.now())
		if ok && key.subject == subject && (before == "" || r.ID < before) {
			found = append(found, copiedUndo(r))
		}
	}
	slices.SortFunc(found, func(a, b undo.Record) int { return strings.Compare(b.ID, a.ID) })
	return found[:min(len(found), limit)], nil
}

// ChangeUndo replaces the revision before r's, or returns ErrChanged.
func (s *Undo) ChangeUndo(ctx context.Context, subject string, r undo.Record) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	stored, ok := s.records.get(undoKey{subject, r.ID}, s.now())
	if !ok || stored.Revision != r.Revision-1 {
		return undo.ErrChanged
	}
	s.records.put(undoKey{subject, r.ID}, copiedUndo(r), s.now())
	return nil
}

func copiedUndo(r undo.Record) undo.Record {
	r.About, r.Sealed = slices.Clone(r.About), bytes.Clone(r.Sealed)
	return r
}
