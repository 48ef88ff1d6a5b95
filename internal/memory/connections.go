package memory

import (
	"context"
	"sync"

	"basecamp-mcp/internal/grant"
)

// Connections is a grant.Connections, as large as the number of people who have ever logged in. It is safe for concurrent
// use.
type Connections struct {
	mu      sync.Mutex
	records map[string]grant.Connection
}

var _ grant.Connections = (*Connections)(nil)

// NewConnections gives an empty store.
func NewConnections() *Connections { return &Connections{records: map[string]grant.Connection{}} }

// Connection gives a person's record, or ErrNotFound.
func (s *Connections) Connection(ctx context.Context, subject string) (grant.Connection, error) {
	if err := ctx.Err(); err != nil {
		return grant.Connection{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c, ok := s.records[subject]
	if !ok {
		return grant.Connection{}, grant.ErrNotFound
	}
	return c, nil
}

// SaveConnection writes c with Change+1 over the record it was read from. ErrConflict when that is there no more.
func (s *Connections) SaveConnection(ctx context.Context, c grant.Connection) (grant.Connection, error) {
	if err := ctx.Err(); err != nil {
		return grant.Connection{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.records[c.Subject].Change != c.Change {
		return grant.Connection{}, grant.ErrConflict
	}
	c.Change++
	s.records[c.Subject] = c
	return c, nil
}

// DeleteConnection removes the record, if there is one.
func (s *Connections) DeleteConnection(ctx context.Context, subject string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.records, subject)
	return nil
}
