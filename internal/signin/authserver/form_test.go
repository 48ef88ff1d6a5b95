package authserver_test

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// unwatched sends a page's form as a browser without scripts does, some time after it has the page.
func (b *browser) unwatched(after time.Duration, page shown, fields ...string) shown {
	b.Helper()
	b.clock.pass(after)
	_, form := readPage(b.T, page)
	return b.submit(page, append([]string{"shown", form.Get("shown")}, fields...)...)
}

func (s shown) tooSoon() bool {
	return s.status == http.StatusForbidden && strings.Contains(s.text, "<h1>The button was pressed too soon</h1>")
}

// A page without scripts cannot hold a press back that was meant for another page.
func TestPress_WithoutScriptsCountsAfter700Milliseconds(t *testing.T) {
	h := newSignInEnv(t)
	b := h.browser()
	h.redeem(b.logIn("ines").answer(t).Get("code"))
	b.signIn(b.submit(b.get(origin+"/oauth/start?for=account")), "ines")
	for path, test := range map[string]struct {
		gives  bool // access, so that the page has a box to tick
		fields []string
	}{
		"/authorize":   {true, []string{"decision", "approve", "scope", "write"}},
		"/oauth/start": {true, nil},
		"/account":     {false, []string{"step", "all", "confirm", "yes"}},
	} {
		page := b.get(origin + path)
		if path == "/authorize" {
			page = b.get(b.asking())
		}
		if strings.Contains(page.text, `name="sure" value="yes" required`) != test.gives {
			t.Errorf("%s, to tick: %s", path, page.text)
		}
		for _, after := range []time.Duration{0, 699 * time.Millisecond} {
			if at := b.unwatched(after, page, test.fields...); !at.tooSoon() {
				t.Errorf("%s: HTTP %d leads to %q and shows %s", path, at.status, at.location(), at.text)
			}
		}
		if at := b.unwatched(time.Millisecond, page, test.fields...); at.status != http.StatusSeeOther {
			t.Errorf("%s, pressed later: HTTP %d %s", path, at.status, at.text)
		}
	}
}

func TestPress_NeedsATimeThatThisServerSealedForThePage(t *testing.T) {
	h := newSignInEnv(t)
	b := h.browser()
	_, other := readPage(t, b.get(b.asking()))
	page := b.get(b.asking())
	for _, shown := range []string{other.Get("shown"), "2026-11-23T09:00:00Z", "yes", "!", ""} {
		if at := b.unwatched(time.Second, page, "decision", "approve", "shown", shown); !at.tooSoon() {
			t.Errorf("%s: HTTP %d leads to %q", shown, at.status, at.location())
		}
	}
	if at := h.browser().unwatched(time.Second, page, "decision", "approve"); at.status != http.StatusBadRequest || at.tooSoon() {
		t.Errorf("another browser: HTTP %d: %s", at.status, at.text)
	}
}

func TestPress_DenyingNeedsNoTime(t *testing.T) {
	b := newSignInEnv(t).browser()
	page := b.get(b.asking())
	if !strings.Contains(page.text, `value="deny" class="deny" formnovalidate`) {
		t.Error("the box must be ticked")
	}
	if got := b.unwatched(0, page, "decision", "deny").answer(t).Get("error"); got != "access_denied" {
		t.Errorf("denied with %q", got)
	}
}
