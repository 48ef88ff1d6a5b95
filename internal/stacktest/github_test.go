package stacktest_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	githubsandbox "basecamp-mcp/internal/github/sandbox"
	"basecamp-mcp/internal/mcptest"
	"basecamp-mcp/internal/provider"
)

// TestDeployed_LinksGitHubWithThePermissionsItHas links, uses, refreshes and unlinks GitHub. A call
// without permission fails the test immediately.
func TestDeployed_LinksGitHubWithThePermissionsItHas(t *testing.T) {
	integration(t)
	hub := githubsandbox.New(githubsandbox.Options{GitHubApp: true}) // its tokens are refreshed
	d := prepareStack(t, readStack(t))
	var connections atomic.Int64
	d.hub = listen(t, &connections, hub)
	d.start()
	d.breaker(provider.Provider{ID: "github", Namespace: "gh", Name: "GitHub"})
	d.setUp()
	ines := d.logIn("ines")
	if said := d.onGitHub(ines.access); !strings.Contains(said, "NOT_LINKED") || !strings.Contains(said, "not_linked") {
		t.Errorf("before the link: %s", said)
	}

	browser, _ := d.visit(d.url+"/oauth/start?for=account", "ines")
	if page := d.get(&http.Client{}, d.url+"/"); !strings.Contains(page, "--secret-id GitHubSecret") || !strings.Contains(page, "/oauth/github/callback") {
		t.Errorf("the front page before the set-up: %s", page)
	}
	d.storeGitHubsCredentials()
	callback := d.fill(browser, d.fill(browser, d.url+"/oauth/start?link=github"), "person", "ines-albrecht")
	if next := d.get(browser, callback); next != "/account" {
		t.Fatalf("linking leads to %s\n%s", next, d.log)
	}
	if said := d.onGitHub(ines.access); !strings.Contains(said, `"has_more"`) {
		t.Errorf("linked: %s", said)
	}
	hub.ExpireToken(d.upstreamToken("github/"))
	if said := d.onGitHub(ines.access); !strings.Contains(said, `"has_more"`) {
		t.Errorf("refreshed: %s", said)
	}
	if next := d.fill(browser, d.url+"/account", "step", "unlink:github"); next != "/account" {
		t.Errorf("unlinking leads to %s", next)
	}
	if said := d.onGitHub(ines.access); !strings.Contains(said, "not_linked") {
		t.Errorf("unlinked: %s", said)
	}
	d.wantMe(ines.access, "Ines Albrecht")
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

// onGitHub returns the answer of a tool that asks GitHub.
func (d *deployed) onGitHub(access string) string {
	d.Helper()
	_, body := d.ask(http.MethodPost, "/mcp/x/github", access, "", mcptest.Message("tools/call", `{"name":"github_list_projects","arguments":{}}`))
	return body
}

// createGitHubSecret creates the secret with the credentials of GitHub's application.
func (d *deployed) createGitHubSecret() {
	d.Helper()
	_, err := d.secrets.CreateSecret(d.Context(), &secretsmanager.CreateSecretInput{
		Name:         aws.String("GitHubSecret"),
		SecretString: aws.String(`{"client_id":"` + githubsandbox.ClientID + `","client_secret":"` + githubsandbox.ClientSecret + `"}`),
	})
	if err != nil {
		d.Fatal(err)
	}
}

// storeGitHubsCredentials does what GitHubSetupCommand says, and waits until the functions know it.
func (d *deployed) storeGitHubsCredentials() {
	d.Helper()
	d.createGitHubSecret()
	// The function retries after five seconds.
	deadline, again := time.After(time.Minute), time.NewTicker(200*time.Millisecond)
	defer again.Stop()
	for strings.Contains(d.get(&http.Client{}, d.url+"/"), "--secret-id GitHubSecret") {
		select {
		case <-again.C:
		case <-deadline:
			d.Fatal("the function did not find the credentials")
		}
	}
}
