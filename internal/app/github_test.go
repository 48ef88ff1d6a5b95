package app

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"basecamp-mcp/internal/app/local"
	"basecamp-mcp/internal/basecamp/basecamptools"
	"basecamp-mcp/internal/basecamp/launchpad"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/catalog/tools"
	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/config/version"
	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/github/githubauth"
	githubsandbox "basecamp-mcp/internal/github/sandbox"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/identity"
)

// withGitHub returns the configuration of a stack whose users can link GitHub.
func withGitHub() config.Config {
	c := deployment()
	c.GitHub = config.GitHub{URL: "https://github.com", APIURL: "https://api.github.com", Secret: "g"}
	return c
}

// answers returns the status and the body of an answer without its request ID.
func answers(h http.Handler, method, path, body string) (int, string) {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code, strings.ReplaceAll(w.Body.String(), w.Header().Get("X-Request-Id"), "")
}

func TestGitHub_IsUnknownToADeploymentWithoutIt(t *testing.T) {
	mcp, oauth := must(MCP(deployment(), quiet)), must(OAuth(deployment(), quiet))
	for _, request := range []struct {
		handler      http.Handler
		method, path string
	}{
		{mcp, http.MethodPost, "/mcp/x/"}, {mcp, http.MethodGet, "/mcp/x/"}, {mcp, http.MethodGet, "/tools?toolsets="},
		{oauth, http.MethodGet, "/.well-known/oauth-protected-resource/mcp/x/"}, {oauth, http.MethodGet, "/oauth/callback/"},
	} {
		status, got := answers(request.handler, request.method, request.path+"github", "{}")
		unknown, want := answers(request.handler, request.method, request.path+"nothub", "{}")
		if status != unknown || strings.ReplaceAll(got, "github", "nothub") != want || strings.Contains(want, "github") {
			t.Errorf("%s %s: HTTP %d %s, not %d %s", request.method, request.path, status, got, unknown, want)
		}
	}
	if status, got := answers(oauth, http.MethodGet, "/oauth/github/callback?code=a&state=b", ""); status != http.StatusNotFound {
		t.Errorf("the callback: HTTP %d %s", status, got)
	}
	for _, path := range []string{"/", "/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-authorization-server"} {
		if _, got := answers(oauth, http.MethodGet, path, ""); strings.Contains(strings.ToLower(got), "github") {
			t.Errorf("%s: %s", path, got)
		}
	}
	if all := toolsets(deployment()); slices.Contains(all, "github") || len(all) != len(tools.Toolsets())-2 {
		t.Errorf("it serves %v", all)
	}
	if names := newLogins(deployment(), quiet, inMemory("", ""), signOn{}).described(); len(names) != 1 {
		t.Errorf("its providers are %v", names)
	}
}

func TestGitHub_IsServedByADeploymentWithIt(t *testing.T) {
	mcp, oauth := must(MCP(withGitHub(), quiet)), must(OAuth(withGitHub(), quiet))
	if status, got := answers(mcp, http.MethodPost, "/mcp/x/github", "{}"); status != http.StatusUnauthorized {
		t.Errorf("the toolset: HTTP %d %s", status, got)
	}
	// The toolset for administrators is served only if it is listed.
	all := slices.DeleteFunc(tools.Toolsets(), func(name string) bool { return name == basecamptools.BasecampAdmin })
	if got := toolsets(withGitHub()); !slices.Equal(got, all) {
		t.Errorf("it serves %v", got)
	}
	if status, got := answers(oauth, http.MethodGet, "/.well-known/oauth-protected-resource/mcp/x/github", ""); status != http.StatusOK {
		t.Errorf("its metadata: HTTP %d %s", status, got)
	}
	if status, got := answers(oauth, http.MethodGet, "/oauth/github/callback?code=a&state=b", ""); status == http.StatusNotFound {
		t.Errorf("the callback: HTTP %d %s", status, got)
	}
}

// recordedServices records what a function asks while it starts. It plays Secrets Manager, the
// table, Basecamp and GitHub. No secret exists.
type recordedServices struct {
	mu  sync.Mutex
	got []string
}

func (s *recordedServices) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var in struct {
		SecretID string `json:"SecretId"`
	}
	_ = json.Unmarshal(body, &in)
	s.mu.Lock()
	defer s.mu.Unlock()
	if in.SecretID != "" {
		s.got = append(s.got, "secret "+in.SecretID)
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"__type":"ResourceNotFoundException"}`)
		return
	}
	if r.Method == http.MethodHead {
		s.got = append(s.got, r.Method+" "+r.URL.Path+" "+r.UserAgent())
	}
	_, _ = io.WriteString(w, "{}")
}

func TestWarmUps_ReachGitHubOnlyWhereItIsConfigured(t *testing.T) {
	agent := "basecamp-mcp/" + version.String() + " (ops@fernhill.example)"
	for name, test := range map[string]struct {
		open func(config.Config, *slog.Logger) (Function, error)
		c    config.Config
		want []string
	}{
		"MCP without GitHub":   {MCP, deployment(), []string{"HEAD / " + agent, "secret l"}},
		"OAuth without GitHub": {OAuth, deployment(), []string{"secret l"}},
		"MCP":                  {MCP, withGitHub(), []string{"HEAD / " + agent, "HEAD /api/v3 " + agent, "secret g", "secret l"}},
		"OAuth":                {OAuth, withGitHub(), []string{"secret g", "secret l"}},
	} {
		services := &recordedServices{}
		server := httptest.NewServer(services)
		c := test.c
		c.Contact, c.BasecampURL, c.AWS.DynamoDB, c.AWS.SecretsManager = "ops@fernhill.example", server.URL, server.URL, server.URL
		if c.GitHub.Secret != "" {
			c.GitHub.URL, c.GitHub.APIURL = server.URL, server.URL+"/api/v3"
		}
		f := must(test.open(c, quiet))
		if len(services.got) != 0 {
			t.Errorf("%s: the start asks %v", name, services.got)
		}
		for _, warmUp := range f.WarmUps {
			warmUp(t.Context())
		}
		server.Close()
		slices.Sort(services.got)
		if !slices.Equal(services.got, test.want) {
			t.Errorf("%s asks %v", name, services.got)
		}
		if status, _ := answers(f, http.MethodGet, "/healthz", ""); status != http.StatusOK { // without any secret
			t.Errorf("%s is not healthy: HTTP %d", name, status)
		}
	}
}

// liveGitHub returns the configuration of a local server with the real Basecamp and GitHub, which
// sandboxes play, and the agents that GitHub saw.
func liveGitHub(t *testing.T) (c config.Config, s *sandbox.Sandbox, hub *githubsandbox.Server, agents *sync.Map) {
	t.Helper()
	s, url := upstreamBasecamp(t)
	hub = githubsandbox.New(githubsandbox.Options{})
	agents = &sync.Map{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		agents.Store(r.UserAgent(), true)
		hub.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return config.Config{
		BasecampURL: url, LaunchpadURL: url, AccessToken: s.People()[0].Token, AccountID: s.Account(), Contact: "ops@fernhill.example",
		GitHub: config.GitHub{URL: server.URL, APIURL: server.URL + "/api/v3"},
	}, s, hub, agents
}

func TestNewLocal_LiveUsesTheGitHubTokenForThePrintedBearerAlone(t *testing.T) {
	c, s, hub, agents := liveGitHub(t)
	c.GitHub.AccessToken = hub.Grant("ines-albrecht", "repo", "read:org", "project")
	started := must(NewLocal(t.Context(), c, quiet, "http://127.0.0.1:1", InMemory))
	if !strings.Contains(started.GitHub, "@ines-albrecht's for the bearer token") || started.GitHubPath != "/x/basecamp,github" || strings.Contains(started.GitHub, c.GitHub.AccessToken) {
		t.Errorf("GitHub is %s at %s", started.GitHub, started.GitHubPath)
	}
	server := httptest.NewServer(started.Handler)
	defer server.Close()
	if got := callAt(t, server.URL, started.Bearer, "github_list_projects", "{}"); got.IsError || !strings.Contains(got.Text(), "ines-albrecht") {
		t.Errorf("it says %s", got.Text())
	}
	if got := callAt(t, server.URL, started.Bearer, "connections", "{}"); !strings.Contains(got.Text(), `{"provider":"GitHub","status":"configured"}`) {
		t.Errorf("connections: %s", got.Text())
	}
	agents.Range(func(agent, _ any) bool {
		if agent != "basecamp-mcp/"+version.String()+" (ops@fernhill.example)" {
			t.Errorf("GitHub sees %s", agent)
		}
		return true
	})

	hub.Revoke("ines-albrecht")
	for range 2 {
		got := callAt(t, server.URL, started.Bearer, "github_list_projects", "{}")
		if got.ErrorCode != "TOKEN_EXPIRED" || !strings.Contains(got.Message, "set GITHUB_ACCESS_TOKEN to a new one and restart") || got.Data.Link != nil && got.Data.Link.URL != "" {
			t.Errorf("a refused token: %s", got.Text())
		}
	}

	// The same user with a client that logged in, and another user, have no token of GitHub.
	users := local.NewStaticUsers()
	logins := newLogins(c, quiet, inMemory("", ""), signOn{}, newGitHub(c, inMemory("", ""), nil).providers(userAgent(c))...)
	subject := launchpad.Subject(s.People()[0].IdentityID)
	users.OnGitHub[subject] = github.Credential{AccessToken: c.GitHub.AccessToken}
	hubLinks, _ := logins.linked(githubauth.ProviderID)
	source := githubLinks{hubLinks.Keeper, users}
	for _, caller := range []identity.Caller{{Subject: subject, Connection: "c"}, {Subject: "37s:2", Connection: local.StaticConnection}} {
		if held, err := source.Credential(identity.With(t.Context(), caller), ""); !fault.Is(err, fault.NotLinked) || held.AccessToken != "" {
			t.Errorf("%+v: %v", caller, err)
		}
	}
}

func TestNewLocal_LiveChecksTheGitHubTokenAtTheStart(t *testing.T) {
	c, _, hub, _ := liveGitHub(t)
	c.GitHub.AccessToken = "gho_s3cret"
	if _, err := NewLocal(t.Context(), c, quiet, "http://127.0.0.1:1", InMemory); err == nil || !strings.Contains(err.Error(), "GITHUB_ACCESS_TOKEN") || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("a refused token: %v", err)
	}
	hub.Inject(githubsandbox.Fault{PathPrefix: "/user", Status: http.StatusBadGateway})
	if _, err := NewLocal(t.Context(), c, quiet, "http://127.0.0.1:1", InMemory); err == nil || !strings.Contains(err.Error(), c.GitHub.APIURL) || !strings.Contains(err.Error(), "no usable answer") {
		t.Errorf("GitHub is down: %v", err)
	}
}

func TestNewLocal_LiveServesGitHubOnlyIfItIsConfigured(t *testing.T) {
	application := func(c *config.Config) { c.GitHub.ClientID, c.GitHub.ClientSecret = "id", "secret" }
	logins := func(c *config.Config) { c.ClientID, c.ClientSecret, c.AnyAccount = "id", "secret", true }
	for name, test := range map[string]struct {
		set       []func(*config.Config)
		described string
		path      string
		served    bool
	}{
		"nothing":     {nil, "", "", false},
		"application": {[]func(*config.Config){application, logins}, "linked by each user who logs in", "/x/basecamp,github", true},
		"no logins":   {[]func(*config.Config){application}, "BASECAMP_CLIENT_ID", "/x/basecamp,github", true},
		"everything":  {[]func(*config.Config){application, logins, func(c *config.Config) { c.Toolsets = []string{"github", "account"} }}, "linked by each user", "", true},
		"other tools": {[]func(*config.Config){application, logins, func(c *config.Config) { c.Toolsets = []string{"account"} }}, "", "", false},
	} {
		c, _, _, _ := liveGitHub(t)
		for _, set := range test.set {
			set(&c)
		}
		started, err := NewLocal(t.Context(), c, quiet, "http://127.0.0.1:1", InMemory)
		if err != nil || !strings.Contains(started.GitHub, test.described) || (started.GitHub == "") != (test.described == "") || started.GitHubPath != test.path {
			t.Errorf("%s: %q at %q, %v", name, started.GitHub, started.GitHubPath, err)
		}
		server := httptest.NewServer(started.Handler)
		status, _, body := send(t, server.URL+"/mcp/x/github", started.Bearer, "tools/call", `{"name":"github_list_projects","arguments":{}}`)
		server.Close()
		if !strings.Contains(body, "github_list_projects") && !strings.Contains(body, "this server has ") || name == "nothing" && !strings.Contains(body, `this server has basecamp, todolist, tasks, hub, account"`) {
			t.Errorf("%s: %s", name, body)
		}
		if (status == http.StatusOK) != test.served || test.served && !strings.Contains(body, `not_linked`) {
			t.Errorf("%s: HTTP %d %s", name, status, body)
		}
	}
}

func TestOAuth_ShowsTheOperatorHowToSetGitHubUp(t *testing.T) {
	for name, test := range map[string]struct {
		secret string
		shown  bool
	}{"no secret": {"", true}, "dots": {`{"client_id":"...","client_secret":"..."}`, true}, "credentials": {`{"client_id":"1d","client_secret":"s3cret"}`, false}} {
		secrets := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var in struct {
				SecretID string `json:"SecretId"`
			}
			_ = json.NewDecoder(r.Body).Decode(&in)
			stored := map[string]string{"l": `{"client_id":"1d","client_secret":"s3cret"}`, "g": test.secret}[in.SecretID]
			_ = json.NewEncoder(w).Encode(map[string]string{"SecretString": stored})
		}))
		c := withGitHub()
		c.AWS.SecretsManager = secrets.URL
		status, page := answers(must(OAuth(c, quiet)), http.MethodGet, "/", "")
		secrets.Close()
		for _, step := range []string{"https://github.com/settings/developers", "https://mcp.fernhill.example/oauth/github/callback", "GITHUB=https://github.com<"} {
			if strings.Contains(page, step) != test.shown {
				t.Errorf("%s: the front page has %s: %t", name, step, !test.shown)
			}
		}
		if status != http.StatusOK || strings.Contains(page, "launchpad.37signals.com/integrations") || strings.Contains(page, "s3cret") {
			t.Errorf("%s: HTTP %d %s", name, status, page)
		}
	}
}
