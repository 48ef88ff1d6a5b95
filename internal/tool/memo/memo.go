// Package memo keeps what was read for a few minutes. A call whose writes are planned neither uses
// nor changes what is kept, because it reads anew what it plans on. Nor does a call of a client
// that may read less than its person: what is kept belongs to all clients of the person.
package memo

import (
	"context"
	"sync"
	"time"

	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/wire/writeplan"
)

// Life is how long an entry is valid.
const Life = 5 * time.Minute

// Memo is a cache whose entries expire after Life. The total weight of the entries is limited. It
// is safe for concurrent use.
type Memo[K comparable, V any] struct {
	limit int // of the total weight
	weigh func(K, V) int
	now   func() time.Time

	mu      sync.Mutex
	entries map[K]entry[V]
	weight  int
}

type entry[V any] struct {
	value V
	since time.Time
}

// New returns an empty cache.
func New[K comparable, V any](limit int, weigh func(K, V) int, now func() time.Time) *Memo[K, V] {
	return &Memo[K, V]{limit: limit, weigh: weigh, now: now, entries: map[K]entry[V]{}}
}

// Units returns 1: it is for values of about equal size.
func Units[K comparable, V any](K, V) int { return 1 }

// Get returns a value and its age. It returns false if the value is missing or has expired.
func (m *Memo[K, V]) Get(ctx context.Context, key K) (V, time.Duration, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	found, ok := m.entries[key]
	age := m.now().Sub(found.since)
	if !ok || age >= Life || !uses(ctx) {
		var none V
		return none, 0, false
	}
	return found.value, age, true
}

// Put stores a value. If the total weight becomes too large, Put drops all other values: this is
// rare, and reading them again is cheap.
func (m *Memo[K, V]) Put(ctx context.Context, key K, value V) {
	if !uses(ctx) {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if old, known := m.entries[key]; known {
		m.weight -= m.weigh(key, old.value)
	}
	m.weight += m.weigh(key, value)
	if m.weight > m.limit {
		clear(m.entries)
		m.weight = m.weigh(key, value)
	}
	m.entries[key] = entry[V]{value, m.now()}
}

// uses reports whether a call may use and add to what is kept.
func uses(ctx context.Context) bool {
	caller, _ := identity.From(ctx)
	return writeplan.From(ctx) == nil && !caller.Fence.Hides()
}

// ForgetAll drops the values whose keys match.
func (m *Memo[K, V]) ForgetAll(ctx context.Context, match func(K) bool) {
	if writeplan.From(ctx) != nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for key, old := range m.entries {
		if match(key) {
			m.weight -= m.weigh(key, old.value)
			delete(m.entries, key)
		}
	}
}
