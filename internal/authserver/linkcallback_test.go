package authserver_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	githubsandbox "basecamp-mcp/internal/github/sandbox"
)

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
		got := b.get(h.agree(sent, "person", "sam-okafor"))
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
	wantPage(t, "after the end of the link", b.get(h.agree(sent, "person", "sam-okafor")), http.StatusForbidden, "Another GitHub account")
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
		"tokens not stored":     {func(h *hubEnv, u string) string { h.tokens.down = []string{"Save"}; return u }, 503, "GitHub could not be linked"},
		"records not read":      {func(h *hubEnv, u string) string { h.records.down = []string{"Record"}; return u }, 503, "GitHub could not be linked"},
		"a record not stored":   {func(h *hubEnv, u string) string { h.records.down = []string{"SaveRecord"}; return u }, 503, "GitHub could not be linked"},
		"the table, no state":   {func(h *hubEnv, u string) string { h.store.failAt = h.store.calls + 1; return u }, 503, "Please try again"},
		"the table, no session": {func(h *hubEnv, u string) string { h.store.failAt = h.store.calls + 2; return u }, 503, "GitHub could not be linked"},
	} {
		h := newHubEnv(t)
		token := h.link("Ines Albrecht", "ines-albrecht", "read:project")
		b := h.signedIn("ines")
		before := h.held("Ines Albrecht")
		callbackURL := h.agree(b.offering(h.linkURL("Ines Albrecht", "project")), "person", "ines-albrecht")
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
		b.get(h.agree(b.offering(h.linkURL("Ines Albrecht", "project")), "person", "ines-albrecht"))
		if r := h.held("Ines Albrecht"); r.Revision <= before.Revision || r.Scope != "project" {
			t.Errorf("%s: a second try stored %+v", name, r)
		}
	}
}

// GitHub's tokens do not expire by themselves.
func TestLink_TokensOfAnUnknownUserAreRevoked(t *testing.T) {
	h := newHubEnv(t)
	b := h.signedIn("ines")
	callbackURL := h.agree(b.offering(h.linkURL("Ines Albrecht")), "person", "ines-albrecht")
	h.hub.Inject(githubsandbox.Fault{PathPrefix: "/user", Status: 500})
	wantPage(t, "the callback", b.get(callbackURL), http.StatusBadGateway, "GitHub is not responding")
	if h.exchanged() != 1 || h.countRequests("DELETE /applications/"+githubsandbox.ClientID+"/token") != 1 {
		t.Errorf("requests %v", h.hub.Requests())
	}
}

func TestLink_TheCallbackOfAnotherBrowserIsRefused(t *testing.T) { // RFC 9700, 4.7
	h := newHubEnv(t)
	ines := h.signedIn("ines")
	callbackURL := h.agree(ines.offering(h.linkURL("Ines Albrecht")), "person", "ines-albrecht")
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
	callbackURL := h.agree(sent, "person", "ines-albrecht")
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
