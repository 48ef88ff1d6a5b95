package e2e

import (
	"encoding/json"
	"fmt"
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
var logins = map[string]func(*testing.T, *server, *person, consent) session{
	"TypeScript SDK 1":    scriptLogin("sdk1.mjs"),
	"TypeScript client 2": scriptLogin("client2.mjs", "auto"),
	"Inspector":           inspectorLogin,
	"mcp-go":              mcpGoLogin,
	"go-sdk":              goSDKLogin,
	"Python SDK":          pythonLogin("sdk"),
	"FastMCP":             pythonLogin("fastmcp"),
	"mcp-remote":          mcpRemoteLogin,
}

func TestLogin_TypeScriptSDK1(t *testing.T)    { logsInAndRefreshes(t, "TypeScript SDK 1") }
func TestLogin_TypeScriptClient2(t *testing.T) { logsInAndRefreshes(t, "TypeScript client 2") }
func TestLogin_Inspector(t *testing.T)         { logsInAndRefreshes(t, "Inspector") }
func TestLogin_McpGo(t *testing.T)             { logsInAndRefreshes(t, "mcp-go") }
func TestLogin_GoSDK(t *testing.T)             { logsInAndRefreshes(t, "go-sdk") }
func TestLogin_PythonSDK(t *testing.T)         { logsInAndRefreshes(t, "Python SDK") }
func TestLogin_FastMCP(t *testing.T)           { logsInAndRefreshes(t, "FastMCP") }
func TestLogin_McpRemote(t *testing.T)         { logsInAndRefreshes(t, "mcp-remote") }

// logsInAndRefreshes starts a client that knows only the URL of the endpoint. The client must find
// the metadata, register, log in and list tools, and refresh its access token when that has
// expired.
func logsInAndRefreshes(t *testing.T, name string) {
	t.Parallel()
	s := start(t)
	c := logins[name](t, s, newPerson(t, "marguerite"), approve)
	tools, err := c.tools()
	if err != nil || !slices.Contains(tools, "get_me") {
		t.Fatalf("tools: %q, %v", tools, err)
	}
	first := c.tokens()
	wantsMe(t, c, "Marguerite Osei", "read", "write")
	if first.Scope != "read write" {
		t.Errorf("the token's scope is %q", first.Scope)
	}

	c.spoil()
	wantsMe(t, c, "Marguerite Osei", "read", "write")
	second := c.tokens()
	if second.AccessToken == first.AccessToken || second.RefreshToken == first.RefreshToken || second.RefreshToken == "" {
		t.Error("the client did not get new tokens for its refresh token")
	}
	if second.Scope != "read write" {
		t.Errorf("the new token's scope is %q", second.Scope)
	}
}

func TestLogin_WithoutWriteEveryClientReceivesOnlyRead(t *testing.T) {
	t.Parallel()
	s := start(t)
	for name, login := range logins {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := login(t, s, newPerson(t, "marguerite"), onlyRead)
			wantsMe(t, c, "Marguerite Osei", "read")
			if scope := c.tokens().Scope; scope != "read" {
				t.Errorf("the token's scope is %q", scope)
			}
			c.spoil()
			wantsMe(t, c, "Marguerite Osei", "read") // a refresh does not add write
		})
	}
}

func TestLogin_AUserWithTwoAccountsWorksInBothAndChoosesTheDefault(t *testing.T) {
	t.Parallel()
	s := start(t)
	app, p := register(t, s, "Ledger", "none", backHome), newPerson(t, "aoife")
	titles := map[string]string{}
	for p.prefers = range 2 {
		who := whoAmI(t, s, app.login(p, approve).AccessToken)
		if who.Name != "Aoife Brennan" || fmt.Sprint(who.Account.ID) != p.chosen || len(who.Accounts) != 2 || who.Accounts[0].ID != who.Account.ID {
			t.Errorf("chose the account %s and is %+v", p.chosen, who)
		}
		titles[p.chosen] = who.Title
	}
	if len(titles) != 2 {
		t.Errorf("the user could choose from %v", titles)
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
