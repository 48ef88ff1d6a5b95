package authserver_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/signin/authserver"
	"basecamp-mcp/internal/signin/identity"
)

// start signs a user in to the account page.
func (b *browser) start(handle string) shown {
	b.Helper()
	return b.signIn(b.submit(b.get(origin+"/oauth/start")), handle)
}

func TestStart_ThePageChangesNothingAndFormsOfOtherSitesAreRefused(t *testing.T) {
	b := newSignInEnv(t).browser()
	before := b.store.calls
	page := b.get(origin + "/oauth/start")
	if b.store.calls != before || len(b.upstreamRequests()) != 0 {
		t.Error("the page used the store or the provider")
	}
	foreign := b.filled(page)
	foreign.Header.Set("Sec-Fetch-Site", "cross-site")
	b.send(foreign).want(t, http.StatusForbidden)
	b.browser().submit(page).want(t, http.StatusBadRequest)
	b.submit(page, "csrf", "").want(t, http.StatusBadRequest)
}

// The state has been used by then, so reloading would not help.
func TestStart_AnInterruptedSignInDoesNotSuggestToReload(t *testing.T) {
	for name, finish := range map[string]func(b *browser) shown{
		"the account page": func(b *browser) shown { return b.start("ines") },
		"a choice":         func(b *browser) shown { return b.signIn(b.approve(b.get(b.asking())), bothAccounts) },
	} {
		b := newSignInEnv(t).browser()
		b.store.before = map[string]func(){"TakeLoginState": func() { b.store.failAt = b.store.calls + 1 }}
		got := finish(b)
		if got.status != http.StatusServiceUnavailable || strings.Contains(got.text, "reload") || strings.Contains(got.text, "No changes were made") {
			t.Errorf("%s: HTTP %d: %s", name, got.status, got.text)
		}
	}
}

func TestStart_SeveralTabsCanContinue(t *testing.T) {
	b := newSignInEnv(t).browser()
	first, second := b.get(origin+"/oauth/start"), b.get(origin+"/oauth/start?for=account")
	for _, page := range []shown{first, second} {
		if got := b.signIn(b.submit(page), "ines"); got.status >= http.StatusBadRequest {
			t.Errorf("HTTP %d: %s", got.status, got.text)
		}
	}
}

// link returns the link that a tool's answer shows to a user.
func (h *signInEnv) link(subject string) string {
	h.Helper()
	links := &authserver.Links{LoginStates: h.store, Families: h.store, Now: h.clock.Now}
	ctx := identity.WithOrigin(identity.With(h.Context(), identity.Caller{Subject: subject}), origin)
	address := must(links.ReconnectURL(ctx))
	return address
}

func (h *signInEnv) subject(name string) string { return subjectOf(h.sandbox.Person(name).IdentityID) }

func TestReconnect_ReplacesTheGrantOfTheLinksUser(t *testing.T) {
	b := newSignInEnv(t).browser()
	address := b.link(b.subject("Ines Albrecht"))
	page := b.get(address)
	got := b.signIn(b.submit(page), "ines")
	got.want(t, http.StatusOK, "econnected")
	b.get(address).want(t, http.StatusBadRequest)
	if page := b.get(origin + "/account"); page.status == http.StatusOK {
		t.Error("a link opened the account page")
	}
}

func TestReconnect_AnotherUserIsRefused(t *testing.T) {
	h := newSignInEnv(t)
	address := h.link(h.subject("Ines Albrecht"))
	b := h.browser()
	got := b.signIn(b.submit(b.get(address)), "samo")
	if got.status != http.StatusForbidden || strings.Contains(got.text, "Ines") {
		t.Errorf("HTTP %d: %s", got.status, got.text)
	}
	for _, name := range []string{"Ines Albrecht", "Sam Okafor"} {
		if _, err := h.keeper().Status(t.Context(), h.subject(name)); err == nil {
			t.Errorf("a grant was stored for %s", name)
		}
	}
}

// connected logs a client in and returns its access and refresh tokens.
func (b *browser) connected(handle string) (access, refresh string) {
	b.Helper()
	status, tokens := b.redeem(b.logIn(handle).answer(b.T).Get("code"))
	if status != http.StatusOK {
		b.Fatalf("HTTP %d %v", status, tokens)
	}
	return tokens["access_token"].(string), tokens["refresh_token"].(string)
}

func (h *signInEnv) accepts(access string) bool {
	ctx := identity.WithOrigin(h.Context(), origin)
	_, _, err := authserver.NewVerifier(h.store, h.clock.Now).Authenticate(ctx, access, "")
	return err == nil
}

func TestAccount_ShowsConnectedAppsAndDisconnectsThem(t *testing.T) {
	b := newSignInEnv(t).browser()
	first, refresh := b.connected("ines")
	second, _ := b.connected("ines")
	other, _ := b.browser().connected("priya")
	if got := b.get(origin + "/account"); got.location() != "/oauth/start?for=account" {
		t.Errorf("without a login: HTTP %d to %q", got.status, got.location())
	}
	b.start("ines")
	page := b.get(origin + "/account")
	ids := families(page.text)
	if len(ids) != 2 || !strings.Contains(page.text, "Plumcot") || !strings.Contains(page.text, "Fernhill Bikes") {
		t.Fatalf("%v in %s", ids, page.text)
	}
	theirs := strings.Split(other, "_")[2]
	for what, got := range map[string]shown{
		"without the token":  b.submit(page, "csrf", "", "step", ids[0]),
		"from elsewhere":     b.browser().submit(page, "step", ids[0]),
		"another's":          b.submit(page, "step", theirs),
		"of no connection":   b.submit(page, "step", "unknown"),
		"without an ID":      b.submit(page, "step", ""),
		"by GET":             b.get(origin + "/account?step=all"),
		"of another account": b.submit(page, "step", "*"),
	} {
		if !b.accepts(first) || !b.accepts(second) || !b.accepts(other) {
			t.Fatalf("disconnecting %s (HTTP %d) revoked a connection", what, got.status)
		}
	}
	done := b.submit(page, "step", strings.Split(first, "_")[2])
	if done.status != http.StatusSeeOther || b.accepts(first) || !b.accepts(second) {
		t.Errorf("HTTP %d, and the two tokens: %t %t", done.status, b.accepts(first), b.accepts(second))
	}
	if status, answer := b.redeem("", "grant_type", "refresh_token", "refresh_token", refresh); status != http.StatusBadRequest || answer["error"] != "invalid_grant" {
		t.Errorf("its refresh token: HTTP %d %v", status, answer)
	}
	if _, err := b.keeper().Status(t.Context(), b.subject("Ines Albrecht")); err != nil {
		t.Errorf("the grant is gone while a client needs it: %v", err)
	}
	asked := b.submit(b.get(origin+"/account"), "step", "all")
	if !b.accepts(second) || asked.status != http.StatusOK || !strings.Contains(asked.text, "Disconnect everything?") {
		t.Errorf("before the confirmation: HTTP %d: %s", asked.status, asked.text)
	}
	b.submit(asked)
	if b.accepts(second) || !b.accepts(other) {
		t.Errorf("after all: %t, and another person's %t", b.accepts(second), b.accepts(other))
	}
	if _, err := b.keeper().Status(t.Context(), b.subject("Ines Albrecht")); err == nil {
		t.Error("the grant is still there")
	}
}

func TestAccount_DisconnectingEverythingEndsIssuedCodes(t *testing.T) {
	b := newSignInEnv(t).browser()
	b.connected("ines")
	b.start("ines")
	page := b.get(origin + "/account")
	code, hers := b.logIn("ines").answer(t).Get("code"), b.browser().logIn("priya").answer(t).Get("code")
	b.clock.pass(time.Second)
	b.submit(page, "step", "all", "confirm", "yes")
	if status, tokens := b.redeem(code); status != http.StatusBadRequest || tokens["error"] != "invalid_grant" {
		t.Errorf("HTTP %d %v", status, tokens)
	}
	if status, tokens := b.redeem(hers); status != http.StatusOK {
		t.Errorf("another person's: HTTP %d %v", status, tokens)
	}
	b.clock.pass(time.Second)
	if access, _ := b.connected("ines"); !b.accepts(access) {
		t.Error("a login after it was refused")
	}
}

func TestAccount_NoticesOnlyWhatTheUserDid(t *testing.T) {
	b := newSignInEnv(t).browser()
	first, _ := b.connected("ines")
	b.connected("ines")
	b.start("ines")
	look := func(when, want string) shown {
		t.Helper()
		page := b.get(origin + "/account?done=1")
		if want == "" && strings.Contains(page.text, "Disconnected.") || !strings.Contains(page.text, want) {
			t.Errorf("%s: %s", when, page.text)
		}
		return page
	}
	page := look("at first", "")
	b.submit(page, "step", "unknown")
	look("after nothing was disconnected", "")
	if got := b.submit(page, "step", strings.Split(first, "_")[2]); got.location() != "/account" {
		t.Errorf("HTTP %d to %q", got.status, got.location())
	}
	look("after one", "Disconnected. The app no longer has access.")
	look("when it is read again", "")
	b.submit(page, "step", "all", "confirm", "yes")
	look("after all", "Disconnected. No app has access any longer")
	b.submit(page, "step", "all", "confirm", "yes")
	look("after all were gone", "")
}

func families(page string) []string {
	var ids []string
	for _, match := range regexp.MustCompile(`name="step" value="([a-z0-9]{16})"`).FindAllStringSubmatch(page, -1) {
		ids = append(ids, match[1])
	}
	return ids
}

func TestLogs_HoldNoSecretOfALogin(t *testing.T) { // MCP authorization, "Token Theft"
	h := newSignInEnv(t)
	var secrets []string
	b := h.browser()
	page := b.get(b.asking("state", "s3cret-state"))
	_, fields := readPage(t, page)
	secrets = append(secrets, fields.Get("step"), fields.Get("csrf"), "s3cret-state", challenge, verifier)
	sent := b.approve(page)
	u, _ := url.Parse(sent.location())
	secrets = append(secrets, u.Query().Get("state"))
	back := b.submit(b.get(sent.location()), "handle", "ines").location()
	u, _ = url.Parse(back)
	secrets = append(secrets, u.Query().Get("code"))
	for _, c := range b.jar.Cookies(u) {
		secrets = append(secrets, c.Value)
	}
	code := b.get(back).answer(t).Get("code")
	_, tokens := b.redeem(code)
	secrets = append(secrets, code, tokens["access_token"].(string), tokens["refresh_token"].(string))
	for range 3 { // failures log the most
		h.store.failAt = h.store.calls + 1
		b.get(b.asking("state", "s3cret-state"))
		b.redeem(code)
		b.redeem("", "grant_type", "refresh_token", "refresh_token", tokens["refresh_token"].(string))
	}
	h.store.failAt = 0
	h.sandbox.Inject(faultOf("/authorization/token", http.StatusBadGateway))
	b.logIn("ines")
	for _, secret := range secrets {
		if secret == "" || strings.Contains(h.log.String(), secret) {
			t.Errorf("%q is in the log: %s", secret, h.log)
		}
	}
	if h.log.Len() == 0 {
		t.Error("the log is empty")
	}
}

func TestServer_UnknownPathsAreJSONForProgramsAndAPageForBrowsers(t *testing.T) {
	h := newSignInEnv(t)
	const browser = "text/html,application/xhtml+xml,*/*;q=0.8"
	for _, test := range []struct{ method, path, accept, bearer, want string }{
		{"GET", "/.well-known/elsewhere", browser, "", "application/json"}, // clients give up on HTML
		{"GET", "/oauth/elsewhere", "", "", "application/json"},
		{"GET", "/favicon.ico", "image/avif,*/*;q=0.8", "", "application/json"},
		{"GET", "/authorize/x", browser, "Bearer x", "application/json"},
		{"POST", "/authorize/x", browser, "", "application/json"},
		{"GET", "/authorize/x", browser, "", "text/html; charset=utf-8"},
		{"GET", "/oauth/elsewhere", browser, "", "text/html; charset=utf-8"},
	} {
		r := httptest.NewRequest(test.method, origin+test.path, http.NoBody)
		r.Header.Set("Accept", test.accept)
		if test.bearer != "" {
			r.Header.Set("Authorization", test.bearer)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != http.StatusNotFound || w.Header().Get("Content-Type") != test.want {
			t.Errorf("%+v: HTTP %d %s", test, w.Code, w.Header())
		}
	}
}

func subjectOf(identityID int64) string { return "37s:" + strconv.FormatInt(identityID, 10) }

func faultOf(prefix string, status int) sandbox.Fault {
	return sandbox.Fault{PathPrefix: prefix, Status: status}
}

// bothAccounts is the sign-on handle of a user with two accounts.
const bothAccounts = "aoife"

func account(b *browser) string { return strconv.FormatInt(b.sandbox.Account(), 10) }

func TestAccount_AnUnfinishedDisconnectCanBeRepeated(t *testing.T) {
	b := newSignInEnv(t).browser()
	access, _ := b.connected("ines")
	b.start("ines")
	if err := b.store.Revoke(t.Context(), strings.Split(access, "_")[2], "half", b.clock.Now()); err != nil {
		t.Fatal(err)
	}
	b.disconnectAll()
	if _, err := b.keeper().Status(t.Context(), b.subject("Ines Albrecht")); err == nil {
		t.Error("the grant is still there")
	}
	wantPage(t, "to try again", b.get(origin+"/account"), http.StatusOK, "Disconnect everything")
}
