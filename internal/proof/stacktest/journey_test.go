package stacktest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"basecamp-mcp/internal/app"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/own/sweep"
	"basecamp-mcp/internal/proof/mcptest"
	"basecamp-mcp/internal/serve/lambdahttp"
	"basecamp-mcp/internal/store/dynamo/dynamotest"
	"basecamp-mcp/internal/store/secrets/secretstest"
)

// secretPrefix is the prefix of a stack with the name fernhill.
const secretPrefix = "fernhill/"

// handlers are the handlers of the functions' commands.
var handlers = map[string]func(config.Config, *slog.Logger) (app.Function, error){"McpFunction": app.MCP, "OAuthFunction": app.OAuth}

// deployed is the whole stack on this machine: the functions with the permissions of their roles,
// behind the template's gateway, on DynamoDB Local and moto. Basecamp is the sandbox.
type deployed struct {
	mcptest.Site
	log     fmt.Stringer
	roles   map[string]*iam
	sandbox *sandbox.Sandbox
	secrets *secretsmanager.Client

	gateway  *gateway
	database *dynamotest.Server
	table    string
	services services

	hub         string       // origin of GitHub; empty: the stack has none
	ring        string       // KEY_RING_SECRET; empty: tokens are secrets
	connections atomic.Int64 // number of connections to Basecamp so far
}

// services are the origins that the functions call.
type services struct{ database, manager, basecamp string }

// integration skips a test that needs DynamoDB Local, moto or the AWS CLI, unless they are there.
// Such tests wait for other processes most of the time, so they run in parallel.
func integration(t *testing.T) {
	t.Helper()
	if os.Getenv("INTEGRATION") == "" {
		t.Skip("run make integration, or set INTEGRATION=1")
	}
	t.Parallel()
}

// start starts the functions.
func (d *deployed) start() {
	d.Helper()
	log := &bytes.Buffer{}
	d.log = log
	for function, open := range handlers {
		role := d.roles[function]
		environment := d.environment(d.services.behind(role))
		c, err := config.Load(func(name string) string { return environment[name] }, app.Toolsets())
		if err != nil {
			d.Fatal(err)
		}
		handler, err := open(c, slog.New(slog.NewTextHandler(log, nil)))
		if err != nil {
			d.Fatal(err)
		}
		d.gateway.functions[function] = lambdahttp.Handler(handler)
	}
}

// localDynamoDB starts DynamoDB Local at the first call. Each stack has a table of its own there.
// The server ends with this process.
var localDynamoDB = sync.OnceValues(func() (*dynamotest.Server, error) { return dynamotest.Start(context.Background(), root) })

// prepare returns a stack without GitHub and without a key ring, whose gateway has no functions
// yet.
func prepare(tb testing.TB) *deployed {
	tb.Helper()
	return prepareStack(tb, readStack(tb).without("HasGitHub").without("HasKeyRing"))
}

func prepareStack(tb testing.TB, s stack) *deployed {
	tb.Helper()
	database, err := localDynamoDB()
	if err != nil {
		tb.Fatal(err)
	}
	manager := secretstest.Moto(tb, root)
	d := &deployed{Site: mcptest.Site{TB: tb}, roles: map[string]*iam{}, secrets: client(manager), database: database, table: database.Table(tb)}
	// moto loads most of its code during the first request, which takes longer than a warm-up may.
	if _, err := d.secrets.ListSecrets(tb.Context(), &secretsmanager.ListSecretsInput{}); err != nil {
		tb.Fatal(err)
	}
	d.sandbox = sandbox.New(sandbox.Options{RateLimit: -1})
	d.services = services{database.Endpoint, manager, listen(tb, &d.connections, d.sandbox)}
	d.gateway = &gateway{tb: tb, stack: s, functions: map[string]lambda.Handler{}}
	front := httptest.NewServer(d.gateway)
	tb.Cleanup(front.Close)
	d.URL = front.URL
	for function := range sources {
		d.roles[function] = &iam{tb: tb, stack: d.gateway.stack, function: function, used: map[string]bool{}}
	}
	return d
}

// behind returns the services as a function reaches them, through its role.
func (s services) behind(role *iam) services {
	return services{role.before(s.database), role.before(s.manager), s.basecamp}
}

// environment returns the variables of the template, and the addresses of the services.
func (d *deployed) environment(at services) map[string]string {
	variables := map[string]string{
		"PUBLIC_URL": d.URL, "TABLE_NAME": d.table, "SECRET_PREFIX": secretPrefix, "LAUNCHPAD_SECRET": "ApplicationSecret",
		"ALLOWED_ACCOUNTS": fmt.Sprint(d.sandbox.Account()), "USER_AGENT_CONTACT": "ops@fernhill.example",
		"BASECAMP_API_URL": at.basecamp, "LAUNCHPAD_URL": at.basecamp, "AWS_REGION": "eu-central-1",
		"AWS_ACCESS_KEY_ID": "fernhill", "AWS_SECRET_ACCESS_KEY": "bikes", // DynamoDB Local keeps a database for each key
		"AWS_ENDPOINT_URL_DYNAMODB": at.database, "AWS_ENDPOINT_URL_SECRETS_MANAGER": at.manager,
	}
	if d.hub != "" {
		variables["GITHUB_SECRET"], variables["GITHUB_URL"] = "GitHubSecret", d.hub
	}
	if d.ring != "" {
		variables["TOKEN_STORE"], variables["KEY_RING_SECRET"] = "envelope", d.ring
	}
	return variables
}

func client(manager string) *secretsmanager.Client {
	return secretsmanager.New(secretsmanager.Options{
		Region: "eu-central-1", BaseEndpoint: &manager, Credentials: dynamotest.Client(manager).Options().Credentials,
	})
}

// TestDeployed_DoesItsWorkWithThePermissionsItHas goes through everything that people and clients
// do. A call without permission fails the test immediately. At the end, a permission that was not
// used fails the test.
func TestDeployed_DoesItsWorkWithThePermissionsItHas(t *testing.T) {
	integration(t)
	d := prepare(t)
	d.start()
	d.setUp()

	ines := d.LogIn("ines")
	d.wantMe(ines.Access, "Ines Albrecht")
	d.remembers(ines.Access)
	for range 2 { // the second refresh is within the grace period of the rotated token
		d.wantMe(d.Renew(ines).Access, "Ines Albrecht")
	}
	d.sandbox.ExpireToken(d.upstreamToken("37signals/"))
	d.wantMe(ines.Access, "Ines Albrecht")
	d.takesBack("ines", ines.Access)
	again := d.LogIn("ines")
	d.wantMe(again.Access, "Ines Albrecht")
	if connections := d.call(again.Access, "connections", `{}`); !strings.Contains(connections, `"status":"active","person":"Ines Albrecht"`) || !strings.Contains(connections, `"scopes":["read","write"]`) {
		t.Errorf("connections: %s", connections)
	}

	d.limit("ines", again.Access)

	priya := d.LogIn("priya")
	d.sandbox.RevokeGrants(d.sandbox.Person("Priya Raman").IdentityID)
	link := regexp.MustCompile(`http[^ "\\]+/oauth/start\?t=[\w-]+`).FindString(d.me(priya.Access))
	if link == "" {
		t.Fatal("the answer to a dead grant has no link to reconnect")
	}
	d.Visit(link, "priya")

	priya = d.LogIn("priya")
	renewed := d.Renew(priya)
	d.revoke(priya.Client, renewed.Access) // which also confirms the refresh
	d.wantShutOut(renewed.Access)
	d.revoke(priya.Client, priya.Refresh)
	d.wantShutOut(priya.Access)
	d.disconnect("priya", "Could not go on, because you had to sign in again")
	d.smoke()
	d.sweep(sweep.Report{Complete: true, Users: 1})
	d.wantUsed("McpFunction", "OAuthFunction")
}

// setUpCommand is the command on the front page of a stack with the name fernhill.
const setUpCommand = "make credentials STACK=fernhill</code>"

const credentials = `{"client_id":"` + sandbox.ClientID + `","client_secret":"` + sandbox.ClientSecret + `"}`

// setUpAndStart starts the functions with the credentials of their applications, so that nothing
// waits for them.
func (d *deployed) setUpAndStart() {
	d.Helper()
	d.makeSecret("ApplicationSecret", credentials)
	if d.hub != "" {
		d.makeSecret("GitHubSecret", githubCredentials)
	}
	d.start()
}

// makeSecret makes a secret as CloudFormation does, with a text unless that is empty.
func (d *deployed) makeSecret(name, text string) {
	d.Helper()
	made := &secretsmanager.CreateSecretInput{Name: &name}
	if text != "" {
		made.SecretString = &text
	}
	if _, err := d.secrets.CreateSecret(d.Context(), made); err != nil {
		d.Fatal(err)
	}
}

// storeSecret stores another version of a secret.
func (d *deployed) storeSecret(name, text string) {
	d.Helper()
	if _, err := d.secrets.PutSecretValue(d.Context(), &secretsmanager.PutSecretValueInput{SecretId: &name, SecretString: &text}); err != nil {
		d.Fatal(err)
	}
}

// setUp does what an operator does after the first deployment.
func (d *deployed) setUp() {
	d.Helper()
	d.makeSecret("ApplicationSecret", "")
	if page := d.Get(&http.Client{}, d.URL+"/"); !strings.Contains(page, setUpCommand) {
		d.Errorf("the front page before the set-up: %s", page)
	}
	d.storeSecret("ApplicationSecret", credentials)
	d.waitsFor(setUpCommand)
}

// waitsFor waits until the front page of all processes shows a command no more, because they have
// found the credentials. They try again after five seconds.
func (d *deployed) waitsFor(command string) {
	d.Helper()
	deadline := time.After(time.Minute)
	again := time.NewTicker(200 * time.Millisecond)
	defer again.Stop()
	for found := 0; found < fleetSize; {
		if !strings.Contains(d.Get(&http.Client{}, d.URL+"/"), command) {
			found++
			continue
		}
		found = 0
		select {
		case <-again.C:
		case <-deadline:
			d.Fatal("the functions did not find the credentials")
		}
	}
}

// limit limits a client at the account page, which lists the user's projects.
func (d *deployed) limit(handle, access string) {
	d.Helper()
	browser, next := d.Visit(d.URL+"/oauth/start?for=account", handle)
	found := regexp.MustCompile(`/account\?app=[a-z0-9]+`).FindString(d.Get(browser, d.URL+next))
	if page := d.Get(browser, d.URL+found); found == "" || !strings.Contains(page, "Cargo Bike Launch") {
		d.Errorf("the page with the limits is %q: %s", found, page)
	}
	if next := d.Fill(browser, d.URL+found, "no_pings", "on"); next != "/account" {
		d.Errorf("limiting redirected to %s", next)
	}
	if held := d.call(access, "connections", `{}`); !strings.Contains(held, `"fence":{"no_pings":true}`) {
		d.Errorf("connections: %s", held)
	}
}

// disconnect disconnects everything at the account page, which must show the latest call.
func (d *deployed) disconnect(handle, called string) {
	d.Helper()
	browser, next := d.Visit(d.URL+"/oauth/start?for=account", handle)
	if next != "/account" {
		d.Fatalf("logging in to the account page redirected to %s", next)
	}
	if page := d.Get(browser, d.URL+next); !strings.Contains(page, called) {
		d.Errorf("the account page shows no call of %s: %s", called, page)
	}
	if next = d.Fill(browser, d.URL+next, "step", "all", "confirm", "yes"); next != "/account" {
		d.Errorf("disconnecting redirected to %s", next)
	}
}

func (d *deployed) revoke(client, token string) {
	d.Helper()
	if answer := d.Post("/revoke", "application/x-www-form-urlencoded", url.Values{"client_id": {client}, "token": {token}}.Encode()); len(answer) > 0 {
		d.Errorf("revoking returned %v", answer)
	}
}

// upstreamToken returns the access token in the first of the secrets that userSecrets returns.
func (d *deployed) upstreamToken(of string) string {
	d.Helper()
	names := d.userSecrets(of)
	if len(names) == 0 {
		d.Fatal("no user's tokens are stored")
	}
	out, err := d.secrets.GetSecretValue(d.Context(), &secretsmanager.GetSecretValueInput{SecretId: &names[0]})
	var kept struct {
		Token string `json:"access_token"`
	}
	if err == nil {
		err = json.Unmarshal([]byte(*out.SecretString), &kept)
	}
	if err != nil || kept.Token == "" {
		d.Fatalf("no token: %v", err)
	}
	return kept.Token
}

// userSecrets returns the names of the secrets of users: of "github/" those for GitHub, of "" all.
func (d *deployed) userSecrets(of string) (names []string) {
	d.Helper()
	listed, err := d.secrets.ListSecrets(d.Context(), &secretsmanager.ListSecretsInput{MaxResults: aws.Int32(100)})
	if err != nil {
		d.Fatal(err)
	}
	for _, secret := range listed.SecretList {
		if strings.HasPrefix(*secret.Name, secretPrefix+"user/"+of) {
			names = append(names, *secret.Name)
		}
	}
	return names
}

func (d *deployed) smoke() {
	d.Helper()
	if said, err := exec.Command("make", "--directory", root, "smoke", "URL="+d.URL+"/mcp").CombinedOutput(); err != nil {
		d.Errorf("make smoke: %v\n%s", err, said)
	}
}

// call returns the answer of a tool.
func (d *deployed) call(access, tool, arguments string) string {
	d.Helper()
	return d.Call("/mcp", access, tool, arguments)
}

// me returns the answer of get_me.
func (d *deployed) me(access string) string {
	d.Helper()
	return d.call(access, "get_me", `{}`)
}

func (d *deployed) wantMe(access, name string) {
	d.Helper()
	if body := d.me(access); !strings.Contains(body, name) {
		d.Errorf("get_me for %s: %s", name, body)
	}
}

// ask sends a request to the endpoint or to the bridge, in a session unless that is empty.
func (d *deployed) ask(method, path, access, session, body string) (status int, header http.Header, answer string) {
	d.Helper()
	return mcptest.Ask(d, method, d.URL+path, access, body, "Mcp-Session-Id", session)
}
