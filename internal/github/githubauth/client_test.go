package githubauth_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/oauth2"

	"basecamp-mcp/internal/github/githubauth"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/provider"
)

const callback = "https://mcp.fernhill.example/oauth/github/callback"

var noon = time.Date(2031, time.May, 14, 12, 0, 0, 0, time.UTC)

// of returns a client of a server that plays GitHub.
func of(t *testing.T, handler http.HandlerFunc) *githubauth.Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return githubauth.New(githubauth.Config{
		URL: server.URL, APIURL: server.URL + "/api/v3", UserAgent: "test (ops@fernhill.example)", Now: func() time.Time { return noon },
		Credentials: func(context.Context) (clientID, clientSecret string, err error) { return "1d", "s3cret+", nil },
	})
}

func says(status int, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

func TestAuthorizationURL_AsksForScopesWithPKCE(t *testing.T) {
	verifier := strings.Repeat("v", 64)
	for name, test := range map[string]struct {
		asked provider.Authorization
		want  url.Values
	}{
		"the first link": {
			provider.Authorization{RedirectURI: callback, State: "st&te", Verifier: verifier},
			url.Values{"scope": {"read:project read:org"}, "prompt": {"select_account"}},
		},
		"a step-up": {
			provider.Authorization{RedirectURI: callback, State: "st&te", Verifier: verifier, Scopes: []string{"project", "repo"}, Login: "ines"},
			url.Values{"scope": {"project repo"}, "login": {"ines"}},
		},
	} {
		got, err := of(t, says(200, "")).AuthorizationURL(t.Context(), test.asked)
		if err != nil {
			t.Fatal(err)
		}
		u, err := url.Parse(got)
		if err != nil || u.Path != "/login/oauth/authorize" {
			t.Fatal(u, err)
		}
		test.want["response_type"] = []string{"code"}
		test.want["client_id"], test.want["redirect_uri"] = []string{"1d"}, []string{callback}
		test.want["state"], test.want["allow_signup"] = []string{"st&te"}, []string{"false"}
		test.want["code_challenge_method"] = []string{"S256"}
		test.want["code_challenge"] = []string{oauth2.S256ChallengeFromVerifier(verifier)}
		if diff := cmp.Diff(test.want, u.Query()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestTokens_AreRequestedWithTheVerifierAndTheSecret(t *testing.T) {
	var sent []url.Values
	c := of(t, func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseForm(); err != nil {
			t.Error(err)
		}
		sent = append(sent, r.PostForm)
		got := []string{r.Method, r.URL.String(), r.UserAgent(), r.Header.Get("Authorization"), r.Header.Get("Accept")}
		want := []string{"POST", "/login/oauth/access_token", "test (ops@fernhill.example)", "", "application/json"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		says(http.StatusOK, `{"access_token":"gho_a","token_type":"bearer","scope":""}`)(w, r)
	})
	_, exchanged := c.Exchange(t.Context(), provider.Authorization{RedirectURI: callback, Verifier: "ver1fier"}, "c0de")
	_, refreshed := c.Refresh(t.Context(), "r3fresh")
	if exchanged != nil || refreshed != nil {
		t.Error(exchanged, refreshed)
	}
	want := []url.Values{
		{"grant_type": {"authorization_code"}, "code": {"c0de"}, "code_verifier": {"ver1fier"}, "redirect_uri": {callback},
			"client_id": {"1d"}, "client_secret": {"s3cret+"}},
		{"grant_type": {"refresh_token"}, "refresh_token": {"r3fresh"}, "client_id": {"1d"}, "client_secret": {"s3cret+"}},
	}
	if diff := cmp.Diff(want, sent); diff != "" {
		t.Error(diff)
	}
}

func TestTokens_OfBothKindsOfApplicationAreRead(t *testing.T) {
	for name, test := range map[string]struct {
		body string
		want provider.Tokens
	}{
		"an OAuth App": {
			`{"access_token":"gho_a","token_type":"bearer","scope":"read:org,read:project"}`,
			provider.Tokens{AccessToken: "gho_a", Scope: "read:org read:project", ObtainedAt: noon},
		},
		"a GitHub App": {
			`{"access_token":"ghu_a","expires_in":28800,"refresh_token":"ghr_r","refresh_token_expires_in":15897600,"token_type":"bearer","scope":""}`,
			provider.Tokens{AccessToken: "ghu_a", RefreshToken: "ghr_r", ObtainedAt: noon,
				ExpiresAt: noon.Add(8 * time.Hour), RefreshExpiresAt: noon.Add(184 * 24 * time.Hour)},
		},
	} {
		got, err := of(t, says(http.StatusOK, test.body)).Exchange(t.Context(), provider.Authorization{RedirectURI: callback}, "c0de")
		if diff := cmp.Diff(test.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v %s", name, err, diff)
		}
	}
}

func TestRefusal_IsReadFromAnAnswerWithStatus200(t *testing.T) {
	for _, test := range []struct {
		status int
		body   string
		want   provider.Cause
	}{
		{200, `{"error":"bad_verification_code","error_description":"s3cret"}`, provider.Dead},
		{200, `{"error":"bad_refresh_token"}`, provider.Dead},
		{200, `{"error":"unverified_user_email"}`, provider.Dead},
		{200, `{"error":"incorrect_client_credentials"}`, provider.Misconfigured},
		{200, `{"error":"redirect_uri_mismatch"}`, provider.Misconfigured},
		{200, `{"error":"a_new_error"}`, provider.Unavailable},
		{200, `{}`, provider.Unavailable},
		{200, `<html>Unicorn!</html>`, provider.Unavailable},
		{200, `{"access_token":"a","refresh_token_expires_in":"soon"}`, provider.Unavailable},
		{302, `{"error":"bad_refresh_token"}`, provider.Unavailable},
		{400, `{"error":"bad_refresh_token"}`, provider.Dead},
		{401, ``, provider.Misconfigured},
		{404, `{"error":"Not Found"}`, provider.Misconfigured},
		{429, `{"error":"bad_refresh_token"}`, provider.Unavailable},
		{500, `{"error":"bad_refresh_token"}`, provider.Unavailable},
		{502, `<html>Bad Gateway</html>`, provider.Unavailable},
	} {
		c := of(t, says(test.status, test.body, "Retry-After", "7"))
		_, refreshed := c.Refresh(t.Context(), "r3fresh")
		_, exchanged := c.Exchange(t.Context(), provider.Authorization{RedirectURI: callback}, "c0de")
		for _, err := range []error{refreshed, exchanged} {
			refusal, ok := errors.AsType[*provider.Refusal](err)
			if !ok || refusal.Cause != test.want || strings.Contains(err.Error(), "s3cret") {
				t.Errorf("%d %.60s: got %v, want %s", test.status, test.body, err, test.want)
			}
		}
	}
}

func TestAuthorizationURL_NeedsCredentials(t *testing.T) {
	c := githubauth.New(githubauth.Config{UserAgent: "test", Credentials: func(context.Context) (clientID, clientSecret string, err error) {
		return "", "", provider.ErrNotConfigured
	}})
	if _, err := c.AuthorizationURL(t.Context(), provider.Authorization{}); !errors.Is(err, provider.ErrNotConfigured) {
		t.Error(err)
	}
}

func TestIdentity_IsTheUserID(t *testing.T) {
	c := of(t, func(w http.ResponseWriter, r *http.Request) {
		got := []string{r.Method, r.URL.Path, r.Header.Get("Authorization"), r.Header.Get("Accept"), r.Header.Get("X-GitHub-Api-Version"), r.UserAgent(), r.Header.Get("Content-Type")}
		want := []string{"GET", "/api/v3/user", "Bearer gho_a", "application/vnd.github+json", "2022-11-28", "test (ops@fernhill.example)", ""}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		says(200, `{"id":7301,"login":"ines-fernhill"}`)(w, r)
	})
	got, err := c.Identity(t.Context(), "gho_a")
	if diff := cmp.Diff(provider.Identity{Subject: "gh:7301", Name: "ines-fernhill"}, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

func TestIdentity_FailsWithoutAUser(t *testing.T) {
	for _, test := range []struct {
		status int
		body   string
		want   fault.Code
	}{
		{401, `{"message":"Bad credentials"}`, fault.TokenExpired},
		{403, ``, fault.UpstreamError}, {404, ``, fault.UpstreamError}, {429, ``, fault.UpstreamError}, {503, ``, fault.UpstreamError},
		{301, ``, fault.UpstreamError}, {200, `s3cret`, fault.UpstreamError}, {200, `{"id":0,"login":"ines"}`, fault.UpstreamError},
		{200, `{"id":7301}`, fault.UpstreamError}, {200, `{"id":"s3cret"}`, fault.UpstreamError},
	} {
		_, err := of(t, says(test.status, test.body)).Identity(t.Context(), "gho_a")
		if !fault.Is(err, test.want) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%d %s: %v", test.status, test.body, err)
		}
	}
}

func TestRevoke_AcceptsATokenThatGitHubNoLongerKnows(t *testing.T) {
	for status, ok := range map[int]bool{204: true, 404: true, 422: true, 401: false, 500: false, 302: false} {
		c := of(t, func(w http.ResponseWriter, r *http.Request) {
			id, secret, _ := r.BasicAuth()
			body, _ := io.ReadAll(r.Body)
			var sent map[string]string
			if err := json.Unmarshal(body, &sent); err != nil {
				t.Error(err)
			}
			got := []string{r.Method, r.URL.Path, id, secret, sent["access_token"], r.Header.Get("Content-Type")}
			want := []string{"DELETE", "/api/v3/applications/1d/token", "1d", "s3cret+", "gho_a", "application/json"}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			w.WriteHeader(status)
		})
		if err := c.Revoke(t.Context(), provider.Tokens{AccessToken: "gho_a"}); (err == nil) != ok {
			t.Errorf("%d: %v", status, err)
		}
	}
}

func TestProvider_SaysWhatItsScopesPermit(t *testing.T) {
	scopes := of(t, says(200, "")).Provider().Scopes
	if missing := scopes.Missing([]string{"project", "repo"}, append(scopes.First, "public_repo")); len(missing) != 1 || missing[0] != "read:org" {
		t.Errorf("missing %v", missing)
	}
	for _, scope := range []string{"read:project", "project", "repo", "public_repo", "read:org"} {
		if words := scopes.Words([]string{scope}); len(words) != 1 || !strings.Contains(words[0], " ") {
			t.Errorf("%s: %q", scope, words)
		}
	}
}

func TestGrants_CountsBroaderScopes(t *testing.T) {
	for _, test := range []struct {
		granted []string
		scope   string
		want    bool
	}{
		{[]string{"gist", "repo"}, "repo", true},
		{[]string{"repo"}, "public_repo", true},
		{[]string{"public_repo"}, "repo", false},
		{[]string{"project"}, "read:project", true},
		{[]string{"admin:org"}, "read:org", true},
		{nil, "read:org", false},
	} {
		if got := githubauth.Grants(test.granted, test.scope); got != test.want {
			t.Errorf("%v grants %s: %t", test.granted, test.scope, got)
		}
	}
}
