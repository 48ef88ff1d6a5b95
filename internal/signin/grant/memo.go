package grant

import (
	"sync"
	"time"
)

const memoSize = 1000

// memo caches one value for each user until a time.
type memo[V any] struct {
	mu      sync.Mutex
	entries map[string]memoEntry[V] // by subject, so that no user receives another user's value
}

type memoEntry[V any] struct {
	value V
	since time.Time
	until time.Time // zero means forever
}

func newMemo[V any]() *memo[V] { return &memo[V]{entries: map[string]memoEntry[V]{}} }

func (m *memo[V]) get(subject string, now time.Time) (V, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	entry, ok := m.entries[subject]
	if ok && !entry.until.IsZero() && !now.Before(entry.until) {
		delete(m.entries, subject)
		ok = false
	}
	if !ok {
		var none V
		return none, false
	}
	return entry.value, true
}

// put caches a value that was true at since, unless a later one is cached. A full cache is cleared:
// that is rare, and the entries can be read again.
func (m *memo[V]) put(subject string, value V, since, until time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	old, known := m.entries[subject]
	if known && old.since.After(since) {
		return
	}
	if !known && len(m.entries) >= memoSize {
		clear(m.entries)
	}
	m.entries[subject] = memoEntry[V]{value, since, until}
}

func (m *memo[V]) drop(subject string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.entries, subject)
}
