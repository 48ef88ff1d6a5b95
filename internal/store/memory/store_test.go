package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"basecamp-mcp/internal/proof/storetest"
	"basecamp-mcp/internal/store/items"
)

// twice runs the function of each write twice, the first time in vain. It does the same both times,
// unless it has an effect outside.
type twice struct {
	*engine
	t *testing.T
}

func (w twice) Write(ctx context.Context, do func(items.Tx) error) error {
	return w.engine.Write(ctx, func(tx items.Tx) error {
		first, second := recorded{Tx: tx}, recorded{Tx: tx}
		failed := do(&first)
		for _, c := range slices.Backward(w.before) {
			w.set(c.Key, c.was)
		}
		w.before = w.before[:0]
		err := do(&second)
		if !errors.Is(err, failed) || !slices.Equal(first.writes, second.writes) {
			w.t.Errorf("a write did %.500q, %v, and then %.500q, %v", first.writes, failed, second.writes, err)
		}
		return err
	})
}

// recorded notes what a write does.
type recorded struct {
	items.Tx
	writes []string
}

func (r *recorded) Put(i items.Item) error {
	r.writes = append(r.writes, fmt.Sprintf("put %v %s %v", i.Key, i.Body, i.Expires))
	return r.Tx.Put(i)
}

func (r *recorded) Remove(k items.Key) error {
	r.writes = append(r.writes, fmt.Sprintf("remove %v", k))
	return r.Tx.Remove(k)
}

// TestStore_HoldsEverySuite also holds the rules of items, for every engine. Each suite has its
// stores.
func TestStore_HoldsEverySuite(t *testing.T) {
	storetest.All(t, func(t *testing.T, now func() time.Time) *items.Store {
		return items.New(twice{NewEngine(now).(*engine), t}, items.Options{Keys: newKey(), Now: now, Local: true})
	})
}

func TestEngine_HoldsItsSuite(t *testing.T) {
	storetest.Engine(t, func(_ *testing.T, now func() time.Time) items.Engine { return NewEngine(now) })
	storetest.Limits(t, func(_ *testing.T, now func() time.Time) (items.Engine, func()) { return NewEngine(now), func() {} })
}
