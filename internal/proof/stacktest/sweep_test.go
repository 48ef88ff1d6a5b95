package stacktest_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/app"
	"basecamp-mcp/internal/config"
	githubsandbox "basecamp-mcp/internal/github/sandbox"
	"basecamp-mcp/internal/own/sweep"
	"basecamp-mcp/internal/serve/lambdahttp/runtimetest"
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

// The demo keeps no users.
func TestOAuthFunction_SweepsOnlyAtTheEventOfItsSchedule(t *testing.T) {
	f := runtimetest.Start(t, runtimetest.Build(t, root, sources["OAuthFunction"]), "BASECAMP_API_URL=sandbox")
	event := read(t, sweepEvent)
	for _, path := range []string{"/", "/token", "/oauth/start", "/sweep"} {
		answer := invoke(t, f, edited(t, "token-unknown-client-401", func(e *events.APIGatewayV2HTTPRequest) {
			e.RawPath, e.Body, e.Headers["content-type"] = path, string(event), "application/json"
		}))
		if strings.Contains(answer.Body, "complete") {
			t.Errorf("a request to %s: %+v", path, answer)
		}
	}
	if strings.Contains(f.Logs(), "sweep") {
		t.Errorf("a request began a sweep: %s", f.Logs())
	}
	answer, err := f.Invoke(event)
	if err != nil {
		t.Fatal(err, f.Logs())
	}
	wantSwept(t, sweep.Report{Complete: true}, answer)

	var scheduled, sent any
	target := readStack(t).properties("SweepSchedule")["Targets"].([]any)[0].(anything)
	if err := errors.Join(json.Unmarshal([]byte(text(target["Input"])), &scheduled), json.Unmarshal(event, &sent)); err != nil || !cmp.Equal(scheduled, sent) {
		t.Errorf("the schedule sends %v, %v", scheduled, err)
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

// sweep runs the sweep with the permissions of its role, and returns its line.
func (d *deployed) sweep(want sweep.Report) (line map[string]any) {
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
	if err := json.Unmarshal(log.Bytes(), &line); err != nil {
		d.Fatalf("%v in %s", err, log.String())
	}
	return line
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
	ines := d.logIn("ines")
	browser, _ := d.visit(d.url+"/oauth/start?for=account", "ines")
	link := func() {
		d.get(browser, d.fill(browser, d.fill(browser, d.url+"/oauth/start?link=github"), "person", "ines-albrecht"))
	}
	link()
	d.left("37signals", "37s:1", 2, someTokens("a"))
	d.left("github", "37s:1", 2, provider.Tokens{AccessToken: d.upstreamToken("github/")})
	d.left("37signals", "37s:2", 0, someTokens("b"))
	d.left("37signals", "37s:3", 100, someTokens("c"))
	d.idleClient("37s:3")
	d.left("github", "37s:5", 2, provider.Tokens{AccessToken: "e"}) // without a grant at Basecamp

	d.sweep(sweep.Report{DryRun: true, Complete: true, Users: 5, Ended: 4})
	if left := len(d.userSecrets("")); left != 7 {
		t.Errorf("a dry run leaves %d secrets", left)
	}
	line := d.sweep(sweep.Report{Complete: true, Users: 5, Ended: 4})
	if line["ended"] != 4.0 || line["failed"] != 0.0 || line["level"] != "INFO" || line["ms"] == nil || line["_aws"] != nil {
		t.Errorf("the line is %v", line)
	}
	families, err := d.stores().Items.FamiliesOf(t.Context(), "37s:3")
	if left := len(d.userSecrets("")); left != 3 || len(families) > 0 || err != nil {
		t.Errorf("%d secrets are left, and %v, %v", left, families, err)
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
	d.sweep(sweep.Report{Complete: true, Users: 3, Ended: 1})
	if said := d.onGitHub(ines.access); !strings.Contains(said, "reauthorize") {
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

// Lambda repeats a run that fails, and then drops its event, which SweepAlarm counts.
func TestOAuthFunction_FailsToSweepWithoutATable(t *testing.T) {
	f := runtimetest.Start(t, runtimetest.Build(t, root, sources["OAuthFunction"]), pairs(environmentAt("http://127.0.0.1:1"))...)
	_, err := f.Invoke(read(t, sweepEvent))
	f.Stop()
	if err == nil || !strings.Contains(err.Error(), "sweep: list grants: DynamoDB: Query: no answer") || !strings.Contains(f.Logs(), `"level":"ERROR"`) {
		t.Errorf("without a table: %v\n%s", err, f.Logs())
	}
	if alarm := readStack(t).properties("SweepAlarm"); alarm["MetricName"] != "AsyncEventsDropped" || fmt.Sprint(alarm["Dimensions"]) != "[map[Name:FunctionName Value:!Ref OAuthFunction]]" {
		t.Errorf("the alarm is %v", alarm)
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
