package grant

import (
	"sync"
	"time"
)

const memoSize = 1000

// memo remembers something of each person until a time.
type memo[V any] struct {
	mu      sync.Mutex
	entries map[string]memoEntry[V] // by subject: what is one person's is never found for another
}

type memoEntry[V any] struct {
	value        V
	since, until time.Time
}

func newMemo[V any]() *memo[V] { return &memo[V]{entries: map[string]memoEntry[V]{}} }

func (m *memo[V]) get(subject string, now time.Time) (V, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	entry, ok := m.entries[subject]
	if ok && !now.Before(entry.until) {
		delete(m.entries, subject)
		ok = false
	}
	if !ok {
		var none V
		return none, false
	}
	return entry.value, true
}

// put remembers until a time a value that was true at since, unless a later one is known. When there are too many, all are
// forgotten: that is rare, and cheap to mend.
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
