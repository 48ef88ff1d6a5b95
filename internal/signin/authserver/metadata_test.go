package authserver_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/signin/authserver"
	"basecamp-mcp/internal/signin/provider"
)

// asked sends a request with pairs of header names and values.
func asked(b http.Handler, method, path, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Host = "evil.example" // must not appear in any URL
	r.Header.Set("X-Forwarded-Host", "evil.example")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	b.ServeHTTP(w, r)
	return w
}

func wantJSON(t *testing.T, w *httptest.ResponseRecorder, status int, want map[string]any) {
	t.Helper()
	var got map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != status || w.Header().Get("Content-Type") != "application/json" {
		t.Fatalf("%d %s: %s", w.Code, w.Header().Get("Content-Type"), w.Body)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func describing() *authserver.Server {
	return authserver.New(authserver.Config{
		Upstreams: []authserver.Upstream{{Provider: provider.Provider{Name: "Basecamp"}}},
		Origin:    func(*http.Request) string { return "https://mcp.fernhill.example" },
		Toolsets:  []string{"basecamp", "tasks", "todolist"},
	})
}

func TestResourceMetadata_NamesTheURLInItsPath(t *testing.T) { // RFC 9728, 2
	for suffix, resource := range map[string]string{
		"":                               "/mcp",
		"/":                              "/mcp",
		"/mcp":                           "/mcp",
		"/mcp/":                          "/mcp/",
		"/mcp/readonly":                  "/mcp/readonly",
		"/mcp/readonly/":                 "/mcp/readonly/",
		"/mcp/x/tasks":                   "/mcp/x/tasks",
		"/mcp/x/todolist,tasks/readonly": "/mcp/x/todolist,tasks/readonly",
		"/mcp/x/tasks%2Cbasecamp":        "/mcp/x/tasks%2Cbasecamp",
		"/mcp/x/tasks?x=1":               "/mcp/x/tasks",
	} {
		w := asked(describing(), "GET", "/.well-known/oauth-protected-resource"+suffix, "")
		wantJSON(t, w, http.StatusOK, map[string]any{
			"resource":                 "https://mcp.fernhill.example" + resource,
			"authorization_servers":    []any{"https://mcp.fernhill.example"},
			"scopes_supported":         []any{"read", "write"},
			"bearer_methods_supported": []any{"header"},
			"resource_name":            "Basecamp",
			"resource_documentation":   "https://mcp.fernhill.example/",
		})
		if got := w.Header().Get("Cache-Control"); got != "max-age=300" {
			t.Errorf("Cache-Control %q", got)
		}
	}
}

func TestServerMetadata_IsTheSameUnderEveryWellKnownPath(t *testing.T) { // RFC 8414, 3
	const origin = "https://mcp.fernhill.example"
	methods := []any{"none", "client_secret_post", "client_secret_basic"}
	for _, path := range []string{
		"/.well-known/oauth-authorization-server", "/.well-known/oauth-authorization-server/", "/.well-known/oauth-authorization-server/mcp",
		"/.well-known/oauth-authorization-server/mcp/x/tasks/readonly", "/.well-known/openid-configuration",
		"/.well-known/openid-configuration/mcp", "/.well-known/openid-configuration/mcp/readonly",
	} {
		w := asked(describing(), "GET", path, "")
		wantJSON(t, w, http.StatusOK, map[string]any{
			"issuer":                                         origin,
			"authorization_endpoint":                         origin + "/authorize",
			"token_endpoint":                                 origin + "/token",
			"registration_endpoint":                          origin + "/register",
			"revocation_endpoint":                            origin + "/revoke",
			"scopes_supported":                               []any{"read", "write"},
			"response_types_supported":                       []any{"code"},
			"response_modes_supported":                       []any{"query"},
			"grant_types_supported":                          []any{"authorization_code", "refresh_token"},
			"code_challenge_methods_supported":               []any{"S256"},
			"token_endpoint_auth_methods_supported":          methods,
			"revocation_endpoint_auth_methods_supported":     methods,
			"authorization_response_iss_parameter_supported": true,
			"client_id_metadata_document_supported":          true,
			"service_documentation":                          origin + "/",
		})
		if got := w.Header().Get("Cache-Control"); got != "max-age=300" {
			t.Errorf("Cache-Control %q", got)
		}
	}
}

func TestMetadata_AnUnknownPathIsAJSON404(t *testing.T) {
	for _, wellKnown := range []string{
		"/.well-known/oauth-protected-resource", "/.well-known/oauth-authorization-server", "/.well-known/openid-configuration",
	} {
		for _, suffix := range []string{
			"/mc", "/mcpx", "/mcp/x", "/mcp/x/", "/mcp/x/,", "/mcp/x/tasks,unknown", "/mcp/x/unknown", "/mcp/x/tasks/writeonly", "/mcp/x/tasks/x/todolist",
			"/mcp/tasks", "/token", "/readonly", "/mcp/readonly/readonly", "/mcp%00", "/evil.example/mcp", "/mcp/x/tasks%2freadonly%2fx", "x",
		} {
			w := asked(describing(), "GET", wellKnown+suffix, "")
			if w.Code != http.StatusNotFound || w.Header().Get("Content-Type") != "application/json" || !json.Valid(w.Body.Bytes()) {
				t.Errorf("%s%s: %d %s", wellKnown, suffix, w.Code, w.Body)
			}
			if strings.Contains(w.Header().Get("Cache-Control"), "max-age") {
				t.Errorf("%s%s is kept: %s", wellKnown, suffix, w.Header().Get("Cache-Control"))
			}
		}
	}
}

func TestAPI_WebPagesOfEveryOriginMayCall(t *testing.T) { // Fetch standard, CORS protocol
	for path, methods := range map[string]string{
		"/.well-known/oauth-protected-resource/mcp":   "GET, HEAD, OPTIONS",
		"/.well-known/oauth-protected-resource/other": "GET, HEAD, OPTIONS",
		"/.well-known/oauth-authorization-server":     "GET, HEAD, OPTIONS",
		"/.well-known/openid-configuration":           "GET, HEAD, OPTIONS",
		"/register":                                   "POST, OPTIONS",
		"/token":                                      "POST, OPTIONS",
		"/revoke":                                     "POST, OPTIONS",
	} {
		w := asked(describing(), "OPTIONS", path, "", "Origin", "https://inspector.example", "Access-Control-Request-Headers", "mcp-protocol-version,x-other")
		h := w.Header()
		if w.Code != http.StatusNoContent || w.Body.Len() > 0 || h.Get("Access-Control-Allow-Origin") != "*" || h.Get("Access-Control-Allow-Methods") != methods ||
			h.Get("Access-Control-Allow-Headers") != "Authorization, Content-Type, Accept, MCP-Protocol-Version, *" || h.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("%s: %d, %v", path, w.Code, h)
		}
		w = asked(describing(), "DELETE", path, "")
		if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != methods || w.Header().Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s: %d, %v", path, w.Code, w.Header())
		}
		if w.Header().Get("Content-Type") != "application/json" || !strings.Contains(w.Body.String(), `"error":"invalid_request"`) {
			t.Errorf("%s: %s", path, w.Body)
		}
	}
	for _, method := range []string{"GET", "HEAD"} {
		w := asked(describing(), method, "/.well-known/oauth-authorization-server", "", "Origin", "https://inspector.example")
		if w.Code != http.StatusOK || w.Header().Get("Access-Control-Allow-Origin") != "*" || w.Header().Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d, %v", method, w.Code, w.Header())
		}
	}
}

func TestAPI_WebPagesCanReadEveryAnswer(t *testing.T) { // Fetch standard, CORS protocol
	for _, path := range []string{
		"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource/none",
		"/.well-known/oauth-authorization-server", "/.well-known/openid-configuration", "/.well-known/none", "/register", "/token", "/revoke",
	} {
		for _, method := range []string{"GET", "HEAD", "POST", "OPTIONS", "DELETE"} {
			w := asked(describing(), method, path, "", "Origin", "https://inspector.example")
			exposed := strings.Split(w.Header().Get("Access-Control-Expose-Headers"), ", ")
			if w.Header().Get("Access-Control-Allow-Origin") != "*" || !slices.Contains(exposed, "WWW-Authenticate") || !slices.Contains(exposed, "Mcp-Session-Id") {
				t.Errorf("%s %s: HTTP %d with %v", method, path, w.Code, w.Header())
			}
		}
	}
}
