package app

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"basecamp-mcp/internal/config"
)

func TestMachine_SaysWhoMustSignInWhereAndGoesOnAfterThat(t *testing.T) {
	d := newChangesEnv(t, config.Config{})
	token := d.machineToken()
	if got := d.connections(token); len(got.Clients) != 2 || got.Clients[0].EndsAt.IsZero() == got.Clients[1].EndsAt.IsZero() {
		t.Errorf("the clients are %+v", got.Clients)
	}
	d.sandbox.RevokeGrants(d.person("ines").IdentityID)
	for range 3 {
		status, body := d.whoAmI(token)
		if status != http.StatusOK || !strings.Contains(body, "TOKEN_EXPIRED") || !strings.Contains(body, `\"Ines Albrecht\\\" must open `+d.URL+"/account and connect Basecamp there") {
			t.Fatalf("HTTP %d %s", status, body)
		}
	}
	d.Get(d.browser, d.Fill(d.browser, d.Fill(d.browser, d.URL+"/oauth/start?for=account"), "handle", "ines"))
	if status, body := d.whoAmI(token); status != http.StatusOK || !strings.Contains(body, "Ines Albrecht") || strings.Contains(body, "TOKEN_EXPIRED") {
		t.Errorf("after a new login: HTTP %d %s", status, body)
	}
}

// machineToken makes a program without a browser on the page, and returns its token.
func (d changesEnv) machineToken() string {
	d.Helper()
	text := d.Fill(d.browser, d.URL+"/account/machines", "name", "Nightly", "days", "30", "proof", "token", "toolset basecamp", "yes", "toolset account", "yes")
	token := regexp.MustCompile(`bcm_pt_[\w-]{68}`).FindString(text)
	if token == "" {
		d.Fatal(text)
	}
	return token
}
