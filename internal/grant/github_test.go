package grant_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/github/githubauth"
	"basecamp-mcp/internal/github/sandbox"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/memory"
	"basecamp-mcp/internal/provider"
)

// hub is a Keeper of links to the sandbox's GitHub, with the same clock.
type hub struct {
	*testing.T
	*grant.Keeper
	github *sandbox.Server
	auth   *githubauth.Client
	now    time.Time
}

func newHub(t *testing.T, app bool) *hub {
	h := &hub{T: t, now: time.Date(2031, time.May, 14, 12, 0, 0, 0, time.UTC)}
	clock := func() time.Time { return h.now }
	h.github = sandbox.New(sandbox.Options{Now: clock, GitHubApp: app})
	h.auth = githubauth.New(githubauth.Config{
		URL: sandbox.URL, APIURL: sandbox.APIURL, Transport: h.github.Transport(), UserAgent: "grant-tests", Now: clock,
		Credentials: func(context.Context) (id, secret string, err error) {
			return sandbox.ClientID, sandbox.ClientSecret, nil
		},
	})
	h.Keeper = grant.New(grant.Config{Store: memory.New(clock).Grants(""), Records: memory.New(nil).Records(""), Provider: h.auth.Provider(), Now: clock})
	return h
}

// signIn plays a user who agrees to a link in the browser.
func (h *hub) signIn(login string) (provider.Identity, provider.Tokens) {
	h.Helper()
	a := provider.Authorization{RedirectURI: "https://mcp.example/oauth/github/callback", State: "st", Verifier: strings.Repeat("v", 43)}
	address, err := h.auth.AuthorizationURL(h.Context(), a)
	if err != nil {
		h.Fatal(err)
	}
	page, err := url.Parse(address)
	if err != nil {
		h.Fatal(err)
	}
	form := page.Query()
	form.Set("person", login)
	page.RawQuery = ""
	r, err := http.NewRequestWithContext(h.Context(), http.MethodPost, page.String(), strings.NewReader(form.Encode()))
	if err != nil {
		h.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := h.github.Transport().RoundTrip(r)
	if err != nil {
		h.Fatal(err)
	}
	defer answer.Body.Close()
	back, err := answer.Location()
	if err != nil {
		h.Fatal(err)
	}
	tokens, err := h.auth.Exchange(h.Context(), a, back.Query().Get("code"))
	if err != nil {
		h.Fatal(err)
	}
	who, err := h.auth.Identity(h.Context(), tokens.AccessToken)
	if err != nil {
		h.Fatal(err)
	}
	return who, tokens
}

func (h *hub) link(login string) (provider.Tokens, error) {
	h.Helper()
	who, tokens := h.signIn(login)
	_, err := h.Link(h.Context(), ines, who, tokens)
	return tokens, err
}

func TestGitHub_AnOAuthAppsTokenLivesUntilItIsReplacedOrUnlinked(t *testing.T) {
	h := newHub(t, false)
	first, err := h.link("ines-albrecht")
	if err != nil {
		t.Fatal(err)
	}
	h.now = h.now.AddDate(0, 6, 0)
	a, err := h.Access(t.Context(), ines, "")
	if err != nil || a.Token != first.AccessToken || a.Name != "ines-albrecht" || !strings.Contains(a.Scope, "read:project") {
		t.Fatalf("access %+v, %v", a, err)
	}
	second, err := h.link("ines-albrecht")
	if err != nil || h.github.Alive(first.AccessToken) || !h.github.Alive(second.AccessToken) {
		t.Errorf("after a second link: %v; the first token lives %t, the second %t", err, h.github.Alive(first.AccessToken), h.github.Alive(second.AccessToken))
	}
	other, err := h.link("sam-okafor")
	if !errors.Is(err, grant.ErrOtherAccount) || h.github.Alive(other.AccessToken) || !h.github.Alive(second.AccessToken) {
		t.Errorf("another account: %v", err)
	}
	if err := h.Disconnect(t.Context(), ines); err != nil || h.github.Alive(second.AccessToken) {
		t.Errorf("unlinked: %v; the token lives %t", err, h.github.Alive(second.AccessToken))
	}
	if _, err := h.link("sam-okafor"); err != nil {
		t.Errorf("another account after an unlink: %v", err)
	}
}

func TestGitHub_AGitHubAppsTokenIsRefreshedUntilItsRefreshTokenIsDead(t *testing.T) {
	h := newHub(t, true)
	first, err := h.link("ines-albrecht")
	if err != nil {
		t.Fatal(err)
	}
	for day := range 3 {
		h.now = h.now.Add(24 * time.Hour)
		h.github.ResetRequests()
		a, err := h.Access(t.Context(), ines, "")
		if err != nil || a.Token == first.AccessToken || a.Scope != "" || a.Revision != int64(day+2) {
			t.Fatalf("day %d: %+v, %v", day, a, err)
		}
		sent := h.github.Requests()
		if len(sent) != 2 || !strings.HasSuffix(sent[0].Path, "/access_token") || !strings.HasSuffix(sent[1].Path, "/user") {
			t.Errorf("day %d: %d requests %+v", day, len(sent), sent)
		}
	}
	h.now = h.now.AddDate(0, 7, 0)
	h.github.ResetRequests()
	if _, err := h.Access(t.Context(), ines, ""); !fault.Is(err, fault.TokenExpired) || len(h.github.Requests()) != 0 {
		t.Errorf("after seven months: %v, %d requests", err, len(h.github.Requests()))
	}
}

// GitHub refuses with status 200.
func TestGitHub_ARefreshTokenThatWasUsedElsewhereEndsTheLink(t *testing.T) {
	h := newHub(t, true)
	first, err := h.link("ines-albrecht")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.auth.Refresh(t.Context(), first.RefreshToken); err != nil {
		t.Fatal(err)
	}
	h.now = h.now.Add(24 * time.Hour)
	for range 2 {
		h.github.ResetRequests()
		_, err = h.Access(t.Context(), ines, "")
		if r, status := h.Status(t.Context(), ines); !fault.Is(err, fault.TokenExpired) || status != nil || r.Status != grant.NeedsReauth {
			t.Errorf("%v, status %s, %v", err, r.Status, status)
		}
	}
	if n := len(h.github.Requests()); n != 0 {
		t.Errorf("%d requests for a dead link", n)
	}
}
