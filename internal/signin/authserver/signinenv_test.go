package authserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/html"

	"basecamp-mcp/internal/basecamp/launchpad"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/signin/authserver"
	"basecamp-mcp/internal/signin/grant"
	"basecamp-mcp/internal/signin/pages"
	"basecamp-mcp/internal/signin/provider"
	"basecamp-mcp/internal/store/memory"
)

const (
	signOnOrigin = "https://launchpad.example"
	goBack       = "https://client.example/back?kept=1"
)

// signInEnv is a server with Basecamp's sign-on, for browsers. Its clock moves only on request.
type signInEnv struct {
	*testing.T
	*authserver.Server
	store   *store
	sandbox *sandbox.Sandbox
	clock   *clock
	log     *bytes.Buffer
	client  string // ID of a registered client
}

func newSignInEnv(t *testing.T, change ...func(*authserver.Config)) *signInEnv {
	t.Helper()
	h := &signInEnv{T: t, clock: &clock{now: time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)}, log: &bytes.Buffer{}}
	h.store = &store{Store: authserver.NewStore(memory.New(h.clock.Now))}
	h.sandbox = sandbox.New(sandbox.Options{Now: h.clock.Now, RateLimit: -1})
	log := slog.New(slog.NewTextHandler(h.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	signOn := launchpad.New(launchpad.Config{
		URL: signOnOrigin, APIURL: sandbox.BaseURL, Transport: h.sandbox.Transport(), UserAgent: "test (https://fernhill.example)", Now: h.clock.Now,
		Credentials: credentials(sandbox.ClientID, sandbox.ClientSecret),
	})
	config := authserver.Config{
		Store:     authserver.NewStore(h.store),
		Upstreams: []authserver.Upstream{h.upstream(signOn.Provider(signOnOrigin), log)},
		Origin:    func(*http.Request) string { return origin },
		Toolsets:  []string{"basecamp"},
		Projects:  signOn.Projects,
		Suspended: signOn.Suspended,
		Recent:    func(context.Context, string) ([]pages.Call, error) { return nil, nil },
		Now:       h.clock.Now,
		Log:       log,
	}
	config.Upstreams[0].RegisterURL = "https://launchpad.37signals.com/integrations"
	for _, c := range change {
		c(&config)
	}
	h.Server = authserver.New(config)
	h.client = h.register(`{"client_name":"Plumcot","redirect_uris":["` + goBack + `","http://127.0.0.1/done"],"token_endpoint_auth_method":"none"}`)
	return h
}

// upstream returns a provider with a keeper of its own, in memory.
func (h *signInEnv) upstream(p provider.Provider, log *slog.Logger) authserver.Upstream {
	return authserver.Upstream{Provider: p, Keeper: grant.New(grant.Config{
		Store: memory.New(h.clock.Now).Grants(""), Records: memory.New(nil).Records(""), Provider: p, Log: log, Now: h.clock.Now,
	})}
}

// keeper returns the keeper of the first provider.
func (h *signInEnv) keeper() *grant.Keeper { return h.Upstreams[0].Keeper }

func (h *signInEnv) register(metadata string) (id string) {
	h.Helper()
	w := asked(h, http.MethodPost, "/register", metadata, "Content-Type", "application/json")
	var answer struct {
		ClientID string `json:"client_id"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || answer.ClientID == "" {
		h.Fatalf("register: HTTP %d %s", w.Code, w.Body)
	}
	return answer.ClientID
}

// asking returns the URL to which a client sends a user. Pairs of names and values replace
// parameters; "-" removes one.
func (h *signInEnv) asking(changes ...string) string {
	query := url.Values{
		"response_type": {"code"}, "client_id": {h.client}, "redirect_uri": {goBack}, "state": {"a state & more="},
		"code_challenge": {challenge}, "code_challenge_method": {"S256"}, "scope": {"read write"}, "resource": {origin + "/mcp"},
	}
	for i := 0; i < len(changes); i += 2 {
		if query.Set(changes[i], changes[i+1]); changes[i+1] == "-" {
			query.Del(changes[i])
		}
	}
	return origin + "/authorize?" + query.Encode()
}

// browser is a user's browser with its own cookies. It does not follow redirects by itself.
type browser struct {
	*signInEnv
	jar *cookiejar.Jar
}

func (h *signInEnv) browser() *browser {
	jar, _ := cookiejar.New(nil)
	return &browser{h, jar}
}

// shown is an answer that a browser received.
type shown struct {
	status int
	header http.Header
	text   string
	at     *url.URL
}

func (s shown) location() string { return s.header.Get("Location") }

// answer returns the query of a redirect to the client.
func (s shown) answer(t *testing.T) url.Values {
	t.Helper()
	if !strings.HasPrefix(s.location(), goBack+"&") {
		t.Fatalf("HTTP %d leads to %q and shows %s", s.status, s.location(), s.text)
	}
	u, _ := url.Parse(s.location())
	return u.Query()
}

func (b *browser) get(address string) shown {
	b.Helper()
	r := httptest.NewRequest(http.MethodGet, address, nil)
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	return b.send(r)
}

func (b *browser) send(r *http.Request) shown {
	b.Helper()
	for _, cookie := range b.jar.Cookies(r.URL) {
		r.AddCookie(cookie)
	}
	w := httptest.NewRecorder()
	if strings.HasPrefix(r.URL.String(), signOnOrigin) {
		b.sandbox.ServeHTTP(w, r)
	} else {
		b.ServeHTTP(w, r)
	}
	b.jar.SetCookies(r.URL, w.Result().Cookies())
	return shown{w.Code, w.Header(), w.Body.String(), r.URL}
}

// submit sends the page's form with the fields that a user fills in.
func (b *browser) submit(page shown, fields ...string) shown {
	b.Helper()
	return b.send(b.filled(page, fields...))
}

func (b *browser) filled(page shown, fields ...string) *http.Request {
	b.Helper()
	action, form := readPage(b.T, page)
	if form.Has("shown") {
		form.Set("shown", pages.Watched) // as the page's script does
	}
	for i := 0; i < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	to := page.at.ResolveReference(&url.URL{Path: action})
	r := httptest.NewRequest(http.MethodPost, to.String(), strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	r.Header.Set("Origin", "null") // as under a Referrer-Policy of no-referrer
	return r
}

// readPage returns the action and the hidden inputs of the first form.
func readPage(t *testing.T, page shown) (action string, hidden url.Values) {
	t.Helper()
	document := must(html.Parse(strings.NewReader(page.text)))
	hidden = url.Values{}
	found := false
	for node := range document.Descendants() {
		attributes := map[string]string{}
		for _, a := range node.Attr {
			attributes[a.Key] = a.Val
		}
		switch {
		case node.Data == "form" && found:
			return action, hidden
		case node.Data == "form":
			action, found = attributes["action"], true
		case node.Data == "input" && attributes["type"] == "hidden":
			hidden.Set(attributes["name"], attributes["value"])
		}
	}
	if !found {
		t.Fatalf("HTTP %d leads to %q and has no form: %s", page.status, page.location(), page.text)
	}
	return action, hidden
}

// approve allows reading and writing. The answer redirects the browser to the sign-on.
func (b *browser) approve(page shown) shown {
	b.Helper()
	return b.submit(page, "decision", "approve", "scope", "write")
}

// signIn signs the user in at the sign-on and returns the callback's answer.
func (b *browser) signIn(sent shown, handle string) shown {
	b.Helper()
	if !strings.HasPrefix(sent.location(), signOnOrigin+"/authorization/new?") {
		b.Fatalf("HTTP %d leads to %q and shows %s", sent.status, sent.location(), sent.text)
	}
	back := b.submit(b.get(sent.location()), "handle", handle)
	if !strings.HasPrefix(back.location(), origin+"/oauth/callback?") {
		b.Fatalf("the sign-on: HTTP %d to %q: %s", back.status, back.location(), back.text)
	}
	return b.get(back.location())
}

// logIn completes the login for a client.
func (b *browser) logIn(handle string) shown {
	b.Helper()
	return b.signIn(b.approve(b.get(b.asking())), handle)
}

// redeem exchanges a code for tokens, as the client does.
func (h *signInEnv) redeem(code string, changes ...string) (status int, tokens map[string]any) {
	return h.ask(append([]string{
		"grant_type", "authorization_code", "client_id", h.client, "code", code, "redirect_uri", goBack, "code_verifier", verifier,
	}, changes...)...)
}

// ask posts to /token and returns the answer. Without a grant type, a machine asks.
func (h *signInEnv) ask(fields ...string) (status int, answer map[string]any) {
	form := url.Values{"grant_type": {"client_credentials"}}
	for i := 0; i < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, posting("/token", form))
	_ = json.Unmarshal(w.Body.Bytes(), &answer)
	return w.Code, answer
}

// upstreamRequests returns the requests that Basecamp has received, as METHOD path.
func (h *signInEnv) upstreamRequests() []string {
	var seen []string
	for _, r := range h.sandbox.Requests() {
		seen = append(seen, r.Method+" "+r.Path)
	}
	return seen
}

func (b *browser) cookies() []string {
	u, _ := url.Parse(origin)
	names := map[string]bool{}
	for _, c := range b.jar.Cookies(u) {
		names[c.Name] = true
	}
	return slices.Sorted(maps.Keys(names))
}

type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// noFetching fails the test if the server fetches a document.
type noFetching struct{ t *testing.T }

func (n noFetching) RoundTrip(r *http.Request) (*http.Response, error) {
	n.t.Errorf("fetched %s", r.URL)
	return nil, errors.New("no network")
}
