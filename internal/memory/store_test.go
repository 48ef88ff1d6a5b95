package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"basecamp-mcp/internal/authserver"
	"basecamp-mcp/internal/calls"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/items"
	"basecamp-mcp/internal/storetest"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

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
	storetest.All(t, func(t *testing.T, now func() time.Time) storetest.Stores {
		if now == nil {
			now = time.Now
		}
		s := items.New(twice{newEngine(now), t}, items.Options{Keys: newKey(), Now: now, Local: true})
		return storetest.Stores{
			Lists: s, Tasks: s, Calls: s, Links: s, Auth: authserver.NewStore(s),
			Records: func(provider string) grant.Records { return s.Records(provider) },
			Grants:  func(provider string) grant.Store { return s.Grants(provider) },
		}
	})
}

func TestStore_WebPagesDisplaceNoConnection(t *testing.T) {
	storetest.Floods(t, func(_ *testing.T, now func() time.Time) (authserver.Store, storetest.Flood) {
		s := New(now)
		return authserver.NewStore(s), func(t *testing.T, clients []authserver.Client, states []authserver.LoginState) {
			for _, c := range clients {
				must(t, s.SaveClient(t.Context(), c))
			}
			for _, state := range states {
				must(t, s.AddLoginState(t.Context(), state))
			}
		}
	})
}

func TestEngine_RemovesExpiredItemsAndTheOldestOfAGroup(t *testing.T) {
	now := time.Now()
	e := newEngine(func() time.Time { return now })
	put := func(kind, owner, name string, life time.Duration) {
		t.Helper()
		must(t, e.Write(t.Context(), func(tx items.Tx) error {
			return tx.Put(items.Item{Key: items.Key{Kind: kind, Owner: owner, Name: name}, Body: []byte("{}"), Expires: now.Add(life)})
		}))
	}
	l := items.Limits[len(items.Limits)-1] // of an owner
	for i := range l.Most + sweepPuts {
		name := calls.NewID(now.Add(time.Duration(i) * time.Millisecond))
		put(l.Kind, "37s:1", name, time.Hour)
	}
	put(l.Kind, "37s:2", "stays", time.Hour)
	put("other", "", "expired", time.Minute)
	now = now.Add(2 * time.Minute)
	for range sweepPuts {
		put("other", "", "again", time.Hour)
	}
	for of, want := range map[owned]int{{l.Kind, "37s:1"}: l.Most, {l.Kind, "37s:2"}: 1, {"other", ""}: 1} {
		if n := len(e.names[of]); n != want {
			t.Errorf("%v: %d items, want %d", of, n, want)
		}
	}
	if len(e.rows) != l.Most+2 {
		t.Errorf("%d rows", len(e.rows))
	}
}

func TestEngine_HoldsItsSuite(t *testing.T) {
	storetest.Engine(t, func(_ *testing.T, now func() time.Time) items.Engine { return newEngine(now) })
}
