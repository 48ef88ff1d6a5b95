package writes

import (
	"net/http"
	"strings"
	"testing"
)

// Every write has an opposite, or says why it has none.
func TestPlanRows_SayWhatUndoesThem(t *testing.T) {
	for _, row := range planRows {
		for _, w := range row.ways {
			if row.cannot != "" && w.by != "" {
				t.Errorf("%s: %+v can be undone and cannot", w.write, w)
			}
			method, _, isREST := strings.Cut(w.write, " ")
			if isREST && method != http.MethodPatch && row.cannot == "" && w.by == "" && w.node == "" {
				t.Errorf("%s: neither another write nor the same one undoes it", w.write)
			}
			if row.makes != "" && w.by == "" {
				t.Errorf("%s: nothing removes what it makes", w.write)
			}
			if row.makes != "" && w.node != "" && w.id == "" {
				t.Errorf("%s: its opposite has no ID of what was made", w.write)
			}
			if w.about != "" && w.node == "" && row.cannot == "" {
				t.Errorf("%s: the type of the node is not known", w.write)
			}
			if _, known := StateDocuments[w.node]; w.node != "" && w.node != valuesNode && !known {
				t.Errorf("%s: the state of a %s cannot be read", w.write, w.node)
			}
			if w.by != "" && w.node != "" && rowOf(w.by).what == "" {
				t.Errorf("%s: its opposite %s has no row", w.write, w.by)
			}
		}
	}
}
