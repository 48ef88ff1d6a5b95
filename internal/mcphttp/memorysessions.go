package mcphttp

import (
	"context"
	"sync"
)

// memorySessions is the number of ended IDs that MemorySessions keeps, about 1 MB.
const memorySessions = 10_000

// MemorySessions stores the latest 10,000 ended session IDs in memory. The zero value is ready to
// use.
type MemorySessions struct {
	mu    sync.Mutex
	ended map[string]struct{}
	order []string // a ring when full; next is the oldest
	next  int
}

// End stores the ID. It never fails.
func (s *MemorySessions) End(_ context.Context, id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.ended[id]; known {
		return nil
	}
	if s.ended == nil {
		s.ended = make(map[string]struct{})
	}
	s.ended[id] = struct{}{}
	if len(s.order) < memorySessions {
		s.order = append(s.order, id)
		return nil
	}
	delete(s.ended, s.order[s.next])
	s.order[s.next] = id
	s.next = (s.next + 1) % memorySessions
	return nil
}

// Ended reports whether the ID is stored.
func (s *MemorySessions) Ended(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ended := s.ended[id]
	return ended
}
