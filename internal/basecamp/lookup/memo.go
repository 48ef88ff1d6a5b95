package lookup

import (
	"sync"
	"time"
)

// memo is a cache. An entry expires after the duration remembered. The total weight of the
// entries is limited.
type memo[K comparable, V any] struct {
	limit int // of the total weight
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

func newMemo[K comparable, V any](limit int, weigh func(K, V) int, now func() time.Time) *memo[K, V] {
	return &memo[K, V]{limit: limit, weigh: weigh, now: now, entries: map[K]memoEntry[V]{}}
}

// unitWeight returns 1: it is for values of about equal size.
func unitWeight[K comparable, V any](K, V) int { return 1 }

// get returns a value and its age. It returns false if the value is missing or has expired.
func (m *memo[K, V]) get(key K) (V, time.Duration, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	entry, ok := m.entries[key]
	age := m.now().Sub(entry.since)
	if !ok || age >= Remembered {
		var none V
		return none, 0, false
	}
	return entry.value, age, true
}

// put stores a value. If the total weight becomes too large, put drops all other values: this is
// rare, and reading them again is cheap.
func (m *memo[K, V]) put(key K, value V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if entry, known := m.entries[key]; known {
		m.weight -= m.weigh(key, entry.value)
	}
	m.weight += m.weigh(key, value)
	if m.weight > m.limit {
		clear(m.entries)
		m.weight = m.weigh(key, value)
	}
	m.entries[key] = memoEntry[V]{value, m.now()}
}

// forgetAll drops the values whose keys match.
func (m *memo[K, V]) forgetAll(match func(K) bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for key, entry := range m.entries {
		if match(key) {
			m.weight -= m.weigh(key, entry.value)
			delete(m.entries, key)
		}
	}
}
