// Package memory implements every Store in memory, for a server on one machine and for tests. It
// loses everything when the process ends, and removes what has expired. Its size is limited:
// unknown clients can displace each other, but they cannot exhaust the memory.
package memory

import (
	"context"
	"crypto/rand"
	"slices"
	"sync"
	"time"

	"basecamp-mcp/internal/store/items"
)

// Store is every Store (items.Store), in memory. It is safe for concurrent use.
type Store struct{ *items.Store }

// New returns empty stores. now returns the time; nil means the real time.
func New(now func() time.Time) *Store {
	if now == nil {
		now = time.Now
	}
	return &Store{items.New(NewEngine(now), items.Options{Keys: newKey(), Now: now, Local: true})}
}

// key is the only key, with which tokens are sealed.
type key []byte

func newKey() key {
	k := make(key, 32)
	_, _ = rand.Read(k) // never fails
	return k
}

// Current returns the key.
func (k key) Current(context.Context) (string, []byte, error) { return "k", k, nil }

// Key returns the key.
func (k key) Key(context.Context, string) ([]byte, error) { return k, nil }

// engine keeps items in memory.
type engine struct {
	now func() time.Time

	mu    sync.RWMutex
	rows  map[items.Key]*row
	names map[owned][]string // in order
	age   int64              // of the item that was put last
	puts  int                // since the last sweep

	before []change // by the write in progress
}

// NewEngine returns an empty items.Engine.
func NewEngine(now func() time.Time) items.Engine {
	return &engine{now: now, rows: map[items.Key]*row{}, names: map[owned][]string{}}
}

type row struct {
	items.Item
	age int64
}

// owned are the items of a kind that an owner has.
type owned struct{ kind, owner string }

// sweepPuts is after how many new items the expired ones are removed.
const sweepPuts = 1_000

// Find returns items.
func (e *engine) Find(ctx context.Context, keys ...items.Key) ([]items.Item, error) {
	return e.FindTogether(ctx, keys...)
}

// FindTogether returns items as they are at one moment.
func (e *engine) FindTogether(ctx context.Context, keys ...items.Key) ([]items.Item, error) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	var found []items.Item
	now := e.now()
	for _, k := range keys {
		if r := e.rows[k]; r != nil && r.isLive(now) {
			found = append(found, r.Item)
		}
	}
	return found, ctx.Err()
}

// List returns the items of a range.
func (e *engine) List(ctx context.Context, r items.Range) ([]items.Item, error) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.list(r), ctx.Err()
}

// Write carries out a write, alone.
func (e *engine) Write(ctx context.Context, do func(items.Tx) error) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	e.before = e.before[:0]
	if err := do(tx{e}); err != nil {
		for _, c := range slices.Backward(e.before) {
			e.set(c.Key, c.was)
		}
		return err
	}
	if e.puts >= sweepPuts {
		e.sweep()
	}
	return nil
}

func (r *row) isLive(now time.Time) bool { return r.Expires.IsZero() || now.Before(r.Expires) }

func (e *engine) list(r items.Range) (found []items.Item) {
	names, now := e.names[owned{r.Kind, r.Owner}], e.now()
	first, _ := slices.BinarySearch(names, r.From)
	names = names[first:]
	if r.Below != "" {
		end, _ := slices.BinarySearch(names, r.Below)
		names = names[:end]
	}
	for i := range names {
		if r.Descending {
			i = len(names) - 1 - i
		}
		one := e.rows[items.Key{Kind: r.Kind, Owner: r.Owner, Name: names[i]}]
		if one.isLive(now) {
			found = append(found, one.Item)
		}
		if len(found) == r.Limit && r.Limit > 0 {
			break
		}
	}
	return found
}

// set makes a row the one of its key; nil removes that.
func (e *engine) set(k items.Key, r *row) {
	of := owned{k.Kind, k.Owner}
	names := e.names[of]
	at, exists := slices.BinarySearch(names, k.Name)
	switch {
	case r == nil && exists:
		names = slices.Delete(names, at, at+1)
	case r != nil && !exists:
		names = slices.Insert(names, at, k.Name)
	}
	if e.names[of] = names; len(names) == 0 {
		delete(e.names, of)
	}
	if e.rows[k] = r; r == nil {
		delete(e.rows, k)
	}
}

// sweep removes expired items, and those above the limits.
func (e *engine) sweep() {
	e.puts = 0
	now, kinds, fewer := e.now(), map[string][]*row{}, map[owned]bool{}
	remove := func(k items.Key) {
		delete(e.rows, k)
		fewer[owned{k.Kind, k.Owner}] = true
	}
	for k, r := range e.rows {
		if r.isLive(now) {
			kinds[k.Kind] = append(kinds[k.Kind], r)
		} else {
			remove(k)
		}
	}
	for _, l := range items.Limits {
		if len(kinds[l.Kind]) <= l.Most {
			continue
		}
		slices.SortFunc(kinds[l.Kind], func(a, b *row) int { return int(b.age - a.age) })
		kept := map[string]int{}
		for _, r := range kinds[l.Kind] {
			group := e.groupOf(l.By, r)
			if kept[group]++; kept[group] > l.Most {
				remove(r.Key)
			}
		}
	}
	for of := range fewer {
		e.names[of] = slices.DeleteFunc(e.names[of], func(name string) bool { return e.rows[items.Key{Kind: of.kind, Owner: of.owner, Name: name}] == nil })
		if len(e.names[of]) == 0 {
			delete(e.names, of)
		}
	}
}

// groupOf returns the group with which an item is counted.
func (e *engine) groupOf(by items.Group, r *row) string {
	switch by {
	case items.Owner:
		return r.Owner
	case items.State:
		return items.StateOf(r.Body)
	case items.Connected:
		if e.rows[items.Key{Kind: items.ConnectedKind, Name: r.Name}] != nil {
			return "connected"
		}
	}
	return ""
}

// change is what a write replaced; nil if there was nothing.
type change struct {
	items.Key
	was *row
}

// tx is a write in progress.
type tx struct{ *engine }

// Find returns an item.
func (t tx) Find(k items.Key) ([]items.Item, error) {
	if r := t.rows[k]; r != nil && r.isLive(t.now()) {
		return []items.Item{r.Item}, nil
	}
	return nil, nil
}

// New does nothing: a read costs nothing.
func (tx) New(items.Key) {}

// Count counts items.
func (t tx) Count(kind, owner string) (int, error) {
	return len(t.list(items.Range{Kind: kind, Owner: owner})), nil
}

// Put adds or replaces an item.
func (t tx) Put(i items.Item) error {
	t.age++
	t.puts++
	t.change(i.Key, &row{i, t.age})
	return nil
}

// Remove deletes an item, if it exists.
func (t tx) Remove(k items.Key) error {
	t.change(k, nil)
	return nil
}

func (t tx) change(k items.Key, r *row) {
	t.before = append(t.before, change{k, t.rows[k]})
	t.set(k, r)
}
