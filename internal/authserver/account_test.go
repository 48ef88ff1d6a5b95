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

	"basecamp-mcp/internal/authserver"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/identity"
)

// start logs a browser in to its account page.
func (b *browser) start(handle string) shown {
	b.Helper()
	return b.signIn(b.submit(b.get(houseOrigin+"/oauth/start")), handle)
}

func TestStart_ConnectsFromTheBrowserAlone(t *testing.T) {
	b := newHouse(t).browser()
	got := b.start("ines")
	if got.status != http.StatusOK || !strings.Contains(got.text, "Ines Albrecht") {
		t.Errorf("HTTP %d to %q: %s", got.status, got.location(), got.text)
	}
	if page := b.get(houseOrigin + "/account"); page.status != http.StatusOK || !strings.Contains(page.text, "Ines Albrecht") {
		t.Errorf("HTTP %d to %q", page.status, page.location())
	}
}

func TestStart_LookingChangesNothingAndFormsOfOtherSitesDoNothing(t *testing.T) {
	b := newHouse(t).browser()
	before := b.store.calls
	page := b.get(houseOrigin + "/oauth/start")
	if b.store.calls != before || len(b.upstreamRequests()) != 0 {
		t.Error("looking at the page touched the store or upstream")
	}
	foreign := b.filled(page)
	foreign.Header.Set("Sec-Fetch-Site", "cross-site")
	if got := b.send(foreign); got.status != http.StatusForbidden {
		t.Errorf("from another site: HTTP %d to %q", got.status, got.location())
	}
	if got := b.browser().submit(page); got.status != http.StatusBadRequest {
		t.Errorf("in another browser: HTTP %d to %q", got.status, got.location())
	}
	if got := b.submit(page, "csrf", ""); got.status != http.StatusBadRequest {
		t.Errorf("without the token: HTTP %d to %q", got.status, got.location())
	}
}

// Its state is spent by then, so that reloading would be in vain.
func TestStart_AVisitThatIsCutShortIsNotSaidToBeWhole(t *testing.T) {
	for name, finish := range map[string]func(b *browser) shown{
		"the account page": func(b *browser) shown { return b.start("ines") },
		"a choice":         func(b *browser) shown { return b.signIn(b.approve(b.get(b.asking())), bothAccounts) },
	} {
		b := newHouse(t).browser()
		b.store.before = map[string]func(){"TakeStep": func() { b.store.failAt = b.store.calls + 1 }}
		got := finish(b)
		if got.status != http.StatusServiceUnavailable || strings.Contains(got.text, "reload") || strings.Contains(got.text, "Nothing is lost") {
			t.Errorf("%s: HTTP %d: %s", name, got.status, got.text)
		}
	}
}

func TestStart_SeveralTabsGoOn(t *testing.T) {
	b := newHouse(t).browser()
	first, second := b.get(houseOrigin+"/oauth/start"), b.get(houseOrigin+"/oauth/start?for=account")
	for _, page := range []shown{first, second} {
		if got := b.signIn(b.submit(page), "ines"); got.status >= http.StatusBadRequest {
			t.Errorf("HTTP %d: %s", got.status, got.text)
		}
	}
}

// link is what a tool's answer gives a person.
func (h *house) link(subject string) string {
	h.Helper()
	links := &authserver.Links{Steps: h.store, Families: h.store, Now: h.clock.Now}
	ctx := identity.WithOrigin(identity.With(h.Context(), identity.Caller{Subject: subject}), houseOrigin)
	address, err := links.ReconnectURL(ctx)
	if err != nil {
		h.Fatal(err)
	}
	return address
}

func (h *house) subject(name string) string { return subjectOf(h.sandbox.Person(name).IdentityID) }

func TestReconnect_ThePersonTheLinkWasMadeForIsConnectedAgain(t *testing.T) {
	b := newHouse(t).browser()
	address := b.link(b.subject("Ines Albrecht"))
	page := b.get(address)
	got := b.signIn(b.submit(page), "ines")
	if got.status != http.StatusOK || !strings.Contains(got.text, "econnected") {
		t.Errorf("HTTP %d to %q: %s", got.status, got.location(), got.text)
	}
	if again := b.get(address); again.status != http.StatusBadRequest {
		t.Errorf("the link is good again: HTTP %d", again.status)
	}
	if page := b.get(houseOrigin + "/account"); page.status == http.StatusOK {
		t.Error("a link opened the account page")
	}
}

func TestReconnect_NobodyElseCan(t *testing.T) { // the one who opens the link must be the one who started it
	h := newHouse(t)
	address := h.link(h.subject("Ines Albrecht"))
	b := h.browser()
	got := b.signIn(b.submit(b.get(address)), "samo")
	if got.status != http.StatusForbidden || strings.Contains(got.text, "Ines") {
		t.Errorf("HTTP %d: %s", got.status, got.text)
	}
	for _, name := range []string{"Ines Albrecht", "Sam Okafor"} {
		if _, err := h.Keeper.Status(t.Context(), h.subject(name)); err == nil {
			t.Errorf("something was stored for %s", name)
		}
	}
}

func TestReconnect_LinksEnd(t *testing.T) {
	b := newHouse(t).browser()
	page := b.get(b.link(b.subject("Ines Albrecht")))
	b.clock.pass(10*time.Minute + time.Second)
	if got := b.submit(page); got.status != http.StatusBadRequest || !strings.Contains(got.text, "link has ended") {
		t.Errorf("HTTP %d to %q", got.status, got.location())
	}
	if got := b.get(houseOrigin + "/oauth/start?t=nonsense"); got.status != http.StatusBadRequest {
		t.Errorf("HTTP %d", got.status)
	}
}

// connected has a client that is logged in, with its access and refresh tokens.
func (b *browser) connected(handle string) (access, refresh string) {
	b.Helper()
	status, tokens := b.redeem(b.logIn(handle).answer(b.T).Get("code"))
	if status != http.StatusOK {
		b.Fatalf("HTTP %d %v", status, tokens)
	}
	return tokens["access_token"].(string), tokens["refresh_token"].(string)
}

func (h *house) accepts(access string) bool {
	ctx := identity.WithOrigin(h.Context(), houseOrigin)
	_, err := authserver.NewVerifier(h.store, h.clock.Now).Authenticate(ctx, access)
	return err == nil
}

func TestAccount_ShowsWhatIsConnectedAndEndsIt(t *testing.T) { // V4, B-60
	b := newHouse(t).browser()
	first, refresh := b.connected("ines")
	second, _ := b.connected("ines")
	other, _ := b.browser().connected("priya")
	if got := b.get(houseOrigin + "/account"); got.location() != "/oauth/start?for=account" {
		t.Errorf("without a login: HTTP %d to %q", got.status, got.location())
	}
	b.start("ines")
	page := b.get(houseOrigin + "/account")
	ids := families(page.text)
	if len(ids) != 2 || !strings.Contains(page.text, "Plumcot") || !strings.Contains(page.text, "Fernhill Bikes") {
		t.Fatalf("%v in %s", ids, page.text)
	}
	theirs := strings.Split(other, "_")[2]
	for what, got := range map[string]shown{
		"without the token":  b.submit(page, "csrf", "", "step", ids[0]),
		"from elsewhere":     b.browser().submit(page, "step", ids[0]),
		"another's":          b.submit(page, "step", theirs),
		"of no connection":   b.submit(page, "step", "nonsense"),
		"of no name":         b.submit(page, "step", ""),
		"by GET":             b.get(houseOrigin + "/account?step=all"),
		"of another account": b.submit(page, "step", "*"),
	} {
		if !b.accepts(first) || !b.accepts(second) || !b.accepts(other) {
			t.Fatalf("disconnecting %s (HTTP %d) ended something", what, got.status)
		}
	}
	done := b.submit(page, "step", strings.Split(first, "_")[2])
	if done.status != http.StatusSeeOther || b.accepts(first) || !b.accepts(second) {
		t.Errorf("HTTP %d, and the two tokens: %t %t", done.status, b.accepts(first), b.accepts(second))
	}
	if status, answer := b.redeem("", "grant_type", "refresh_token", "refresh_token", refresh); status != http.StatusBadRequest || answer["error"] != "invalid_grant" {
		t.Errorf("its refresh token: HTTP %d %v", status, answer)
	}
	if _, err := b.Keeper.Status(t.Context(), b.subject("Ines Albrecht")); err != nil {
		t.Errorf("the grant is gone while a client needs it: %v", err)
	}
	b.submit(b.get(houseOrigin+"/account"), "step", "all")
	if b.accepts(second) || !b.accepts(other) {
		t.Errorf("after all: %t, and another person's %t", b.accepts(second), b.accepts(other))
	}
	if _, err := b.Keeper.Status(t.Context(), b.subject("Ines Albrecht")); err == nil {
		t.Error("the grant is still there")
	}
}

func TestAccount_ACodeGivenOutBeforeAllWasDisconnectedDiesWithIt(t *testing.T) { // V4
	b := newHouse(t).browser()
	b.connected("ines")
	b.start("ines")
	page := b.get(houseOrigin + "/account")
	code, hers := b.logIn("ines").answer(t).Get("code"), b.browser().logIn("priya").answer(t).Get("code")
	b.clock.pass(time.Second)
	b.submit(page, "step", "all")
	if status, tokens := b.redeem(code); status != http.StatusBadRequest || tokens["error"] != "invalid_grant" {
		t.Errorf("HTTP %d %v", status, tokens)
	}
	if status, tokens := b.redeem(hers); status != http.StatusOK {
		t.Errorf("another person's: HTTP %d %v", status, tokens)
	}
	b.clock.pass(time.Second)
	if access, _ := b.connected("ines"); !b.accepts(access) {
		t.Error("a login after it is dead")
	}
}

// Its family would hang on a grant that went with the last one.
func TestAccount_ACodeDiesWithTheLastClientToo(t *testing.T) {
	b := newHouse(t).browser()
	access, _ := b.connected("ines")
	b.start("ines")
	page := b.get(houseOrigin + "/account")
	code := b.logIn("ines").answer(t).Get("code")
	b.submit(page, "step", strings.Split(access, "_")[2])
	if status, tokens := b.redeem(code); status != http.StatusBadRequest {
		t.Errorf("HTTP %d %v", status, tokens)
	}
}

func TestAccount_SaysWhatWasDoneAndNothingElse(t *testing.T) {
	b := newHouse(t).browser()
	first, _ := b.connected("ines")
	b.connected("ines")
	b.start("ines")
	look := func(what, want string) shown {
		t.Helper()
		page := b.get(houseOrigin + "/account?done=1")
		if want == "" && strings.Contains(page.text, "Disconnected.") || !strings.Contains(page.text, want) {
			t.Errorf("%s: %s", what, page.text)
		}
		return page
	}
	page := look("at first", "")
	b.submit(page, "step", "nonsense")
	look("after nothing was disconnected", "")
	if got := b.submit(page, "step", strings.Split(first, "_")[2]); got.location() != "/account" {
		t.Errorf("HTTP %d to %q", got.status, got.location())
	}
	look("after one", "Disconnected. The app has lost its access.")
	look("when it is read again", "")
	b.submit(page, "step", "all")
	look("after all", "Disconnected. No app kept its access")
	b.submit(page, "step", "all")
	look("after all were gone", "")
}

func families(page string) []string {
	var ids []string
	for _, match := range regexp.MustCompile(`name="step" value="([a-z0-9]{16})"`).FindAllStringSubmatch(page, -1) {
		ids = append(ids, match[1])
	}
	return ids
}

func TestAccount_TheLastClientTakesTheGrantAlong(t *testing.T) {
	b := newHouse(t).browser()
	access, _ := b.connected("ines")
	b.start("ines")
	b.submit(b.get(houseOrigin+"/account"), "step", strings.Split(access, "_")[2])
	if _, err := b.Keeper.Status(t.Context(), b.subject("Ines Albrecht")); err == nil {
		t.Error("the grant is still there")
	}
}

func TestAccount_AVisitEndsAfterHalfAnHour(t *testing.T) {
	b := newHouse(t).browser()
	b.start("ines")
	b.clock.pass(30*time.Minute + time.Second)
	if got := b.get(houseOrigin + "/account"); got.status != http.StatusFound {
		t.Errorf("HTTP %d", got.status)
	}
}

func TestChoose_WithSeveralAccountsThePersonSays(t *testing.T) { // B-65
	b := newHouse(t).browser()
	page := b.logIn(bothAccounts)
	if page.status != http.StatusOK || !strings.Contains(page.text, "Fernhill Bikes") {
		t.Fatalf("HTTP %d to %q: %s", page.status, page.location(), page.text)
	}
	for what, got := range map[string]shown{
		"another account":    b.submit(page, "account", "1"),
		"no account":         b.submit(page),
		"in another browser": b.browser().submit(page, "account", account(b)),
		"without the token":  b.submit(page, "account", account(b), "csrf", ""),
	} {
		if got.status != http.StatusBadRequest || got.location() != "" {
			t.Errorf("%s: HTTP %d to %q", what, got.status, got.location())
		}
	}
	got := b.submit(page, "account", account(b))
	if _, tokens := b.redeem(got.answer(t).Get("code")); got.status != http.StatusSeeOther || tokens["access_token"] == nil {
		t.Errorf("HTTP %d %v", got.status, tokens)
	}
	if again := b.submit(page, "account", account(b)); again.status != http.StatusBadRequest {
		t.Errorf("chosen twice: HTTP %d to %q", again.status, again.location())
	}
}

func TestChoose_TheLoginsOfOtherTabsGoOn(t *testing.T) { // B7
	b := newHouse(t).browser()
	var tabs []shown
	for range 10 {
		tabs = append(tabs, b.get(b.asking()))
	}
	for i, tab := range tabs {
		page := b.signIn(b.approve(tab), bothAccounts)
		if i > 0 && b.submit(page, "account", account(b)).answer(t).Get("code") == "" {
			t.Errorf("login %d: no code", i)
		}
	}
}

func TestChoose_AnAccountThatMayNotUseThisIsNoChoice(t *testing.T) {
	h := newHouse(t)
	h.AllowedAccounts = []int64{h.sandbox.Account()}
	h.browser().logIn(bothAccounts).answer(t)
}

func TestLogs_HoldNoSecretOfALogin(t *testing.T) { // V5
	h := newHouse(t)
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
	for range 3 { // failures say most
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
		t.Error("nothing was logged at all")
	}
}

func TestBroker_WhatIsNoRouteIsJSON(t *testing.T) { // R8
	h := newHouse(t)
	for _, path := range []string{"/.well-known/nonsense", "/oauth/nonsense", "/favicon.ico", "/authorize/x"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, houseOrigin+path, nil))
		if w.Code != http.StatusNotFound || w.Header().Get("Content-Type") != "application/json" {
			t.Errorf("%s: HTTP %d %s", path, w.Code, w.Header())
		}
	}
}

func subjectOf(identityID int64) string { return "37s:" + strconv.FormatInt(identityID, 10) }

func faultOf(prefix string, status int) sandbox.Fault {
	return sandbox.Fault{PathPrefix: prefix, Status: status}
}

// bothAccounts is somebody who is in two accounts.
const bothAccounts = "aoife"

func account(b *browser) string { return strconv.FormatInt(b.sandbox.Account(), 10) }

func TestAccount_WhatWasLeftHalfDoneIsFinished(t *testing.T) { // V4
	b := newHouse(t).browser()
	access, _ := b.connected("ines")
	b.start("ines")
	if err := b.store.Revoke(t.Context(), strings.Split(access, "_")[2], "half", b.clock.Now()); err != nil {
		t.Fatal(err)
	}
	b.submit(b.get(houseOrigin+"/account"), "step", "all")
	if _, err := b.Keeper.Status(t.Context(), b.subject("Ines Albrecht")); err == nil {
		t.Error("the grant is still there")
	}
	if page := b.get(houseOrigin + "/account"); !strings.Contains(page.text, "Disconnect Basecamp") {
		t.Errorf("no way to try again: %s", page.text)
	}
}
