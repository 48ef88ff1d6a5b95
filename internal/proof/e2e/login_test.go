package e2e

import (
	"encoding/json"
	"slices"
	"testing"
)

// session is a client that has logged in.
type session interface {
	client
	// tokens returns the tokens that the client holds.
	tokens() tokens
	// spoil replaces the access token with an invalid one, as if it had expired.
	spoil()
}

// logins are the functions that log in with each client.
var logins = map[string]func(*testing.T, *server, *person) session{
	"TypeScript SDK 1":    scriptLogin("sdk1.mjs"),
	"TypeScript client 2": scriptLogin("client2.mjs", "auto"),
	"Inspector":           inspectorLogin,
	"mcp-go":              mcpGoLogin,
	"go-sdk":              goSDKLogin,
	"Python SDK":          pythonLogin("sdk"),
	"FastMCP":             pythonLogin("fastmcp"),
	"mcp-remote":          mcpRemoteLogin,
}

// Each client knows only the URL of the endpoint. It must find the metadata, register, log in and
// list tools, and refresh its access token when that has expired.
func TestLogin_EveryClientLogsInAndRefreshes(t *testing.T) {
	t.Parallel()
	for name, login := range logins {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := login(t, start(t), newPerson(t, "marguerite"))
			if tools, err := c.tools(); err != nil || !slices.Contains(tools, "get_me") {
				t.Fatalf("tools: %q, %v", tools, err)
			}
			first := c.tokens()
			wantsMe(t, c, "Marguerite Osei", "read", "write")
			c.spoil()
			wantsMe(t, c, "Marguerite Osei", "read", "write")
			second := c.tokens()
			if second.AccessToken == first.AccessToken || second.RefreshToken == first.RefreshToken || second.RefreshToken == "" {
				t.Error("the client did not get new tokens for its refresh token")
			}
			if first.Scope != "read write" || second.Scope != "read write" {
				t.Errorf("the scopes are %q and %q", first.Scope, second.Scope)
			}
		})
	}
}

// wantsMe checks which user a client acts for, and with which scopes.
func wantsMe(t *testing.T, c client, name string, scopes ...string) {
	t.Helper()
	r, err := c.call("get_me", nil)
	var who me
	if err == nil {
		err = json.Unmarshal([]byte(r.text()), &who)
	}
	if err != nil || r.IsError || who.Name != name || !slices.Equal(who.Scopes, scopes) || who.ReadOnly == slices.Contains(scopes, "write") {
		t.Errorf("get_me: %v %s", err, r.text())
	}
}
