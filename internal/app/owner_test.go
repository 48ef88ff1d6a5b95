package app

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/config"
)

// roundTrip is a transport that takes the place of the internet.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

const ownDocument = "https://rimless.example/oauth/client.json"

// openLive starts a live server on this machine, for the owner of an access token unless set
// changes that.
func openLive(t *testing.T, s storage, set ...func(*config.Config)) (*place, Local) {
	t.Helper()
	company := sandbox.New(sandbox.Options{RateLimit: -1})
	upstream := httptest.NewServer(company)
	t.Cleanup(upstream.Close)
	p := &place{T: t, log: &bytes.Buffer{}, storage: s, sandbox: company}
	var instances []http.Handler
	p.url = inTurns(t, &instances)
	p.storage.documents = roundTrip(func(r *http.Request) (*http.Response, error) {
		document := `{"client_id":"` + ownDocument + `","client_name":"Rimless","redirect_uris":["http://127.0.0.1/done"],"token_endpoint_auth_method":"none"}`
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(document)), Request: r}, nil
	})
	c := config.Config{
		BasecampURL: upstream.URL, LaunchpadURL: upstream.URL, PublicURL: p.url, Loopback: true,
		AccessToken: company.People()[0].Token, AccountID: company.Account(),
	}
	for _, change := range set {
		change(&c)
	}
	started := must(newLive(t.Context(), c, slog.New(slog.NewTextHandler(&locked{w: p.log}, nil)), p.storage))
	instances, p.code = append(instances, started.Handler), started.Code
	return p, started
}

// discover returns the addresses of the authorization server as a client finds them: from the 401
// at the URL of the endpoint.
func (p *place) discover() (found struct {
	Authorize string `json:"authorization_endpoint"`
	Token     string `json:"token_endpoint"`
	Register  string `json:"registration_endpoint"`
}) {
	p.Helper()
	_, header, _ := send(p.T, p.url+"/mcp", "", "ping", "{}")
	_, after, _ := strings.Cut(header.Get("Www-Authenticate"), `resource_metadata="`)
	address, _, _ := strings.Cut(after, `"`)
	var resource struct {
		Servers []string `json:"authorization_servers"`
	}
	p.read(address, &resource)
	if len(resource.Servers) != 1 {
		p.Fatalf("no authorization server at %s", address)
	}
	p.read(resource.Servers[0]+"/.well-known/oauth-authorization-server", &found)
	return found
}

func (p *place) read(address string, into any) {
	p.Helper()
	response := must(http.Get(address))
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(into); err != nil {
		p.Fatalf("%s: %v", address, err)
	}
}

// approve lets the owner approve a client. It returns the client's tokens, or the address at which
// the login stopped.
func (p *place) approve(clientID, redirect string, fields ...string) (tokens map[string]any, stopped string) {
	p.Helper()
	browser, resource := visitor(), "&resource="+url.QueryEscape(p.url+"/mcp")
	_, query, _ := strings.Cut(asking(clientID, redirect), "?")
	to := p.fill(browser, p.discover().Authorize+"?"+query+resource, append([]string{"decision", "approve"}, fields...)...)
	if !strings.HasPrefix(to, p.url+"/oauth/callback?") {
		return nil, to
	}
	done, _ := p.get(browser, to)
	answer, err := url.Parse(done)
	if err != nil || !strings.HasPrefix(done, redirect) || answer.Query().Get("code") == "" {
		p.Fatalf("the login ends with %s", done)
	}
	return p.token("grant_type", "authorization_code", "client_id", clientID, "code", answer.Query().Get("code"),
		"redirect_uri", redirect, "code_verifier", plain(verifier)), ""
}

func TestOwner_SignsInEveryKindOfClientByConsentAlone(t *testing.T) {
	p, started := openLive(t, inMemory("", ""))
	if !started.Login || started.NoLogin != "" {
		t.Errorf("login %t, %q", started.Login, started.NoLogin)
	}
	for style, client := range map[string]struct{ id, redirect string }{
		"registered":                    {p.register("http://127.0.0.1:5050/done"), "http://127.0.0.1:5050/done"},
		"registered for any local port": {p.register("http://127.0.0.1/done"), "http://127.0.0.1:6060/done"},
		"with a metadata document":      {ownDocument, "http://127.0.0.1:7070/done"},
	} {
		tokens, stopped := p.approve(client.id, client.redirect, "scope", "write")
		access, _ := tokens["access_token"].(string)
		refresh, _ := tokens["refresh_token"].(string)
		p.wants(style+", stopped at "+stopped, access, "Ines Albrecht")
		again := p.token("grant_type", "refresh_token", "client_id", client.id, "refresh_token", refresh)
		access, _ = again["access_token"].(string)
		p.wants(style+", refreshed", access, `"read_only":false`)
	}
	tokens, _ := p.approve(ownDocument, "http://127.0.0.1:7070/done") // without the box for writing
	p.wants("a client that may only read", tokens["access_token"].(string), `"read_only":true`)
}

func TestOwner_ManagesClientsOnTheAccountPage(t *testing.T) {
	p, _ := openLive(t, inMemory("", ""))
	tokens, _ := p.approve(ownDocument, "http://127.0.0.1:7070/done", "scope", "write")
	browser := visitor()
	p.get(browser, p.fill(browser, p.url+"/oauth/start?for=account"))
	page, _ := p.get(browser, p.url+"/account")
	if !strings.Contains(page, "Rimless") || strings.Contains(page, p.sandbox.People()[0].Token) {
		t.Errorf("the page: %s", page)
	}
	_, _, body := send(t, p.url+"/mcp/x/account", tokens["access_token"].(string), "tools/call", `{"name":"connections","arguments":{}}`)
	if !strings.Contains(body, "configured") && !strings.Contains(body, "fixed") {
		t.Errorf("connections: %s", body)
	}
	p.fill(browser, p.url+"/account", "step", "all", "confirm", "yes")
	if status, _ := p.whoAmI(tokens["access_token"].(string)); status != http.StatusUnauthorized {
		t.Errorf("after disconnecting: HTTP %d", status)
	}
}

func TestOwner_IsToldToReplaceATokenThatEnded(t *testing.T) {
	p, _ := openLive(t, inMemory("", ""))
	tokens, _ := p.approve(ownDocument, "http://127.0.0.1:7070/done", "scope", "write")
	access := tokens["access_token"].(string)
	p.sandbox.ExpireToken(p.sandbox.People()[0].Token)
	for range 2 { // the connection stays
		if status, body := p.whoAmI(access); status != http.StatusOK || !strings.Contains(body, "set BASECAMP_ACCESS_TOKEN to a new one") || strings.Contains(body, "/oauth/start") {
			t.Errorf("HTTP %d %s", status, body)
		}
	}
}

func TestOwner_DoesNotServeConnectionsOfAnotherStart(t *testing.T) {
	s := inMemory("", "")
	p, _ := openLive(t, s)
	tokens, _ := p.approve(ownDocument, "http://127.0.0.1:7070/done", "scope", "write")
	access := tokens["access_token"].(string)
	other, _ := openLive(t, s, func(c *config.Config) { c.PublicURL, c.AccessToken = p.url, p.sandbox.People()[1].Token })
	if status, body := other.whoAmI(access); status != http.StatusUnauthorized {
		t.Errorf("another owner: HTTP %d %s", status, body)
	}
	same, _ := openLive(t, s, func(c *config.Config) { c.PublicURL = p.url })
	same.wants("the same owner", access, "Ines Albrecht")
}

func TestOwner_ConsentIsALoginOnlyOnThisMachine(t *testing.T) {
	for name, set := range map[string]func(*config.Config){
		"another address":    func(c *config.Config) { c.Loopback = false },
		"a public URL":       func(c *config.Config) { c.PublicURL = "https://mcp.fernhill.example" },
		"without a token":    func(c *config.Config) { c.AccessToken = "" },
		"with a sign-on too": func(c *config.Config) { c.ClientID, c.ClientSecret = sandbox.ClientID, sandbox.ClientSecret },
	} {
		s := inMemory("", "")
		c := config.Config{}
		if set(&c); c.ClientID != "" {
			s = inMemory(c.ClientID, c.ClientSecret)
		}
		_, started := openLive(t, s, set)
		if teamLogin := c.ClientID != ""; started.Login != teamLogin || (started.NoLogin == "") != teamLogin {
			t.Errorf("%s: login %t, %q", name, started.Login, started.NoLogin)
		}
		if c.ClientID == "" && !strings.Contains(started.NoLogin, "https://launchpad.37signals.com/integrations") {
			t.Errorf("%s: %q does not say where an application is made", name, started.NoLogin)
		}
	}
	p, _ := openLive(t, inMemory("client", "secret"), func(c *config.Config) { c.ClientID, c.ClientSecret = "client", "secret" })
	if tokens, stopped := p.approve(ownDocument, "http://127.0.0.1:7070/done"); tokens != nil || !strings.Contains(stopped, "/authorization/new") {
		t.Errorf("a team's login leads to %s, with tokens %v", stopped, tokens)
	}
}

func TestOwner_RefusesOtherHostsAndProxies(t *testing.T) {
	p, _ := openLive(t, inMemory("", ""))
	for name, test := range map[string]struct {
		host, header string
		served       bool
	}{
		"through a proxy that names its client": {"127.0.0.1:8787", "X-Real-IP", false},
		"through a proxy that names itself":     {"127.0.0.1:8787", "Via", false},
		"through a proxy that keeps the host":   {"127.0.0.1:8787", "X-Forwarded-Host", false},
		"through Cloudflare":                    {"127.0.0.1:8787", "CF-Connecting-IP", false},
		"an address":                            {strings.TrimPrefix(p.url, "http://"), "", true},
		"localhost":                             {"localhost:8787", "", true},
		"IPv6":                                  {"[::1]:8787", "", true},
		"a page's name":                         {"rebound.example:8787", "", false},
		"like an address":                       {"127.0.0.1.rebound.example", "", false},
		"no loopback":                           {"192.168.1.5:8787", "", false},
		"through a tunnel":                      {strings.TrimPrefix(p.url, "http://"), "X-Forwarded-For", false},
		"through a proxy":                       {strings.TrimPrefix(p.url, "http://"), "Forwarded", false},
	} {
		for _, path := range []string{"/", "/authorize?client_id=" + ownDocument, "/account", "/oauth/start"} {
			r := must(http.NewRequestWithContext(t.Context(), http.MethodGet, p.url+path, http.NoBody))
			if r.Host = test.host; test.header != "" {
				r.Header[http.CanonicalHeaderKey(test.header)] = []string{"", "203.0.113.5"} // the client's, and the proxy's
			}
			response := must(http.DefaultTransport.RoundTrip(r))
			response.Body.Close()
			if served := response.StatusCode != http.StatusForbidden; served != test.served {
				t.Errorf("%s, %s: HTTP %d", name, path, response.StatusCode)
			}
		}
	}
}

func TestOwner_TakesTheirGitHubTokenAlong(t *testing.T) {
	withGitHub, _, hub, _ := liveGitHub(t)
	p, started := openLive(t, inMemory("", ""), func(c *config.Config) {
		c.GitHub = withGitHub.GitHub
		c.GitHub.AccessToken = hub.Grant("ines-albrecht", "repo", "read:org", "project")
	})
	if !strings.HasSuffix(started.GitHub, ", @ines-albrecht's") {
		t.Errorf("GitHub is %s", started.GitHub)
	}
	tokens, _ := p.approve(ownDocument, "http://127.0.0.1:7070/done")
	_, _, body := send(t, p.url+"/mcp/x/github", tokens["access_token"].(string), "tools/call", `{"name":"github_list_projects","arguments":{}}`)
	if strings.Contains(body, "isError\":true") || !strings.Contains(body, "items") {
		t.Error(body)
	}
}

func TestOwner_ReadsOnTheConsentPageThatNoSignInFollows(t *testing.T) {
	p, _ := openLive(t, inMemory("", ""))
	for path, wants := range map[string][]string{
		"/": {"approve its access", "claude mcp add"},
		asking(ownDocument, "http://127.0.0.1:1/done"): {"No sign-in follows", "your own access token"},
		"/oauth/start?for=account":                     {"no sign-in is necessary"},
	} {
		page, _ := p.get(visitor(), p.url+path)
		for _, want := range wants {
			if !strings.Contains(page, want) || strings.Contains(page, "cannot sign in yet") || strings.Contains(page, "sign in with Basecamp next") {
				t.Errorf("%s: no %q in %s", path, want, page)
			}
		}
	}
}

// consentOf returns the address of the consent page for the client with its own document.
func (p *place) consentOf() string { return p.url + asking(ownDocument, "http://127.0.0.1:7070/done") }

// A proxy that adds no header cannot be seen, so the pages alone must not sign a browser in.
func TestOwner_EachBrowserEntersTheCodeOnce(t *testing.T) {
	for name, page := range map[string]func(p *place) (address string, fields []string){
		"consent": func(p *place) (string, []string) { return p.consentOf(), []string{"decision", "approve"} },
		"account": func(p *place) (string, []string) { return p.url + "/oauth/start?for=account", nil },
		"connect": func(p *place) (string, []string) { return p.url + "/oauth/start", nil },
	} {
		p, started := openLive(t, inMemory("", ""))
		address, fields := page(p)
		browser := visitor()
		for _, wrong := range []string{"", "AAAA-AAAA", started.Code[:4]} {
			if at := p.fill(browser, address, append(fields, "code", wrong)...); strings.HasPrefix(at, "http") || !strings.Contains(at, `name="code"`) || !strings.Contains(at, `role="alert"`) {
				t.Errorf("%s: with the code %q to %s", name, wrong, at)
			}
		}
		typed := strings.ToLower(strings.ReplaceAll(started.Code, "-", " "))
		if at := p.fill(browser, address, append(fields, "code", typed)...); !strings.HasPrefix(at, p.url+"/oauth/callback?") {
			t.Errorf("%s: with the code to %s", name, at)
		}
		p.code = ""
		if at := p.fill(browser, address, fields...); !strings.HasPrefix(at, p.url+"/oauth/callback?") {
			t.Errorf("%s: the same browser again to %s", name, at)
		}
		if at := p.fill(visitor(), address, fields...); strings.HasPrefix(at, "http") {
			t.Errorf("%s: another browser to %s", name, at)
		}
	}
}

func TestOwner_ACodeThatManyBrowsersGuessIsRefused(t *testing.T) {
	p, started := openLive(t, inMemory("", ""))
	for range 5 {
		p.fill(visitor(), p.consentOf(), "decision", "approve", "code", "AAAA-AAAA")
	}
	if at := p.fill(visitor(), p.consentOf(), "decision", "approve", "code", started.Code); !strings.Contains(at, "Too many wrong codes were tried") {
		t.Errorf("after five wrong codes, the right one leads to %s", at)
	}
}

func TestOwner_AWrongCodeKeepsWritingUnticked(t *testing.T) {
	p, _ := openLive(t, inMemory("", ""))
	for scope, ticked := range map[string]bool{"write": true, "": false} {
		at := p.fill(visitor(), p.consentOf(), "decision", "approve", "scope", scope, "code", "AAAA-AAAA")
		if strings.Contains(at, `value="write" checked`) != ticked {
			t.Errorf("scope %q: %s", scope, at)
		}
	}
}

func TestOwner_DenyingNeedsNoCode(t *testing.T) {
	p, _ := openLive(t, inMemory("", ""))
	p.code = ""
	if at := p.fill(visitor(), p.consentOf(), "decision", "deny"); !strings.HasPrefix(at, "http://127.0.0.1:7070/done?") {
		t.Errorf("denied to %s", at)
	}
}

func TestOwner_TheCodeOfAnEarlierStartIsRefusedAndItsBrowsersAreKnown(t *testing.T) {
	s := inMemory("", "")
	p, _ := openLive(t, s)
	browser := visitor()
	p.fill(browser, p.consentOf(), "decision", "approve")
	q, next := openLive(t, s)
	if next.Code == p.code {
		t.Fatal("both starts have the same code")
	}
	known, _ := url.Parse(q.url)
	was, _ := url.Parse(p.url)
	browser.Jar.SetCookies(known, browser.Jar.Cookies(was)) // cookies do not know ports
	if page, _ := q.get(browser, q.consentOf()); strings.Contains(page, `name="code"`) {
		t.Error("a browser that has entered the earlier code is asked again")
	}
	q.code = p.code
	if at := q.fill(visitor(), q.consentOf(), "decision", "approve"); !strings.Contains(at, "This is not the code") {
		t.Errorf("the earlier code leads to %s", at)
	}
}
