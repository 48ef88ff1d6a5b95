package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/dynamo/dynamotest"
)

// describeTable prints the answer that a test put in the environment, or that of the AWS CLI in
// TABLES_OF. It fails without one, as the AWS CLI does for an unknown table.
func describeTable() int {
	if cli := os.Getenv("TABLES_OF"); cli != "" {
		c := exec.Command(cli, os.Args[1:]...)
		c.Stdout, c.Stderr = os.Stdout, os.Stderr
		_ = c.Run()
		return c.ProcessState.ExitCode()
	}
	answer := os.Getenv("AWS_ANSWERS")
	if answer == "" {
		fmt.Fprintln(os.Stderr, "An error occurred ("+os.Getenv("AWS_FAILS")+") when calling the DescribeTable operation")
		return 254
	}
	fmt.Println(answer)
	return 0
}

// described returns the answer about a table with this status, whose key has these attributes.
func described(status, hash, sort, kind string) string {
	return fmt.Sprintf(`{"Table":{"TableStatus":%q,"AttributeDefinitions":[{"AttributeName":%q,"AttributeType":"S"},{"AttributeName":%q,"AttributeType":%q}],`+
		`"KeySchema":[{"AttributeName":%q,"KeyType":"HASH"},{"AttributeName":%q,"KeyType":"RANGE"}]}}`, status, hash, sort, kind, hash, sort)
}

func restored(more ...string) map[string]string {
	set := map[string]string{"ACCOUNTS": "1", "CONTACT": "a@b.example", "STACK": "team", "REGION": "eu-central-1", "PROFILE": "my work", tableKey: "team-restored"}
	for i := 0; i < len(more); i += 2 {
		set[more[i]] = more[i+1]
	}
	return set
}

func TestDeploy_ChecksAnExistingTableBeforeItBuilds(t *testing.T) {
	asked := samRecorder(t)
	t.Setenv("AWS_ANSWERS", described("ACTIVE", "pk", "sk", "S"))
	said, err := deployed(t, t.TempDir(), restored())
	want := "$ aws dynamodb describe-table --table-name team-restored --region eu-central-1 --profile 'my work' --output json\n"
	if err != nil || !strings.Contains(said, want) || strings.Index(said, want) > strings.Index(said, "$ sam build") {
		t.Errorf("%v\n%s", err, said)
	}
	if calls := asked(); len(calls) != 2 || !strings.Contains(strings.Join(calls[1], " "), `ExistingTable="team-restored"`) {
		t.Errorf("sam was asked %v", calls)
	}
	dry, err := deployed(t, t.TempDir(), restored(), "-n")
	if err != nil || !strings.HasPrefix(dry, want[2:]+"sam build\n") {
		t.Errorf("make -n: %v\n%s", err, dry)
	}
}

func TestDeploy_NamesAnUnusableTableAndChangesNothing(t *testing.T) {
	for name, test := range map[string]struct{ answer, fails, want string }{
		"an unknown table":    {"", "ResourceNotFoundException", "ExistingTable=team-restored: this account has no table of that name in this region"},
		"no permission":       {"", "AccessDeniedException", "ExistingTable=team-restored: the table could not be described: exit status 254: An error occurred (AccessDeniedException)"},
		"another key":         {described("ACTIVE", "id", "sk", "S"), "", "its key is id (HASH, S), sk (RANGE, S), and must be pk (HASH, S), sk (RANGE, S)"},
		"a number as the key": {described("ACTIVE", "pk", "sk", "N"), "", "its key is pk (HASH, S), sk (RANGE, N)"},
		"only one key":        {`{"Table":{"TableStatus":"ACTIVE","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}]}}`, "", "its key is pk (HASH, )"},
		"still restoring":     {described("CREATING", "pk", "sk", "S"), "", "its status is CREATING; wait until it is ACTIVE: aws dynamodb wait table-exists"},
		"no JSON":             {"Table", "", "ExistingTable=team-restored: the table could not be described"},
	} {
		t.Run(name, func(t *testing.T) {
			asked := samRecorder(t)
			t.Setenv("AWS_ANSWERS", test.answer)
			t.Setenv("AWS_FAILS", test.fails)
			directory := filepath.Join(t.TempDir(), "answers")
			if _, err := deployed(t, directory, restored()); err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasSuffix(err.Error(), "The stack was not changed") {
				t.Errorf("%v\nwant %s", err, test.want)
			}
			if calls := asked(); len(calls) > 0 {
				t.Errorf("it ran %v", calls)
			}
			if _, err := os.Stat(directory); err == nil {
				t.Error("it kept the settings")
			}
		})
	}
}

func TestDeploy_SaysThatTheAWSCLIIsMissing(t *testing.T) {
	dir := t.TempDir()
	become(t, filepath.Join(dir, "sam"))
	t.Setenv("PATH", dir)
	if _, err := deployed(t, t.TempDir(), two); err == nil || !strings.Contains(err.Error(), "the AWS CLI is missing; install it as docs/deploy.md says") {
		t.Errorf("the error is %v", err)
	}
}

// The table that the stack made has left the stack, so an empty value means a new table.
func TestDeploy_RefusesAnEmptyTableInPlaceOfAnExistingOne(t *testing.T) {
	samRecorder(t)
	t.Setenv("AWS_ANSWERS", described("ACTIVE", "pk", "sk", "S"))
	directory := t.TempDir()
	for _, set := range []map[string]string{restored(), {"STACK": "team"}, {"STACK": "team", tableKey: "team-restored-again"}, {"STACK": "team", tableKey: "team-Table-1A2B"}} {
		if _, err := deployed(t, directory, set); err != nil {
			t.Fatalf("%v: %v", set, err)
		}
	}
	kept := func() string {
		text, _ := os.ReadFile(filepath.Join(directory, "team.conf"))
		return string(text)
	}
	before := kept()
	_, err := deployed(t, directory, map[string]string{"STACK": "team", tableKey: ""})
	if err == nil || !strings.Contains(err.Error(), "a new, empty table, and every user would have to sign in again") || !strings.Contains(err.Error(), "team.conf") {
		t.Errorf("the error is %v", err)
	}
	if diff := cmp.Diff(before, kept()); diff != "" {
		t.Error(diff)
	}
	removed := strings.Replace(before, tableKey+"=team-Table-1A2B\n", "", 1)
	if err := os.WriteFile(filepath.Join(directory, "team.conf"), []byte(removed), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := deployed(t, directory, map[string]string{"STACK": "team", tableKey: ""}); err != nil {
		t.Errorf("an operator who removed the line: %v", err)
	}
}

// What the AWS CLI says about tables is real here, and so are the tables.
func TestDeploy_ReadsWhatTheAWSCLISays(t *testing.T) {
	if os.Getenv("INTEGRATION") == "" {
		t.Skip("needs the AWS CLI and DynamoDB Local; run make integration, or set INTEGRATION=1")
	}
	programs, _ := filepath.Glob("../../../.tools/awscli-*/bin")
	if len(programs) == 0 {
		t.Fatal(".tools has no AWS CLI; run make tools")
	}
	cli, err := filepath.Abs(filepath.Join(programs[len(programs)-1], "aws"))
	if err != nil {
		t.Fatal(err)
	}
	database, err := dynamotest.Start(t.Context(), "../../..")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(database.Stop)
	for variable, value := range map[string]string{
		"TABLES_OF": cli, "HOME": t.TempDir(), "AWS_ENDPOINT_URL": database.Endpoint,
		"AWS_ACCESS_KEY_ID": "fernhill", "AWS_SECRET_ACCESS_KEY": "bikes",
	} {
		t.Setenv(variable, value)
	}
	asked := samRecorder(t)
	set := func(table string) map[string]string { return restored(tableKey, table, "PROFILE", "") }
	if _, err := deployed(t, t.TempDir(), set(database.Table(t))); err != nil {
		t.Errorf("the template's table: %v", err)
	}
	if calls := asked(); len(calls) != 2 {
		t.Errorf("it ran %v", calls)
	}
	if _, err := deployed(t, t.TempDir(), set("unknown")); err == nil || !strings.Contains(err.Error(), "this account has no table of that name") {
		t.Errorf("an unknown table: %v", err)
	}
	other := "other"
	if _, err := database.Client().CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: &other, BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: &other, AttributeType: types.ScalarAttributeTypeN}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: &other, KeyType: types.KeyTypeHash}},
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := deployed(t, t.TempDir(), set(other)); err == nil || !strings.Contains(err.Error(), "its key is other (HASH, N), and must be pk") {
		t.Errorf("another key: %v", err)
	}
}
