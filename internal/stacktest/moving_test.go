package stacktest_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"basecamp-mcp/internal/app/awsstores"
	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/dynamo/dynamotest"
	"basecamp-mcp/internal/envelope"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/provider"
)

// TestDeployed_MovesTokensWithThePermissionsItHas changes TokenStore to envelope and back, and
// sweeps after each change. No user signs in again. A call without permission fails the test.
func TestDeployed_MovesTokensWithThePermissionsItHas(t *testing.T) {
	if os.Getenv("INTEGRATION") == "" {
		t.Skip("run make integration, or set INTEGRATION=1")
	}
	d := prepareStack(t, readStack(t).without("HasGitHub").without("HasKeyRingKmsKey"))
	d.deployWith("secrets", "")
	d.setUp()
	ines := d.logIn("ines")
	d.wantMe(ines.access, "Ines Albrecht")

	d.makeRing()
	d.deployWith("envelope", "KeyRingSecret")
	d.wantMe(ines.access, "Ines Albrecht")
	d.refreshes(ines, "Ines Albrecht") // of a user who has no rows: the endpoint may not create some
	if envelope.IsVersion(d.kept("Ines Albrecht").Version) {
		t.Error("the endpoint moved tokens")
	}
	priya := d.logIn("priya")
	d.wantMe(priya.access, "Priya Raman")
	d.sweeps("Ines Albrecht", "Priya Raman")
	d.wantPlaces(0, true)
	for range 3 {
		d.refreshes(ines, "Ines Albrecht")
		d.refreshes(priya, "Priya Raman")
	}

	d.deployWith("secrets", "") // an operator who forgot the parameter KeyRing
	if said := d.me(ines.access); !strings.Contains(said, "UPSTREAM_ERROR") || !strings.Contains(said, `\"retryable\":true`) {
		t.Errorf("without the key ring: %s", said)
	}
	if !strings.Contains(d.log.String(), "KEY_RING_SECRET") {
		t.Errorf("the log does not name KEY_RING_SECRET: %s", d.log)
	}
	d.deployWith("secrets", "KeyRingSecret")
	d.refreshes(priya, "Priya Raman") // of a user who has no secret
	d.sweeps("Ines Albrecht", "Priya Raman")
	d.wantPlaces(2, false)
	d.refreshes(ines, "Ines Albrecht")
	d.refreshes(priya, "Priya Raman")

	d.deployWith("envelope", "KeyRingSecret")
	d.sweeps("Ines Albrecht", "Priya Raman")
	d.refreshes(ines, "Ines Albrecht")
	d.wantPlaces(0, true)
	d.disconnect("ines", "get_me")
	d.disconnect("priya", "get_me")
	d.wantPlaces(0, false)
	for function, uses := range map[string][]string{
		"McpFunction":   {"GetItem UT", "PutItem UT", "GetSecretValue KeyRingSecret"},
		"OAuthFunction": {"GetItem UT", "PutItem UT", "DeleteItem UT", "Query UT", "GetSecretValue KeyRingSecret"},
	} {
		for _, use := range uses {
			if !d.roles[function].used[use] {
				t.Errorf("%s did not %s", function, use)
			}
		}
	}
}

// A ring that is not JSON, as after a mistake of the operator, is named at its first use.
func TestDeployed_NamesAnInvalidKeyRing(t *testing.T) {
	if os.Getenv("INTEGRATION") == "" {
		t.Skip("run make integration, or set INTEGRATION=1")
	}
	d := prepareStack(t, readStack(t).without("HasGitHub").without("HasKeyRingKmsKey"))
	_, err := d.secrets.CreateSecret(t.Context(), &secretsmanager.CreateSecretInput{Name: aws.String("KeyRingSecret"), SecretString: aws.String("k1")})
	if err != nil {
		t.Fatal(err)
	}
	d.deployWith("envelope", "KeyRingSecret")
	d.setUp()
	if browser, back := d.visit(d.url+"/oauth/start?for=account", "ines"); back == "/account" {
		t.Errorf("%v signed in without a key", browser)
	}
	if !strings.Contains(d.log.String(), "key ring KeyRingSecret") {
		t.Errorf("the log does not name the ring: %s", d.log)
	}
}

// deployWith deploys the functions with these parameters.
func (d *deployed) deployWith(mode, ring string) {
	d.Helper()
	d.mode, d.ring = mode, ring
	d.start()
}

// makeRing makes the secret as CloudFormation does.
func (d *deployed) makeRing() {
	d.Helper()
	made := d.gateway.stack.properties("KeyRingSecret")["GenerateSecretString"].(anything)
	text := fmt.Sprintf(`%s,%q:%q}`, strings.TrimSuffix(made["SecretStringTemplate"].(string), "}"), made["GenerateStringKey"], strings.Repeat("aB3x", 16))
	_, err := d.secrets.CreateSecret(d.Context(), &secretsmanager.CreateSecretInput{Name: aws.String("KeyRingSecret"), SecretString: &text})
	if err != nil {
		d.Fatal(err)
	}
}

func (d *deployed) subject(name string) string {
	return fmt.Sprintf("37s:%d", d.sandbox.Person(name).IdentityID)
}

// stores returns the stores of an operator's program with the parameters of the deployment.
func (d *deployed) stores() awsstores.Stores {
	d.Helper()
	environment := d.environment(d.services)
	c, err := config.Load(func(name string) string { return environment[name] }, nil)
	if err != nil {
		d.Fatal(err)
	}
	s, err := awsstores.Open(c.AWS, slog.New(slog.DiscardHandler), http.DefaultTransport)
	if err != nil {
		d.Fatal(err)
	}
	return s
}

func (d *deployed) kept(name string) grant.Record {
	d.Helper()
	r, err := d.stores().Items.Records("37signals").Record(d.Context(), d.subject(name))
	if err != nil {
		d.Fatal(err)
	}
	return r
}

// refreshes ends the life of a user's token at Basecamp, and calls a tool.
func (d *deployed) refreshes(t tokens, name string) {
	d.Helper()
	before := d.kept(name)
	old, err := d.stores().Tokens("37signals").Load(d.Context(), d.subject(name), before.Version)
	if err != nil {
		d.Fatal(err)
	}
	// A token that replaced a refused one must not be refused within an hour.
	before.Forced = time.Time{}
	if _, err := d.stores().Items.Records("37signals").SaveRecord(d.Context(), before); err != nil {
		d.Fatal(err)
	}
	d.start() // functions that have cached nothing
	d.sandbox.ExpireToken(old.AccessToken)
	d.wantMe(t.access, name)
	if after := d.kept(name); after.Revision != before.Revision+1 {
		d.Errorf("%s: before %+v, after %+v", name, before, after)
	}
}

// sweeps does what the sweep does for users, on two days.
func (d *deployed) sweeps(names ...string) {
	d.Helper()
	for day := range 2 {
		s := d.stores()
		store := s.Tokens("37signals")
		keeper := grant.New(grant.Config{
			Store: store, Places: store, Records: s.Items.Records("37signals"), Provider: provider.Provider{ID: "37signals", Namespace: "37s", Name: "Basecamp"},
			Now: func() time.Time { return time.Now().Add(time.Duration(day) * 24 * time.Hour) },
		})
		for _, name := range names {
			if _, err := keeper.Move(d.Context(), d.subject(name)); err != nil {
				d.Errorf("move the tokens of %s: %v", name, err)
			}
			if _, err := keeper.Tidy(d.Context(), d.subject(name)); err != nil {
				d.Errorf("tidy the tokens of %s: %v", name, err)
			}
		}
	}
}

// wantPlaces checks how many users have secrets, and whether the table has sealed tokens.
func (d *deployed) wantPlaces(secrets int, sealed bool) {
	d.Helper()
	listed, err := d.secrets.ListSecrets(d.Context(), &secretsmanager.ListSecretsInput{})
	if err != nil {
		d.Fatal(err)
	}
	found := 0
	for _, secret := range listed.SecretList {
		if strings.HasPrefix(*secret.Name, secretPrefix+"user/") {
			found++
		}
	}
	out, err := dynamotest.Client(d.services.database).Scan(context.Background(), &dynamodb.ScanInput{TableName: &d.table})
	if err != nil {
		d.Fatal(err)
	}
	rows := 0
	for _, item := range out.Items {
		if strings.HasPrefix(fmt.Sprint(item["pk"]), "&{UT#") {
			rows++
		}
	}
	if found != secrets || rows > 0 != sealed {
		d.Errorf("%d users have secrets, and the table has %d rows of sealed tokens", found, rows)
	}
}
