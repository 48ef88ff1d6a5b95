package sandbox

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"basecamp-mcp/internal/github/githubauth"
	"basecamp-mcp/internal/signin/provider"
)

const callback = "https://mcp.example/oauth/github/callback"

// authClient returns a client of the sandbox's sign-on.
func authClient(s *Server, secret string) *githubauth.Client {
	return githubauth.New(githubauth.Config{
		URL: URL, APIURL: APIURL, Transport: s.Transport(), UserAgent: "sandbox-tests", Now: s.now,
		Credentials: func(context.Context) (id, key string, err error) { return ClientID, secret, nil },
	})
}

// agree plays the user in the browser: it opens the page and sends the form. It returns the query
// of the redirect.
func agree(t *testing.T, s *Server, address string, choices url.Values) url.Values {
	t.Helper()
	c := as(t, s, "")
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	page := c.do(http.MethodGet, address, nil).want(t, http.StatusOK)
	form := url.Values{}
	for _, name := range s.login(nil).Asks {
		form.Set(name, u.Query().Get(name))
		if !strings.Contains(string(page.raw), `name="`+name+`"`) {
			t.Errorf("the page has no field %s", name)
		}
	}
	maps.Copy(form, choices)
	r := c.request(http.MethodPost, URL+authorizePath, form.Encode())
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	target, err := url.Parse(c.send(r).want(t, http.StatusFound).Header.Get("Location"))
	if err != nil || !strings.HasPrefix(target.String(), callback) {
		t.Fatalf("%v, %v", target, err)
	}
	return target.Query()
}

// asking returns a client with an authorization and its address.
func asking(t *testing.T, s *Server, scopes ...string) (*githubauth.Client, provider.Authorization, string) {
	t.Helper()
	auth := authClient(s, ClientSecret)
	a := provider.Authorization{RedirectURI: callback, State: "st", Verifier: strings.Repeat("v", 43), Scopes: scopes}
	address, err := auth.AuthorizationURL(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	return auth, a, address
}

func TestSignOn_FromTheLinkToTheRevokedToken(t *testing.T) {
	s := newSandbox(t)
	auth, a, address := asking(t, s, "read:project", "project", "repo")
	got := agree(t, s, address, url.Values{"handle": {"sam-okafor"}})
	if got.Get("state") != "st" || got.Get("code") == "" {
		t.Fatalf("%v", got)
	}
	tokens, err := auth.Exchange(t.Context(), a, got.Get("code"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(tokens.AccessToken, "gho_") || tokens.Scope != "project repo" || tokens.RefreshToken != "" || !tokens.ExpiresAt.IsZero() {
		t.Errorf("%+v", tokens)
	}
	who, err := auth.Identity(t.Context(), tokens.AccessToken)
	if err != nil || who.Subject != "gh:41002203" || who.Name != "sam-okafor" {
		t.Errorf("%+v, %v", who, err)
	}
	if _, err := auth.Exchange(t.Context(), a, got.Get("code")); cause(err) != provider.Dead {
		t.Errorf("the code worked twice: %v", err)
	}
	for range 2 {
		if err := auth.Revoke(t.Context(), tokens); err != nil || s.Alive(tokens.AccessToken) {
			t.Errorf("%v", err)
		}
	}
}

func cause(err error) provider.Cause {
	refused, ok := errors.AsType[*provider.Refusal](err)
	if !ok {
		return ""
	}
	return refused.Cause
}

func TestSignOn_ThePersonMayDenyOrGrantLess(t *testing.T) {
	s := newSandbox(t)
	auth, a, address := asking(t, s, "project", "repo")
	if got := agree(t, s, address, url.Values{"cancel": {"1"}}); got.Get("error") != "access_denied" || got.Get("state") != "st" {
		t.Errorf("%v", got)
	}
	got := agree(t, s, address, url.Values{"handle": {"sam-okafor"}, "choice": {"1"}, "grant": {"repo", "admin:org"}})
	tokens, err := auth.Exchange(t.Context(), a, got.Get("code"))
	if err != nil || tokens.Scope != "repo" {
		t.Errorf("%q, %v", tokens.Scope, err)
	}
}

func TestSignOn_RefusalsHaveStatus200(t *testing.T) {
	s := newSandbox(t)
	auth, a, address := asking(t, s, "repo")
	code := func() string { return agree(t, s, address, url.Values{"handle": {"sam-okafor"}}).Get("code") }

	wrong := a
	wrong.Verifier = strings.Repeat("w", 43)
	if _, err := auth.Exchange(t.Context(), wrong, code()); cause(err) != provider.Dead {
		t.Errorf("another verifier: %v", err)
	}
	wrong = a
	wrong.RedirectURI = callback + "/other"
	if _, err := auth.Exchange(t.Context(), wrong, code()); cause(err) != provider.Misconfigured {
		t.Errorf("another redirect URI: %v", err)
	}
	if _, err := authClient(s, "wrong").Exchange(t.Context(), a, code()); cause(err) != provider.Misconfigured {
		t.Errorf("another secret: %v", err)
	}
	if _, err := auth.Refresh(t.Context(), "ghr_x"); cause(err) != provider.Dead {
		t.Errorf("an unknown refresh token: %v", err)
	}
	for _, r := range s.Requests() {
		if r.Path == tokenPath && r.Status != http.StatusOK {
			t.Errorf("status %d", r.Status)
		}
		if strings.Contains(r.Query, "st") && strings.Contains(r.Query, "state=st") {
			t.Errorf("the log has a secret: %s", r.Query)
		}
	}
}

func TestSignOn_InvalidRequestsNeverRedirect(t *testing.T) {
	s := New(Options{RedirectURI: callback})
	c := as(t, s, "")
	ok := url.Values{"client_id": {ClientID}, "redirect_uri": {callback}, "scope": {"repo"}}
	c.do(http.MethodGet, URL+authorizePath+"?"+ok.Encode(), nil).want(t, http.StatusOK)
	for name, value := range map[string]string{"client_id": "other", "redirect_uri": "https://evil.example/", "code_challenge": "x"} {
		q := url.Values{"client_id": {ClientID}, "redirect_uri": {callback}, "scope": {"repo"}}
		q.Set(name, value)
		if a := c.do(http.MethodGet, URL+authorizePath+"?"+q.Encode(), nil); a.StatusCode/100 != 4 {
			t.Errorf("%s: status %d", name, a.StatusCode)
		}
	}
	r := c.request(http.MethodPost, URL+authorizePath, ok.Encode()+"&handle=no-such-user")
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	c.send(r).want(t, http.StatusBadRequest)
	c.do(http.MethodGet, URL+"/login/oauth/other", nil).want(t, http.StatusNotFound)
}

func TestApplications_RequireTheApplication(t *testing.T) {
	s := newSandbox(t)
	c := as(t, s, "")
	send := func(path, id, secret string, body any) int {
		r := c.request(http.MethodDelete, path, body)
		r.SetBasicAuth(id, secret)
		return c.send(r).StatusCode
	}
	const path = "/applications/" + ClientID + "/token"
	token := values{"access_token": s.Person("ines-albrecht").Token}
	for _, got := range [][2]int{
		{send(path, ClientID, "wrong", token), http.StatusUnauthorized},
		{send("/applications/other/token", ClientID, ClientSecret, token), http.StatusNotFound},
		{send(path, ClientID, ClientSecret, values{}), http.StatusUnprocessableEntity},
		{send(path, ClientID, ClientSecret, token), http.StatusNoContent},
		{send(path, ClientID, ClientSecret, token), http.StatusNotFound},
	} {
		if got[0] != got[1] {
			t.Errorf("status %d, want %d", got[0], got[1])
		}
	}
}
