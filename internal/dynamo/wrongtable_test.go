package dynamo

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"basecamp-mcp/internal/dynamo/dynamotest"
)

func TestWrongTable_IsNamedByReadsAndWrites(t *testing.T) {
	if os.Getenv("INTEGRATION") == "" {
		t.Skip("needs DynamoDB Local; run make integration, or set INTEGRATION=1")
	}
	server, err := dynamotest.Start(t.Context(), "../..")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	for name, key := range map[string]struct{ attribute, second, kind string }{
		"another name": {"id", "sk", "S"}, "another sort key": {"pk", "time", "S"}, "a number": {"pk", "sk", "N"},
	} {
		table := strings.ReplaceAll(name, " ", "-")
		_, err := server.Client().CreateTable(t.Context(), &dynamodb.CreateTableInput{
			TableName: &table, BillingMode: types.BillingModePayPerRequest,
			AttributeDefinitions: []types.AttributeDefinition{
				{AttributeName: &key.attribute, AttributeType: types.ScalarAttributeTypeS},
				{AttributeName: &key.second, AttributeType: types.ScalarAttributeType(key.kind)},
			},
			KeySchema: []types.KeySchemaElement{
				{AttributeName: &key.attribute, KeyType: types.KeyTypeHash}, {AttributeName: &key.second, KeyType: types.KeyTypeRange},
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		wantWrong(t, New(server.Client(), table, nil), otherKey, "Access", "Client", "Record", "Checklist")
	}
	wantWrong(t, New(server.Client(), "unknown", nil), unknownTable, slices.Collect(maps.Keys(everything))...)

	right := New(server.Client(), server.Table(t), nil)
	if _, _, _, err := right.Access(t.Context(), "f", "t", ""); err == nil || WrongTable(err) {
		t.Errorf("a missing item is %v", err)
	}
}

// wantWrong checks what methods say.
func wantWrong(t *testing.T, table *Table, want string, methods ...string) {
	t.Helper()
	for _, name := range methods {
		if err := everything[name](t.Context(), table); !WrongTable(err) || !strings.HasSuffix(err.Error(), ": "+want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}
