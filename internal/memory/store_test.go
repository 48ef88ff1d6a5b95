package memory

import (
	"errors"
	"testing"
	"time"

	"basecamp-mcp/internal/audit"
	"basecamp-mcp/internal/authserver"
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

// TestStore_HoldsEverySuite also holds the rules of items, for every engine. Each suite has its
// stores.
func TestStore_HoldsEverySuite(t *testing.T) {
	storetest.All(t, func(_ *testing.T, now func() time.Time) storetest.Stores {
		s := New(now)
		return storetest.Stores{
			Lists: s, Tasks: s, Undo: s, Links: s, Once: s, Audit: s, EndCall: s.EndCall, Auth: authserver.NewStore(s),
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
	e := &engine{now: func() time.Time { return now }, rows: map[items.Key]*row{}, names: map[owned][]string{}}
	put := func(kind, owner, name string, life time.Duration) {
		t.Helper()
		must(t, e.Write(t.Context(), false, func(tx items.Tx) error {
			return tx.Put(items.Item{Key: items.Key{Kind: kind, Owner: owner, Name: name}, Body: []byte("{}"), Expires: now.Add(life)})
		}))
	}
	l := items.Limits[len(items.Limits)-1] // of an owner
	for i := range l.Most + sweepPuts {
		name := audit.NewID(now.Add(time.Duration(i) * time.Millisecond))
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

func TestEngine_AFailedWriteChangesNothing(t *testing.T) {
	e := &engine{now: time.Now, rows: map[items.Key]*row{}, names: map[owned][]string{}}
	item := func(name, body string) items.Item {
		return items.Item{Key: items.Key{Kind: "k", Name: name}, Body: []byte(body)}
	}
	must(t, e.Write(t.Context(), false, func(tx items.Tx) error {
		return errors.Join(tx.Put(item("a", `"1"`)), tx.Put(item("b", `"1"`)))
	}))
	failure := errors.New("no")
	err := e.Write(t.Context(), false, func(tx items.Tx) error {
		must(t, errors.Join(tx.Put(item("a", `"2"`)), tx.Put(item("a", `"3"`)), tx.Remove(item("b", "").Key), tx.Put(item("c", `"1"`)), tx.Remove(item("c", "").Key)))
		return failure
	})
	if !errors.Is(err, failure) {
		t.Error(err)
	}
	found, err := e.List(t.Context(), items.Range{Kind: "k"})
	must(t, err)
	if len(found) != 2 || string(found[0].Body) != `"1"` || found[1].Name != "b" {
		t.Errorf("%+v", found)
	}
}
