package tools

import (
	"sync"
	"time"
)

// memo remembers values for a while, a bounded number of them.
type memo[K comparable, V any] struct {
	most int
	now  func() time.Time

	mu      sync.Mutex
	entries map[K]memoEntry[V]
}

type memoEntry[V any] struct {
	value V
	since time.Time
}

func newMemo[K comparable, V any](most int, now func() time.Time) *memo[K, V] {
	return &memo[K, V]{most: most, now: now, entries: map[K]memoEntry[V]{}}
}

// get gives a value and its age, if it is still fresh.
func (m *memo[K, V]) get(key K) (V, time.Duration, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	entry, ok := m.entries[key]
	age := m.now().Sub(entry.since)
	if !ok || age >= remembered {
		var none V
		return none, 0, false
	}
	return entry.value, age, true
}

// put remembers a value. When there are too many, all are forgotten: that is rare, and cheap to mend.
func (m *memo[K, V]) put(key K, value V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.entries) >= m.most {
		clear(m.entries)
	}
	m.entries[key] = memoEntry[V]{value, m.now()}
}
