package functions

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"basecamp-mcp/internal/app"
	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/dynamo"
	"basecamp-mcp/internal/dynamo/dynamotest"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/lambdahttp"
	"basecamp-mcp/internal/memory"
	"basecamp-mcp/internal/sandbox"
	"basecamp-mcp/internal/secrets/secretstest"
)

// secretPrefix is that of a stack called fernhill.
const secretPrefix = "fernhill/"

// handlers are what the commands of the functions serve.
var handlers = map[string]func(config.Config, *slog.Logger) (app.Function, error){"McpFunction": app.MCP, "OAuthFunction": app.OAuth}

// deployed is the whole stack on this machine: the functions, each with no more than its role allows, behind the template's
// gateway, on DynamoDB Local and moto. Basecamp is the sandbox.
type deployed struct {
	testing.TB
	url     string
	log     fmt.Stringer
	roles   map[string]*iam
	sandbox *sandbox.Sandbox
	secrets *secretsmanager.Client

	gateway  *gateway
	database *dynamotest.Server
	table    string
	services services

	connections atomic.Int64 // made to Basecamp so far
}

// services are the origins of what the functions call.
type services struct{ database, manager, basecamp string }

func deploy(t *testing.T) *deployed {
	t.Helper()
	d := prepare(t)
	log := &bytes.Buffer{}
	d.log = log
	for function, open := range handlers {
		role := d.roles[function]
		environment := d.environment(d.services.behind(role))
		c, err := config.Load(func(name string) string { return environment[name] }, app.Toolsets())
		if err != nil {
			t.Fatal(err)
		}
		handler, err := open(c, slog.New(slog.NewTextHandler(log, nil)))
		if err != nil {
			t.Fatal(err)
		}
		d.gateway.functions[function] = lambdahttp.Handler(handler)
	}
	d.breaker()
	return d
}

// prepare is a stack with no functions behind its gateway yet.
func prepare(tb testing.TB) *deployed {
	tb.Helper()
	database, err := dynamotest.Start(tb.Context(), root)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(database.Stop)
	manager := secretstest.Moto(tb)
	d := &deployed{TB: tb, roles: map[string]*iam{}, secrets: client(manager), database: database, table: database.Table(tb)}
	// moto loads most of itself when it is first asked, for longer than a function's warm-ups may take.
	if _, err := d.secrets.ListSecrets(tb.Context(), &secretsmanager.ListSecretsInput{}); err != nil {
		tb.Fatal(err)
	}
	d.sandbox = sandbox.New(sandbox.Options{RateLimit: -1})
	d.services = services{database.Endpoint, manager, listen(tb, &d.connections, d.sandbox)}
	d.gateway = &gateway{tb: tb, stack: readStack(tb), functions: map[string]lambda.Handler{}}
	front := httptest.NewServer(d.gateway)
	tb.Cleanup(front.Close)
	d.url = front.URL
	for function := range sources {
		d.roles[function] = &iam{tb: tb, stack: d.gateway.stack, function: function, used: map[string]bool{}}
	}
	return d
}

// behind are the services as a function finds them, which may do no more than its role allows.
func (s services) behind(role *iam) services {
	return services{role.before(s.database), role.before(s.manager), s.basecamp}
}

// environment is what the template tells the functions, and where they find the services.
func (d *deployed) environment(at services) map[string]string {
	return map[string]string{
		"PUBLIC_URL": d.url, "TABLE_NAME": d.table, "SECRET_PREFIX": secretPrefix, "LAUNCHPAD_SECRET": "ApplicationSecret",
		"ALLOWED_ACCOUNTS": fmt.Sprint(d.sandbox.Account()), "USER_AGENT_CONTACT": "ops@fernhill.example",
		"BASECAMP_API_URL": at.basecamp, "LAUNCHPAD_URL": at.basecamp, "AWS_REGION": "eu-central-1",
		"AWS_ACCESS_KEY_ID": "fernhill", "AWS_SECRET_ACCESS_KEY": "bikes", // DynamoDB Local has a database for each
		"AWS_ENDPOINT_URL_DYNAMODB": at.database, "AWS_ENDPOINT_URL_SECRETS_MANAGER": at.manager,
	}
}

func client(manager string) *secretsmanager.Client {
	return secretsmanager.New(secretsmanager.Options{
		Region: "eu-central-1", BaseEndpoint: &manager, Credentials: dynamotest.Client(manager).Options().Credentials,
	})
}

// TestDeployed_DoesItsWorkWithThePermissionsItHas walks through all that people and clients do. A call that a role does not
// allow fails the test where it is made, and so does, in the end, a permission that nothing needed.
func TestDeployed_DoesItsWorkWithThePermissionsItHas(t *testing.T) {
	if os.Getenv("INTEGRATION") == "" {
		t.Skip("set INTEGRATION=1: make integration does")
	}
	d := deploy(t)
	d.setUp()

	ines := d.logIn("ines")
	d.wantMe(ines.access, "Ines Albrecht")
	d.remembers(ines.access)
	for range 2 { // the second time within the grace of an old token (T13)
		d.wantMe(d.token("grant_type", "refresh_token", "client_id", ines.client, "refresh_token", ines.refresh)["access_token"], "Ines Albrecht")
	}
	d.sandbox.ExpireToken(d.upstreamToken())
	d.wantMe(ines.access, "Ines Albrecht")
	d.wantMe(d.logIn("ines").access, "Ines Albrecht")

	priya := d.logIn("priya")
	d.sandbox.RevokeGrants(d.sandbox.Person("Priya Raman").IdentityID)
	link := regexp.MustCompile(`http[^ "\\]+/oauth/start\?t=[\w-]+`).FindString(d.me(priya.access))
	if link == "" {
		t.Fatal("a dead grant brings no link to reconnect")
	}
	d.visit(link, "priya")

	priya = d.logIn("priya")
	d.revoke(priya.client, priya.access)
	d.revoke(priya.client, priya.refresh)
	d.disconnect("priya", "get_me")
	d.smoke()
	d.wantNothingIdle()
}

// setUp does what a deployer does after the first deployment.
func (d *deployed) setUp() {
	d.Helper()
	ctx := d.Context()
	if _, err := d.secrets.CreateSecret(ctx, d.applicationSecret()); err != nil {
		d.Fatal(err)
	}
	if page := d.get(&http.Client{}, d.url+"/"); !strings.Contains(page, "put-secret-value") {
		d.Errorf("the front page before the set-up: %s", page)
	}
	_, err := d.secrets.PutSecretValue(ctx, &secretsmanager.PutSecretValueInput{
		SecretId:     aws.String("ApplicationSecret"),
		SecretString: aws.String(`{"client_id":"` + sandbox.ClientID + `","client_secret":"` + sandbox.ClientSecret + `"}`),
	})
	if err != nil {
		d.Fatal(err)
	}
	deadline := time.After(time.Minute) // it looks again after five seconds
	again := time.NewTicker(200 * time.Millisecond)
	for found := 0; found < fleetSize; { // by each process
		if !strings.Contains(d.get(&http.Client{}, d.url+"/"), "put-secret-value") {
			found++
			continue
		}
		found = 0
		select {
		case <-again.C:
		case <-deadline:
			d.Fatal("the credentials are not found")
		}
	}
}

// applicationSecret is that of the template. A property that Secrets Manager has no word for is an error: this one would lack it.
func (d *deployed) applicationSecret() *secretsmanager.CreateSecretInput {
	d.Helper()
	encoded, err := json.Marshal(d.gateway.stack.properties("ApplicationSecret"))
	if err != nil {
		d.Fatal(err)
	}
	made := &secretsmanager.CreateSecretInput{}
	known := json.NewDecoder(bytes.NewReader(encoded))
	known.DisallowUnknownFields()
	if err := known.Decode(made); err != nil {
		d.Fatal(err)
	}
	made.Name = aws.String("ApplicationSecret")
	return made
}

type tokens struct{ client, access, refresh string }

const verifier = "a-verifier-of-forty-three-characters-at-the-least"

// logIn registers a client and logs somebody in with it.
func (d *deployed) logIn(handle string) tokens {
	d.Helper()
	registered := d.post("/register", "application/json",
		`{"client_name":"Plumcot","redirect_uris":["http://127.0.0.1/done"],"token_endpoint_auth_method":"none"}`)
	if registered["client_id"] == "" {
		d.Fatalf("registering ends with %v\n%s", registered, d.log)
	}
	sum := sha256.Sum256([]byte(verifier))
	query := url.Values{
		"response_type": {"code"}, "client_id": {registered["client_id"]}, "redirect_uri": {"http://127.0.0.1:5050/done"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
	}
	browser := visitor()
	back := d.fill(browser, d.fill(browser, d.url+"/authorize?"+query.Encode(), "decision", "approve", "scope", "write"), "handle", handle)
	answer, err := url.Parse(d.get(browser, back))
	if err != nil || answer.Query().Get("code") == "" {
		d.Fatalf("the login ends with %v", answer)
	}
	answered := d.token("grant_type", "authorization_code", "client_id", registered["client_id"], "code", answer.Query().Get("code"),
		"redirect_uri", "http://127.0.0.1:5050/done", "code_verifier", verifier)
	if answered["access_token"] == "" {
		d.Fatalf("redeeming a code ends with %v\n%s", answered, d.log)
	}
	return tokens{registered["client_id"], answered["access_token"], answered["refresh_token"]}
}

// visit goes through a page of ours that leads to the sign-on, and gives the page in the end.
func (d *deployed) visit(address, handle string) (*http.Client, string) {
	d.Helper()
	browser := visitor()
	page := d.get(browser, d.fill(browser, d.fill(browser, address), "handle", handle))
	return browser, page
}

// disconnect ends all at the account page, which shows the latest call.
func (d *deployed) disconnect(handle, called string) {
	d.Helper()
	browser, next := d.visit(d.url+"/oauth/start?for=account", handle)
	if next != "/account" {
		d.Fatalf("logging in to the account page ends with %s", next)
	}
	if page := d.get(browser, d.url+next); !strings.Contains(page, called) {
		d.Errorf("no call of %s on the account page: %s", called, page)
	}
	if next = d.fill(browser, d.url+next, "step", "all"); next != "/account" {
		d.Errorf("disconnecting ends with %s", next)
	}
}

func (d *deployed) revoke(client, token string) {
	d.Helper()
	if answer := d.post("/revoke", "application/x-www-form-urlencoded", url.Values{"client_id": {client}, "token": {token}}.Encode()); len(answer) > 0 {
		d.Errorf("revoking ends with %v", answer)
	}
}

// upstreamToken is the token at Basecamp of the only person there is.
func (d *deployed) upstreamToken() string {
	d.Helper()
	out, err := d.secrets.GetSecretValue(d.Context(), &secretsmanager.GetSecretValueInput{SecretId: aws.String(d.personsSecret())})
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

// personsSecret is the name of the first there is.
func (d *deployed) personsSecret() string {
	d.Helper()
	listed, err := d.secrets.ListSecrets(d.Context(), &secretsmanager.ListSecretsInput{})
	if err != nil {
		d.Fatal(err)
	}
	for _, secret := range listed.SecretList {
		if strings.HasPrefix(*secret.Name, secretPrefix+"user/") {
			return *secret.Name
		}
	}
	d.Fatal("nobody's tokens are kept")
	return ""
}

// breaker has the sign-on refuse the whole deployment, and then an hour later not any more, which takes a permission of its
// own. The real functions have no clock that could be put forward.
func (d *deployed) breaker() {
	d.Helper()
	now := time.Now()
	clock := func() time.Time { return now }
	role := d.roles["McpFunction"]
	provider := &refusing{}
	keeper := grant.New(grant.Config{
		Store:       memory.NewGrants(clock),
		Connections: dynamo.New(dynamotest.Client(role.before(d.services.database)), d.table, clock),
		Provider:    provider, Log: slog.New(slog.DiscardHandler), Now: clock,
	})
	soon := grant.Tokens{AccessToken: "a", RefreshToken: "r", ObtainedAt: now.Add(-24 * time.Hour), ExpiresAt: now.Add(2 * time.Minute)}
	if _, err := keeper.Connect(d.Context(), "37s:1", "Somebody", soon); err != nil {
		d.Fatal(err)
	}
	for _, refuse := range []bool{true, false} {
		provider.gives = !refuse
		_, err := keeper.AccessToken(d.Context(), "37s:1", "a")
		if (err != nil) != refuse {
			d.Errorf("refused %t: %v", refuse, err)
		}
		now = now.Add(2 * time.Hour)
	}
}

// refusing is a sign-on that refuses this deployment, until it gives tokens.
type refusing struct{ gives bool }

func (r *refusing) Refresh(context.Context, string) (grant.Tokens, error) {
	if r.gives {
		return grant.Tokens{AccessToken: "b", ExpiresAt: time.Now().Add(14 * 24 * time.Hour)}, nil
	}
	return grant.Tokens{}, &grant.Refusal{Cause: grant.Misconfigured}
}

// wantNothingIdle compares what the roles allow with what was done.
func (d *deployed) wantNothingIdle() {
	for function, role := range d.roles {
		var idle []string
		for _, st := range role.stack.statements(function) {
			kinds := st.keys
			switch {
			case strings.HasPrefix(st.actions[0], "logs:"):
				continue // Lambda's own
			case st.resource == "!Ref ApplicationSecret":
				kinds = []string{"ApplicationSecret"}
			case st.keys == nil:
				kinds = []string{"user"}
			}
			for _, action := range st.actions {
				for _, kind := range kinds {
					_, action, _ := strings.Cut(action, ":")
					kind, _, _ := strings.Cut(kind, "#")
					if use := action + " " + kind; !role.used[use] {
						idle = append(idle, use)
					}
				}
			}
		}
		// moto writes into a secret that is about to be deleted, which with AWS has to be restored first.
		if idle = slices.DeleteFunc(idle, func(use string) bool { return use == "RestoreSecret user" }); len(idle) > 0 {
			d.Errorf("%s never needed to %v", function, idle)
		}
	}
}

func (d *deployed) smoke() {
	d.Helper()
	if said, err := exec.Command("make", "--directory", root, "smoke", "URL="+d.url+"/mcp").CombinedOutput(); err != nil {
		d.Errorf("make smoke: %v\n%s", err, said)
	}
}

// me is what get_me answers.
func (d *deployed) me(access string) string {
	d.Helper()
	_, body := d.ask(http.MethodPost, "/mcp", access, "", message("tools/call", `{"name":"get_me","arguments":{}}`))
	return body
}

func (d *deployed) wantMe(access, name string) {
	d.Helper()
	if body := d.me(access); !strings.Contains(body, name) {
		d.Errorf("get_me for %s: %s", name, body)
	}
}

// ask sends a request to the endpoint or to the bridge.
func (d *deployed) ask(method, path, access, session, body string) (*http.Response, string) {
	d.Helper()
	r, err := http.NewRequest(method, d.url+path, strings.NewReader(body))
	if err != nil {
		d.Fatal(err)
	}
	r.Header = http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer " + access}}
	if session != "" {
		r.Header.Set("Mcp-Session-Id", session)
	}
	return d.do(http.DefaultClient, r)
}
