package authserver_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp/launchpad"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/signin/authserver"
	"basecamp-mcp/internal/signin/provider"
)

func credentials(id, secret string) func(context.Context) (string, string, error) {
	return func(context.Context) (string, string, error) {
		if id == "" {
			return "", "", provider.ErrNotConfigured
		}
		return id, secret, nil
	}
}

func signOnWith(c func(context.Context) (string, string, error)) *launchpad.Client {
	return launchpad.New(launchpad.Config{URL: signOnOrigin, UserAgent: "test (https://fernhill.example)", Credentials: c})
}

func TestLogin_IssuesTokensForTheUser(t *testing.T) { // RFC 9207, 2; RFC 9700, 4.12; bc3-api, authentication
	b := newSignInEnv(t).browser()
	sent := b.approve(b.get(b.asking()))
	if sent.status != http.StatusSeeOther {
		t.Errorf("after the consent: HTTP %d", sent.status)
	}
	back := b.signIn(sent, "ines")
	answer := back.answer(t)
	if back.status != http.StatusFound || answer.Get("state") != "a state & more=" || answer.Get("iss") != origin || answer.Get("kept") != "1" {
		t.Fatalf("HTTP %d %v", back.status, answer)
	}
	status, tokens := b.redeem(answer.Get("code"))
	if status != http.StatusOK || tokens["scope"] != "read write" || tokens["refresh_token"] == "" {
		t.Errorf("HTTP %d %v", status, tokens)
	}
	if len(b.cookies()) > 1 { // the consent's cookie expires by itself
		t.Errorf("cookies are left: %v", b.cookies())
	}
}

func TestConsent_TheUserCanDeclineWriteAccess(t *testing.T) {
	b := newSignInEnv(t).browser()
	answer := b.signIn(b.submit(b.get(b.asking()), "decision", "approve"), "ines").answer(t)
	if _, tokens := b.redeem(answer.Get("code")); tokens["scope"] != "read" {
		t.Errorf("scope %v", tokens["scope"])
	}
	b = newSignInEnv(t).browser() // a form cannot add a scope that the client did not ask for
	answer = b.signIn(b.submit(b.get(b.asking("scope", "read")), "decision", "approve", "scope", "write"), "ines").answer(t)
	if _, tokens := b.redeem(answer.Get("code")); tokens["scope"] != "read" {
		t.Errorf("scope %v, the client asked for read only", tokens["scope"])
	}
}

// MCP Security Best Practices, "Confused Deputy Problem"; MCP Security Best Practices, "OAuth
// State Parameter Validation".
func TestConsent_TheProviderIsContactedOnlyAfterIt(t *testing.T) {
	b := newSignInEnv(t).browser()
	page := b.get(b.asking())
	if len(b.upstreamRequests()) != 0 || strings.Contains(page.text, signOnOrigin) {
		t.Errorf("the provider was contacted, or is linked: %v", b.upstreamRequests())
	}
}

func TestConsent_IsAskedEveryTime(t *testing.T) {
	b := newSignInEnv(t).browser()
	b.logIn("ines").answer(t)
	b.get(b.asking()).want(t, http.StatusOK)
}

func TestConsent_TheClientReceivesADenial(t *testing.T) { // RFC 6749, 4.1.2.1
	b := newSignInEnv(t).browser()
	page := b.get(b.asking())
	got := b.submit(page, "decision", "deny")
	if answer := got.answer(t); got.status != http.StatusSeeOther || answer.Get("error") != "access_denied" || answer.Get("state") == "" {
		t.Errorf("HTTP %d %v", got.status, answer)
	}
	b.submit(page, "decision", "approve").want(t, http.StatusBadRequest)
	stranger := b.browser() // without the cookie the client receives nothing
	page = b.get(b.asking())
	stranger.submit(page, "decision", "deny").want(t, http.StatusBadRequest)
	b.approve(page)
}

func TestConsent_RefusesFormsOfOtherSitesAndOtherLogins(t *testing.T) { // MCP Security Best Practices, "Consent UI"
	b := newSignInEnv(t).browser()
	page := b.get(b.asking())

	foreign := b.filled(page, "decision", "approve")
	foreign.Header.Set("Sec-Fetch-Site", "cross-site")
	b.send(foreign).want(t, http.StatusForbidden)
	// The attacker's own login, with its token, in the victim's browser.
	attacker := b.browser()
	theirs := attacker.get(b.asking())
	b.submit(theirs, "decision", "approve").want(t, http.StatusBadRequest)
	_, fields := readPage(t, theirs)
	for what, change := range map[string][]string{
		"another's token":   {"csrf", fields.Get("csrf")},
		"no token":          {"csrf", ""},
		"another's step":    {"step", fields.Get("step")},
		"no step":           {"step", ""},
		"an unknown answer": {"decision", "perhaps"},
		"no answer":         {"decision", ""},
	} {
		if change[0] != "decision" {
			change = append(change, "decision", "approve")
		}
		wantPage(t, what, b.submit(page, change...), http.StatusBadRequest)
	}
	if got := b.approve(page); got.status != http.StatusSeeOther {
		t.Errorf("the refused forms used up the user's login: HTTP %d", got.status)
	}
}

func TestConsent_PressingApproveTwiceStartsOneSignIn(t *testing.T) {
	b := newSignInEnv(t).browser()
	page := b.get(b.asking())
	first, second := b.approve(page), b.approve(page)
	if first.location() != second.location() {
		t.Errorf("HTTP %d to %q and %q", second.status, first.location(), second.location())
	}
	b.signIn(second, "ines").answer(t)
	b.approve(page).want(t, http.StatusBadRequest)
}

// MCP Security Best Practices, "OAuth State Parameter Validation".
func TestConsent_ExpiresAfterTenMinutes(t *testing.T) {
	b := newSignInEnv(t).browser()
	page := b.get(b.asking())
	b.clock.pass(10*time.Minute + time.Second)
	b.approve(page).want(t, http.StatusBadRequest)
}

// atCallback signs in and returns the callback URL without opening it.
func (b *browser) atCallback(handle string) string {
	b.Helper()
	return b.submit(b.get(b.approve(b.get(b.asking())).location()), "handle", handle).location()
}

func TestCallback_AnotherBrowserIsRefusedAndEndsTheLogin(t *testing.T) { // RFC 9700, 4.7
	b := newSignInEnv(t).browser()
	address := b.atCallback("ines")
	victim := b.browser()
	victim.get(b.asking()) // has another login's cookie
	victim.get(address).want(t, http.StatusBadRequest)
	b.get(address).want(t, http.StatusBadRequest)
	if slices.Contains(b.upstreamRequests(), "POST /authorization/token") {
		t.Error("the code was exchanged")
	}
}

func TestCallback_AStateCanBeUsedOnce(t *testing.T) { // MCP Security Best Practices, "OAuth State Parameter Validation"
	b := newSignInEnv(t).browser()
	address := b.atCallback("ines")
	b.get(address).answer(t)
	for what, address := range map[string]string{
		"replayed":      address,
		"no state":      origin + "/oauth/callback?code=x",
		"unknown state": origin + "/oauth/callback?code=x&state=y",
		"two states":    address + "&state=y",
		"nothing":       origin + "/oauth/callback",
	} {
		wantPage(t, what, b.get(address), http.StatusBadRequest)
	}
}

func TestCallback_TheClientReceivesFailuresAsOAuthErrors(t *testing.T) { // RFC 6749, 4.1.2.1; RFC 9207, 2.4
	for what, test := range map[string]struct {
		fault  sandbox.Fault
		change func(query url.Values)
		want   string
	}{
		"the person refused":    {change: func(q url.Values) { q.Set("error", "access_denied"); q.Del("code") }, want: "access_denied"},
		"another error":         {change: func(q url.Values) { q.Set("error", "<b>s3cret</b>"); q.Del("code") }, want: "server_error"},
		"another issuer":        {change: func(q url.Values) { q.Set("iss", "https://elsewhere.example") }, want: "server_error"},
		"an unknown code":       {change: func(q url.Values) { q.Set("code", "s3cret") }, want: "server_error"},
		"no sign-on":            {fault: sandbox.Fault{PathPrefix: "/authorization/token", Status: 503, Body: "s3cret"}, want: "temporarily_unavailable"},
		"a sign-on in garbage":  {fault: sandbox.Fault{PathPrefix: "/authorization/token", Garbage: true}, want: "temporarily_unavailable"},
		"a limit":               {fault: sandbox.Fault{PathPrefix: "/authorization/token", Status: 429}, want: "temporarily_unavailable"},
		"a dropped connection":  {fault: sandbox.Fault{PathPrefix: "/authorization/token", Drop: true}, want: "temporarily_unavailable"},
		"our own credentials":   {fault: sandbox.Fault{PathPrefix: "/authorization/token", Status: 401, Body: `{"error":"invalid_client"}`}, want: "server_error"},
		"an unknown user":       {fault: sandbox.Fault{PathPrefix: "/authorization.json", Status: 500, Body: "s3cret"}, want: "temporarily_unavailable"},
		"a refused token":       {fault: sandbox.Fault{PathPrefix: "/authorization.json", Status: 401}, want: "temporarily_unavailable"},
		"the right issuer":      {change: func(q url.Values) { q.Set("iss", signOnOrigin) }, want: ""},
		"a forbidden exchange":  {fault: sandbox.Fault{PathPrefix: "/authorization/token", Status: 403, Body: "s3cret"}, want: "server_error"},
		"a missing sign-on":     {fault: sandbox.Fault{PathPrefix: "/authorization/token", Status: 404, Body: "s3cret"}, want: "temporarily_unavailable"},
		"who it is, in garbage": {fault: sandbox.Fault{PathPrefix: "/authorization.json", Garbage: true}, want: "temporarily_unavailable"},
	} {
		b := newSignInEnv(t).browser()
		address, _ := url.Parse(b.atCallback("ines"))
		if test.fault.PathPrefix != "" {
			b.sandbox.Inject(test.fault)
		}
		if test.change != nil {
			query := address.Query()
			test.change(query)
			address.RawQuery = query.Encode()
		}
		got := b.get(address.String())
		answer := got.answer(t)
		if answer.Get("error") != test.want || answer.Get("iss") != origin || answer.Get("state") != "a state & more=" || answer.Has("code") != (test.want == "") {
			t.Errorf("%s: HTTP %d %v", what, got.status, answer)
		}
		if strings.Contains(got.location()+b.log.String(), "s3cret") {
			t.Errorf("%s: the provider's text is shown or logged: %s %s", what, got.location(), b.log)
		}
	}
}

func TestCallback_AStoreFailureIsReportedAndCanBeRetried(t *testing.T) {
	calls := func(failAt int) (answer string, used int) {
		h := newSignInEnv(t)
		b := h.browser()
		h.store.failAt = failAt
		at := b.get(b.asking())
		if at.status == http.StatusOK {
			at = b.approve(at)
		}
		if at.status == http.StatusSeeOther {
			at = b.signIn(at, "ines")
		}
		switch {
		case at.status == http.StatusServiceUnavailable:
			answer = "page"
		case strings.HasPrefix(at.location(), goBack):
			answer = at.answer(t).Get("error")
		}
		if strings.Contains(at.text, errDown.Error()) {
			t.Errorf("the page says %s", at.text)
		}
		return answer, h.store.calls
	}
	answer, all := calls(-1)
	if answer != "" || all < 5 {
		t.Fatalf("a login ends with %q after %d calls", answer, all)
	}
	for n := 2; n <= all; n++ { // the first is the registration
		if answer, _ := calls(n); answer != "page" && answer != "temporarily_unavailable" {
			t.Errorf("call %d of %d failed, and the answer is %q", n, all, answer)
		}
	}
}

func TestCallback_AUserWithoutAnAllowedAccountSeesAPage(t *testing.T) {
	b := newSignInEnv(t, func(c *authserver.Config) { c.AllowedAccounts = []int64{1} }).browser()
	got := b.logIn("ines")
	got.want(t, http.StatusForbidden, "Ines Albrecht", "not for your Basecamp account")
}

// MCP Security Best Practices, "OAuth State Parameter Validation".
func TestCallback_ConcurrentRequestsIssueOneCode(t *testing.T) {
	b := newSignInEnv(t).browser()
	address := b.atCallback("ines")
	requests := make(chan *http.Request, 20)
	for range 20 {
		r := httptest.NewRequest(http.MethodGet, address, nil)
		for _, c := range b.jar.Cookies(r.URL) {
			r.AddCookie(c)
		}
		requests <- r
	}
	close(requests)
	locations := make(chan string, 20)
	for r := range requests {
		go func() {
			w := httptest.NewRecorder()
			b.ServeHTTP(w, r)
			locations <- w.Header().Get("Location")
		}()
	}
	codes := 0
	for range 20 {
		if strings.Contains(<-locations, "code=") {
			codes++
		}
	}
	if codes != 1 {
		t.Errorf("%d codes", codes)
	}
}

func TestConsent_ASecondDifferentAnswerEndsTheLogin(t *testing.T) {
	for what, second := range map[string][]string{
		"without write": {"decision", "approve"},
		"deny":          {"decision", "deny"},
	} {
		b := newSignInEnv(t).browser()
		page := b.get(b.asking())
		first := b.approve(page)
		if answer := b.submit(page, second...).answer(t); answer.Get("error") != "access_denied" {
			t.Errorf("%s: %v", what, answer)
		}
		back := b.submit(b.get(first.location()), "handle", "ines")
		wantPage(t, what, b.get(back.location()), http.StatusBadRequest)
	}
}

func TestAuthorize_ReturnsTheStateByteForByte(t *testing.T) { // RFC 6749, 4.1.2
	b := newSignInEnv(t).browser()
	state := "\xff\x00 +%&=\u2028é"
	if got := b.signIn(b.approve(b.get(b.asking("state", state))), "ines").answer(t).Get("state"); got != state {
		t.Errorf("%q came back as %q", state, got)
	}
}

func TestRefresh_IsRefusedForAnAccountThatIsNoLongerAllowed(t *testing.T) {
	b := newSignInEnv(t).browser()
	_, refresh := b.connected("ines")
	b.AllowedAccounts = []int64{1}
	if status, answer := b.redeem("", "grant_type", "refresh_token", "refresh_token", refresh); status != http.StatusBadRequest || answer["error"] != "invalid_grant" {
		t.Errorf("HTTP %d %v", status, answer)
	}
}
