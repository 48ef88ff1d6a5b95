package app

import (
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp/launchpad"
	"basecamp-mcp/internal/catalog/tools"
	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/signin/pages"
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
		if status != http.StatusOK || !strings.Contains(body, "TOKEN_EXPIRED") || !strings.Contains(body, `\"Ines Albrecht\\\" must open `+d.url+"/account and connect Basecamp there") {
			t.Fatalf("HTTP %d %s", status, body)
		}
	}
	d.get(d.browser, d.fill(d.browser, d.fill(d.browser, d.url+"/oauth/start?for=account"), "handle", "ines"))
	if status, body := d.whoAmI(token); status != http.StatusOK || !strings.Contains(body, "Ines Albrecht") || strings.Contains(body, "TOKEN_EXPIRED") {
		t.Errorf("after a new login: HTTP %d %s", status, body)
	}
}

// machineToken makes a program without a browser on the page, and returns its token.
func (d changesEnv) machineToken() string {
	d.Helper()
	page, _ := d.get(d.browser, d.url+"/account/machines")
	form := url.Values{"name": {"Nightly"}, "days": {"30"}, "proof": {"token"}, "toolset basecamp": {"yes"}, "toolset account": {"yes"}, "shown": {pages.Watched}}
	for _, field := range hidden.FindAllStringSubmatch(page, -1) {
		if !form.Has(field[1]) {
			form.Set(field[1], field[2])
		}
	}
	made := must(d.browser.PostForm(d.url+"/account/machines", form))
	defer made.Body.Close()
	text, _ := io.ReadAll(made.Body)
	token := regexp.MustCompile(`bcm_pt_[\w-]{68}`).FindString(string(text))
	if token == "" {
		d.Fatalf("HTTP %d %s", made.StatusCode, text)
	}
	return token
}

func TestConnections_SayWhenTheUserMustSignInAgain(t *testing.T) {
	p := open(t, config.Config{})
	bearer, _ := p.logIn("ines")
	records := p.storage.records(launchpad.ProviderID)
	for name, test := range map[string]struct {
		in    time.Duration
		links bool
	}{"in a month": {30 * 24 * time.Hour, false}, "in three days": {3 * 24 * time.Hour, true}} {
		r := p.record("ines")
		r.SignInBy = time.Now().Add(test.in).Truncate(time.Second)
		if _, err := records.SaveRecord(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		up := p.connections(bearer).Upstreams[0]
		if up.Status != tools.ConnectionActive || !up.SignInBy.Equal(r.SignInBy) || (up.ReconnectURL != "") != test.links {
			t.Errorf("%s: %+v", name, up)
		}
	}
}
