package stacktest_test

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"basecamp-mcp/internal/proof/mcptest"
	"basecamp-mcp/internal/store/dynamo/dynamotest"
	"basecamp-mcp/internal/store/secrets"
)

// TestRestore_IsWhatTheRunbookSays goes through "Restore the table" of docs/operate.md. DynamoDB
// Local has no point-in-time recovery, so the test copies the items of a moment into a new table,
// which has the key of the old one and none of its other settings. The functions go on with the old
// table for a while, and then start with the copy.
func TestRestore_IsWhatTheRunbookSays(t *testing.T) {
	integration(t)
	d := prepare(t)
	d.setUpAndStart()

	ines, priya, aoife := d.LogIn("ines"), d.LogIn("priya"), d.LogIn("aoife")
	for access, name := range map[string]string{ines.Access: "Ines Albrecht", priya.Access: "Priya Raman", aoife.Access: "Aoife Brennan"} {
		d.wantMe(access, name)
	}
	d.call(ines.Access, "add_task", `{"title":"before the backup"}`)
	old := d.table
	restored := d.backUp()

	// Since the backup:
	d.call(ines.Access, "add_task", `{"title":"after the backup"}`)
	d.sandbox.ExpireToken(d.newest("Ines Albrecht"))
	d.wantMe(ines.Access, "Ines Albrecht") // refreshes the tokens of Basecamp
	second := d.Renew(priya)
	third := d.Renew(second)
	d.wantMe(third.Access, "Priya Raman")
	d.disconnect("aoife", "who you are")
	hanna := d.LogIn("hanna")
	d.wantMe(hanna.Access, "Hanna Koivisto")
	items := d.items(old)
	for last := 0; last != len(items); items = d.items(old) { // a line of a call may be written after its answer
		last = len(items)
		time.Sleep(200 * time.Millisecond)
	}

	d.table = restored // as a deployment with ExistingTable does
	d.start()
	// Users whose sign-in and tokens are in the backup go on, with the tokens of the backup.
	d.wantMe(ines.Access, "Ines Albrecht")
	if tasks := d.call(ines.Access, "list_tasks", `{}`); !strings.Contains(tasks, "before the backup") || strings.Contains(tasks, "after the backup") {
		t.Errorf("tasks: %s", tasks)
	}
	// This client received its tokens since. It must sign in. The server does not take this for the
	// reuse of an old token, so the sign-in of the backup lives on.
	d.wantSignedOut(third)
	d.wantMe(priya.Access, "Priya Raman")
	d.wantMe(d.Renew(priya).Access, "Priya Raman")
	// A user who disconnected is not connected again, because the tokens are gone.
	link := regexp.MustCompile(`http[^ "\\]+/oauth/start\?t=[\w-]+`).FindString(d.me(aoife.Access))
	if link == "" {
		t.Errorf("Aoife, who disconnected: %s", d.me(aoife.Access))
	} else {
		d.Visit(link, "aoife")
		d.wantMe(aoife.Access, "Aoife Brennan")
	}
	// A user who is new since signs in, and finds the secret that is still there.
	d.wantSignedOut(hanna)
	d.wantMe(d.LogIn("hanna").Access, "Hanna Koivisto")
	if !reflect.DeepEqual(items, d.items(old)) {
		t.Error("the functions wrote to the old table")
	}
}

// backUp copies the table of the functions and returns the name of the copy.
func (d *deployed) backUp() (name string) {
	d.Helper()
	client := d.database.Client()
	name = "restored-" + rand.Text()
	source, err := client.DescribeTable(d.Context(), &dynamodb.DescribeTableInput{TableName: &d.table})
	if err != nil {
		d.Fatal(err)
	}
	if _, err := client.CreateTable(d.Context(), &dynamodb.CreateTableInput{
		TableName: &name, BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: source.Table.AttributeDefinitions, KeySchema: source.Table.KeySchema,
	}); err != nil {
		d.Fatal(err)
	}
	for _, item := range d.items(d.table) {
		if _, err := client.PutItem(d.Context(), &dynamodb.PutItemInput{TableName: &name, Item: item}); err != nil {
			d.Fatal(err)
		}
	}
	return name
}

// items returns the items of a table by their keys.
func (d *deployed) items(table string) map[string]map[string]types.AttributeValue {
	d.Helper()
	all := map[string]map[string]types.AttributeValue{}
	pages := dynamodb.NewScanPaginator(d.database.Client(), &dynamodb.ScanInput{TableName: &table})
	for range 100 {
		if !pages.HasMorePages() {
			return all
		}
		page, err := pages.NextPage(d.Context())
		if err != nil {
			d.Fatal(err)
		}
		for _, item := range page.Items {
			all[item["pk"].(*types.AttributeValueMemberS).Value+" "+item["sk"].(*types.AttributeValueMemberS).Value] = item
		}
	}
	d.Fatal("the table has too many pages")
	return nil
}

// newest returns the newest access token of a user at Basecamp.
func (d *deployed) newest(name string) string {
	d.Helper()
	t, err := secrets.New(d.secrets, "fernhill", "37signals").Load(d.Context(), fmt.Sprintf("37s:%d", d.sandbox.Person(name).IdentityID), "")
	if err != nil {
		d.Fatal(err)
	}
	return t.AccessToken
}

// wantSignedOut checks that the server asks a client to sign its user in again.
func (d *deployed) wantSignedOut(of mcptest.Tokens) {
	d.Helper()
	status, header, body := d.ask(http.MethodPost, "/mcp", of.Access, "", mcptest.Message("tools/call", `{"name":"get_me","arguments":{}}`))
	if status != http.StatusUnauthorized || header.Get("Www-Authenticate") == "" {
		d.Errorf("HTTP %d %s", status, body)
	}
	if answered := d.Token("grant_type", "refresh_token", "client_id", of.Client, "refresh_token", of.Refresh); answered["error"] != "invalid_grant" {
		d.Errorf("a refresh returned %v", answered)
	}
}

// restoring returns the commands of docs/operate.md that restore a table, up to the deployment.
func restoring(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile(root + "/docs/operate.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## Restore the table\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var commands []string
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(section, -1) {
		if !strings.Contains(block[1], "make deploy") {
			commands = append(commands, block[1])
		}
	}
	if len(commands) != 2 {
		t.Fatalf("the runbook has %d blocks of commands before the deployment", len(commands))
	}
	return strings.Join(commands, "")
}

// The commands of the runbook give a restored table the settings of the template's. moto ignores
// the time of a restore, and does not restore the settings either.
func TestRunbook_RestoresTheSettingsOfTheTable(t *testing.T) {
	environment, _, origin := awsCLI(t)
	database := dynamotest.Client(origin)
	properties := readStack(t).properties("Table")
	old := "name-Table-1A2B"
	attribute := types.ScalarAttributeTypeS
	if _, err := database.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: &old, BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: new("pk"), AttributeType: attribute}, {AttributeName: new("sk"), AttributeType: attribute}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: new("pk"), KeyType: types.KeyTypeHash}, {AttributeName: new("sk"), KeyType: types.KeyTypeRange}},
	}); err != nil {
		t.Fatal(err)
	}
	script := strings.ReplaceAll(restoring(t), "name-Table-...", old)
	command := exec.CommandContext(t.Context(), "bash", "-euc", script)
	command.Env = slices.Clone(environment)
	if said, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, said, script)
	}

	restored := new("name-restored")
	described, err := database.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: restored})
	if err != nil {
		t.Fatal(err)
	}
	if described.Table.DeletionProtectionEnabled == nil || !*described.Table.DeletionProtectionEnabled {
		t.Error("the restored table is not protected from deletion")
	}
	expiry, err := database.DescribeTimeToLive(t.Context(), &dynamodb.DescribeTimeToLiveInput{TableName: restored})
	if err != nil || expiry.TimeToLiveDescription.TimeToLiveStatus != types.TimeToLiveStatusEnabled ||
		*expiry.TimeToLiveDescription.AttributeName != properties["TimeToLiveSpecification"].(anything)["AttributeName"] {
		t.Errorf("time to live: %+v, %v", expiry, err)
	}
	backups, err := database.DescribeContinuousBackups(t.Context(), &dynamodb.DescribeContinuousBackupsInput{TableName: restored})
	if err != nil || backups.ContinuousBackupsDescription.PointInTimeRecoveryDescription.PointInTimeRecoveryStatus != types.PointInTimeRecoveryStatusEnabled {
		t.Errorf("backups: %+v, %v", backups, err)
	}
	tags, err := database.ListTagsOfResource(t.Context(), &dynamodb.ListTagsOfResourceInput{ResourceArn: described.Table.TableArn})
	if err != nil || len(tags.Tags) != 1 || *tags.Tags[0].Key != "app" || *tags.Tags[0].Value != "basecamp-mcp" {
		t.Errorf("tags: %+v, %v", tags, err)
	}
	limits := properties["OnDemandThroughput"].(anything)
	if want := "--on-demand-throughput-override MaxReadRequestUnits=" + limits["MaxReadRequestUnits"].(string) + ",MaxWriteRequestUnits=" + limits["MaxWriteRequestUnits"].(string); !strings.Contains(script, want) {
		t.Errorf("the runbook lacks %s", want) // moto ignores it
	}
}
