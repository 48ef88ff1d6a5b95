package stacktest_test

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"basecamp-mcp/internal/dynamo/dynamotest"
)

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
