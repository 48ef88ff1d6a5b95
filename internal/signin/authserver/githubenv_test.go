package authserver_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"basecamp-mcp/internal/github/githubauth"
	githubsandbox "basecamp-mcp/internal/github/sandbox"
	"basecamp-mcp/internal/signin/authserver"
	"basecamp-mcp/internal/signin/grant"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/signin/provider"
	"basecamp-mcp/internal/store/memory"
)

// hubEnv is a server whose users can link the sandbox's GitHub.
type hubEnv struct {
	*signInEnv
	hub         *githubsandbox.Server
	tokens      *flakyTokens
	records     *flakyRecords
	credentials func(context.Context) (clientID, clientSecret string, err error)
}

func newHubEnv(t *testing.T) *hubEnv {
	t.Helper()
	h := &hubEnv{signInEnv: newSignInEnv(t), credentials: credentials(githubsandbox.ClientID, githubsandbox.ClientSecret)}
	h.hub = githubsandbox.New(githubsandbox.Options{Now: h.clock.Now, RedirectURI: origin + "/oauth/github/callback"})
	h.tokens = &flakyTokens{Store: memory.New(h.clock.Now).Grants("")}
	h.records = &flakyRecords{Records: memory.New(nil).Records("")}
	client := githubauth.New(githubauth.Config{
		URL: githubsandbox.URL, APIURL: githubsandbox.APIURL, Transport: h.hub.Transport(), UserAgent: "test (https://fernhill.example)", Now: h.clock.Now,
		Credentials: func(ctx context.Context) (string, string, error) { return h.credentials(ctx) },
	})
	h.Upstreams = append(h.Upstreams, authserver.Upstream{
		Provider: client.Provider(), RegisterURL: githubsandbox.URL + "/settings/applications/new", Setup: "put the secret",
		Keeper: grant.New(grant.Config{Store: h.tokens, Records: h.records, Provider: client.Provider(), Log: h.Config.Log, Now: h.clock.Now}),
	})
	return h
}

// linkURL returns the link that a tool's answer shows to a user.
func (h *hubEnv) linkURL(person string, scopes ...string) string {
	h.Helper()
	links := &authserver.Links{LoginStates: h.store.Store, Families: h.store, Now: h.clock.Now}
	ctx := identity.WithOrigin(identity.With(h.Context(), identity.Caller{Subject: h.subject(person)}), origin)
	address := must(links.LinkURL(ctx, githubauth.ProviderID, scopes))
	return address
}

// link links a GitHub account that granted scopes to a person.
func (h *hubEnv) link(person, login string, scopes ...string) (token string) {
	h.Helper()
	token = h.hub.Grant(login, scopes...)
	of := provider.Identity{Subject: githubauth.Subject(h.hub.Person(login).ID), Name: login}
	tokens := provider.Tokens{AccessToken: token, ObtainedAt: h.clock.Now(), Scope: strings.Join(scopes, " ")}
	if _, err := h.Upstreams[1].Keeper.Link(h.Context(), h.subject(person), of, tokens); err != nil {
		h.Fatal(err)
	}
	return token
}

// held returns the record of a person's link; the zero Record if there is none.
func (h *hubEnv) held(person string) grant.Record {
	r, _ := h.records.Records.Record(h.Context(), h.subject(person))
	return r
}

// exchanged returns how many codes GitHub has received.
func (h *hubEnv) exchanged() int { return h.countRequests("POST /login/oauth/access_token") }

func (h *hubEnv) countRequests(request string) int {
	found := 0
	for _, r := range h.hub.Requests() {
		if r.Method+" "+r.Path == request {
			found++
		}
	}
	return found
}

// agree answers GitHub's consent page and returns the callback URL. Without choices of grant, all
// scopes are granted.
func (h *hubEnv) agree(sent shown, choices ...string) (callbackURL string) {
	h.Helper()
	if !strings.HasPrefix(sent.location(), githubsandbox.URL+"/login/oauth/authorize?") {
		h.Fatalf("HTTP %d leads to %q and shows %s", sent.status, sent.location(), sent.text)
	}
	u, _ := url.Parse(sent.location())
	form := u.Query()
	for i := 0; i < len(choices); i += 2 {
		form.Add(choices[i], choices[i+1])
	}
	r := httptest.NewRequest(http.MethodPost, githubsandbox.URL+"/login/oauth/authorize", strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	h.hub.ServeHTTP(w, r)
	if w.Code != http.StatusFound {
		h.Fatalf("GitHub: HTTP %d %s", w.Code, w.Body)
	}
	return w.Header().Get("Location")
}

// signedIn returns a browser with the session of a user.
func (h *hubEnv) signedIn(handle string) *browser {
	h.Helper()
	b := h.browser()
	b.start(handle)
	return b
}

// offering returns the browser's answer to the form at an address.
func (b *browser) offering(address string) shown {
	b.Helper()
	return b.submit(b.get(address))
}

func wantPage(t *testing.T, what string, got shown, status int, texts ...string) {
	t.Helper()
	if got.status != status || got.location() != "" {
		t.Errorf("%s: HTTP %d to %q, want %d: %s", what, got.status, got.location(), status, got.main())
	}
	for _, text := range texts {
		if !strings.Contains(got.text, text) {
			t.Errorf("%s: %q is not in %s", what, text, got.main())
		}
	}
}

// want checks the status of a page, and what it says.
func (s shown) want(t *testing.T, status int, texts ...string) {
	t.Helper()
	wantPage(t, "the page", s, status, texts...)
}

// main returns the page without its head, header and footer.
func (s shown) main() string {
	_, body, _ := strings.Cut(s.text, "<main>")
	body, _, _ = strings.Cut(body, "</main>")
	return body
}

func queryOf(t *testing.T, address string) url.Values {
	t.Helper()
	u := must(url.Parse(address))
	return u.Query()
}

// flakyTokens is a grant.Store whose named methods fail.
type flakyTokens struct {
	grant.Store
	down []string
}

func (f *flakyTokens) Load(ctx context.Context, subject, version string) (provider.Tokens, error) {
	if slices.Contains(f.down, "Load") {
		return provider.Tokens{}, errDown
	}
	return f.Store.Load(ctx, subject, version)
}

func (f *flakyTokens) Save(ctx context.Context, subject, writer string, t provider.Tokens) (string, error) {
	if slices.Contains(f.down, "Save") {
		return "", errDown
	}
	return f.Store.Save(ctx, subject, writer, t)
}

func (f *flakyTokens) Delete(ctx context.Context, subject string) error {
	if slices.Contains(f.down, "Delete") {
		return errDown
	}
	return f.Store.Delete(ctx, subject)
}

// flakyRecords are grant.Records whose named methods fail.
type flakyRecords struct {
	grant.Records
	down []string
}

func (f *flakyRecords) Record(ctx context.Context, subject string) (grant.Record, error) {
	if slices.Contains(f.down, "Record") {
		return grant.Record{}, errDown
	}
	return f.Records.Record(ctx, subject)
}

func (f *flakyRecords) SaveRecord(ctx context.Context, r grant.Record) (grant.Record, error) {
	if slices.Contains(f.down, "SaveRecord") {
		return grant.Record{}, errDown
	}
	return f.Records.SaveRecord(ctx, r)
}

func (f *flakyRecords) DeleteRecord(ctx context.Context, subject string) error {
	if slices.Contains(f.down, "DeleteRecord") {
		return errDown
	}
	return f.Records.DeleteRecord(ctx, subject)
}
