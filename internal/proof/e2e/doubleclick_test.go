package e2e

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// lurePage is a hostile page: a click opens the consent page of a client of the attacker.
const lurePage = `<!doctype html><title>Win</title><h1>Double click to win</h1><button>Win</button>
<script>document.querySelector('button').onclick = () => open('CONSENT', '_blank', 'popup,width=800,height=800')</script>`

// In owner mode the consent page is the whole login, so one click is enough to connect a client.
func TestBrowser_ADoubleClickOnAnotherPageConnectsNothing(t *testing.T) {
	t.Parallel()
	s := startOwned(t)
	b := browse(t, true)
	app, arrived := listening(t, s)
	b.goes(app.begins().url)
	b.entersTheCode(s)
	b.clicks("Approve") // from now on, this browser needs no code
	arrived.next(t)
	var begun attempt
	hostile := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, strings.Replace(lurePage, "CONSENT", begun.url, 1))
	}))
	t.Cleanup(hostile.Close)

	begun = app.begins()
	b.goes(strings.Replace(hostile.URL, "127.0.0.1", "localhost", 1)) // localhost is also another site
	seen := b.does("lure", "Approve")
	if !strings.HasPrefix(seen.URL, s.at("/authorize")) || len(arrived) > 0 {
		t.Errorf("after a double click the browser is at %s: %q, and %d answers arrived", seen.URL, seen.Heading, len(arrived))
	}
	b.does("read", "This page had only just appeared, so nothing was sent. Press the button again.")
	// Afterwards the user can still decide.
	b.clicks("Approve")
	if got := app.redeem(arrived.next(t).Get("code"), begun.verifier); got.AccessToken == "" {
		t.Errorf("no tokens: %s", got.Error)
	}
}

func TestBrowser_WithoutScriptsOneClickGivesNoAccess(t *testing.T) {
	t.Parallel()
	s, b := start(t), browse(t, false)
	app, _ := listening(t, s)
	asked := b.goes(app.begins().url)
	if seen := b.does("click", "Approve"); seen.URL != asked.URL { // the browser asks for the tick
		t.Errorf("one click leads to %s: %q", seen.URL, seen.Heading)
	}
	b.wants(b.does("tickAndClickOn", "Approve"), "Choose who you are")
	b.goes(app.begins().url)
	if seen := b.clicks("Deny"); !strings.HasPrefix(seen.URL, app.redirect+"?error=access_denied") {
		t.Errorf("without a tick, Deny leads to %s: %q", seen.URL, seen.Heading)
	}
}
