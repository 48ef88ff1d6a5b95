package stacktest_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	githubsandbox "basecamp-mcp/internal/github/sandbox"
)

// TestDeployed_LinksGitHubWithThePermissionsItHas links, uses, refreshes and unlinks GitHub. A call
// without permission fails the test immediately.
func TestDeployed_LinksGitHubWithThePermissionsItHas(t *testing.T) {
	integration(t)
	hub := githubApp{githubsandbox.New(githubsandbox.Options{})}
	d := prepareStack(t, readStack(t))
	var connections atomic.Int64
	d.hub = listen(t, &connections, hub)
	d.start()
	d.setUp()
	ines := d.LogIn("ines")
	if said := d.onGitHub(ines.Access); !strings.Contains(said, "NOT_LINKED") || !strings.Contains(said, "not_linked") {
		t.Errorf("before the link: %s", said)
	}

	browser, _ := d.Visit(d.URL+"/oauth/start?for=account", "ines")
	if page := d.Get(&http.Client{}, d.URL+"/"); !strings.Contains(page, "make credentials STACK=fernhill ") || !strings.Contains(page, ">GITHUB=") || !strings.Contains(page, "/oauth/github/callback") {
		t.Errorf("the front page before the set-up: %s", page)
	}
	d.makeSecret("GitHubSecret", githubCredentials)
	d.waitsFor("make credentials")
	callback := d.Fill(browser, d.Fill(browser, d.URL+"/oauth/start?link=github"), "handle", "ines-albrecht")
	if next := d.Get(browser, callback); next != "/account" {
		t.Fatalf("linking leads to %s\n%s", next, d.log)
	}
	if said := d.onGitHub(ines.Access); !strings.Contains(said, `"has_more"`) {
		t.Errorf("linked: %s", said)
	}
	hub.Revoke("ines-albrecht") // now the token is refreshed
	if said := d.onGitHub(ines.Access); !strings.Contains(said, `"has_more"`) {
		t.Errorf("refreshed: %s", said)
	}
	if next := d.Fill(browser, d.URL+"/account", "step", "unlink:github"); next != "/account" {
		t.Errorf("unlinking leads to %s", next)
	}
	if said := d.onGitHub(ines.Access); !strings.Contains(said, "not_linked") {
		t.Errorf("unlinked: %s", said)
	}
	d.wantMe(ines.Access, "Ines Albrecht")
	for function, uses := range map[string][]string{
		"McpFunction":   {"GetSecretValue GitHubSecret", "GetSecretValue user", "PutSecretValue user"},
		"OAuthFunction": {"GetSecretValue GitHubSecret", "CreateSecret user", "DeleteSecret user"},
	} {
		for _, use := range uses {
			if !d.roles[function].used[use] {
				t.Errorf("%s did not %s", function, use)
			}
		}
	}
}

// githubApp is a GitHub whose application is a GitHub App: its tokens have no scopes, expire, and
// come with refresh tokens. They are those of Ines.
type githubApp struct{ *githubsandbox.Server }

func (g githubApp) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/login/oauth/access_token" {
		g.Server.ServeHTTP(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"access_token": %q, "token_type": "bearer", "scope": "", "expires_in": 28800, "refresh_token": "ghr_1", "refresh_token_expires_in": 15897600}`,
		g.Grant("ines-albrecht", "repo", "project", "read:org"))
}

// onGitHub returns the answer of a tool that asks GitHub.
func (d *deployed) onGitHub(access string) string {
	d.Helper()
	return d.Call("/mcp/x/github", access, "github_list_projects", `{}`)
}

const githubCredentials = `{"client_id":"` + githubsandbox.ClientID + `","client_secret":"` + githubsandbox.ClientSecret + `"}`
