package launchpad_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/basecamp/launchpad"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/provider"
)

const callback = "https://mcp.fernhill.example/oauth/callback"

func registered(context.Context) (clientID, clientSecret string, err error) {
	return sandbox.ClientID, sandbox.ClientSecret, nil
}

func clientOf(s *sandbox.Sandbox) *launchpad.Client {
	return launchpad.New(launchpad.Config{
		URL: sandbox.BaseURL, Transport: s.Transport(), UserAgent: "test (ops@fernhill.example)", Credentials: registered,
	})
}

// visit does what a user's browser does: it opens the page, submits its form, and returns the
// redirect's URL.
func visit(t *testing.T, s *sandbox.Sandbox, address, handle string) *url.URL {
	t.Helper()
	browser := &http.Client{Transport: s.Transport(), CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	page, err := browser.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(page.Body)
	if err != nil || !strings.Contains(string(body), `value="`+handle+`"`) {
		t.Fatalf("%v, %d: %s", err, page.StatusCode, body)
	}
	form := page.Request.URL.Query()
	form.Set("handle", handle)
	answer, err := browser.PostForm(page.Request.URL.JoinPath("../new").String(), form)
	if err != nil {
		t.Fatal(err)
	}
	back, err := answer.Location()
	if err != nil {
		t.Fatal(err)
	}
	return back
}

// logIn completes a login and returns the tokens.
func logIn(t *testing.T, s *sandbox.Sandbox, c *launchpad.Client, handle string) provider.Tokens {
	t.Helper()
	address, err := c.AuthorizationURL(t.Context(), provider.Authorization{RedirectURI: callback, State: "st4te"})
	if err != nil {
		t.Fatal(err)
	}
	answer := visit(t, s, address, handle).Query()
	if answer.Get("state") != "st4te" {
		t.Fatalf("the callback was %v", answer)
	}
	tokens, err := c.Exchange(t.Context(), provider.Authorization{RedirectURI: callback}, answer.Get("code"))
	if err != nil {
		t.Fatal(err)
	}
	return tokens
}

// refused returns err as a refusal, or fails the test if the cause is different.
func refused(t *testing.T, err error, want provider.Cause) *provider.Refusal {
	t.Helper()
	refusal, ok := errors.AsType[*provider.Refusal](err)
	if !ok || refusal.Cause != want {
		t.Fatalf("got %v, want %s", err, want)
	}
	return refusal
}

func TestLogin_FromThePageToTokensThatAreRefreshedUntilThePasswordChanges(t *testing.T) {
	s := sandbox.New(sandbox.Options{})
	c := clientOf(s)
	tokens := logIn(t, s, c, "aoife")
	if life := tokens.ExpiresAt.Sub(tokens.ObtainedAt); life != 14*24*time.Hour || tokens.RefreshToken == "" {
		t.Errorf("lives %s", life)
	}
	want := provider.Identity{Subject: launchpad.Subject(s.Bookkeeper().IdentityID), Name: "Aoife Brennan", Accounts: []provider.Account{
		{ID: s.Account(), Name: "Fernhill Bikes"}, {ID: s.BooksAccount(), Name: "Brennan Bookkeeping"},
	}}
	got, err := c.Identity(t.Context(), tokens.AccessToken)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}

	renewed, err := c.Refresh(t.Context(), tokens.RefreshToken)
	if err != nil || renewed.AccessToken == tokens.AccessToken {
		t.Fatalf("refreshed to the same token: %v", err)
	}
	if got, err := c.Identity(t.Context(), renewed.AccessToken); err != nil || got.Subject != want.Subject {
		t.Errorf("%v, %v", got, err)
	}

	s.RevokeGrants(s.Bookkeeper().IdentityID)
	_, err = c.Refresh(t.Context(), tokens.RefreshToken)
	refused(t, err, provider.Dead)
	if _, err := c.Identity(t.Context(), renewed.AccessToken); !fault.Is(err, fault.TokenExpired) {
		t.Error(err)
	}
	if again := logIn(t, s, c, "aoife"); again.AccessToken == renewed.AccessToken {
		t.Error("a new login returned the same token")
	}
}

func TestRefresh_WrongClientCredentialsDoNotEndAGrant(t *testing.T) {
	s := sandbox.New(sandbox.Options{})
	tokens := logIn(t, s, clientOf(s), "ines")
	wrong := launchpad.New(launchpad.Config{
		URL: sandbox.BaseURL, Transport: s.Transport(), UserAgent: "test (ops@fernhill.example)",
		Credentials: func(context.Context) (clientID, clientSecret string, err error) { return sandbox.ClientID, "old", nil },
	})
	_, err := wrong.Refresh(t.Context(), tokens.RefreshToken)
	refused(t, err, provider.Misconfigured)
}

func TestRefresh_IsGivenUpAfterFiveSecondsAndNotRepeated(t *testing.T) {
	s := sandbox.New(sandbox.Options{})
	c := clientOf(s)
	tokens := logIn(t, s, c, "ines")
	synctest.Test(t, func(t *testing.T) {
		s.Inject(sandbox.Fault{PathPrefix: "/authorization/token", Hang: true, Times: 1})
		began := time.Now()
		_, err := c.Refresh(t.Context(), tokens.RefreshToken)
		refused(t, err, provider.Unavailable)
		if took := time.Since(began); took != 5*time.Second || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s, %v", took, err)
		}
		s.Inject(sandbox.Fault{PathPrefix: "/authorization/token", Drop: true, AfterEffect: true, Times: 1})
		_, err = c.Refresh(t.Context(), tokens.RefreshToken)
		refused(t, err, provider.Unavailable)
		if got := s.Refreshes(); got != 1 {
			t.Errorf("sent %d times", got)
		}
		synctest.Wait()
	})
}

func TestRefresh_StopsWhenItsCallerCancels(t *testing.T) {
	s := sandbox.New(sandbox.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := clientOf(s).Refresh(ctx, "r3fresh")
	refused(t, err, provider.Unavailable)
	if !errors.Is(err, context.Canceled) || s.Refreshes() != 0 {
		t.Errorf("%v, sent %d times", err, s.Refreshes())
	}
}

func TestRefresh_SendsNothingWithoutARefreshTokenOrCredentials(t *testing.T) {
	s := sandbox.New(sandbox.Options{})
	_, err := clientOf(s).Refresh(t.Context(), "")
	refused(t, err, provider.Dead)

	away := errors.New("the vault is out of reach")
	for name, test := range map[string]struct {
		id, secret string
		err, want  error
		cause      provider.Cause
	}{
		"no credentials": {"", "", nil, provider.ErrNotConfigured, provider.Misconfigured},
		"no secret":      {"id", "", nil, provider.ErrNotConfigured, provider.Misconfigured},
		"said so":        {"", "", provider.ErrNotConfigured, provider.ErrNotConfigured, provider.Misconfigured},
		"out of reach":   {"", "", away, away, provider.Unavailable},
	} {
		c := launchpad.New(launchpad.Config{Transport: s.Transport(), Credentials: func(context.Context) (clientID, clientSecret string, err error) {
			return test.id, test.secret, test.err
		}})
		_, refresh := c.Refresh(t.Context(), "r3fresh")
		_, exchange := c.Exchange(t.Context(), provider.Authorization{RedirectURI: callback}, "c0de")
		for _, err := range []error{refresh, exchange} {
			if refused(t, err, test.cause); !errors.Is(err, test.want) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := c.AuthorizationURL(t.Context(), provider.Authorization{RedirectURI: callback, State: "st4te"}); !errors.Is(err, test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := len(s.Requests()); got != 0 {
		t.Errorf("%d requests", got)
	}
}

func TestAuthorizationURL_PointsToTheBrowsersURL(t *testing.T) {
	for base, want := range map[string]string{
		"":                                   "https://launchpad.37signals.com",
		"http://127.0.0.1:8787/launchpad/":   "http://127.0.0.1:8787/launchpad",
		"https://launchpad.fernhill.example": "https://launchpad.fernhill.example",
	} {
		c := launchpad.New(launchpad.Config{BrowserURL: base, Credentials: registered})
		got, err := c.AuthorizationURL(t.Context(), provider.Authorization{RedirectURI: callback, State: "a b&c=d"})
		want += "/authorization/new?client_id=sandbox-client&redirect_uri=https%3A%2F%2Fmcp.fernhill.example%2Foauth%2Fcallback" +
			"&response_type=code&state=a+b%26c%3Dd"
		if err != nil || got != want {
			t.Errorf("%v\n got %s\nwant %s", err, got, want)
		}
	}
}
