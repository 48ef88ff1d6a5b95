package sqlite

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"basecamp-mcp/internal/audit"
	"basecamp-mcp/internal/authserver"
	"basecamp-mcp/internal/checklist"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/hub"
	"basecamp-mcp/internal/idempotency"
	"basecamp-mcp/internal/items"
	"basecamp-mcp/internal/sealkey"
	"basecamp-mcp/internal/storetest"
	"basecamp-mcp/internal/task"
	"basecamp-mcp/internal/undo"
)

// openAt opens a store that is closed when the test ends. Its keys are in a file.
func openAt(t *testing.T, path string, now func() time.Time) *Store {
	t.Helper()
	s, err := Open(t.Context(), path, Options{Program: "test", Keys: sealkey.InFile(path), Now: now})
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

// hold runs every suite on the file at a path, which the suites share.
func hold(t *testing.T, path string) {
	open := func(t *testing.T, now func() time.Time) *Store { return openAt(t, path, now) }
	t.Run("auth", func(t *testing.T) {
		storetest.AuthStore(t, func(t *testing.T, now func() time.Time) authserver.Store { return authserver.NewStore(open(t, now)) })
	})
	t.Run("records", func(t *testing.T) {
		storetest.Records(t, func(t *testing.T) grant.Records { return open(t, nil).Records("first") })
		storetest.SeparateRecords(t, func(t *testing.T, provider string) grant.Records { return open(t, nil).Records(provider) })
	})
	t.Run("grants", func(t *testing.T) {
		storetest.Grants(t, func(t *testing.T) grant.Store { return open(t, nil).Grants("first") })
		storetest.SeparateGrants(t, func(t *testing.T, provider string) grant.Store { return open(t, nil).Grants(provider) })
	})
	t.Run("checklists", func(t *testing.T) {
		storetest.Checklists(t, func(t *testing.T, now func() time.Time) checklist.Store { return open(t, now) })
	})
	t.Run("tasks", func(t *testing.T) {
		storetest.Tasks(t, func(t *testing.T) task.Store { return open(t, nil) })
	})
	t.Run("undo", func(t *testing.T) {
		storetest.Undo(t, func(t *testing.T, now func() time.Time) undo.Store { return open(t, now) })
	})
	t.Run("hub", func(t *testing.T) {
		storetest.Hub(t, func(t *testing.T, now func() time.Time) hub.Store { return open(t, now) })
	})
	t.Run("once", func(t *testing.T) {
		storetest.Once(t, func(t *testing.T, now func() time.Time) idempotency.Store { return open(t, now) })
	})
	t.Run("audit", func(t *testing.T) {
		storetest.Audit(t, func(t *testing.T, now func() time.Time) audit.Store { return open(t, now) })
	})
	t.Run("endings", func(t *testing.T) {
		storetest.Endings(t, func(t *testing.T, now func() time.Time) storetest.EndStore {
			s := open(t, now)
			return storetest.EndStore{Calls: s, Entries: s, EndCall: s.EndCall}
		})
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
		all = append(all, itemOf(t, items.Key{Kind: "login state", Name: string(state.Key)}, state, state.ExpiresAt))
	}
	s.fill(t, all)
	must(t, s.sweep(t.Context()))
}

// fill puts items in one transaction.
func (s *Store) fill(t *testing.T, all []items.Item) {
	t.Helper()
	must(t, s.transact(t.Context(), func(tx *tx) error {
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
