package mcphttp_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"basecamp-mcp/internal/serve/mcphttp"
	"basecamp-mcp/internal/signin/authserver"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/signin/provider"
)

const publicOrigin = "https://mcp.fernhill.example"

func servedToolsets() []string { return []string{"basecamp", "tasks", "todolist"} }

// emptyCatalog serves toolsets that have no tools.
type emptyCatalog struct{}

func (emptyCatalog) Toolsets() []string { return servedToolsets() }

func (emptyCatalog) Scope(mcphttp.Selection, string) (identity.Scope, bool) { return "", false }

func (emptyCatalog) Handler(mcphttp.Selection) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	})
}

// oneCaller accepts every token.
type oneCaller struct{ mcphttp.MemorySessions }

func (*oneCaller) Authenticate(context.Context, string, string) (identity.Caller, bool, error) {
	return identity.Caller{Subject: "37s:1", Scopes: identity.AllScopes()}, false, nil
}

// The guard's challenge names the metadata of the path that was called (RFC 9728 section 5.1), so
// both must know the same paths.
func TestPaths_TheGuardAndTheMetadataServeTheSamePaths(t *testing.T) {
	public := func(*http.Request) string { return publicOrigin }
	guard := &mcphttp.Guard{Catalog: emptyCatalog{}, Authenticator: &oneCaller{}, Origin: public}
	metadata := authserver.New(authserver.Config{
		Upstreams: []authserver.Upstream{{Provider: provider.Provider{Name: "Basecamp"}}}, Origin: public, Toolsets: servedToolsets(),
	})
	for path, exists := range map[string]bool{
		"/mcp":                                   true,
		"/mcp/":                                  true,
		"/mcp/readonly":                          true,
		"/mcp/readonly/":                         true,
		"/mcp/readonly/readonly":                 false,
		"/mcp/all":                               true,
		"/mcp/all/readonly/":                     true,
		"/mcp/all,tasks":                         false,
		"/mcp/x/all":                             false,
		"/mcp/%72eadonly":                        true,
		"/mcp/x/tasks":                           true,
		"/mcp/x/tasks/":                          true,
		"/mcp/x/tasks/readonly":                  true,
		"/mcp/x/tasks/readonly/":                 true,
		"/mcp/x/tasks%2Freadonly":                true,
		"/mcp/x/todolist,tasks,tasks/readonly":   true,
		"/mcp/x/tasks%2Cbasecamp":                true,
		"/mcp/x/tasks,%20basecamp":               true,
		"/mcp/x/tasks,,":                         true,
		"/mcp/x/tasks,%20,":                      true,
		"/mcp/x/,":                               false,
		"/mcp/x/%20":                             false,
		"/mcp/x/":                                false,
		"/mcp/x":                                 false,
		"/mcp/x/readonly":                        false,
		"/mcp/x/Tasks":                           false,
		"/mcp/x/tasks,unknown":                   false,
		"/mcp/x/tasks%252Cbasecamp":              false,
		"/mcp/x/tasks/basecamp":                  false,
		"/mcp/x/tasks%2Fx%2Ftodolist":            false,
		"/mcp/x/tasks/writeonly":                 false,
		"/mcp/x/a/b/readonly":                    false,
		"/mcp/readonly/x/tasks":                  false,
		"/mcp/%2e%2e/x/tasks":                    false,
		"/mcpx":                                  false,
		"/mcp%00":                                false,
		"/mcp/tasks":                             false,
		"/MCP":                                   false,
		"/mcp/x/" + strings.Repeat("tasks,", 50): true,
	} {
		want := http.StatusNotFound
		if exists {
			want = http.StatusOK
		}
		r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
		r.Header.Set("Authorization", "Bearer any")
		r.Header.Set("Content-Type", "application/json")
		guarded := httptest.NewRecorder()
		guard.ServeHTTP(guarded, r)
		described := httptest.NewRecorder()
		metadata.ServeHTTP(described, httptest.NewRequest(http.MethodGet, "/.well-known/oauth-protected-resource"+path, nil))
		if guarded.Code != want || guarded.Header().Get("Content-Type") != "application/json" || described.Code != want {
			t.Errorf("%s: the guard answers %d, the metadata %d, want %d", path, guarded.Code, described.Code, want)
		}
	}
}
