package sqlite

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/proof/storetest"
	"basecamp-mcp/internal/signin/provider"
	"basecamp-mcp/internal/store/items"
	"basecamp-mcp/internal/store/sealkey"
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

func saveTokens(t *testing.T, g items.Grants, subject, writer string) (version string) {
	t.Helper()
	version, err := g.Save(t.Context(), subject, writer, provider.Tokens{Revision: 1, AccessToken: "planted-" + subject, RefreshToken: "planted-refresh-" + subject})
	must(t, err)
	return version
}

// wholeTable matches a step of a query plan that reads the table from end to end.
var wholeTable = regexp.MustCompile(`^SCAN items\b`)

func TestEngine_HoldsItsSuiteAndScansNoTable(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	texts := map[string]bool{}
	path := pathIn(t)
	used := func(t *testing.T, now func() time.Time) *Store {
		s := openAt(t, path, now)
		t.Cleanup(func() {
			for _, query := range slices.AppendSeq(slices.Collect(maps.Keys(s.writes.known)), maps.Keys(s.reads.known)) {
				texts[query] = true
			}
		})
		return s
	}
	storetest.Engine(t, func(t *testing.T, now func() time.Time) items.Engine { return engine{used(t, now)} })
	storetest.Races(t, func(t *testing.T, now func() time.Time) *items.Store { return used(t, now).Store })
	t.Run("limits", func(t *testing.T) {
		storetest.Limits(t, func(t *testing.T, now func() time.Time) (items.Engine, func()) {
			s := used(t, now)
			return engine{s}, func() { must(t, s.sweep(t.Context())) }
		})
	})
	s := openAt(t, path, nil)
	for query := range texts {
		rows, err := s.db.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+query, make([]any, strings.Count(query, "?"))...)
		must(t, err)
		for rows.Next() {
			var id, parent, unused int
			var step string
			must(t, rows.Scan(&id, &parent, &unused, &step))
			if wholeTable.MatchString(step) {
				t.Errorf("%s: %s", query, step)
			}
		}
		must(t, rows.Close())
	}
	if len(texts) < 10 {
		t.Errorf("only %d statements were explained", len(texts))
	}
}
