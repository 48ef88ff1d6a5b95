package authserver_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	githubsandbox "basecamp-mcp/internal/github/sandbox"
	"basecamp-mcp/internal/signin/provider/providertest"
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

func TestLink_NeedsTheSessionOfTheUser(t *testing.T) {
	h, orchard := withOrchard(t)
	if got := h.browser().get(origin + "/oauth/start?link=orchard"); got.status != http.StatusFound || got.location() != "/account" {
		t.Errorf("without a session: HTTP %d to %q", got.status, got.location())
	}
	ines := h.browser()
	ines.start("ines")
	for _, id := range []string{"37signals", "elsewhere"} {
		wantPage(t, "link="+id, ines.get(origin+"/oauth/start?link="+id), http.StatusNotFound)
	}

	sam := h.browser()
	sam.start("samo")
	page := ines.get(origin + "/oauth/start?link=orchard")
	sam.submit(page).want(t, http.StatusBadRequest)
	callbackURL := orchard.Allow(ines.linking().location(), "1")
	sam.get(callbackURL).want(t, http.StatusBadRequest)

	callbackURL = orchard.Allow(ines.linking().location(), "1")
	ines.start("samo") // another user signs in to the same browser meanwhile
	ines.get(callbackURL).want(t, http.StatusForbidden)
	for _, name := range []string{"Ines Albrecht", "Sam Okafor"} {
		if h.hasOrchard(h.subject(name)) {
			t.Errorf("a grant was stored for %s", name)
		}
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
	b.get(atBasecamp).want(t, http.StatusBadRequest)

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
		wantPage(t, path, b.get(origin+path+"?"+address.RawQuery), http.StatusNotFound)
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

func TestLink_AnotherAccountThanTheLinkedOneIsRefused(t *testing.T) {
	for name, prepare := range map[string]func(h *hubEnv, b *browser) shown{
		"at a step-up": func(h *hubEnv, b *browser) shown {
			h.link("Ines Albrecht", "ines-albrecht", "read:project")
			return b.offering(h.linkURL("Ines Albrecht", "project"))
		},
		"linked in another tab meanwhile": func(h *hubEnv, b *browser) shown {
			sent := b.offering(h.linkURL("Ines Albrecht"))
			h.link("Ines Albrecht", "ines-albrecht", "read:project")
			return sent
		},
	} {
		h := newHubEnv(t)
		b := h.signedIn("ines")
		sent := prepare(h, b)
		before := h.held("Ines Albrecht")
		got := b.get(h.agree(sent, "handle", "sam-okafor"))
		wantPage(t, name, got, http.StatusForbidden, "Another GitHub account is linked", "@sam-okafor", "unlink GitHub", `href="/account"`)
		if after := h.held("Ines Albrecht"); after != before || h.countRequests("DELETE /applications/"+githubsandbox.ClientID+"/token") != 1 {
			t.Errorf("%s: before %+v, after %+v; requests %v", name, before, after, h.hub.Requests())
		}
	}
	h := newHubEnv(t) // unlinked meanwhile: the trip still names the account
	b := h.signedIn("ines")
	h.link("Ines Albrecht", "ines-albrecht", "read:project")
	sent := b.offering(h.linkURL("Ines Albrecht", "project"))
	b.submit(b.get(origin+"/account"), "step", "unlink:github")
	wantPage(t, "after the end of the link", b.get(h.agree(sent, "handle", "sam-okafor")), http.StatusForbidden, "Another GitHub account")
	if h.held("Ines Albrecht").Name != "" {
		t.Error("another account was linked")
	}
}

// changed returns a callback URL with another query.
func changed(callbackURL string, change func(q url.Values)) string {
	u, _ := url.Parse(callbackURL)
	q := u.Query()
	change(q)
	u.RawQuery = q.Encode()
	return u.String()
}

func TestLink_EveryFailureAtTheCallbackIsAPageAndChangesNothing(t *testing.T) {
	set := func(name, value string) func(*hubEnv, string) string {
		return func(_ *hubEnv, callbackURL string) string {
			return changed(callbackURL, func(q url.Values) { q.Set(name, value) })
		}
	}
	broken := func(f githubsandbox.Fault) func(*hubEnv, string) string {
		return func(h *hubEnv, callbackURL string) string { h.hub.Inject(f); return callbackURL }
	}
	const exchange, user = "/login/oauth/access_token", "/user"
	for name, test := range map[string]struct {
		with   func(h *hubEnv, callbackURL string) string
		status int
		text   string
	}{
		"another state":        {set("state", "another"), 400, "This sign-in has ended"},
		"no state":             {set("state", ""), 400, "This sign-in has ended"},
		"no code":              {set("code", ""), 400, "This sign-in has ended"},
		"a refused code":       {set("code", "s3cret"), 502, "GitHub did not complete the link"},
		"another error":        {set("error", "application_suspended"), 502, "GitHub did not complete the link"},
		"an issuer":            {set("iss", "https://elsewhere.example"), 502, "GitHub did not complete the link"},
		"Basecamp's callback":  {func(_ *hubEnv, u string) string { return atPath(u, "/oauth/callback") }, 502, "GitHub did not complete the link"},
		"another path":         {func(_ *hubEnv, u string) string { return atPath(u, "/oauth/elsewhere/callback") }, 404, ""},
		"GitHub down":          {broken(githubsandbox.Fault{PathPrefix: exchange, Status: 503, Body: "s3cret"}), 502, "GitHub is not responding"},
		"GitHub in garbage":    {broken(githubsandbox.Fault{PathPrefix: exchange, Garbage: true}), 502, "GitHub is not responding"},
		"a dropped connection": {broken(githubsandbox.Fault{PathPrefix: exchange, Drop: true}), 502, "GitHub is not responding"},
		"no identity":          {broken(githubsandbox.Fault{PathPrefix: user, Status: 500, Body: "s3cret"}), 502, "GitHub is not responding"},
		"a refused token":      {broken(githubsandbox.Fault{PathPrefix: user, Status: 401, Body: "s3cret"}), 502, "GitHub is not responding"},
		"identity in garbage":  {broken(githubsandbox.Fault{PathPrefix: user, Garbage: true}), 502, "GitHub is not responding"},
		"the wrong secret": {func(h *hubEnv, u string) string {
			h.credentials = credentials(githubsandbox.ClientID, "s3cret")
			return u
		}, 502, "GitHub refused this server itself"},
		"no secret any longer":  {func(h *hubEnv, u string) string { h.credentials = credentials("", ""); return u }, 502, "GitHub refused this server itself"},
		"tokens not stored":     {func(h *hubEnv, u string) string { h.tokens.down = []string{"Save"}; return u }, 503, "Sign-in could not be completed"},
		"records not read":      {func(h *hubEnv, u string) string { h.records.down = []string{"Record"}; return u }, 503, "Sign-in could not be completed"},
		"a record not stored":   {func(h *hubEnv, u string) string { h.records.down = []string{"SaveRecord"}; return u }, 503, "Sign-in could not be completed"},
		"the table, no state":   {func(h *hubEnv, u string) string { h.store.failAt = h.store.calls + 1; return u }, 503, "Please try again"},
		"the table, no session": {func(h *hubEnv, u string) string { h.store.failAt = h.store.calls + 2; return u }, 503, "Sign-in could not be completed"},
	} {
		h := newHubEnv(t)
		token := h.link("Ines Albrecht", "ines-albrecht", "read:project")
		b := h.signedIn("ines")
		before := h.held("Ines Albrecht")
		callbackURL := h.agree(b.offering(h.linkURL("Ines Albrecht", "project")), "handle", "ines-albrecht")
		got := b.get(test.with(h, callbackURL))
		wantPage(t, name, got, test.status, test.text)
		if after := h.held("Ines Albrecht"); after != before || !h.hub.Alive(token) {
			t.Errorf("%s: before %+v, after %+v; the token works: %t", name, before, after, h.hub.Alive(token))
		}
		if strings.Contains(got.text+h.log.String(), "s3cret") {
			t.Errorf("%s: shown or logged: %s %s", name, got.text, h.log)
		}

		h.credentials, h.tokens.down, h.records.down = credentials(githubsandbox.ClientID, githubsandbox.ClientSecret), nil, nil
		h.hub.ClearFaults()
		b.get(h.agree(b.offering(h.linkURL("Ines Albrecht", "project")), "handle", "ines-albrecht"))
		if r := h.held("Ines Albrecht"); r.Revision <= before.Revision || r.Scope != "project" {
			t.Errorf("%s: a second try stored %+v", name, r)
		}
	}
}

// GitHub's tokens do not expire by themselves.
func TestLink_TokensOfAnUnknownUserAreRevoked(t *testing.T) {
	h := newHubEnv(t)
	b := h.signedIn("ines")
	callbackURL := h.agree(b.offering(h.linkURL("Ines Albrecht")), "handle", "ines-albrecht")
	h.hub.Inject(githubsandbox.Fault{PathPrefix: "/user", Status: 500})
	wantPage(t, "the callback", b.get(callbackURL), http.StatusBadGateway, "GitHub is not responding")
	if h.exchanged() != 1 || h.countRequests("DELETE /applications/"+githubsandbox.ClientID+"/token") != 1 {
		t.Errorf("requests %v", h.hub.Requests())
	}
}

func TestLink_TheCallbackOfAnotherBrowserIsRefused(t *testing.T) { // RFC 9700, 4.7
	h := newHubEnv(t)
	ines := h.signedIn("ines")
	callbackURL := h.agree(ines.offering(h.linkURL("Ines Albrecht")), "handle", "ines-albrecht")
	wantPage(t, "another browser", h.signedIn("ines").get(callbackURL), http.StatusBadRequest, "This sign-in has ended")
	wantPage(t, "the first browser afterwards", ines.get(callbackURL), http.StatusBadRequest, "This sign-in has ended")
	if h.exchanged() != 0 || h.held("Ines Albrecht").Name != "" {
		t.Error("GitHub was linked")
	}
}

func TestLogs_HoldNoSecretOfALink(t *testing.T) { // MCP authorization, "Token Theft"
	h := newHubEnv(t)
	old := h.link("Ines Albrecht", "ines-albrecht", "read:project")
	b := h.browser()
	address := h.linkURL("Ines Albrecht", "project")
	secrets := []string{old, queryOf(t, address).Get("t")}
	sent := b.offering(address)
	secrets = append(secrets, queryOf(t, sent.location()).Get("state"))
	b.signIn(sent, "ines")
	sent = b.offering(address)
	callbackURL := h.agree(sent, "handle", "ines-albrecht")
	secrets = append(secrets, queryOf(t, callbackURL).Get("state"), queryOf(t, callbackURL).Get("code"), githubsandbox.ClientSecret)
	u, _ := url.Parse(origin)
	for _, c := range b.jar.Cookies(u) {
		secrets = append(secrets, c.Value)
	}
	h.tokens.down = []string{"Save"}
	b.get(callbackURL)
	h.tokens.down = nil
	for range 3 { // failures log the most
		h.store.failing(1)
		b.get(address)
		h.store.failing(1)
		b.get(callbackURL)
	}
	h.hub.Inject(githubsandbox.Fault{PathPrefix: "/applications/", Drop: true})
	b.submit(b.get(origin+"/account"), "step", "unlink:github")
	for _, secret := range secrets {
		if secret == "" || strings.Contains(h.log.String(), secret) {
			t.Errorf("%q is in the log: %s", secret, h.log)
		}
	}
	if h.log.Len() == 0 {
		t.Error("the log is empty")
	}
}
