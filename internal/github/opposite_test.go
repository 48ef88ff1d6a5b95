package github

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"basecamp-mcp/internal/writeplan"
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
			if _, known := stateDocuments[w.node]; w.node != "" && w.node != valuesNode && !known {
				t.Errorf("%s: the state of a %s cannot be read", w.write, w.node)
			}
			if w.by != "" && w.node != "" && rowOf(w.by).what == "" {
				t.Errorf("%s: its opposite %s has no row", w.write, w.by)
			}
		}
	}
}

// A write whose old state cannot be read is carried out, unless it puts a text in place of another.
func TestOpposite_OfAStateThatCannotBeRead(t *testing.T) {
	for what, test := range map[string]struct {
		change Fields
		sent   bool
	}{
		"a state": {Fields{"state": "closed"}, true},
		"a text":  {Fields{"title": "Bell"}, false},
	} {
		c, all := recording(t, says(403, `{"message": "Resource not accessible"}`), says(200, issueJSON))
		ctx, journal := writeplan.WithJournal(t.Context(), func(context.Context) error { return nil })
		_, err := c.UpdateIssue(ctx, shop, 12, test.change)
		if sent := len(*all) == 2; sent != test.sent || (err == nil) != test.sent {
			t.Errorf("%s: %+v, %v", what, *all, err)
		}
		if steps := journal.Steps(); test.sent && (len(steps) != 1 || steps[0].Cannot != "GitHub did not say what was there before") {
			t.Errorf("%s: %+v", what, steps)
		}
	}
}
