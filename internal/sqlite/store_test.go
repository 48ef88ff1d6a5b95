package sqlite

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"basecamp-mcp/internal/authserver"
	"basecamp-mcp/internal/items"
	"basecamp-mcp/internal/sealkey"
	"basecamp-mcp/internal/storetest"
)

// openAt opens a store that is closed when the test ends. Its keys are in a file.
func openAt(t *testing.T, path string, now func() time.Time) *Store {
	t.Helper()
	s, err := Open(t.Context(), path, Options{Keys: sealkey.InFile(path), Now: now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { must(t, s.Close()) })
	return s
}

func pathIn(t *testing.T) string { return filepath.Join(t.TempDir(), "sandbox.db") }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// hold runs the suites of an engine on the file at a path, which they share. It calls after with
// each store that it has used.
func hold(t *testing.T, path string, after func(*Store)) {
	used := func(t *testing.T, now func() time.Time) *Store {
		s := openAt(t, path, now)
		t.Cleanup(func() { after(s) })
		return s
	}
	storetest.Engine(t, func(t *testing.T, now func() time.Time) items.Engine { return engine{used(t, now)} })
	storetest.Races(t, func(t *testing.T, now func() time.Time) storetest.Stores {
		s := used(t, now)
		return storetest.Stores{Lists: s, Tasks: s, Calls: s, Auth: authserver.NewStore(s)}
	})
}

func TestStore_WebPagesDisplaceNoConnection(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	storetest.Floods(t, func(t *testing.T, now func() time.Time) (authserver.Store, storetest.Flood) {
		s := openAt(t, pathIn(t), now)
		return authserver.NewStore(s), s.flood
	})
}

// flood saves all in one transaction.
func (s *Store) flood(t *testing.T, clients []authserver.Client, states []authserver.LoginState) {
	var all []items.Item
	for _, c := range clients {
		all = append(all, itemOf(t, items.Key{Kind: "client", Name: digest(c.ID)}, c, c.ExpiresAt))
	}
	for _, state := range states {
		all = append(all, itemOf(t, items.Key{Kind: "state", Name: string(state.Key)}, state, state.ExpiresAt))
	}
	s.fill(t, all)
	must(t, s.sweep(t.Context()))
}

// fill puts items in one transaction.
func (s *Store) fill(t *testing.T, all []items.Item) {
	t.Helper()
	must(t, s.transact(t.Context(), "FULL", func(tx items.Tx) error {
		for _, i := range all {
			if err := tx.Put(i); err != nil {
				return err
			}
		}
		return nil
	}))
}

func itemOf(t *testing.T, k items.Key, v any, expires time.Time) items.Item {
	t.Helper()
	body, err := json.Marshal(v)
	must(t, err)
	return items.Item{Key: k, Body: body, Expires: expires}
}

// digest returns the name of an item for a text that a client chooses.
func digest(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }
