package memory

import (
	"context"
	"sync"
	"time"

	"basecamp-mcp/internal/audit"
)

// mostEntries is the maximum number of entries of one user.
const mostEntries = 1_000

// Audit is an audit.Store that keeps the latest thousand entries of each of ten thousand users. It
// is safe for concurrent use.
type Audit struct {
	now func() time.Time

	mu     sync.Mutex
	trails *shelf[string, *trail]
}

var _ audit.Store = (*Audit)(nil)

// NewAudit returns an empty store. now returns the time; nil means the real time.
func NewAudit(now func() time.Time) *Audit {
	if now == nil {
		now = time.Now
	}
	return &Audit{now: now, trails: newShelf[string](mostOfAKind, (*trail).end)}
}

// AddEntry adds e. Adding the same entry again changes nothing. It returns ErrTaken if another
// entry has its ID.
func (s *Audit) AddEntry(ctx context.Context, subject string, e audit.Entry) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.trails.get(subject, s.now())
	if !ok {
		t = &trail{}
	}
	if err := t.add(e); err != nil {
		return err
	}
	s.trails.put(subject, t, s.now())
	return nil
}

// Entries returns the entries whose ID is less than before, newest first.
func (s *Audit) Entries(ctx context.Context, subject, before string, limit int) ([]audit.Entry, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.trails.get(subject, s.now())
	if !ok {
		return nil, nil
	}
	return t.entriesBefore(before, audit.OldestID(s.now().Add(-audit.Retention)), limit), nil
}
