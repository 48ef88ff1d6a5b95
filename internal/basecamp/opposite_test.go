package basecamp

import (
	"reflect"
	"strings"
	"testing"
)

// Every write has an opposite, or says why it has none.
func TestPlanRows_SayWhatUndoesThem(t *testing.T) {
	for _, row := range planRows {
		write, undo := row.write, row.undo
		if reflect.DeepEqual(undo, opposite{}) {
			t.Errorf("%s: no opposite, and no reason", write)
		}
		if undo.made != (row.makes != "" && undo.cannot == "") {
			t.Errorf("%s: makes %q, and its opposite is %+v", write, row.makes, undo)
		}
		if method, where, _ := strings.Cut(undo.with, " "); undo.with != "" && !strings.HasSuffix(where, "/status/") {
			if opposed, _ := planRowOf(method, strings.ReplaceAll(where, "#", "1")); strings.Contains(opposed.what, ": ") && method != "DELETE" {
				t.Errorf("%s: %s is not a row", write, undo.with)
			}
		}
	}
	if row, _ := planRowOf("POST", "things/1/others.json"); row.undo.cannot == "" {
		t.Error("what is not in the table has an opposite")
	}
}
