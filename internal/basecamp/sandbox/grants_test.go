package sandbox

import (
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func redeeming(code string) url.Values {
	return url.Values{"grant_type": {"authorization_code"}, "client_id": {ClientID}, "client_secret": {ClientSecret},
		"redirect_uri": {callback}, "code": {code}}
}

func refreshing(refreshToken string) url.Values {
	return url.Values{"grant_type": {"refresh_token"}, "client_id": {ClientID}, "client_secret": {ClientSecret}, "refresh_token": {refreshToken}}
}

// exchange sends a token request.
func exchange(t *testing.T, s *Sandbox, form url.Values) response {
	t.Helper()
	return newBrowser(t, s.Transport()).post(BaseURL+tokenPath, form)
}

// logIn returns the tokens of a new login.
func logIn(t *testing.T, s *Sandbox, handle string) object {
	t.Helper()
	return exchange(t, s, redeeming(codeFor(t, s, handle))).want(http.StatusOK).object()
}

// refuses fails the test unless the response is this OAuth error.
func (r response) refuses(status int, code string) {
	r.t.Helper()
	if diff := cmp.Diff(`{"error":"`+code+`"}`, string(r.want(status).body)); diff != "" || r.Header.Get("Cache-Control") != "no-store" {
		r.t.Errorf("%v %s", r.Header, diff)
	}
}

func TestToken_ACodeGetsTokensForThePersonsAccounts(t *testing.T) {
	s := newSandbox(t)
	r := exchange(t, s, redeeming(codeFor(t, s, "aoife"))).want(http.StatusOK)
	tokens := r.object()
	if tokens.text("token_type") != "Bearer" || tokens.text("expires_in") != "1209600" || tokens.text("refresh_token") == "" {
		t.Errorf("%s", r.body)
	}
	if r.Header.Get("Cache-Control") != "no-store" {
		t.Error(r.Header)
	}
	c := caller{t, s, tokens.text("access_token"), s.Account(), http.Header{}}
	if got := c.get("/my/profile.json").want(http.StatusOK).object().text("name"); got != s.Bookkeeper().Name {
		t.Error(got)
	}
	c.account = s.BooksAccount()
	if got := titles(c.get("/todolists/%d/todos.json", s.booksList(t)).want(http.StatusOK).list()); len(got) != 2 {
		t.Errorf("to-dos %v", got)
	}
	c.account = s.OtherAccount()
	c.get("/my/profile.json").want(http.StatusNotFound)
	accounts := apply(c.get("%s/authorization.json", BaseURL).object().list("accounts"), func(a object) string { return a.text("name") })
	if diff := cmp.Diff([]string{"Aoife's HEY", "Fernhill Bikes", "Brennan Bookkeeping"}, accounts); diff != "" {
		t.Error(diff)
	}
}

// booksList returns the id of the only list in the bookkeeper's own account.
func (s *Sandbox) booksList(t *testing.T) int64 {
	t.Helper()
	for id, r := range s.books.recordings {
		if r.Type == kindTodolist {
			return id
		}
	}
	t.Fatal("no list")
	return 0
}

func TestToken_ACodeWorksOnceForTenMinutesAndForItsRedirectURI(t *testing.T) {
	at := &clock{noon}
	s := New(Options{Now: at.now})
	used := redeeming(codeFor(t, s, "ines"))
	elsewhere := redeeming(used.Get("code"))
	elsewhere.Set("redirect_uri", "https://mcp.fernhill.example/oauth/callback")
	exchange(t, s, elsewhere).refuses(http.StatusBadRequest, "invalid_grant")
	exchange(t, s, used).want(http.StatusOK)
	exchange(t, s, used).refuses(http.StatusBadRequest, "invalid_grant")

	fresh, late := redeeming(codeFor(t, s, "ines")), redeeming(codeFor(t, s, "ines"))
	at.at = noon.Add(10*time.Minute - time.Second)
	exchange(t, s, fresh).want(http.StatusOK)
	at.at = noon.Add(10 * time.Minute)
	exchange(t, s, late).refuses(http.StatusBadRequest, "invalid_grant")
	exchange(t, s, redeeming("")).refuses(http.StatusBadRequest, "invalid_grant")
}

func TestToken_TheApplicationMustSendItsSecret(t *testing.T) {
	s := newSandbox(t)
	tokens := logIn(t, s, "ines")
	for name, changed := range map[string]url.Values{
		"another id": {"client_id": {"unknown"}}, "another secret": {"client_secret": {"sandbox"}}, "no secret": {"client_secret": nil},
	} {
		for _, form := range []url.Values{redeeming(codeFor(t, s, "ines")), refreshing(tokens.text("refresh_token"))} {
			maps.Copy(form, changed)
			t.Run(name, func(t *testing.T) { exchange(t, s, form).refuses(http.StatusUnauthorized, "invalid_client") })
		}
	}
	unknown := refreshing(tokens.text("refresh_token"))
	unknown.Set("grant_type", "password")
	exchange(t, s, unknown).refuses(http.StatusBadRequest, "unsupported_grant_type")
}

func TestToken_AcceptsOnlyTheApplicationOfTheOptions(t *testing.T) {
	s := New(Options{ClientID: "fernhill", ClientSecret: "spoke"})
	b := newBrowser(t, s.Transport())
	b.get(asking(BaseURL, nil)).want(http.StatusBadRequest)
	back := b.choose(b.get(asking(BaseURL, map[string]string{"client_id": "fernhill"})), "ines")
	form := redeeming(landed(t, back).Query().Get("code"))
	exchange(t, s, form).refuses(http.StatusUnauthorized, "invalid_client")
	form.Set("client_id", "fernhill")
	form.Set("client_secret", "spoke")
	exchange(t, s, form).want(http.StatusOK)
}

func TestToken_AcceptsTheOlderParameterNames(t *testing.T) {
	s := newSandbox(t)
	form := redeeming(codeFor(t, s, "ines"))
	form.Del("grant_type")
	form.Set("type", "web_server")
	renewal := refreshing(exchange(t, s, form).want(http.StatusOK).object().text("refresh_token"))
	renewal.Del("grant_type")
	renewal.Set("type", "refresh")
	exchange(t, s, renewal).want(http.StatusOK)
}

func TestRefresh_ReturnsANewAccessTokenAndTheSameRefreshToken(t *testing.T) {
	at := &clock{noon}
	s := New(Options{Now: at.now, RateLimit: -1})
	first := logIn(t, s, "hanna")
	at.at = noon.Add(tokenLife + time.Second)
	c := caller{t, s, first.text("access_token"), s.Account(), http.Header{}}
	c.get("/my/profile.json").want(http.StatusUnauthorized)
	for range 2 {
		next := exchange(t, s, refreshing(first.text("refresh_token"))).want(http.StatusOK).object()
		if next.text("access_token") == first.text("access_token") || next.text("refresh_token") != first.text("refresh_token") {
			t.Errorf("%v after %v", next, first)
		}
		c.token = next.text("access_token")
		c.get("/my/profile.json").want(http.StatusOK)
	}
	exchange(t, s, refreshing("unknown")).refuses(http.StatusBadRequest, "invalid_grant")
	if got := s.Refreshes(); got != 3 {
		t.Errorf("%d refreshes", got)
	}
}

func TestRevokeGrants_RevokesAllGrantsOfOnePersonOnly(t *testing.T) {
	s := newSandbox(t)
	sam, samToken := s.Person("Sam Okafor"), s.IssueToken(s.Person("Sam Okafor").ID)
	tokens, others, pending := logIn(t, s, sam.Handle), logIn(t, s, "hanna"), codeFor(t, s, sam.Handle)
	s.RevokeGrants(sam.IdentityID)

	c := ines(t, s)
	for _, token := range []string{tokens.text("access_token"), samToken, sam.Token} {
		c.token = token
		r := c.get("/my/profile.json").want(http.StatusUnauthorized)
		if !strings.Contains(r.object().text("error"), "rekeyed its deadbolt") {
			t.Errorf("%s", r.body)
		}
		c.get("%s/authorization.json", BaseURL).want(http.StatusUnauthorized)
	}
	exchange(t, s, refreshing(tokens.text("refresh_token"))).refuses(http.StatusBadRequest, "authorization_expired")
	exchange(t, s, redeeming(pending)).refuses(http.StatusBadRequest, "invalid_grant")

	c.token = others.text("access_token")
	c.get("/my/profile.json").want(http.StatusOK)
	exchange(t, s, refreshing(others.text("refresh_token"))).want(http.StatusOK)
	c.token = logIn(t, s, sam.Handle).text("access_token")
	c.get("/my/profile.json").want(http.StatusOK)
}

func TestFault_AppliesToTokenRequests(t *testing.T) {
	s := newSandbox(t)
	refresh := refreshing(logIn(t, s, "ines").text("refresh_token"))
	s.Inject(Fault{PathPrefix: tokenPath, Status: http.StatusServiceUnavailable, Times: 1, Body: `{"error":"down"}`})
	exchange(t, s, refresh).want(http.StatusServiceUnavailable)
	if got := s.Refreshes(); got != 0 {
		t.Errorf("%d refreshes", got)
	}
	s.Inject(Fault{PathPrefix: tokenPath, Drop: true, AfterEffect: true, Times: 1})
	if _, err := newBrowser(t, s.Transport()).client.PostForm(BaseURL+tokenPath, refresh); err == nil {
		t.Error("a dropped connection returned a response")
	}
	if got := s.Refreshes(); got != 1 {
		t.Errorf("%d refreshes", got)
	}
	newBrowser(t, s.Transport()).get(asking(BaseURL, nil)).want(http.StatusOK)
}
