package e2e

import (
	"strings"
	"testing"
)

func TestBrowser_LimitsAClient(t *testing.T) {
	t.Parallel()
	for name, javaScript := range map[string]bool{"with JavaScript": true, "without JavaScript": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, b := start(t), browse(t, javaScript)
			app, arrived := listening(t, s)
			begun := app.begins()
			b.goes(begun.url)
			b.does("unfold", "Limit what it may do")
			b.does("tick", "Close pings")
			b.clicks("Approve")
			b.clicks("Marguerite Osei")
			app.redeem(arrived.next(t).Get("code"), begun.verifier)

			b.goes(s.at("/account"))
			b.clicks("Continue to Basecamp")
			b.clicks("Marguerite Osei")
			b.does("read", "Does not use pings.")
			b.wants(b.clicks("Change the limits of Walk"), "Limit “Walk”", "Save")
			b.does("tick", "Uses only")
			seen := b.clicks("Save")
			b.wants(seen, "Connected apps", "Disconnect Walk", "Disconnect everything")
			if !strings.HasPrefix(seen.Status, "Saved.") {
				t.Errorf("the status is %q", seen.Status)
			}
			b.does("read", "Uses only your tasks and checklists.")
		})
	}
}
