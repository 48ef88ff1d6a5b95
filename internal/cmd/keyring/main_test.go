package main

import (
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"basecamp-mcp/internal/envelope"
	"basecamp-mcp/internal/secrets/secretstest"
)

func TestKeyring_RotatesAKeyInSteps(t *testing.T) {
	a := newAccount()
	do := a.runs(t)
	a.seals(a.key(t, "k1"), 3)
	wants(t, do, "status", "key ring "+arn+", last changed 2026-11-23 09:00:00 UTC\n", "k1", "unknown  new tokens  3\n")

	wants(t, do, "add", "k2 was added", "k1 still seals new tokens", "in 10 minutes: make keyring STEP='use k2'")
	wants(t, do, "status", "2026-11-23 10:00:00 UTC  no new tokens  0\n")
	refuses(t, do, "use k2", "the key ring was changed at 10:00:00 UTC; wait until 10:10:00 UTC before k2 becomes current")

	a.now = a.now.Add(10 * time.Minute)
	wants(t, do, "use k2", "k2 seals new tokens", "k1 still opens its own", "drop k1")
	wants(t, do, "status", "new tokens since 2026-11-23 10:10:00 UTC  0\n")
	refuses(t, do, "drop k1", "wait until 10:20:00 UTC before k1 is dropped")

	a.now = a.now.Add(10 * time.Minute)
	if said := wants(t, do, "status", "k1 cannot be dropped yet: it seals 3 tokens."); strings.Contains(said, "Next step") {
		t.Errorf("status says %s", said)
	}
	refuses(t, do, "drop k2", "k2 is the current key; make another key current first")
	refuses(t, do, "drop k1", "k1 seals 3 tokens in table fernhill-Table-1, so it stays; run the sweep")
	a.reseal(a.key(t, "k2"))
	wants(t, do, "status", "Next step, from 2026-11-23 10:20:00 UTC on: drop k1")
	wants(t, do, "drop k1", "k1 was dropped. k2 seals 3 tokens.")
	said := wants(t, do, "status", "k2")
	if strings.Contains(said, "k1") {
		t.Errorf("status says %s", said)
	}
}

func TestKeyring_EachStepCanBeRepeated(t *testing.T) {
	a := newAccount()
	do := a.runs(t)
	a.seals(a.key(t, "k1"), 1)
	for _, step := range []struct{ step, first, again string }{
		{"add", "k2 was added", "The ring has k2 already, which is newer than the current key k1. Nothing was changed."},
		{"use k2", "k2 seals new tokens", "k2 is the current key already. Nothing was changed."},
		{"drop k1", "k1 was dropped", `The ring has no key "k1"; its keys are k2. Nothing was changed.`},
	} {
		wants(t, do, step.step, step.first)
		writes := a.asked["PutSecretValue"]
		a.now = a.now.Add(10 * time.Minute)
		if step.step == "use k2" {
			a.reseal(a.key(t, "k2"))
		}
		wants(t, do, step.step, step.again)
		if a.asked["PutSecretValue"] != writes {
			t.Errorf("the second %s writes", step.step)
		}
	}
}

func TestKeyring_RestoresADroppedKey(t *testing.T) {
	a := newAccount()
	do := a.runs(t)
	first := a.key(t, "k1")
	refuses(t, do, "restore", "has no previous version")
	wants(t, do, "add", "k2")
	a.now = a.now.Add(10 * time.Minute)
	wants(t, do, "use k2", "k2")
	wants(t, do, "restore", "Nothing was changed.")
	a.now = a.now.Add(10 * time.Minute)
	a.seals(a.key(t, "k2"), 1)
	wants(t, do, "drop k1", "k1 was dropped")
	a.seals(first, 2) // by a function that could not read the ring until now
	wants(t, do, "status", "The table has 2 tokens sealed with k1 (fingerprint "+first.Fingerprint()+"), which the ring does not have; docs/operate.md says how to put it back.")
	wants(t, do, "restore", "in use again")
	if said := wants(t, do, "status", "k1   "+first.Fingerprint()); strings.Contains(said, "does not have") {
		t.Errorf("status says %s", said)
	}
	wants(t, do, "restore", "Nothing was changed.")
}

func TestKeyring_RestoresARingThatWasOverwritten(t *testing.T) {
	for name, text := range map[string]string{
		"by a ring":     `{"current": "k1", "k1": "` + planted + `-another-key-0123456789abcdef0123456789"}`,
		"by no ring":    "oops",
		"without a key": `{"current": "k1"}`,
	} {
		t.Run(name, func(t *testing.T) {
			a := newAccount()
			do := a.runs(t)
			first := a.key(t, "k1")
			a.seals(first, 2)
			a.versions["v1"] = version{text, a.now}
			a.labels = map[string]string{"AWSCURRENT": "v1", "AWSPREVIOUS": "v0"}
			if name == "by a ring" {
				wants(t, do, "status", "The table has 2 tokens sealed with k1 (fingerprint "+first.Fingerprint())
				a.seals(a.key(t, "k1"), 1)
				refuses(t, do, "restore", "the previous version does not have k1 with the fingerprint "+a.key(t, "k1").Fingerprint()+
					", which seals 1 token in table fernhill-Table-1, so the ring stays")
				a.broken["Scan"] = true
				refuses(t, do, "restore", "the tokens in table fernhill-Table-1 were not counted, so the ring stays")
				a.broken["Scan"], a.sealed = false, a.sealed[:2]
			} else {
				refuses(t, do, "status", "store its previous version again, as docs/operate.md says")
				refuses(t, do, "add", "store its previous version again")
			}
			wants(t, do, "restore", "in use again")
			wants(t, do, "status", first.Fingerprint(), "new tokens  2\n")
		})
	}
}

func TestKeyring_DropsNothingThatItCannotCount(t *testing.T) {
	for name, x := range map[string]struct {
		prepare func(*testing.T, *account)
		want    string
	}{
		"no rows":       {func(*testing.T, *account) {}, "table fernhill-Table-1 has no tokens that the current key seals, so k2 stays; check that the table"},
		"another table": {func(_ *testing.T, a *account) { a.sealed = []string{"e1.k1.ffffffffffff.7"} }, "has no tokens that the current key seals"},
		"another layout": {func(t *testing.T, a *account) {
			a.seals(a.key(t, "k1"), 1)
			a.sealed = append(a.sealed, "e2.k2.7")
		}, "has 1 token whose names this release cannot read, so k2 stays"},
		"its own rows": {func(t *testing.T, a *account) {
			a.seals(a.key(t, "k1"), 1)
			a.seals(a.key(t, "k2"), 1)
		}, "k2 seals 1 token in table fernhill-Table-1, so it stays"},
		"denied": {func(_ *testing.T, a *account) { a.broken["Scan"] = true },
			"the tokens in table fernhill-Table-1 were not counted, so k2 stays: read the names of all sealed tokens: DynamoDB Scan: AccessDeniedException"},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAccount()
			do := a.runs(t)
			wants(t, do, "add", "k2")
			a.now = a.now.Add(10 * time.Minute)
			x.prepare(t, a)
			refuses(t, do, "drop k2", x.want)
			if len(a.key(t, "k2").Secret) == 0 {
				t.Error("k2 is gone")
			}
		})
	}
}

func TestKeyring_DropsAKeyWithTheSameIDAsAnotherRings(t *testing.T) {
	a := newAccount()
	do := a.runs(t)
	wants(t, do, "add", "k2")
	a.now = a.now.Add(10 * time.Minute)
	a.seals(a.key(t, "k1"), 1)
	a.sealed = append(a.sealed, "e1.k2.ffffffffffff.7") // which this ring's k2 does not open
	wants(t, do, "drop k2", "k2 was dropped")
}

func TestKeyring_StatusShowsTheRingIfTheTableCannotBeRead(t *testing.T) {
	a := newAccount()
	a.broken["Scan"] = true
	said, err := a.runs(t)("status")
	if err == nil || !strings.Contains(err.Error(), "the tokens in table fernhill-Table-1 were not counted: ") || !strings.Contains(said, "new tokens  unknown\n") {
		t.Errorf("%s, %v", said, err)
	}
}

func TestKeyring_SaysWhereTheNameOfTheTableIs(t *testing.T) {
	a := newAccount()
	server := httptest.NewServer(a)
	t.Cleanup(server.Close)
	_, err := a.run(t, server.URL, "-ring", arn, "-table", "fernhill-Table-2")
	const want = "the tokens in table fernhill-Table-2 were not counted: this account has no table of that name in the ring's region; " +
		"the output TableName of the stack has the right name"
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestClientsFor_UsesTheEndpointOfEachService(t *testing.T) {
	environment := map[string]string{
		"AWS_ACCESS_KEY_ID": "AKIDFERNHILL", "AWS_SECRET_ACCESS_KEY": "not-a-key", "AWS_ENDPOINT_URL": "http://127.0.0.1:1",
		"AWS_ENDPOINT_URL_DYNAMODB": "http://127.0.0.1:2",
	}
	c, err := clientsFor(arn, func(name string) string { return environment[name] })
	if err != nil {
		t.Fatal(err)
	}
	if got := *c.dynamo.Options().BaseEndpoint; got != "http://127.0.0.1:2" {
		t.Errorf("DynamoDB is at %s", got)
	}
	if got := *c.manager.Options().BaseEndpoint; got != "http://127.0.0.1:1" {
		t.Errorf("Secrets Manager is at %s", got)
	}
}

func TestKeyring_ExplainsBadArguments(t *testing.T) {
	a := newAccount()
	do := a.runs(t)
	for _, steps := range []string{"rotate", "use", "drop", "use k1 k2", "add k2", "status now", "restore k1"} {
		refuses(t, do, steps, `"`+steps+`" is not a step`+"\n"+usage)
	}
	refuses(t, do, "use k9", `the key ring has no key "k9"; its keys are k1`)
	if len(a.asked) > 1 || a.asked["GetSecretValue"] != 1 {
		t.Errorf("it asked for %v", a.asked)
	}
	for _, x := range []struct {
		arguments   []string
		environment map[string]string
		want        string
	}{
		{nil, nil, "RING or TABLE is missing: make keyring RING=arn TABLE=name"},
		{[]string{"-ring", arn}, nil, "RING or TABLE is missing: make keyring RING=arn TABLE=name"},
		{[]string{"-table", table}, nil, "RING or TABLE is missing: make keyring RING=arn TABLE=name"},
		{[]string{"-key", "1"}, nil, "flag provided but not defined: -key\n" + usage},
		{[]string{"-ring", "fernhill/ring", "-table", table}, nil, "the region is unknown"},
		{[]string{"-ring", arn, "-table", table}, nil, "the environment has no credentials; first run: eval"},
		{[]string{"-ring", "fernhill/ring", "-table", table}, map[string]string{"AWS_DEFAULT_REGION": "eu-central-1"}, "no credentials"},
		{[]string{"-ring", arn, "-table", table}, map[string]string{"AWS_ACCESS_KEY_ID": "AKIDFERNHILL"}, "no credentials"},
	} {
		err := run(t.Context(), x.arguments, func(name string) string { return x.environment[name] }, new(strings.Builder))
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%q: %v, want %s", x.arguments, err, x.want)
		}
	}
}

func TestRegionOf_IsThatOfTheARN(t *testing.T) {
	for name, want := range map[string]string{
		arn: "eu-central-1", strings.Replace(arn, "arn:aws:", "arn:aws-cn:", 1): "eu-central-1",
		"fernhill/ring": "", "a:b:c:d": "", "": "",
	} {
		if got := regionOf(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func TestKeyring_RunsOnMoto(t *testing.T) {
	if os.Getenv("INTEGRATION") == "" {
		t.Skip("set INTEGRATION=1: make integration does")
	}
	origin := secretstest.Moto(t)
	environment := map[string]string{
		"AWS_ENDPOINT_URL": origin, "AWS_ACCESS_KEY_ID": "AKIDFERNHILL", "AWS_SECRET_ACCESS_KEY": "not-a-key", "AWS_REGION": "eu-central-1",
	}
	getenv := func(name string) string { return environment[name] }
	c, err := clientsFor("", getenv)
	if err != nil {
		t.Fatal(err)
	}
	made, err := c.manager.CreateSecret(t.Context(), &secretsmanager.CreateSecretInput{Name: sdk.String("KeyRingSecret"), SecretString: sdk.String(oneKey)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.dynamo.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: sdk.String(table), BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: sdk.String("pk"), AttributeType: "S"}, {AttributeName: sdk.String("sk"), AttributeType: "S"},
		},
		KeySchema: []types.KeySchemaElement{{AttributeName: sdk.String("pk"), KeyType: "HASH"}, {AttributeName: sdk.String("sk"), KeyType: "RANGE"}},
	}); err != nil {
		t.Fatal(err)
	}
	first := envelope.Key{ID: "k1", Secret: []byte(firstKey)}
	for _, sk := range []string{"M", "V#e1.k1." + first.Fingerprint() + ".1"} {
		if _, err := c.dynamo.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: sdk.String(table), Item: map[string]types.AttributeValue{
			"pk": &types.AttributeValueMemberS{Value: "UT#37s#1"}, "sk": &types.AttributeValueMemberS{Value: sk},
		}}); err != nil {
			t.Fatal(err)
		}
	}
	a := newAccount()
	do := func(steps ...string) (string, error) {
		return a.run(t, origin, append([]string{"-ring", *made.ARN, "-table", table}, steps...)...)
	}
	wants(t, do, "add", "k2 was added")
	wants(t, do, "add", "The ring has k2 already")
	refuses(t, do, "use k2", "wait until")
	refuses(t, do, "drop k2", "wait until")
	wants(t, do, "restore", "Nothing was changed.")
	wants(t, do, "status", "k1", "k2", "no new tokens  0\n", "new tokens     1\n")
}

type doing func(steps ...string) (string, error)

// wants runs a step, and checks that it says all of want.
func wants(t *testing.T, do doing, step string, want ...string) string {
	t.Helper()
	said, err := do(strings.Fields(step)...)
	for _, w := range want {
		if err != nil || !strings.Contains(said, w) {
			t.Errorf("%s says %q, %v; want %q", step, said, err, w)
		}
	}
	return said
}

// refuses runs a step, and checks that it fails with an error that contains want.
func refuses(t *testing.T, do doing, step, want string) {
	t.Helper()
	if said, err := do(strings.Fields(step)...); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%s says %q, %v; want %q", step, said, err, want)
	}
}
