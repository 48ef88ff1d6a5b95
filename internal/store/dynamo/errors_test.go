package dynamo

import (
	"errors"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"basecamp-mcp/internal/store/awsfault"
)

func TestFailures_SayInOurWordsWhatFailed(t *testing.T) {
	for name, do := range everything {
		wantFailure(t, do(t.Context(), wired(answers(refuses("AccessDeniedException")))), name+": AccessDeniedException")
	}
	for _, c := range []struct {
		operation string
		answer    http.HandlerFunc
		reason    string
	}{
		{"GetItem", refuses("ResourceNotFoundException"), errUnknownTable.Error() + ": GetItem: ResourceNotFoundException"},
		{"GetItem", refuses("ValidationException"), errOtherKey.Error() + ": GetItem: ValidationException"},
		{"PutItem", refuses("ValidationException"), "PutItem: ValidationException"},
		{
			"TransactWriteItems", cancels("None", "ThrottlingError", "ValidationError", "None", "Fernhill "+secret),
			"ThrottlingError ValidationError: TransactWriteItems: TransactionCanceledException",
		},
	} {
		err := everything[c.operation](t.Context(), wired(answers(c.answer)))
		wantFailure(t, err, c.reason)
		if WrongTable(err) != strings.Contains(c.reason, "another ExistingTable") {
			t.Errorf("%v: a wrong table is %t", err, WrongTable(err))
		}
	}
}

// wantFailure stops the test unless err is an unnamed error whose text is safe.
func wantFailure(t *testing.T, err error, reason string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	said := regexp.MustCompile(`^DynamoDB(: [A-Za-z]+)?: ` + regexp.QuoteMeta(reason) + `( \(status \d+, request "[A-Za-z0-9-]*"\))?$`)
	if !said.MatchString(err.Error()) || strings.Contains(err.Error(), secret) {
		t.Errorf("error %q, want reason %q", err, reason)
	}
}

func TestWrongTable_IsNamedByReadsAndWrites(t *testing.T) {
	client, table := integration(t)
	for name, key := range map[string]struct{ attribute, second, kind string }{
		"another name": {"id", "sk", "S"}, "another sort key": {"pk", "time", "S"}, "a number": {"pk", "sk", "N"},
	} {
		wrong := strings.ReplaceAll(name, " ", "-") + newRevision()
		_, err := client.CreateTable(t.Context(), &dynamodb.CreateTableInput{
			TableName: &wrong, BillingMode: types.BillingModePayPerRequest,
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
		wantWrong(t, New(client, wrong, nil), errOtherKey, "GetItem", "BatchGetItem", "Query")
	}
	wantWrong(t, New(client, "unknown", nil), errUnknownTable, slices.Collect(maps.Keys(everything))...)

	if err := everything["GetItem"](t.Context(), New(client, table, nil)); err != nil {
		t.Errorf("a missing item is %v", err)
	}
}

// wantWrong checks what methods say.
func wantWrong(t *testing.T, e *Engine, want awsfault.ReasonError, methods ...string) {
	t.Helper()
	for _, name := range methods {
		if err := everything[name](t.Context(), e); !WrongTable(err) || !errors.Is(err, want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}
