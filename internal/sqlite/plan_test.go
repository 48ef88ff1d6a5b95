package sqlite

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// wholeTable matches a step of a query plan that reads the table from end to end.
var wholeTable = regexp.MustCompile(`^SCAN items\b`)

func TestStore_HoldsTheSuitesOfAnEngineAndScansNoTable(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	path := pathIn(t)
	texts := map[string]bool{}
	hold(t, path, func(s *Store) {
		for _, of := range []*statements{&s.writes, &s.reads} {
			for query := range of.known {
				texts[query] = true
			}
		}
	})
	s := openAt(t, path, nil)
	must(t, s.sweep(t.Context()))
	for _, query := range slices.Concat(slices.Collect(maps.Keys(texts)), slices.Collect(maps.Keys(s.writes.known))) {
		rows, err := s.pools[1].QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+query, make([]any, strings.Count(query, "?"))...)
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
