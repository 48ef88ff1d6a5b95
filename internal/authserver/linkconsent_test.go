package authserver_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/provider/providertest"
)

// withOrchard returns an environment with a second provider.
func withOrchard(t *testing.T) (*signInEnv, *providertest.SignOn) {
	t.Helper()
	h := newSignInEnv(t)
	orchard := providertest.New(h.clock.Now)
	h.Upstreams = append(h.Upstreams, h.upstream(orchard.Provider(), h.Config.Log))
	return h, orchard
}

// hasOrchard reports whether a user has a grant of the second provider.
func (h *signInEnv) hasOrchard(subject string) bool {
	_, err := h.Upstreams[1].Keeper.Status(h.Context(), subject)
	return err == nil
}

// linking returns the redirect to Orchard's sign-on for the user of the browser's session.
func (b *browser) linking() shown {
	b.Helper()
	sent := b.submit(b.get(origin + "/oauth/start?link=orchard"))
	if sent.status != http.StatusSeeOther || !strings.HasPrefix(sent.location(), providertest.Origin) {
		b.Fatalf("HTTP %d to %q: %s", sent.status, sent.location(), sent.text)
	}
	return sent
}

func TestLink_StoresTheSecondGrantUnderTheUserOfTheSession(t *testing.T) {
	h, orchard := withOrchard(t)
	b := h.browser()
	b.start("ines")
	before := b.get(origin + "/account")
	if !strings.Contains(before.text, `href="/oauth/start?link=orchard"`) || !strings.Contains(before.text, "Link Orchard") {
		t.Errorf("the account page offers no link: %s", before.text)
	}
	callbackURL := orchard.Allow(b.linking().location(), "1")
	if !strings.HasPrefix(callbackURL, origin+"/oauth/orchard/callback?") {
		t.Fatalf("Orchard returns users to %q", callbackURL)
	}
	back := b.get(callbackURL)
	ines := b.subject("Ines Albrecht")
	if back.status != http.StatusFound || back.location() != "/account" || !b.hasOrchard(ines) {
		t.Fatalf("HTTP %d to %q, grant %t: %s", back.status, back.location(), b.hasOrchard(ines), back.text)
	}
	if b.hasOrchard(providertest.Subject("1")) {
		t.Error("the grant is stored under the subject of the second provider")
	}
	if page := b.get(origin + "/account"); strings.Contains(page.text, "Link Orchard") || !strings.Contains(page.text, "✓ Connected as") || !strings.Contains(page.text, "✓ Linked as") {
		t.Errorf("the account page does not show both providers as connected: %s", page.text)
	}
}

func TestLink_NeedsTheSessionOfTheUser(t *testing.T) {
	h, orchard := withOrchard(t)
	if got := h.browser().get(origin + "/oauth/start?link=orchard"); got.status != http.StatusFound || got.location() != "/account" {
		t.Errorf("without a session: HTTP %d to %q", got.status, got.location())
	}
	ines := h.browser()
	ines.start("ines")
	for _, id := range []string{"37signals", "elsewhere"} {
		if got := ines.get(origin + "/oauth/start?link=" + id); got.status != http.StatusNotFound {
			t.Errorf("link=%s: HTTP %d", id, got.status)
		}
	}

	sam := h.browser()
	sam.start("samo")
	page := ines.get(origin + "/oauth/start?link=orchard")
	if got := sam.submit(page); got.status != http.StatusBadRequest {
		t.Errorf("the form of another browser: HTTP %d to %q", got.status, got.location())
	}
	callbackURL := orchard.Allow(ines.linking().location(), "1")
	if got := sam.get(callbackURL); got.status != http.StatusBadRequest {
		t.Errorf("the callback in another browser: HTTP %d to %q", got.status, got.location())
	}

	callbackURL = orchard.Allow(ines.linking().location(), "1")
	ines.start("samo") // another user signs in to the same browser meanwhile
	if got := ines.get(callbackURL); got.status != http.StatusForbidden {
		t.Errorf("after another user signed in: HTTP %d to %q", got.status, got.location())
	}
	for _, name := range []string{"Ines Albrecht", "Sam Okafor"} {
		if h.hasOrchard(h.subject(name)) {
			t.Errorf("a grant was stored for %s", name)
		}
	}
}

func TestLink_ThatTheUserDeniesChangesNothing(t *testing.T) {
	h, orchard := withOrchard(t)
	b := h.browser()
	b.start("ines")
	got := b.get(orchard.Deny(b.linking().location()))
	if got.status != http.StatusForbidden || !strings.Contains(got.text, "Orchard was not linked") || b.hasOrchard(b.subject("Ines Albrecht")) {
		t.Errorf("HTTP %d: %s", got.status, got.text)
	}
}

// atPath returns a callback URL with another path, and without iss: a provider may send none.
func atPath(callbackURL, path string) string {
	u, _ := url.Parse(callbackURL)
	query := u.Query()
	query.Del("iss")
	return origin + path + "?" + query.Encode()
}

// An attacker may exchange the callbacks of two providers (RFC 9700, 4.4).
func TestCallback_RefusesTheAnswerOfAnotherProvider(t *testing.T) {
	h, orchard := withOrchard(t)
	b := h.browser()
	atBasecamp := b.atCallback("ines")
	if answer := b.get(atPath(atBasecamp, "/oauth/orchard/callback")).answer(t); answer.Get("error") != "server_error" || answer.Has("code") {
		t.Errorf("a login at the other callback: %v", answer)
	}
	if slices.Contains(b.upstreamRequests(), "POST /authorization/token") {
		t.Error("the code was exchanged")
	}
	if got := b.get(atBasecamp); got.status != http.StatusBadRequest {
		t.Errorf("the state can be used again: HTTP %d to %q", got.status, got.location())
	}

	b.start("ines")
	exchanged := len(b.upstreamRequests())
	atOrchard := orchard.Allow(b.linking().location(), "1")
	if got := b.get(atPath(atOrchard, "/oauth/callback")); got.status != http.StatusBadGateway || len(b.upstreamRequests()) != exchanged {
		t.Errorf("a link at the other callback: HTTP %d to %q, %d requests", got.status, got.location(), len(b.upstreamRequests())-exchanged)
	}
	if b.hasOrchard(b.subject("Ines Albrecht")) {
		t.Error("a grant was stored")
	}
}

func TestCallback_EachProviderHasOnePath(t *testing.T) {
	h, _ := withOrchard(t)
	b := h.browser()
	address, _ := url.Parse(b.atCallback("ines"))
	for _, path := range []string{"/oauth/37signals/callback", "/oauth/elsewhere/callback"} {
		if got := b.get(origin + path + "?" + address.RawQuery); got.status != http.StatusNotFound {
			t.Errorf("%s: HTTP %d to %q", path, got.status, got.location())
		}
	}
	b.get(address.String()).answer(t)
}

func TestDisconnect_EndsTheGrantsOfBothProviders(t *testing.T) {
	for name, end := range map[string]func(b *browser, refresh string){
		"everything on the account page": func(b *browser, _ string) { b.disconnectAll() },
		"the last app on the account page": func(b *browser, refresh string) {
			b.submit(b.get(origin+"/account"), "step", strings.Split(refresh, "_")[2])
		},
		"the last token at /revoke": func(b *browser, refresh string) {
			b.clock.pass(time.Hour)
			b.ServeHTTP(httptest.NewRecorder(), posting("/revoke", url.Values{"token": {refresh}, "client_id": {b.client}}))
		},
	} {
		h, orchard := withOrchard(t)
		b := h.browser()
		_, refresh := b.connected("ines")
		b.start("ines")
		b.get(orchard.Allow(b.linking().location(), "1"))
		ines := b.subject("Ines Albrecht")
		if !b.hasOrchard(ines) {
			t.Fatalf("%s: Orchard is not connected", name)
		}
		end(b, refresh)
		if _, err := b.keeper().Status(t.Context(), ines); err == nil || b.hasOrchard(ines) {
			t.Errorf("%s: Basecamp's grant: %v; Orchard's is left: %t", name, err, b.hasOrchard(ines))
		}
	}
}

// disconnectAll disconnects everything, by way of the confirmation page.
func (b *browser) disconnectAll() shown {
	b.Helper()
	return b.submit(b.submit(b.get(origin+"/account"), "step", "all"), "confirm", "yes")
}
