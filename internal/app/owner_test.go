package app

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/proof/mcptest"
)

// roundTrip is a transport that takes the place of the internet.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A client with a metadata document.
const (
	ownDocument = "https://rimless.example/oauth/client.json"
	ownRedirect = "http://127.0.0.1:7070/done"
)

// openLive starts a live server on this machine, for the owner of an access token unless set
// changes that.
func openLive(t *testing.T, s storage, set ...func(*config.Config)) (*place, Local) {
	t.Helper()
	company := sandbox.New(sandbox.Options{RateLimit: -1})
	upstream := httptest.NewServer(company)
	t.Cleanup(upstream.Close)
	p := &place{Site: mcptest.Site{TB: t}, log: &bytes.Buffer{}, storage: s, sandbox: company}
	var instances []http.Handler
	p.URL = inTurns(t, &instances)
	p.storage.documents = roundTrip(func(r *http.Request) (*http.Response, error) {
		document := `{"client_id":"` + ownDocument + `","client_name":"Rimless","redirect_uris":["http://127.0.0.1/done"],"token_endpoint_auth_method":"none"}`
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(document)), Request: r}, nil
	})
	c := config.Config{
		BasecampURL: upstream.URL, LaunchpadURL: upstream.URL, PublicURL: p.URL, Loopback: true,
		AccessToken: company.People()[0].Token, AccountID: company.Account(),
	}
	for _, change := range set {
		change(&c)
	}
	started := must(newLive(t.Context(), c, slog.New(slog.NewTextHandler(&locked{w: p.log}, nil)), p.storage))
	instances, p.Code = append(instances, started.Handler), started.Code
	return p, started
}

// approve lets the owner approve a client. It returns the client's tokens, or the address or the
// page at which the login stopped.
func (p *place) approve(clientID, redirect string, fields ...string) (tokens mcptest.Tokens, stopped string) {
	p.Helper()
	browser := mcptest.Visitor()
	to := p.Fill(browser, p.URL+mcptest.Asking(clientID, redirect)+"&resource="+url.QueryEscape(p.URL+"/mcp"), append([]string{"decision", "approve"}, fields...)...)
	if !strings.HasPrefix(to, p.URL+"/oauth/callback?") {
		return tokens, to
	}
	return p.Redeem(clientID, p.Get(browser, to)), ""
}

func TestOwner_SignsInEveryKindOfClientByConsentAloneUntilTheyDisconnectThem(t *testing.T) {
	p, started := openLive(t, inMemory("", ""))
	if !started.Login || started.NoLogin != "" {
		t.Errorf("login %t, %q", started.Login, started.NoLogin)
	}
	for style, client := range map[string]struct{ id, redirect string }{
		"registered for any local port": {p.Register(), "http://127.0.0.1:6060/done"},
		"with a metadata document":      {ownDocument, ownRedirect},
	} {
		tokens, stopped := p.approve(client.id, client.redirect, "scope", "write")
		p.wants(style+", stopped at "+stopped, tokens.Access, "Ines Albrecht")
		p.wants(style+", refreshed", p.Renew(tokens).Access, `"read_only":false`)
	}
	tokens, _ := p.approve(ownDocument, ownRedirect) // without the box for writing
	p.wants("a client that may only read", tokens.Access, `"read_only":true`)
	if said := p.Call("/mcp/x/account", tokens.Access, "connections", "{}"); !strings.Contains(said, "configured") {
		t.Errorf("connections: %s", said)
	}
	browser := mcptest.Visitor()
	p.Get(browser, p.Fill(browser, p.URL+"/oauth/start?for=account"))
	if page := p.Get(browser, p.URL+"/account"); !strings.Contains(page, "Rimless") || strings.Contains(page, p.sandbox.People()[0].Token) {
		t.Errorf("the page: %s", page)
	}
	p.Fill(browser, p.URL+"/account", "step", "all", "confirm", "yes")
	if status, _ := p.whoAmI(tokens.Access); status != http.StatusUnauthorized {
		t.Errorf("after disconnecting: HTTP %d", status)
	}
}

func TestOwner_IsToldToReplaceATokenThatEnded(t *testing.T) {
	p, _ := openLive(t, inMemory("", ""))
	tokens, _ := p.approve(ownDocument, ownRedirect, "scope", "write")
	access := tokens.Access
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
	tokens, _ := p.approve(ownDocument, ownRedirect, "scope", "write")
	access := tokens.Access
	other, _ := openLive(t, s, func(c *config.Config) { c.PublicURL, c.AccessToken = p.URL, p.sandbox.People()[1].Token })
	if status, body := other.whoAmI(access); status != http.StatusUnauthorized {
		t.Errorf("another owner: HTTP %d %s", status, body)
	}
	same, _ := openLive(t, s, func(c *config.Config) { c.PublicURL = p.URL })
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
	if tokens, stopped := p.approve(ownDocument, ownRedirect); tokens.Access != "" || !strings.Contains(stopped, "/authorization/new") {
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
		"an address":                            {strings.TrimPrefix(p.URL, "http://"), "", true},
		"localhost":                             {"localhost:8787", "", true},
		"IPv6":                                  {"[::1]:8787", "", true},
		"a page's name":                         {"rebound.example:8787", "", false},
		"like an address":                       {"127.0.0.1.rebound.example", "", false},
		"no loopback":                           {"192.168.1.5:8787", "", false},
		"through a tunnel":                      {strings.TrimPrefix(p.URL, "http://"), "X-Forwarded-For", false},
		"through a proxy":                       {strings.TrimPrefix(p.URL, "http://"), "Forwarded", false},
	} {
		for _, path := range []string{"/", "/authorize?client_id=" + ownDocument, "/account", "/oauth/start"} {
			r := must(http.NewRequestWithContext(t.Context(), http.MethodGet, p.URL+path, http.NoBody))
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
	tokens, _ := p.approve(ownDocument, ownRedirect)
	_, _, body := send(t, p.URL+"/mcp/x/github", tokens.Access, "tools/call", `{"name":"github_list_projects","arguments":{}}`)
	if strings.Contains(body, "isError\":true") || !strings.Contains(body, "items") {
		t.Error(body)
	}
}

// consentOf returns the address of the consent page for the client with its own document.
func (p *place) consentOf() string {
	return p.URL + mcptest.Asking(ownDocument, ownRedirect)
}

// A proxy that adds no header cannot be seen, so the pages alone must not sign a browser in.
func TestOwner_EachBrowserEntersTheCodeOnce(t *testing.T) {
	for name, page := range map[string]func(p *place) (address string, fields []string){
		"consent": func(p *place) (string, []string) { return p.consentOf(), []string{"decision", "approve"} },
		"account": func(p *place) (string, []string) { return p.URL + "/oauth/start?for=account", nil },
		"connect": func(p *place) (string, []string) { return p.URL + "/oauth/start", nil },
	} {
		p, started := openLive(t, inMemory("", ""))
		address, fields := page(p)
		browser := mcptest.Visitor()
		for _, wrong := range []string{"", "AAAA-AAAA", started.Code[:4]} {
			if at := p.Fill(browser, address, append(fields, "code", wrong)...); strings.HasPrefix(at, "http") || !strings.Contains(at, `name="code"`) || !strings.Contains(at, `role="alert"`) {
				t.Errorf("%s: with the code %q to %s", name, wrong, at)
			}
		}
		typed := strings.ToLower(strings.ReplaceAll(started.Code, "-", " "))
		if at := p.Fill(browser, address, append(fields, "code", typed)...); !strings.HasPrefix(at, p.URL+"/oauth/callback?") {
			t.Errorf("%s: with the code to %s", name, at)
		}
		p.Code = ""
		if at := p.Fill(browser, address, fields...); !strings.HasPrefix(at, p.URL+"/oauth/callback?") {
			t.Errorf("%s: the same browser again to %s", name, at)
		}
		if at := p.Fill(mcptest.Visitor(), address, fields...); strings.HasPrefix(at, "http") {
			t.Errorf("%s: another browser to %s", name, at)
		}
	}
}

func TestOwner_AWrongCodeIsToldKeepsTheBoxAndIsRefusedOnceManyGuess(t *testing.T) {
	p, started := openLive(t, inMemory("", ""))
	for _, scope := range []string{"write", "", "", "", ""} {
		at := p.Fill(mcptest.Visitor(), p.consentOf(), "decision", "approve", "scope", scope, "code", "AAAA-AAAA")
		if strings.Contains(at, `value="write" checked`) != (scope == "write") {
			t.Errorf("scope %q: %s", scope, at)
		}
	}
	if at := p.Fill(mcptest.Visitor(), p.consentOf(), "decision", "approve", "code", started.Code); !strings.Contains(at, "Too many wrong codes were tried") {
		t.Errorf("after five wrong codes, the right one leads to %s", at)
	}
	if at := p.Fill(mcptest.Visitor(), p.consentOf(), "decision", "deny", "code", ""); !strings.HasPrefix(at, ownRedirect+"?") {
		t.Errorf("denied to %s", at)
	}
}

func TestOwner_TheCodeOfAnEarlierStartIsRefusedAndItsBrowsersAreKnown(t *testing.T) {
	s := inMemory("", "")
	p, _ := openLive(t, s)
	browser := mcptest.Visitor()
	p.Fill(browser, p.consentOf(), "decision", "approve")
	q, next := openLive(t, s)
	if next.Code == p.Code {
		t.Fatal("both starts have the same code")
	}
	known, _ := url.Parse(q.URL)
	was, _ := url.Parse(p.URL)
	browser.Jar.SetCookies(known, browser.Jar.Cookies(was)) // cookies do not know ports
	if page := q.Get(browser, q.consentOf()); strings.Contains(page, `name="code"`) {
		t.Error("a browser that has entered the earlier code is asked again")
	}
	q.Code = p.Code
	if at := q.Fill(mcptest.Visitor(), q.consentOf(), "decision", "approve"); !strings.Contains(at, "This is not the code") {
		t.Errorf("the earlier code leads to %s", at)
	}
}
