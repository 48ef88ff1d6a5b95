package app

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"basecamp-mcp/internal/app/local"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/proof/mcptest"
)

var quiet = slog.New(slog.DiscardHandler)

func sandboxed() config.Config { return config.Config{BasecampURL: config.Sandbox} }

func serveMCP(t testing.TB, c config.Config) *httptest.Server {
	t.Helper()
	handler := must(MCP(c, quiet))
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server
}

// send posts a JSON-RPC message like a client with a handshake.
func send(t testing.TB, url, bearer, method, params string) (status int, header http.Header, body string) {
	t.Helper()
	return mcptest.Ask(t, http.MethodPost, url, bearer, mcptest.Message(method, params))
}

// functions opens each of the Lambda functions.
var functions = map[string]func(config.Config, *slog.Logger) (Function, error){"MCP": MCP, "OAuth": OAuth}

// hello are the parameters with which a client initializes a session.
const hello = `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`

const listOneProject = `{"name":"list_projects","arguments":{"limit":1}}`

func TestMCP_ServesTheDemoToItsUsers(t *testing.T) {
	url := serveMCP(t, sandboxed()).URL + "/mcp"
	for _, bearer := range []string{"sandbox-ines", "sandbox-ines-readonly"} {
		if status, _, body := send(t, url, bearer, "tools/call", listOneProject); status != http.StatusOK || !strings.Contains(body, `"isError":false`) && strings.Contains(body, `"isError":true`) {
			t.Errorf("%s: HTTP %d %s", bearer, status, body)
		}
	}
	status, _, body := send(t, url, "sandbox-ines-readonly", "tools/call", `{"name":"get_me","arguments":{}}`)
	if status != http.StatusOK || !strings.Contains(body, `"read_only":true`) || !strings.Contains(body, "Ines Albrecht") {
		t.Errorf("get_me: HTTP %d %s", status, body)
	}
	status, _, body = send(t, url+"/readonly", "sandbox-ines", "tools/call", `{"name":"get_me","arguments":{}}`)
	if status != http.StatusOK || !strings.Contains(body, `"read_only":true`) {
		t.Errorf("get_me at /mcp/readonly: HTTP %d %s", status, body)
	}
	c := sandboxed()
	c.ReadOnly = true
	if _, _, body := send(t, serveMCP(t, c).URL+"/mcp", "sandbox-ines", "tools/call", `{"name":"get_me","arguments":{}}`); !strings.Contains(body, `"read_only":true`) {
		t.Errorf("READ_ONLY: %s", body)
	}
}

// deployment returns a configuration like that of the stack. Its table and its secrets are
// unreachable.
func deployment() config.Config {
	return config.Config{
		BasecampURL: "https://3.basecampapi.com",
		PublicURL:   "https://mcp.fernhill.example",
		AnyAccount:  true,
		AWS: config.AWS{
			Table: "t", SecretPrefix: "p/", LaunchpadSecret: "l", Region: "eu-central-1",
			AccessKeyID: "AKIAFERNHILL", SecretAccessKey: "key",
			DynamoDB: "http://127.0.0.1:1", SecretsManager: "http://127.0.0.1:1",
		},
	}
}

func TestMCP_AcceptsOnlyItsOwnTokens(t *testing.T) {
	url := serveMCP(t, deployment()).URL + "/mcp"
	for _, bearer := range []string{"", "sandbox-ines", "x"} {
		status, header, body := send(t, url, bearer, "tools/call", listOneProject)
		if status != http.StatusUnauthorized || !strings.Contains(header.Get("Www-Authenticate"), `resource_metadata="https://mcp.fernhill.example/.well-known/oauth-protected-resource/mcp"`) {
			t.Errorf("%q: HTTP %d %v %s", bearer, status, header, body)
		}
	}
}

func TestDeployed_NamesMissingVariables(t *testing.T) {
	c := deployment()
	c.AnyAccount, c.AWS.Table = false, ""
	for what, open := range functions {
		if _, err := open(c, quiet); err == nil || !strings.Contains(err.Error(), "ALLOWED_ACCOUNTS") || !strings.Contains(err.Error(), "TABLE_NAME") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestFunctions_SendStrictTransportSecurityWithEveryAnswer(t *testing.T) {
	for name, open := range functions {
		for origin, want := range map[string]string{"https://mcp.fernhill.example": "max-age=31536000", "http://127.0.0.1:8787": ""} {
			c := sandboxed()
			c.PublicURL = origin
			function := must(open(c, quiet))
			for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodOptions, http.MethodDelete} {
				for _, path := range []string{
					"/", "/mcp", "//mcp", "/mcp/x/none", "/tools", "/tools/get_me", "/healthz", "/none", "/.well-known/oauth-protected-resource",
					"/.well-known/none", "/register", "/token", "/revoke", "/authorize", "/oauth/start", "/oauth/callback", "/oauth/choose", "/account",
				} {
					w := httptest.NewRecorder()
					function.ServeHTTP(w, httptest.NewRequest(method, path, nil))
					if got := w.Header().Get("Strict-Transport-Security"); got != want {
						t.Errorf("%s at %s: %s %s: HTTP %d with %q", name, origin, method, path, w.Code, got)
					}
				}
			}
		}
	}
}

// The transport to AWS and Basecamp reaches all hosts, so it must not fetch a file that a caller
// names.
func TestEndpoint_FetchesFilesOnlyFromPublicHosts(t *testing.T) {
	demo := local.NewDemo()
	var here atomic.Bool
	transport := roundTrip(func(r *http.Request) (*http.Response, error) {
		if r.URL.Host == "localhost" {
			here.Store(true)
		}
		return demo.Sandbox.Transport().RoundTrip(r)
	})
	c := config.Config{Contact: "ops@fernhill.example"}
	mux, _, err := newEndpoint(c, quiet, basecampServer{baseURL: sandbox.BaseURL, transport: transport}, nil, newAccess(demo.Users(), newLogins(c, quiet, inMemory("", ""), signOn{}), nil))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(mux)
	defer server.Close()
	_, _, body := send(t, server.URL+"/mcp", "sandbox-ines", "tools/call",
		`{"name":"upload_file","arguments":{"project":"Cargo Bike Launch","source_url":"https://localhost/plan.txt"}}`)
	if !strings.Contains(body, "its host must be public") || here.Load() {
		t.Errorf("asked %t: %s", here.Load(), body)
	}
}

func TestInstructions_AreShortAndDescribeTheChosenToolsets(t *testing.T) {
	url := serveMCP(t, sandboxed()).URL + "/mcp"
	said := map[string]string{"Basecamp": "Basecamp to-dos belong to the team", "checklist": "todolist__set replaces", "tasks": "add_task and the other"}
	for path, want := range map[string][]string{"": {"Basecamp", "checklist", "tasks"}, "/x/tasks": {"tasks"}, "/x/todolist,basecamp": {"Basecamp", "checklist"}, "/readonly": {"Basecamp"}} {
		_, _, body := send(t, url+path, "sandbox-ines", "initialize", hello)
		var answer struct{ Result struct{ Instructions string } }
		if err := json.Unmarshal([]byte(body), &answer); err != nil || len(answer.Result.Instructions) > 1900 {
			t.Errorf("%s: %d bytes, %v", path, len(answer.Result.Instructions), err)
		}
		for what, words := range said {
			if got := strings.Contains(answer.Result.Instructions, words); got != slices.Contains(want, what) {
				t.Errorf("%s tells of %s: %t", path, what, got)
			}
		}
		if how := "/mcp/x/"; path == "" && !strings.Contains(answer.Result.Instructions, how) {
			t.Errorf("it does not say how to get the other tools: %s", body)
		}
	}
}

func TestToolsets_ThatForAdministratorsExistsOnlyIfTheOperatorListsIt(t *testing.T) {
	chosen := sandboxed()
	chosen.Toolsets = []string{"basecamp", "basecamp_admin"}
	for _, c := range []struct {
		config config.Config
		path   string
		want   bool
	}{
		{sandboxed(), "/mcp", false}, {chosen, "/mcp", true}, {chosen, "/mcp/x/basecamp_admin", true}, {chosen, "/mcp/x/basecamp", false},
		{chosen, "/mcp/x/basecamp_admin/readonly", false},
	} {
		_, _, body := send(t, serveMCP(t, c.config).URL+c.path, "sandbox-ines", "tools/list", `{}`)
		if strings.Contains(body, `"administer_basecamp"`) != c.want || !strings.Contains(body, `"tools":[`) {
			t.Errorf("%s with %v: %.300s", c.path, c.config.Toolsets, body)
		}
	}
	if status, _, body := send(t, serveMCP(t, sandboxed()).URL+"/mcp/x/basecamp_admin", "sandbox-ines", "tools/list", `{}`); status != http.StatusNotFound {
		t.Errorf("HTTP %d %.300s", status, body)
	}
}

// upstreamBasecamp returns a Basecamp on a socket, which live mode needs.
func upstreamBasecamp(t *testing.T) (*sandbox.Sandbox, string) {
	t.Helper()
	s := sandbox.New(sandbox.Options{})
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return s, server.URL
}

func TestNewLocal_LiveServesTheOwnerOfTheAccessToken(t *testing.T) {
	s, url := upstreamBasecamp(t)
	c := config.Config{BasecampURL: url, LaunchpadURL: url, AccessToken: s.People()[0].Token, AccountID: s.Account()}
	started := must(NewLocal(t.Context(), c, quiet, "http://127.0.0.1:1", InMemory))
	again, err := NewLocal(t.Context(), c, quiet, "http://127.0.0.1:1", InMemory)
	if err != nil || again.Bearer != started.Bearer || strings.Contains(started.Bearer, c.AccessToken) {
		t.Errorf("bearers %q and %q, %v", started.Bearer, again.Bearer, err)
	}
	server := httptest.NewServer(started.Handler)
	defer server.Close()
	if status, _, body := send(t, server.URL+"/mcp", started.Bearer, "tools/call", `{"name":"get_me","arguments":{}}`); !strings.Contains(body, "Ines Albrecht") {
		t.Errorf("HTTP %d %s", status, body)
	}
	if status, _, _ := send(t, server.URL+"/mcp", "sandbox-ines", "tools/call", listOneProject); status != http.StatusUnauthorized {
		t.Errorf("a demo token: HTTP %d", status)
	}
}

func TestStandIn_IsAServerWhoseRequestsNeedNoLimit(t *testing.T) {
	for address, want := range map[string]bool{"http://127.0.0.1:8080": true, "https://3.basecampapi.com": false} {
		if standIn(address) != want {
			t.Errorf("%s: %t", address, !want)
		}
	}
}

func TestNewLocal_LiveNamesMissingVariables(t *testing.T) {
	s, url := upstreamBasecamp(t)
	token := s.People()[0].Token
	for name, test := range map[string]struct {
		c    config.Config
		want string
	}{
		"a refused token":   {config.Config{BasecampURL: url, LaunchpadURL: url, AccessToken: "invalid"}, "access token; if the token is older than two weeks"},
		"the wrong account": {config.Config{BasecampURL: url, LaunchpadURL: url, AccessToken: token, AccountID: 1}, "BASECAMP_ACCOUNT_ID must be one of"},
	} {
		if _, err := NewLocal(t.Context(), test.c, quiet, "http://127.0.0.1:1", InMemory); err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), token) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// must returns a value that a test needs.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
