package basecamp

import (
	"context"
	"net/http"
	"testing"

	"basecamp-mcp/internal/wire/writeplan"
)

// A write whose old state cannot be read is carried out, unless it puts a text in place of another.
func TestOpposite_OfAStateThatCannotBeRead(t *testing.T) {
	for what, test := range map[string]struct {
		write func(context.Context, *Client) error
		sent  bool
	}{
		"a priority": {func(ctx context.Context, c *Client) error { return c.Prioritize(ctx, 7, true) }, true},
		"a text": {func(ctx context.Context, c *Client) error {
			_, err := CommentAt.Put(ctx, c, map[string]any{"content": "New"}, 7)
			return err
		}, false},
	} {
		sent := false
		c := answering(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				w.WriteHeader(http.StatusForbidden)
				return
			}
			sent = true
			_, _ = w.Write([]byte(`{"id": 7}`))
		})
		ctx, journal := writeplan.WithJournal(t.Context(), func(context.Context) error { return nil })
		err := test.write(ctx, c)
		if sent != test.sent || (err == nil) != test.sent {
			t.Errorf("%s: sent %v, %v", what, sent, err)
		}
		if steps := journal.Steps(); test.sent && (len(steps) != 1 || steps[0].Cannot != "what was there before could not be read") {
			t.Errorf("%s: %+v", what, steps)
		}
	}
}
