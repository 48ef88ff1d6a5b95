package stacktest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/app/awsstores"
	"basecamp-mcp/internal/app/sweeper"
	"basecamp-mcp/internal/authserver"
	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/dynamo"
	githubsandbox "basecamp-mcp/internal/github/sandbox"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/items"
	"basecamp-mcp/internal/lambdahttp/runtimetest"
	"basecamp-mcp/internal/provider"
	"basecamp-mcp/internal/sweep"
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

// The demo keeps no users.
func TestSweepFunction_AnswersItsEvents(t *testing.T) {
	f := runtimetest.Start(t, runtimetest.Build(t, root, built["SweepFunction"]), "BASECAMP_API_URL=sandbox")
	for event, want := range map[string]sweep.Report{
		string(read(t, sweepEvent)): {Complete: true},
		`{"dry_run":true}`:          {DryRun: true, Complete: true},
	} {
		answer, err := f.Invoke([]byte(event))
		if err != nil {
			t.Fatal(err, f.Logs())
		}
		wantSwept(t, want, answer)
	}
	for _, event := range []string{`[]`, `"dry_run"`, `{"dry_run":"yes"}`, `{"dryrun":true}`, `{"dry_run":false,"rate":-1}`, `{"dry_run":false,"rate":10001}`, `{"dry_run":false,"rate":"fast"}`, `{"rate":200}`} {
		if answer, err := f.Invoke([]byte(event)); err == nil || !strings.Contains(err.Error(), "must be a JSON object such as") && !strings.Contains(err.Error(), "from 1 to 10000") {
			t.Errorf("%s: %s, %v", event, answer, err)
		}
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

// client connects a client of a user, which was last used some days ago.
func (d *deployed) client(subject string, days int) {
	d.Helper()
	used := time.Now().AddDate(0, 0, -days)
	end := time.Now().Add(time.Hour)
	id := fmt.Sprint("family of ", subject)
	code := authserver.Code{Hash: authserver.Hash("code of " + subject), Family: id, Subject: subject, ExpiresAt: end}
	table := d.stores().Items
	if err := table.AddCode(d.Context(), code); err != nil {
		d.Fatal(err)
	}
	f := authserver.Family{ID: id, Subject: subject, Generation: 1, CreatedAt: used, RefreshedAt: used, ExpiresAt: end, EndsAt: end}
	err := table.Redeem(d.Context(), code, time.Now(), f, authserver.Access{Hash: "a", ExpiresAt: end}, authserver.Refresh{Hash: "r", Generation: 1, ExpiresAt: end})
	if err != nil {
		d.Fatal(err)
	}
}

// clients returns the number of a user's clients.
func (d *deployed) clients(subject string) int {
	d.Helper()
	families, err := d.stores().Items.FamiliesOf(d.Context(), subject)
	if err != nil {
		d.Fatal(err)
	}
	return len(families)
}

// sweep runs the sweep with the permissions of its role, and returns its line.
func (d *deployed) sweep(event string, want sweep.Report) (line map[string]any) {
	d.Helper()
	var log bytes.Buffer
	answer, err := d.sweeper(&log).Run(d.Context(), []byte(event))
	got, _ := answer.(sweep.Report)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		d.Fatalf("%v %s\n%s", err, diff, log.String())
	}
	if err := json.Unmarshal(log.Bytes(), &line); err != nil {
		d.Fatalf("%v in %s", err, log.String())
	}
	return line
}

// sweeper returns the sweep with the permissions of its role.
func (d *deployed) sweeper(log io.Writer) *sweeper.Function {
	d.Helper()
	environment := d.environment(d.services.behind(d.roles["SweepFunction"]))
	environment["READ_ONLY"] = "true" // it hides tools, and the sweep works all the same
	c, err := config.LoadFunction(func(name string) string { return environment[name] }, nil)
	if err != nil {
		d.Fatal(err)
	}
	f, err := sweeper.New(c, slog.New(slog.NewJSONHandler(log, nil)), awsstores.Outbound())
	if err != nil {
		d.Fatal(err)
	}
	return f
}

func someTokens(secret string) provider.Tokens {
	return provider.Tokens{AccessToken: secret, RefreshToken: "r", ExpiresAt: time.Now().AddDate(0, 0, 9)}
}

// TestDeployed_SweepsWithThePermissionsItHas ends what users left at both providers. A call without
// permission fails the test immediately. At the end, a permission that was not used fails the test.
func TestDeployed_SweepsWithThePermissionsItHas(t *testing.T) {
	integration(t)
	hub := githubsandbox.New(githubsandbox.Options{})
	d := prepareStack(t, readStack(t))
	var connections atomic.Int64
	d.hub = listen(t, &connections, hub)
	d.setUpAndStart()
	ines := d.logIn("ines")
	browser, _ := d.visit(d.url+"/oauth/start?for=account", "ines")
	link := func() {
		d.get(browser, d.fill(browser, d.fill(browser, d.url+"/oauth/start?link=github"), "person", "ines-albrecht"))
	}
	link()
	atGitHub := d.upstreamToken("github/")

	d.left("37signals", "37s:1", 2, someTokens("a"))
	d.left("github", "37s:1", 2, provider.Tokens{AccessToken: atGitHub})
	d.left("37signals", "37s:2", 0, someTokens("b"))
	d.left("37signals", "37s:3", 100, someTokens("c"))
	d.client("37s:3", 91)
	d.left("37signals", "37s:4", 100, someTokens("d"))
	d.client("37s:4", 1)
	d.left("github", "37s:5", 2, provider.Tokens{AccessToken: "e"}) // without a grant at Basecamp

	line := d.sweep(`{"dry_run": true}`, sweep.Report{DryRun: true, Complete: true, Users: 6, Ended: 4})
	if line["dry_run"] != true || line["ended"] != 4.0 || line["_aws"] != nil || len(d.userSecrets("")) != 8 {
		t.Errorf("a dry run leaves %d secrets, says %v", len(d.userSecrets("")), line)
	}
	line = d.sweep(string(read(t, sweepEvent)), sweep.Report{Complete: true, Users: 6, Ended: 4})
	if line["ended"] != 4.0 || line["failed"] != 0.0 || line["level"] != "INFO" || line["ms"] == nil {
		t.Errorf("the line is %v", line)
	}
	if len(d.userSecrets("")) != 4 || d.clients("37s:3") != 0 || d.clients("37s:4") != 1 {
		t.Errorf("%d secrets are left, %d and %d clients", len(d.userSecrets("")), d.clients("37s:3"), d.clients("37s:4"))
	}
	d.wantMe(ines.access, "Ines Albrecht")
	// The token of the user who left was revoked, and it is also hers.
	if said := d.onGitHub(ines.access); !strings.Contains(said, "reauthorize") {
		t.Errorf("GitHub still accepts the token: %s", said)
	}

	// The sweep opens sealed tokens to revoke them.
	d.makeRing()
	d.ring = "KeyRingSecret"
	link()
	d.left("github", "37s:1", 2, provider.Tokens{AccessToken: d.upstreamToken("github/")})
	d.sweep("{}", sweep.Report{Complete: true, Users: 4, Ended: 1})
	if said := d.onGitHub(ines.access); !strings.Contains(said, "reauthorize") {
		t.Errorf("GitHub still accepts the token that was sealed: %s", said)
	}
	d.wantUsed("SweepFunction")
}

// Without GitHub and a key ring, the role has no permission to read users' tokens, and the sweep
// does not try.
func TestDeployed_SweepsWithoutGitHub(t *testing.T) {
	integration(t)
	d := prepareStack(t, bare(t))
	d.left("37signals", "37s:1", 2, someTokens("a"))
	d.left("github", "37s:1", 2, someTokens("b")) // from the time when there was a GitHub
	d.table = d.backUp()                          // as with ExistingTable
	d.sweep("{}", sweep.Report{Complete: true, Users: 1, Ended: 2})
	if left := len(d.userSecrets("")); left != 0 {
		t.Errorf("%d secrets are left", left)
	}
}

// Lambda counts an error for each run that fails, and SweepAlarm looks at that.
func TestSweepFunction_FailsWithoutATable(t *testing.T) {
	f := runtimetest.Start(t, runtimetest.Build(t, root, built["SweepFunction"]), pairs(environmentAt("http://127.0.0.1:1"))...)
	_, err := f.Invoke(read(t, sweepEvent))
	f.Stop()
	if err == nil || !strings.Contains(err.Error(), "sweep: read the place of a sweep: DynamoDB GetItem: no answer") || !strings.Contains(f.Logs(), `"level":"ERROR"`) {
		t.Errorf("without a table: %v\n%s", err, f.Logs())
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
