package memory

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"basecamp-mcp/internal/hub"
)

// mostHub is how many rows a store keeps.
const mostHub = 20_000

type hubKey struct{ subject, key string }

// Hub is a hub.Store. It is safe for concurrent use.
type Hub struct {
	now func() time.Time

	mu   sync.Mutex
	rows *shelf[hubKey, hub.Row]
}

var _ hub.Store = (*Hub)(nil)

// NewHub returns an empty store. Its clock is now; nil means the real time.
func NewHub(now func() time.Time) *Hub {
	if now == nil {
		now = time.Now
	}
	never := time.Unix(1<<40, 0)
	return &Hub{now: now, rows: newShelf[hubKey](mostHub, func(r hub.Row) time.Time {
		if r.ExpiresAt.IsZero() {
			return never
		}
		return r.ExpiresAt
	})}
}

// HubRows returns the user's rows whose keys have a prefix, in the order of the keys.
func (s *Hub) HubRows(ctx context.Context, subject, prefix string) (found []hub.Row, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for key := range s.rows.slots {
		if r, ok := s.rows.get(key, s.now()); ok && key.subject == subject && strings.HasPrefix(key.key, prefix) {
			r.Body = bytes.Clone(r.Body)
			found = append(found, r)
		}
	}
	slices.SortFunc(found, func(a, b hub.Row) int { return strings.Compare(a.Key, b.Key) })
	return found, nil
}

// SaveHub writes rows, or returns ErrChanged.
func (s *Hub) SaveHub(ctx context.Context, subject string, rows ...hub.Row) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range rows {
		if now, _ := s.rows.get(hubKey{subject, r.Key}, s.now()); now.Revision != r.Revision-1 {
			return hub.ErrChanged
		}
	}
	for _, r := range rows {
		r.Body = bytes.Clone(r.Body)
		s.rows.put(hubKey{subject, r.Key}, r, s.now())
	}
	return nil
}
