package stacktest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/app"
	"basecamp-mcp/internal/config"
	githubsandbox "basecamp-mcp/internal/github/sandbox"
	"basecamp-mcp/internal/own/sweep"
	"basecamp-mcp/internal/signin/authserver"
	"basecamp-mcp/internal/signin/grant"
	"basecamp-mcp/internal/signin/provider"
	"basecamp-mcp/internal/store/dynamo"
	"basecamp-mcp/internal/store/items"
)

// sweepEvent is the event of events/ for the sweep.
const sweepEvent = "sweep-scheduled"

func wantSwept(t *testing.T, want sweep.Report, answer []byte) {
	t.Helper()
	var got sweep.Report
	if err := json.Unmarshal(answer, &got); err != nil || got != want {
		t.Errorf("%s, %v", answer, err)
	}
}

// left makes a user sign in some days ago, whose last client is gone.
func (d *deployed) left(providerID, subject string, days int, t provider.Tokens) {
	d.Helper()
	then := time.Now().AddDate(0, 0, -days)
	clock := func() time.Time { return then }
	keeper := grant.New(grant.Config{
		Store: d.stores().Tokens(providerID), Records: items.New(dynamo.New(d.database.Client(), d.table, clock), items.Options{Now: clock}).Records(providerID),
		Provider: provider.Provider{ID: providerID}, Now: clock,
	})
	if _, err := keeper.Connect(d.Context(), subject, "Ines Albrecht", t); err != nil {
		d.Fatal(err)
	}
}

// idleClient connects a client of a user, which was last used some months ago.
func (d *deployed) idleClient(subject string) {
	d.Helper()
	used := time.Now().AddDate(0, 0, -91)
	end := time.Now().Add(time.Hour)
	id := fmt.Sprint("family of ", subject)
	code := authserver.Code{Hash: authserver.Hash("code of " + subject), Family: id, Permit: authserver.Permit{Subject: subject}, ExpiresAt: end}
	table := d.stores().Items
	if err := table.AddCode(d.Context(), code); err != nil {
		d.Fatal(err)
	}
	f := authserver.Family{ID: id, Permit: authserver.Permit{Subject: subject}, Generation: 1, CreatedAt: used, RefreshedAt: used, ExpiresAt: end, EndsAt: end}
	err := table.Redeem(d.Context(), code, time.Now(), f, authserver.Access{Hash: "a", ExpiresAt: end}, authserver.Refresh{Hash: "r", Generation: 1, ExpiresAt: end})
	if err != nil {
		d.Fatal(err)
	}
}

// sweep runs the sweep with the permissions of its role.
func (d *deployed) sweep(want sweep.Report) {
	d.Helper()
	var log bytes.Buffer
	environment := d.environment(d.services.behind(d.roles["OAuthFunction"]))
	c, err := config.LoadFunction(func(name string) string { return environment[name] }, app.Toolsets())
	if err != nil {
		d.Fatal(err)
	}
	f, err := app.OAuth(c, slog.New(slog.NewJSONHandler(&log, nil)))
	if err != nil {
		d.Fatal(err)
	}
	answer, err := f.Sweep(d.Context(), want.DryRun)
	if diff := cmp.Diff(any(want), answer); diff != "" || err != nil {
		d.Fatalf("%v %s\n%s", err, diff, log.String())
	}
}

func someTokens(secret string) provider.Tokens {
	return provider.Tokens{AccessToken: secret, RefreshToken: "r", ExpiresAt: time.Now().AddDate(0, 0, 9)}
}

// TestDeployed_SweepsWithThePermissionsItHas ends what users left at both providers. A call without
// permission fails the test immediately.
func TestDeployed_SweepsWithThePermissionsItHas(t *testing.T) {
	integration(t)
	hub := githubsandbox.New(githubsandbox.Options{})
	d := prepareStack(t, readStack(t))
	var connections atomic.Int64
	d.hub = listen(t, &connections, hub)
	d.setUpAndStart()
	ines := d.LogIn("ines")
	browser, _ := d.Visit(d.URL+"/oauth/start?for=account", "ines")
	link := func() {
		d.Get(browser, d.Fill(browser, d.Fill(browser, d.URL+"/oauth/start?link=github"), "handle", "ines-albrecht"))
	}
	link()
	d.left("37signals", "37s:1", 2, someTokens("a"))
	d.left("github", "37s:1", 2, provider.Tokens{AccessToken: d.upstreamToken("github/")})
	d.left("37signals", "37s:3", 100, someTokens("c"))
	d.idleClient("37s:3")
	d.sweep(sweep.Report{Complete: true, Users: 3, Ended: 3})
	families, err := d.stores().Items.FamiliesOf(t.Context(), "37s:3")
	if left := len(d.userSecrets("")); left != 2 || len(families) > 0 || err != nil {
		t.Errorf("%d secrets are left, and %v, %v", left, families, err)
	}
	d.wantMe(ines.Access, "Ines Albrecht")
	// The token of the user who left was revoked, and it is also hers.
	if said := d.onGitHub(ines.Access); !strings.Contains(said, "reauthorize") {
		t.Errorf("GitHub still accepts the token: %s", said)
	}

	// The sweep opens sealed tokens to revoke them.
	d.makeRing()
	d.ring = "KeyRingSecret"
	link()
	d.left("github", "37s:1", 2, provider.Tokens{AccessToken: d.upstreamToken("github/")})
	d.sweep(sweep.Report{Complete: true, Users: 2, Ended: 1})
	if said := d.onGitHub(ines.Access); !strings.Contains(said, "reauthorize") {
		t.Errorf("GitHub still accepts the token that was sealed: %s", said)
	}
}

// GitHub was switched off, and the table is another one, as with ExistingTable.
func TestDeployed_SweepsWithoutGitHub(t *testing.T) {
	integration(t)
	d := prepare(t)
	d.left("37signals", "37s:1", 2, someTokens("a"))
	d.left("github", "37s:1", 2, someTokens("b"))
	d.table = d.backUp()
	d.sweep(sweep.Report{Complete: true, Users: 1, Ended: 2})
	if left := len(d.userSecrets("")); left != 0 {
		t.Errorf("%d secrets are left", left)
	}
}

// environmentAt returns the environment of a deployment whose services share one origin.
func environmentAt(origin string) map[string]string {
	return map[string]string{
		"PUBLIC_URL": "https://mcp.example.com", "ALLOWED_ACCOUNTS": "*", "TABLE_NAME": "fernhill-Table-1", "SECRET_PREFIX": "fernhill/",
		"LAUNCHPAD_SECRET": "ApplicationSecret", "AWS_ACCESS_KEY_ID": "ASIAFERNHILL", "AWS_SECRET_ACCESS_KEY": "key",
		"AWS_ENDPOINT_URL_DYNAMODB": origin, "AWS_ENDPOINT_URL_SECRETS_MANAGER": origin, "BASECAMP_API_URL": origin, "LAUNCHPAD_URL": origin,
	}
}
