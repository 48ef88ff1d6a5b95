package e2e

import (
	"encoding/json"
	"strings"
	"testing"
)

// An agent that repeats its call writes nothing until its user has approved on the page.
func TestBrowser_ApprovesWhatAClientWantsToWrite(t *testing.T) {
	t.Parallel()
	for name, javaScript := range map[string]bool{"with JavaScript": true, "without JavaScript": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, b := start(t, `FENCE={"ask":["everything"]}`), browse(t, javaScript)
			app, arrived := listening(t, s)
			begun := app.begins()
			b.goes(begun.url)
			b.clicks("Approve")
			b.clicks("Marguerite Osei")
			got := app.redeem(arrived.next(t).Get("code"), begun.verifier)
			write := map[string]any{"project": "Cargo Bike Launch", "title": "Packing", "body": "Carton first.\n\n" + strings.Repeat("m", 300)}
			page := held(t, s, got.AccessToken, write)

			b.goes(page)
			b.clicks("Continue to Basecamp")
			const heading = "“Walk” wants to do this"
			b.wants(b.clicks("Marguerite Osei"), heading, "Refuse", "Approve")
			b.does("read", "create a document")
			b.does("unfold", "The exact request")
			b.does("narrow", "320")
			b.wants(b.goes(s.at("/account")), "Connected apps")
			b.does("link", "“Walk” wants to write")
			b.wants(b.goes(page), heading, "Refuse", "Approve")
			if again := held(t, s, got.AccessToken, write); again != page {
				t.Errorf("held again at %s, after %s", again, page)
			}
			b.clicks("Refuse")
			if r := call(t, s, got.AccessToken, "create_document", write); !strings.Contains(r.text(), "refused") {
				t.Errorf("after a refusal: %s", r.text())
			}
			approved := b.clicks("Approve")
			b.wants(approved, heading, "Refuse")
			if !strings.HasPrefix(approved.Status, "You approved this.") {
				t.Errorf("the status is %q", approved.Status)
			}
			if r := call(t, s, got.AccessToken, "create_document", write); r.IsError {
				t.Errorf("after the approval: %s", r.text())
			}
			if next := held(t, s, got.AccessToken, write); next != page {
				t.Errorf("the next call is held at %s", next)
			}
		})
	}
}

// held makes a call that is held, and returns the address of its page.
func held(t *testing.T, s *server, bearer string, write map[string]any) string {
	t.Helper()
	r := call(t, s, bearer, "create_document", write)
	var failed struct {
		ErrorCode string `json:"error_code"`
		Data      struct{ Held struct{ URL string } }
	}
	if err := json.Unmarshal([]byte(r.text()), &failed); err != nil || failed.ErrorCode != "HELD" {
		t.Fatalf("%v: %s", err, r.text())
	}
	return failed.Data.Held.URL
}

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
