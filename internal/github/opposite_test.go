package github

import "testing"

// Every write has an opposite, or says why it has none.
func TestPlanRows_SayWhatUndoesThem(t *testing.T) {
	for write, row := range planRows {
		undo := row.undo
		if undo.cannot != "" && undo.by != "" {
			t.Errorf("%s: %+v can be undone and cannot", write, undo)
		}
		if row.makes && undo.by == "" && undo.cannot == "" {
			t.Errorf("%s: nothing removes what it makes, and there is no reason", write)
		}
		if row.makes && row.node != "" && undo.id == "" {
			t.Errorf("%s: its opposite has no ID of what was made", write)
		}
		if row.about != "" && row.node == "" && undo.cannot == "" {
			t.Errorf("%s: the type of the node is not known", write)
		}
		if _, known := stateDocuments[row.node]; row.node != "" && row.node != valuesNode && !known {
			t.Errorf("%s: the state of a %s cannot be read", write, row.node)
		}
		if undo.by != "" && row.node != "" && planRows[undo.by].what == "" {
			t.Errorf("%s: its opposite %s has no row", write, undo.by)
		}
	}
}
