package github

import (
	"context"
	"testing"

	"basecamp-mcp/internal/wire/writeplan"
)

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
		_, err := c.UpdateIssue(ctx, shop, 12, test.change, nil)
		if sent := len(*all) == 2; sent != test.sent || (err == nil) != test.sent {
			t.Errorf("%s: %+v, %v", what, *all, err)
		}
		if steps := journal.Steps(); test.sent && (len(steps) != 1 || steps[0].Cannot != "GitHub did not say what was there before") {
			t.Errorf("%s: %+v", what, steps)
		}
	}
}
