package authserver_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/signin/authserver"
	"basecamp-mcp/internal/store/memory"
)

// registry is a server at which clients register. Its store counts calls and fails on request.
type registry struct {
	*authserver.Server
	store *store
	now   *time.Time
}

func newRegistry(documents http.RoundTripper) *registry {
	now := time.Date(2026, 5, 4, 9, 30, 0, 0, time.UTC)
	g := &registry{now: &now}
	clock := func() time.Time { return *g.now }
	g.store = &store{Store: authserver.NewStore(memory.New(clock))}
	g.Server = authserver.New(authserver.Config{
		Store:     authserver.NewStore(g.store),
		Origin:    func(*http.Request) string { return "https://mcp.fernhill.example" },
		Documents: documents,
		Now:       clock,
		Log:       slog.New(slog.DiscardHandler),
	})
	return g
}

// registered is the answer to a registration.
type registered struct {
	ID              string   `json:"client_id"`
	IssuedAt        int64    `json:"client_id_issued_at"`
	Secret          string   `json:"client_secret"`
	SecretExpiresAt *int64   `json:"client_secret_expires_at"`
	Name            string   `json:"client_name"`
	RedirectURIs    []string `json:"redirect_uris"`
	AuthMethod      string   `json:"token_endpoint_auth_method"`
	GrantTypes      []string `json:"grant_types"`
	ResponseTypes   []string `json:"response_types"`
}

func (g *registry) register(t *testing.T, body string) registered {
	t.Helper()
	w := asked(g, "POST", "/register", body, "Content-Type", "application/json")
	if w.Code != http.StatusCreated || w.Header().Get("Cache-Control") != "no-store" || w.Header().Get("Access-Control-Allow-Origin") != "*" {
		t.Fatalf("%s: %d %v %s", body, w.Code, w.Header(), w.Body)
	}
	var r registered
	if err := json.Unmarshal(w.Body.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

func (g *registry) refuses(t *testing.T, body, code string) {
	t.Helper()
	w := asked(g, "POST", "/register", body, "Content-Type", "application/json")
	var said struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}
	_ = json.Unmarshal(w.Body.Bytes(), &said)
	if w.Code != http.StatusBadRequest || said.Error != code || said.Description == "" || w.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("%.200s: %d %s, want %s", body, w.Code, w.Body, code)
	}
	if len(g.store.writes()) > 0 {
		t.Errorf("%.200s: stored anyway", body)
	}
}

func TestRegister_AcceptsRealProductsAndTheirRedirectURIs(t *testing.T) { // RFC 7591, 3.2.1; RFC 7591, 2
	for product, c := range map[string]struct {
		body  string
		calls []string
	}{
		"Claude": {
			`{"client_name":"Claude","redirect_uris":["https://claude.ai/api/mcp/auth_callback"],"grant_types":["authorization_code","refresh_token"],
			"response_types":["code"],"token_endpoint_auth_method":"client_secret_post","scope":"read write","software_id":"7"}`,
			[]string{"https://claude.ai/api/mcp/auth_callback"},
		},
		"Claude Code": {
			`{"client_name":"Claude Code (basecamp)","redirect_uris":["http://localhost:51001/callback"],"grant_types":["authorization_code","refresh_token"],
			"response_types":["code"],"token_endpoint_auth_method":"none"}`,
			[]string{"http://localhost:51001/callback", "http://localhost:52002/callback"},
		},
		"ChatGPT": {
			`{"client_name":"ChatGPT","redirect_uris":["https://chatgpt.com/connector/oauth/aB3_x","https://chatgpt.com/connector_platform_oauth_redirect"],
			"grant_types":["authorization_code","refresh_token"],"response_types":["code"],"token_endpoint_auth_method":"client_secret_basic",
			"client_uri":"https://chatgpt.com/","contacts":[],"application_type":"web"}`,
			[]string{"https://chatgpt.com/connector/oauth/aB3_x", "https://chatgpt.com/connector_platform_oauth_redirect"},
		},
		"Cursor": {
			`{"client_name":"Cursor","redirect_uris":["cursor://anysphere.cursor-mcp/oauth/callback","https://www.cursor.com/agents/mcp/oauth/callback",
			"http://localhost:8787/callback"],"grant_types":["authorization_code","refresh_token"],"response_types":["code"],"token_endpoint_auth_method":"none"}`,
			[]string{"cursor://anysphere.cursor-mcp/oauth/callback", "https://www.cursor.com/agents/mcp/oauth/callback", "http://localhost:8787/callback"},
		},
		"VS Code": {
			`{"client_name":"Visual Studio Code","client_uri":"https://code.visualstudio.com","redirect_uris":["https://insiders.vscode.dev/redirect",
			"https://vscode.dev/redirect","http://127.0.0.1/","http://127.0.0.1:33418/"],"grant_types":["authorization_code","refresh_token",
			"urn:ietf:params:oauth:grant-type:device_code"],"response_types":["code"],"token_endpoint_auth_method":"none","application_type":"native"}`,
			[]string{"https://vscode.dev/redirect", "https://insiders.vscode.dev/redirect", "http://127.0.0.1:33418/", "http://127.0.0.1:60123/"},
		},
		"Gemini CLI": {
			`{"client_name":"Gemini CLI MCP Client","redirect_uris":["http://localhost:40404/oauth/callback"],"grant_types":["authorization_code",
			"refresh_token"],"response_types":["code"],"token_endpoint_auth_method":"none","scope":"read write"}`,
			[]string{"http://localhost:40404/oauth/callback"},
		},
		"Codex": {
			`{"client_name":"Codex","redirect_uris":["http://127.0.0.1:5555/callback/AbCdEf012345"],"token_endpoint_auth_method":"none"}`,
			[]string{"http://127.0.0.1:6666/callback/AbCdEf012345"},
		},
		"Inspector": {
			`{"client_name":"MCP Inspector","client_uri":"https://inspector.example","redirect_uris":["http://localhost:6274/oauth/callback",
			"http://localhost:6274/oauth/callback/debug"],"grant_types":["authorization_code","refresh_token"],"response_types":["code"],
			"token_endpoint_auth_method":"none","scope":""}`,
			[]string{"http://localhost:6274/oauth/callback", "http://localhost:6274/oauth/callback/debug"},
		},
	} {
		t.Run(product, func(t *testing.T) {
			g := newRegistry(nil)
			var wish map[string]any
			_ = json.Unmarshal([]byte(c.body), &wish)
			r := g.register(t, c.body)
			if name := wish["client_name"]; name != nil && name != r.Name || r.IssuedAt != g.now.Unix() || strings.HasPrefix(r.ID, "https://") {
				t.Errorf("answered %+v", r)
			}
			if method := wish["token_endpoint_auth_method"]; method != nil && method != r.AuthMethod {
				t.Errorf("authenticates by %s", r.AuthMethod)
			}
			if !slices.Equal(r.GrantTypes, []string{"authorization_code", "refresh_token"}) || !slices.Equal(r.ResponseTypes, []string{"code"}) {
				t.Errorf("answered %+v", r)
			}
			found, status, _ := g.Lookup(t.Context(), r.ID)
			if status != 0 || !slices.Equal(found.RedirectURIs, r.RedirectURIs) || found.Name != r.Name || found.AuthMethod != r.AuthMethod {
				t.Errorf("found %+v, %d", found, status)
			}
			for _, uri := range c.calls {
				if !found.Allows(uri) {
					t.Errorf("not answered at %s", uri)
				}
			}
		})
	}
}

func TestRegister_APublicClientKeepsItsID(t *testing.T) {
	g := newRegistry(nil)
	const body = `{"client_name":"Rimless","redirect_uris":["https://rimless.example/cb","http://localhost/cb"],"token_endpoint_auth_method":"none"}`
	first := g.register(t, body)
	*g.now = g.now.Add(time.Hour)
	for range 50 {
		again := g.register(t, `{"software_version":"8", "redirect_uris":["https://rimless.example/cb","http://localhost/cb"],"client_name":" Rimless\u200b "}`)
		if again.ID != first.ID {
			t.Fatalf("%s, then %s", first.ID, again.ID)
		}
	}
	if len(first.ID) != 34 || first.Secret != "" || first.SecretExpiresAt != nil {
		t.Errorf("answered %+v", first)
	}
	for _, other := range []string{
		`{"client_name":"Rimless 2","redirect_uris":["https://rimless.example/cb","http://localhost/cb"]}`,
		`{"client_name":"Rimless","redirect_uris":["https://rimless.example/cb"]}`,
		`{"client_name":"Rimless","redirect_uris":["https://rimless.example/cb","http://localhost/cb","https://evil.example/cb"]}`,
		`{"client_name":"Rimless","redirect_uris":["https://rimless.example/cb\u002c","http://localhost/cb"]}`,
	} {
		if g.register(t, other).ID == first.ID {
			t.Errorf("%s has the same id", other)
		}
	}
}

func TestRegister_ASecretIsReturnedOnceAndStoredAsAHash(t *testing.T) { // RFC 6749, 2.3.1
	for _, method := range []string{"client_secret_post", "client_secret_basic"} {
		g := newRegistry(nil)
		body := `{"redirect_uris":["https://rimless.example/cb"],"token_endpoint_auth_method":"` + method + `"}`
		one, other := g.register(t, body), g.register(t, body)
		if one.ID == other.ID || one.Secret == other.Secret || len(one.Secret) != 43 || one.AuthMethod != method || !strings.HasPrefix(one.ID, "s_") {
			t.Errorf("answered %+v and %+v", one, other)
		}
		if one.SecretExpiresAt == nil || *one.SecretExpiresAt != 0 {
			t.Errorf("the secret expires at %v", one.SecretExpiresAt)
		}
		kept, err := g.store.Client(t.Context(), one.ID)
		if text, _ := json.Marshal(kept); err != nil || strings.Contains(string(text), one.Secret) || kept.SecretHash != authserver.HashOf(one.Secret) {
			t.Errorf("kept %s, %v", text, err)
		}
	}
}

func TestRegister_AClientWithoutAMethodIsPublic(t *testing.T) {
	r := newRegistry(nil).register(t, `{"redirect_uris":["https://rimless.example:8443/cb"],"token_endpoint_auth_method":null,"grant_types":[],"response_types":null}`)
	want := registered{
		ID: r.ID, IssuedAt: r.IssuedAt, Name: "rimless.example:8443", RedirectURIs: []string{"https://rimless.example:8443/cb"}, AuthMethod: "none",
		GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"},
	}
	if diff := cmp.Diff(want, r); diff != "" {
		t.Error(diff)
	}
}

func TestRegister_OneBadRedirectURIRefusesAll(t *testing.T) { // RFC 7591, 3.2.2; RFC 8252, 7
	for _, uri := range []string{
		"javascript:alert(1)", "JAVASCRIPT:alert(1)", " javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "vbscript:x", "http://rimless.example/cb",
		"https://user@rimless.example/cb", "https://rimless.example/cb#x", "rimless:/cb", "", "/cb", "http://localhost:0/cb",
		"https://rimless.example/cb?state=x", "http://localhost/cb?code=x", "https://" + strings.Repeat("a", 1024),
	} {
		uris, _ := json.Marshal([]string{"https://rimless.example/cb", uri, "http://localhost/cb"})
		newRegistry(nil).refuses(t, `{"redirect_uris":`+string(uris)+`}`, "invalid_redirect_uri")
	}
}

func TestRegister_LimitsTheNumberOfRedirectURIs(t *testing.T) {
	many := func(n int) string {
		uris := make([]string, n)
		for i := range uris {
			uris[i] = fmt.Sprintf("https://rimless.example/cb/%d", i)
		}
		list, _ := json.Marshal(uris)
		return `{"redirect_uris":` + string(list) + `}`
	}
	newRegistry(nil).register(t, many(10))
	newRegistry(nil).refuses(t, many(11), "invalid_redirect_uri")
	for _, none := range []string{`[]`, `null`, `"https://rimless.example/cb"`, `[7]`, `[null]`, `{}`, `[["https://rimless.example/cb"]]`} {
		newRegistry(nil).refuses(t, `{"redirect_uris":`+none+`}`, "invalid_redirect_uri")
	}
	newRegistry(nil).refuses(t, `{"Redirect_URIs":["https://rimless.example/cb"]}`, "invalid_redirect_uri")
}

func TestRegister_RefusesInvalidBodies(t *testing.T) { // RFC 7591, 3.2.2
	const uris = `"redirect_uris":["https://rimless.example/cb"]`
	for _, body := range []string{
		"", "null", "[]", `"x"`, "7", "{", "{}x", `{` + uris + `}{}`, `{` + uris, `[{` + uris + `}]`, "\xef\xbb\xbf{" + uris + "}", `{` + uris + `,}`,
		`{` + uris + `,"x":"` + "\xff" + `"}`,
		`{` + uris + `,"redirect_uris":["https://evil.example/cb"]}`, `{` + uris + `,"redirect\u005furis":["https://evil.example/cb"]}`, `{` + uris + `,"x":1,"x":1}`,
		`{` + uris + `,"client_name":7}`, `{` + uris + `,"client_name":["x"]}`,
		`{` + uris + `,"token_endpoint_auth_method":"private_key_jwt"}`, `{` + uris + `,"token_endpoint_auth_method":"None"}`, `{` + uris + `,"token_endpoint_auth_method":0}`,
		`{` + uris + `,"grant_types":["client_credentials"]}`, `{` + uris + `,"grant_types":["refresh_token"]}`, `{` + uris + `,"grant_types":"authorization_code"}`,
		`{` + uris + `,"response_types":["token"]}`, `{` + uris + `,"response_types":[7]}`,
		`{` + uris + `,"x":"` + strings.Repeat("x", 8<<10) + `"}`,
		`{` + uris + `,"x":` + strings.Repeat("[", 8000) + `}`,
	} {
		newRegistry(nil).refuses(t, body, "invalid_client_metadata")
	}
}

func TestRegister_TheLargestBodyIsEightKilobytes(t *testing.T) {
	body := `{"redirect_uris":["https://rimless.example/cb"],"x":"`
	body += strings.Repeat("x", 8192-len(body)-len(`"}`)) + `"}`
	newRegistry(nil).register(t, body)
	newRegistry(nil).refuses(t, body+" ", "invalid_client_metadata")
}

func TestRegister_OnlyJSONIsRead(t *testing.T) {
	const body = `{"redirect_uris":["https://rimless.example/cb"]}`
	for kind, want := range map[string]int{
		"application/json": 201, "application/json; charset=utf-8": 201, "Application/JSON": 201,
		"": 400, "text/plain": 400, "application/x-www-form-urlencoded": 400, "text/json": 400, "application/jsonx": 400,
	} {
		if w := asked(newRegistry(nil), "POST", "/register", body, "Content-Type", kind); w.Code != want {
			t.Errorf("%q: %d %s", kind, w.Code, w.Body)
		}
	}
}

func TestRegister_LeavesUnknownGrantTypesOut(t *testing.T) { // RFC 7591, 2
	r := newRegistry(nil).register(t, `{"redirect_uris":["https://rimless.example/cb"],"grant_types":["implicit","authorization_code"],"response_types":["token","code"]}`)
	if !slices.Equal(r.GrantTypes, []string{"authorization_code"}) || !slices.Equal(r.ResponseTypes, []string{"code"}) {
		t.Errorf("answered %+v", r)
	}
}

func TestRegister_AStoreFailureIsATemporaryError(t *testing.T) {
	g := newRegistry(nil)
	g.store.failing(1)
	w := asked(g, "POST", "/register", `{"redirect_uris":["https://rimless.example/cb"]}`, "Content-Type", "application/json")
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" || !strings.Contains(w.Body.String(), `"temporarily_unavailable"`) {
		t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
	}
}

func TestClient_UnknownAndExpiredClientsAreInvalid(t *testing.T) { // RFC 6749, 5.2
	g := newRegistry(nil)
	id := g.register(t, `{"redirect_uris":["https://rimless.example/cb"]}`).ID
	for _, unknown := range []string{"", "c_unknown", id + "x", strings.ToUpper(id), strings.Repeat("c", 5000), "http://rimless.example/client.json", "\x00"} {
		if _, status, code := g.Lookup(t.Context(), unknown); status != http.StatusUnauthorized || code != "invalid_client" {
			t.Errorf("%.20q: %d %s", unknown, status, code)
		}
	}
	g.store.failing(1) // an impossible ID is not looked up
	for _, impossible := range []string{"", strings.Repeat("c", 129)} {
		if _, status, code := g.Lookup(t.Context(), impossible); status != http.StatusUnauthorized {
			t.Errorf("%.20q: %d %s", impossible, status, code)
		}
	}
	g.store.failing(0)
	*g.now = g.now.Add(90*24*time.Hour + time.Second)
	if _, status, code := g.Lookup(t.Context(), id); status != http.StatusUnauthorized || code != "invalid_client" {
		t.Errorf("expired: %d %s", status, code)
	}
}

func TestClient_UseExtendsItAndWritesOnceADay(t *testing.T) {
	g := newRegistry(nil)
	id := g.register(t, `{"redirect_uris":["https://rimless.example/cb"]}`).ID
	for range 12 * 24 { // one hour each
		*g.now = g.now.Add(time.Hour)
		if _, status, _ := g.Lookup(t.Context(), id); status != 0 {
			t.Fatalf("gone at %v", g.now)
		}
	}
	if renewals := len(g.store.writes()) - 1; renewals != 12 {
		t.Errorf("renewed %d times in 12 days", renewals)
	}
	*g.now = g.now.Add(89 * 24 * time.Hour)
	g.store.failing(2) // it is read, and then renewed
	if _, status, code := g.Lookup(t.Context(), id); status != 0 {
		t.Errorf("cannot be used where it cannot be renewed: %d %s", status, code)
	}
	g.store.failing(0)
	if c, _, _ := g.Lookup(t.Context(), id); !c.ExpiresAt.Equal(g.now.Add(90 * 24 * time.Hour)) {
		t.Errorf("expires at %v", c.ExpiresAt)
	}
	*g.now = g.now.Add(89 * 24 * time.Hour)
	if _, status, _ := g.Lookup(t.Context(), id); status != 0 {
		t.Error("it was not renewed in the store")
	}
}

func TestClient_AStoreFailureIsATemporaryError(t *testing.T) {
	g := newRegistry(nil)
	for _, id := range []string{"c_x", "https://rimless.example/client.json"} {
		g.store.failing(1)
		if _, status, code := g.Lookup(t.Context(), id); status != http.StatusServiceUnavailable || code != "temporarily_unavailable" {
			t.Errorf("%s: %d %s", id, status, code)
		}
	}
}

func FuzzRegister(f *testing.F) {
	f.Add([]byte(`{"client_name":"Rimless","redirect_uris":["https://rimless.example/cb","http://localhost:7/cb"],"token_endpoint_auth_method":"none"}`))
	f.Add([]byte(`{"redirect_uris":["https://rimless.example/cb"],"token_endpoint_auth_method":"client_secret_post","grant_types":["authorization_code"]}`))
	f.Add([]byte(`{"redirect_uris":["cursor://anysphere.cursor-mcp/oauth/callback"],"x":{"x":[1,2]},"client_name":"\u202eok"}`))
	f.Add([]byte(`{"redirect_uris":["https://rimless.example/cb"],"redirect_uris":[]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		g := newRegistry(nil)
		w := asked(g, "POST", "/register", string(body), "Content-Type", "application/json")
		if w.Code != http.StatusCreated {
			if w.Code != http.StatusBadRequest || !json.Valid(w.Body.Bytes()) || len(g.store.writes()) > 0 {
				t.Fatalf("%d %s", w.Code, w.Body)
			}
			return
		}
		var r registered
		if err := json.Unmarshal(w.Body.Bytes(), &r); err != nil || len(g.store.writes()) != 1 {
			t.Fatalf("%v: %s", err, w.Body)
		}
		if r.Name == "" || utf8.RuneCountInString(r.Name) > 1024 || strings.ContainsAny(r.Name, "\x00\n\u202e\u200b") || len(r.RedirectURIs) == 0 || len(r.RedirectURIs) > 10 {
			t.Errorf("answered %+v", r)
		}
		for _, uri := range r.RedirectURIs {
			ours := uri == "cursor://anysphere.cursor-mcp/oauth/callback"
			if !ours && !strings.HasPrefix(uri, "https://") && !strings.HasPrefix(uri, "http://") || strings.ContainsAny(uri, "# \\\n") {
				t.Errorf("accepted %q", uri)
			}
		}
		if again := g.register(t, string(body)); again.ID == r.ID != (r.AuthMethod == "none") {
			t.Errorf("%s: %s, then %s", r.AuthMethod, r.ID, again.ID)
		}
	})
}
