package memory

import (
	"context"
	"sync"

	"basecamp-mcp/internal/grant"
)

// Records is the grant.Records of one provider. It holds a record for each user who has ever logged
// in. It is safe for concurrent use.
type Records struct {
	mu      sync.Mutex
	records map[string]grant.Record
}

var _ grant.Records = (*Records)(nil)

// NewRecords returns an empty store.
func NewRecords() *Records { return &Records{records: map[string]grant.Record{}} }

// Record returns a user's record, or ErrNotFound.
func (s *Records) Record(ctx context.Context, subject string) (grant.Record, error) {
	if err := ctx.Err(); err != nil {
		return grant.Record{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c, ok := s.records[subject]
	if !ok {
		return grant.Record{}, grant.ErrNotFound
	}
	return c, nil
}

// SaveRecord writes c with Change+1 over the record from which it was read. It returns ErrConflict
// if that record has changed or does not exist any more.
func (s *Records) SaveRecord(ctx context.Context, c grant.Record) (grant.Record, error) {
	if err := ctx.Err(); err != nil {
		return grant.Record{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.records[c.Subject].Change != c.Change {
		return grant.Record{}, grant.ErrConflict
	}
	c.Change++
	s.records[c.Subject] = c
	return c, nil
}

// DeleteRecord removes the record, if it exists.
func (s *Records) DeleteRecord(ctx context.Context, subject string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.records, subject)
	return nil
}

// RemoveRecord removes the record if it has not changed since it was read. Otherwise it returns
// ErrConflict.
func (s *Records) RemoveRecord(ctx context.Context, r grant.Record) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if stored, ok := s.records[r.Subject]; !ok || stored.Change != r.Change {
		return grant.ErrConflict
	}
	delete(s.records, r.Subject)
	return nil
}
