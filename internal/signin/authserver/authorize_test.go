package authserver_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"basecamp-mcp/internal/signin/authserver"
)

// RFC 6749, 4.1.2.1; RFC 9700, 2.1; RFC 6749, 3.1.2.3.
func TestAuthorize_FailuresArePagesUntilTheRedirectURIIsVerified(t *testing.T) {
	h := newSignInEnv(t)
	for what, changes := range map[string][]string{
		"no client":            {"client_id", "-"},
		"an unknown client":    {"client_id", "c_missing"},
		"no redirect URI":      {"redirect_uri", "-"},
		"an empty one":         {"redirect_uri", ""},
		"another host":         {"redirect_uri", "https://evil.example/back?kept=1"},
		"a longer path":        {"redirect_uri", goBack + "2"},
		"a prefix":             {"redirect_uri", "https://client.example/back"},
		"another case":         {"redirect_uri", "https://client.example/Back?kept=1"},
		"another scheme":       {"redirect_uri", "http://client.example/back?kept=1"},
		"a user":               {"redirect_uri", "https://client.example@evil.example/back?kept=1"},
		"localhost for its IP": {"redirect_uri", "http://localhost/done"},
		"script":               {"redirect_uri", "javascript:alert(1)"},
	} {
		got := h.browser().get(h.asking(changes...))
		wantPage(t, what, got, http.StatusBadRequest, "<h1")
		if strings.Contains(got.text, "evil.example") || strings.Contains(got.text, "alert(1)") {
			t.Errorf("%s: the page repeats it", what)
		}
	}
	twice := h.browser().get(h.asking() + "&client_id=" + h.client)
	twice.want(t, http.StatusBadRequest)
}

func TestAuthorize_SendsOtherFailuresToTheClient(t *testing.T) { // RFC 6749, 4.1.2.1; RFC 6749, 4.1.1; RFC 7636, 4.3
	h := newSignInEnv(t)
	for what, test := range map[string]struct {
		code    string
		changes []string
	}{
		"no response type":          {"invalid_request", []string{"response_type", "-"}},
		"the implicit flow":         {"unsupported_response_type", []string{"response_type", "token"}},
		"two flows":                 {"unsupported_response_type", []string{"response_type", "code token"}},
		"an answer in the fragment": {"invalid_request", []string{"response_mode", "fragment"}},
		"no PKCE":                   {"invalid_request", []string{"code_challenge", "-", "code_challenge_method", "-"}},
		"no challenge":              {"invalid_request", []string{"code_challenge", "-"}},
		"no method, which is plain": {"invalid_request", []string{"code_challenge_method", "-"}},
		"plain":                     {"invalid_request", []string{"code_challenge_method", "plain"}},
		"a short challenge":         {"invalid_request", []string{"code_challenge", challenge[:42]}},
		"a challenge with padding":  {"invalid_request", []string{"code_challenge", challenge[:42] + "="}},
		"another server":            {"invalid_target", []string{"resource", "https://elsewhere.example/mcp"}},
		"another path":              {"invalid_target", []string{"resource", origin + "/mcpx"}},
		"the issuer":                {"invalid_target", []string{"resource", origin}},
		"a fragment":                {"invalid_target", []string{"resource", origin + "/mcp#x"}},
		"an empty fragment":         {"invalid_target", []string{"resource", origin + "/mcp#"}},
		"a long resource":           {"invalid_target", []string{"resource", origin + "/mcp/x/" + strings.Repeat("basecamp,", 100) + "basecamp"}},
		"an unknown toolset":        {"invalid_target", []string{"resource", origin + "/mcp/x/unknown"}},
		"a user in the resource":    {"invalid_target", []string{"resource", "https://a@mcp.fernhill.example/mcp"}},
		"unknown scopes alone":      {"invalid_scope", []string{"scope", "admin everything"}},
		"no person at all":          {"login_required", []string{"prompt", "none"}},
	} {
		got := h.browser().get(h.asking(test.changes...))
		answer := got.answer(t)
		if got.status != http.StatusFound || answer.Get("error") != test.code || answer.Get("error_description") == "" || answer.Has("code") {
			t.Errorf("%s: HTTP %d %v", what, got.status, answer)
		}
		if answer.Get("state") != "a state & more=" || answer.Get("iss") != origin || answer.Get("kept") != "1" {
			t.Errorf("%s: %v", what, answer)
		}
	}
	for what, extra := range map[string]string{"scope twice": "&scope=read", "state twice": "&state=b", "a challenge twice": "&code_challenge=" + challenge} {
		if answer := h.browser().get(h.asking() + extra).answer(t); answer.Get("error") != "invalid_request" {
			t.Errorf("%s: %v", what, answer)
		}
	}
	if answer := h.browser().get(h.asking("state", strings.Repeat("s", 4097))).answer(t); answer.Get("error") != "invalid_request" || answer.Has("state") {
		t.Errorf("a long state: %v", answer)
	}
	if len(h.upstreamRequests()) != 0 {
		t.Errorf("the provider was contacted: %v", h.upstreamRequests())
	}
}

func TestAuthorize_AcceptsTheRequestsOfRealClients(t *testing.T) { // RFC 6749, 3.1; RFC 8707, 2; RFC 6749, 3.3
	h := newSignInEnv(t)
	for what, address := range map[string]string{
		"no resource":                    h.asking("resource", "-"),
		"a slash too many":               h.asking("resource", origin+"/mcp/"),
		"upper case":                     h.asking("resource", "HTTPS://MCP.fernhill.example/mcp"),
		"a query":                        h.asking("resource", origin+"/mcp?ref=chat"),
		"a part of the endpoint":         h.asking("resource", origin+"/mcp/x/basecamp/readonly"),
		"two parts":                      h.asking() + "&resource=" + url.QueryEscape(origin+"/mcp/readonly"),
		"no scope":                       h.asking("scope", "-"),
		"blanks in the scope":            h.asking("scope", " offline_access"),
		"an unknown scope beside ours":   h.asking("scope", "read  openid "),
		"prompt=consent":                 h.asking("prompt", "consent"),
		"an empty parameter, given once": h.asking("response_mode", ""),
		"an empty one beside a full one": h.asking() + "&scope=",
		"an unknown parameter":           h.asking("audience", "x"),
	} {
		wantPage(t, what, h.browser().get(address), http.StatusOK, "client.example")
	}
}

func TestAuthorize_ThePageNamesTheClientAndItsAccess(t *testing.T) { // MCP Security Best Practices, "Consent UI"
	b := newSignInEnv(t).browser()
	b.get(b.asking()).want(t, http.StatusOK, "client.example", goBack, "Plumcot", "full access to your Basecamp")
}

// MCP Security Best Practices, "Consent UI".
func TestAuthorize_APopupKeepsItsOpenerUntilTheClientHasItsAnswer(t *testing.T) {
	b := newSignInEnv(t).browser()
	lost := b.get(b.asking("client_id", "c_missing"))
	page := b.get(b.asking())
	undecided := b.submit(page, "decision", "maybe")
	sent := b.approve(page)
	choice := b.signIn(sent, bothAccounts)
	back := b.submit(choice, "account", account(b))
	for what, got := range map[string]shown{
		"an unknown client": lost, "the consent": page, "no decision": undecided, "to the sign-on": sent, "the choice": choice, "to the client": back,
	} {
		if policy := got.header.Get("Cross-Origin-Opener-Policy"); policy != "" {
			t.Errorf("%s: HTTP %d with %q", what, got.status, policy)
		}
		if got.text != "" && got.header.Get("X-Frame-Options") != "DENY" {
			t.Errorf("%s may be framed", what)
		}
	}
	if back.answer(t).Get("code") == "" {
		t.Errorf("to %q", back.location())
	}
	b.start("ines")
	front, mine := b.get(origin+"/"), b.get(origin+"/account")
	b.store.failAt = b.store.calls + 1
	for what, got := range map[string]shown{"the front page": front, "the account page": mine, "its failure": b.get(origin + "/account")} {
		if got.text == "" || got.header.Get("Cross-Origin-Opener-Policy") != "same-origin" {
			t.Errorf("%s: HTTP %d with %q", what, got.status, got.header)
		}
	}
}

func TestAuthorize_CookiesBelongToTheHostOnly(t *testing.T) { // MCP Security Best Practices, "Consent Cookie Security"
	b := newSignInEnv(t).browser()
	page := b.get(b.asking())
	cookie := page.header.Get("Set-Cookie")
	for _, want := range []string{"__Host-bcm_", "Path=/", "Max-Age=600", "HttpOnly", "Secure", "SameSite=Lax"} {
		if !strings.Contains(cookie, want) {
			t.Errorf("%q lacks %s", cookie, want)
		}
	}
	if strings.Contains(cookie, "Domain") {
		t.Errorf("%q names a domain", cookie)
	}
}

// MCP Security Best Practices, "Consent Cookie Security".
func TestAuthorize_TheNewestTenLoginsOfABrowserContinue(t *testing.T) {
	orders := map[string]func([]shown){"the oldest first": func([]shown) {}, "the newest first": slices.Reverse[[]shown]}
	for name, arrange := range orders {
		t.Run(name, func(t *testing.T) {
			b := newSignInEnv(t).browser()
			b.start("ines") // its cookie is not a login's
			var tabs []shown
			for range 30 {
				tabs = append(tabs, b.get(b.asking()))
			}
			if n := len(b.cookies()); n != 12 {
				t.Errorf("%d cookies: %q", n, b.cookies())
			}
			for _, tab := range tabs[:20] {
				b.approve(tab).want(t, http.StatusBadRequest)
			}
			tabs = tabs[20:]
			arrange(tabs)
			var sent []shown
			for _, tab := range tabs {
				sent = append(sent, b.approve(tab))
			}
			for i, at := range sent {
				if !strings.HasPrefix(at.location(), signOnOrigin) || b.signIn(at, "ines").answer(t).Get("code") == "" {
					t.Errorf("login %d: HTTP %d to %q", i, at.status, at.location())
				}
			}
			b.get(origin+"/account").want(t, http.StatusOK)
		})
	}
}

func TestAuthorize_CookiesHaveNoPrefixOnPlainHTTPOnly(t *testing.T) {
	local := newSignInEnv(t, func(c *authserver.Config) {
		c.Origin = func(*http.Request) string { return "http://127.0.0.1:8787" }
	})
	page := local.browser().get(strings.Replace(local.asking("resource", "-"), origin, "http://127.0.0.1:8787", 1))
	cookie := page.header.Get("Set-Cookie")
	if !strings.HasPrefix(cookie, "bcm_") || strings.Contains(cookie, "Secure") {
		t.Errorf("HTTP %d with %q", page.status, cookie)
	}
	b := newSignInEnv(t).browser()
	r := b.filled(b.get(b.asking()), "decision", "approve")
	for _, c := range b.jar.Cookies(r.URL) {
		r.AddCookie(&http.Cookie{Name: strings.TrimPrefix(c.Name, "__Host-"), Value: c.Value})
	}
	b.jar = b.browser().jar // leaves only the cookies without the prefix
	b.send(r).want(t, http.StatusBadRequest)
}

func TestAuthorize_WithoutCredentialsTheFrontPageShowsTheNextStep(t *testing.T) {
	h := newSignInEnv(t, func(c *authserver.Config) {
		c.Upstreams[0].SignOn = signOnWith(credentials("", ""))
		c.Upstreams[0].Setup = "make credentials STACK=fernhill"
	})
	front := h.browser().get(origin + "/")
	for _, want := range []string{origin + "/oauth/callback", "make credentials", "launchpad.37signals.com/integrations"} {
		front.want(t, http.StatusOK, want)
	}
	for _, address := range []string{h.asking(), origin + "/oauth/start"} {
		for accept, want := range map[string]string{"text/html,*/*;q=0.8": "<h1>This server is not set up yet", "*/*": `{"error":"temporarily_unavailable"`, "": `{"error":`} {
			r := httptest.NewRequest(http.MethodGet, address, http.NoBody)
			r.Header.Set("Accept", accept)
			h.browser().send(r).want(t, http.StatusServiceUnavailable, want)
		}
	}
}

func TestAuthorize_WarnsOfProgramsOnTheUsersMachine(t *testing.T) {
	h := newSignInEnv(t)
	h.client = h.register(`{"redirect_uris":["cursor://anysphere.cursor-mcp/oauth/callback","https://client.example/x","http://localhost/y","https://localhost:8443/z"],"token_endpoint_auth_method":"none"}`)
	for uri, want := range map[string]bool{
		"cursor://anysphere.cursor-mcp/oauth/callback": true, "http://localhost:5000/y": true, "https://client.example/x": false,
		"https://localhost:8443/z": true,
	} {
		got := h.browser().get(h.asking("redirect_uri", uri))
		if got.status != http.StatusOK || strings.Contains(got.text, "access goes to a program on this computer") != want {
			t.Errorf("%s: HTTP %d %s", uri, got.status, got.text)
		}
	}
}

// Any web page can send such requests, as many as it wants (Fetch Metadata section 2).
func TestAuthorize_StoresNothingForWhatIsNoNavigation(t *testing.T) {
	h := newSignInEnv(t)
	for _, test := range []struct {
		mode, place string
		served      bool
	}{
		{"", "", true},
		{"navigate", "document", true},
		{"navigate", "", true},
		{"cors", "", true}, // Node's fetch
		{"no-cors", "image", false},
		{"no-cors", "empty", false},
		{"cors", "empty", false},
		{"navigate", "iframe", false},
		{"navigate", "object", false},
		{"websocket", "websocket", false},
		{"no-cors", "document", false},
	} {
		before := h.store.calls
		r := httptest.NewRequest(http.MethodGet, h.asking(), nil)
		for name, value := range map[string]string{"Sec-Fetch-Mode": test.mode, "Sec-Fetch-Dest": test.place} {
			if value != "" {
				r.Header.Set(name, value)
			}
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if served := w.Code == http.StatusOK; served != test.served || !served && (w.Code != http.StatusForbidden || h.store.calls != before || len(w.Result().Cookies()) > 0) {
			t.Errorf("%+v: HTTP %d, %d uses of the store, %d cookies", test, w.Code, h.store.calls-before, len(w.Result().Cookies()))
		}
	}
}

func TestAuthorize_RefusesClientsOfOtherHosts(t *testing.T) {
	for host, status := range map[string]int{"client.example": http.StatusOK, "127.0.0.1": http.StatusForbidden, "evil.example": http.StatusForbidden} {
		h := newSignInEnv(t, func(c *authserver.Config) { c.AllowedClients = []string{host} })
		got := h.browser().get(h.asking())
		if got.status != status || status == http.StatusForbidden != strings.Contains(got.text, "client.example is not one of them") {
			t.Errorf("only %s: HTTP %d", host, got.status)
		}
		if status == http.StatusForbidden != strings.Contains(h.log.String(), "client.example") {
			t.Errorf("only %s: the log has %s", host, h.log)
		}
	}
	h := newSignInEnv(t, func(c *authserver.Config) { c.AllowedClients = []string{"127.0.0.1"} })
	h.browser().get(h.asking("redirect_uri", "http://127.0.0.1:49152/done")).want(t, http.StatusOK)
}
