package authserver_test

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// unwatched sends a page's form as a browser without scripts does.
func (b *browser) unwatched(page shown, fields ...string) shown {
	b.Helper()
	_, form := readPage(b.T, page)
	return b.submit(page, append([]string{"shown", form.Get("shown")}, fields...)...)
}

func (s shown) asksAgain() bool {
	return s.status == http.StatusOK && strings.Contains(s.text, "<h1>Press once more</h1>")
}

// No form does anything when its page's script has not watched the page: not after a first press,
// and not after a second one within 700 ms.
func TestPress_WithoutScriptsNeedsASecondPage(t *testing.T) {
	h := newSignInEnv(t)
	b := h.browser()
	h.redeem(b.logIn("ines").answer(t).Get("code"))
	b.signIn(b.submit(b.get(origin+"/oauth/start?for=account")), "ines")
	for name, test := range map[string]struct {
		page   shown
		fields []string
	}{
		"consent":    {b.get(b.asking()), []string{"decision", "approve", "scope", "write"}},
		"start":      {b.get(origin + "/oauth/start"), nil},
		"disconnect": {b.get(origin + "/account"), []string{"step", "all", "confirm", "yes"}},
	} {
		at := b.unwatched(test.page, test.fields...)
		if !at.asksAgain() {
			t.Errorf("%s: HTTP %d leads to %q and shows %s", name, at.status, at.location(), at.text)
			continue
		}
		h.clock.now = h.clock.now.Add(699 * time.Millisecond)
		if at = b.unwatched(at); !at.asksAgain() {
			t.Errorf("%s, pressed too soon: HTTP %d leads to %q", name, at.status, at.location())
			continue
		}
		h.clock.now = h.clock.now.Add(699 * time.Millisecond)
		if at = b.unwatched(at); !at.asksAgain() { // the time begins again
			t.Errorf("%s, pressed too soon twice: HTTP %d leads to %q", name, at.status, at.location())
			continue
		}
		h.clock.now = h.clock.now.Add(700 * time.Millisecond)
		if at = b.unwatched(at); at.status != http.StatusSeeOther {
			t.Errorf("%s, pressed later: HTTP %d %s", name, at.status, at.text)
		}
	}
}

func TestPress_TheSecondPageKeepsTheAnswer(t *testing.T) {
	for scope, want := range map[string]string{"write": "read write", "": "read"} {
		h := newSignInEnv(t)
		b := h.browser()
		at := b.unwatched(b.get(b.asking()), "decision", "approve", "scope", scope)
		h.clock.now = h.clock.now.Add(time.Second)
		status, tokens := h.redeem(b.signIn(b.unwatched(at), "ines").answer(t).Get("code"))
		if status != http.StatusOK || tokens["scope"] != want {
			t.Errorf("scope %q: HTTP %d %v", scope, status, tokens)
		}
	}
}

func TestPress_AFormOfAnotherBrowserIsRefusedAtOnce(t *testing.T) {
	h := newSignInEnv(t)
	page := h.browser().get(h.asking())
	if at := h.browser().unwatched(page, "decision", "approve"); at.status != http.StatusBadRequest || at.asksAgain() {
		t.Errorf("HTTP %d: %s", at.status, at.text)
	}
}

func TestPress_DenyingNeedsNoSecondPage(t *testing.T) {
	h := newSignInEnv(t)
	b := h.browser()
	if got := b.unwatched(b.get(b.asking()), "decision", "deny").answer(t).Get("error"); got != "access_denied" {
		t.Errorf("denied with %q", got)
	}
}

func TestPress_RefusesATimeThatThisServerDidNotSeal(t *testing.T) {
	h := newSignInEnv(t)
	b := h.browser()
	page := b.get(b.asking())
	other := h.browser()
	sealed := other.unwatched(other.get(other.asking()), "decision", "approve") // another form's
	_, form := readPage(t, sealed)
	h.clock.now = h.clock.now.Add(time.Second)
	for _, shown := range []string{form.Get("shown"), "2026-11-23T09:00:00Z", "yes", "!"} {
		if at := b.unwatched(page, "decision", "approve", "shown", shown); !at.asksAgain() {
			t.Errorf("%s: HTTP %d leads to %q", shown, at.status, at.location())
		}
	}
}

// The forms of the account page share a token.
func TestPress_ASecondPageCountsOnlyForItsOwnAnswer(t *testing.T) {
	h := newSignInEnv(t)
	b := h.browser()
	h.redeem(b.logIn("ines").answer(t).Get("code"))
	b.signIn(b.submit(b.get(origin+"/oauth/start?for=account")), "ines")
	for name, test := range map[string]struct {
		page          shown
		asked, answer []string
	}{
		"all instead of one":     {b.get(origin + "/account"), []string{"step", "one"}, []string{"step", "all", "confirm", "yes"}},
		"write instead of read":  {b.get(b.asking()), []string{"decision", "approve", "scope", ""}, []string{"decision", "approve", "scope", "write"}},
		"another step to go out": {b.get(origin + "/oauth/start"), nil, []string{"step", "account"}},
	} {
		_, form := readPage(t, b.unwatched(test.page, test.asked...))
		h.clock.now = h.clock.now.Add(time.Second)
		if at := b.unwatched(test.page, append(test.answer, "shown", form.Get("shown"))...); !at.asksAgain() {
			t.Errorf("%s: HTTP %d leads to %q and shows %s", name, at.status, at.location(), at.text)
		}
	}
}
