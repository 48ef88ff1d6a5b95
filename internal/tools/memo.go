package tools

import (
	"sync"
	"time"
)

// memo remembers values for a while, as many as their weights allow.
type memo[K comparable, V any] struct {
	most  int
	weigh func(K, V) int
	now   func() time.Time

	mu      sync.Mutex
	entries map[K]memoEntry[V]
	weight  int
}

type memoEntry[V any] struct {
	value V
	since time.Time
}

func newMemo[K comparable, V any](most int, weigh func(K, V) int, now func() time.Time) *memo[K, V] {
	return &memo[K, V]{most: most, weigh: weigh, now: now, entries: map[K]memoEntry[V]{}}
}

// one weighs values that are all about the same.
func one[K comparable, V any](K, V) int { return 1 }

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

// put remembers a value. When all together weigh too much, all are forgotten: that is rare, and cheap to mend.
func (m *memo[K, V]) put(key K, value V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, known := m.entries[key]; !known {
		m.weight += m.weigh(key, value)
	}
	if m.weight > m.most {
		clear(m.entries)
		m.weight = m.weigh(key, value)
	}
	m.entries[key] = memoEntry[V]{value, m.now()}
}

// forget drops a value, for when it is known to have changed.
func (m *memo[K, V]) forget(key K) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if entry, known := m.entries[key]; known {
		m.weight -= m.weigh(key, entry.value)
		delete(m.entries, key)
	}
}
