package dynamo

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"basecamp-mcp/internal/audit"
	"basecamp-mcp/internal/authserver"
	"basecamp-mcp/internal/checklist"
	"basecamp-mcp/internal/dynamo/dynamotest"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/idempotency"
	"basecamp-mcp/internal/task"
)

func TestFailures_SayInOurWordsWhatFailed(t *testing.T) {
	for answer, c := range map[string]struct {
		answer http.HandlerFunc
		reason string
	}{
		"no such table":   {refuses("ResourceNotFoundException"), "ResourceNotFoundException: " + unknownTable},
		"too large":       {refuses("ValidationException"), "ValidationException"},
		"not allowed":     {refuses("AccessDeniedException"), "AccessDeniedException"},
		"table throttled": {refuses("ProvisionedThroughputExceededException"), "ProvisionedThroughputExceededException"},
		"throttled":       {refuses("ThrottlingException"), "ThrottlingException"},
		"collection full": {refuses("ItemCollectionSizeLimitExceededException"), "ItemCollectionSizeLimitExceededException"},
		"canceled":        {cancels("None", "ThrottlingError", "ValidationError", "None"), "TransactionCanceledException ThrottlingError ValidationError"},
		"internal error":  {says(500, `{"__type": "InternalServerError", "message": "`+secret+`"}`), "InternalServerError"},
		"a proxy's 502":   {says(502, "<html>"+secret+"</html>"), "unreadable answer"},
		"a page":          {says(200, "<html>"+secret+"</html>"), "unreadable answer"},
		"a list":          {says(200, `["`+secret+`"]`), "unreadable answer"},
		"nothing":         {says(200, ""), "unreadable answer"},
		"a truncated":     {says(200, "{"), "unreadable answer"},
		"a word":          {says(200, `"x"`), "unreadable answer"},
		"a null":          {says(200, `null`), "unreadable answer"},
		"a strange error": {refuses("Fernhill " + secret), "unreadable answer"},
		"an empty error":  {says(400, ""), "unreadable answer"},
		"a hang-up":       {hangsUp, "no answer"},
	} {
		for name, do := range everything {
			t.Run(answer+"/"+name, func(t *testing.T) {
				wantFailure(t, do(t.Context(), tableOf(t, answers(c.answer))), c.reason)
			})
		}
	}
}

func TestFailures_AreTestedForEveryMethod(t *testing.T) {
	for _, view := range []reflect.Type{reflect.TypeFor[*Table](), reflect.TypeFor[Records](), reflect.TypeFor[Tokens]()} {
		for method := range view.Methods() {
			if everything[method.Name] == nil && method.Name != "Records" && method.Name != "Tokens" && method.Name != "Endpoint" {
				t.Errorf("everything in fake_test.go lacks %s", method.Name)
			}
		}
	}
}

// wantFailure stops the test unless err is an unnamed error whose text is safe.
func wantFailure(t *testing.T, err error, reason string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	for _, meaning := range []error{
		authserver.ErrNotFound, authserver.ErrConflict, grant.ErrNotFound, grant.ErrConflict, grant.ErrTooLarge,
		checklist.ErrNotFound, checklist.ErrConflict, task.ErrNotFound, idempotency.ErrTaken, idempotency.ErrLost, audit.ErrTaken,
	} {
		if errors.Is(err, meaning) {
			t.Errorf("%q is %q", err, meaning)
		}
	}
	said := regexp.MustCompile(`^[a-z' ]+: DynamoDB( [A-Za-z]+)?: ` + regexp.QuoteMeta(reason) + `(: ` + otherKey + `)?$`)
	if !said.MatchString(err.Error()) || strings.Contains(err.Error(), secret) {
		t.Errorf("error %q, want reason %q", err, reason)
	}
}

func TestFailures_KeepTheirCauseForErrorsAs(t *testing.T) {
	_, err := tableOf(t, answers(refuses("ResourceNotFoundException"))).Client(t.Context(), "c_1")
	var missing *types.ResourceNotFoundException
	var api smithy.APIError
	if !errors.As(err, &missing) || !errors.As(err, &api) || api.ErrorMessage() != secret {
		t.Errorf("behind %q is %#v", err, errors.Unwrap(err))
	}
}

func TestFailures_DistinguishTimeoutAndCancellation(t *testing.T) {
	silent := answers(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	for name, do := range everything {
		t.Run(name, func(t *testing.T) {
			table := tableOf(t, silent)
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
			defer cancel()
			err := do(ctx, table)
			wantFailure(t, err, "no time left")
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%q is no deadline", err)
			}
			ctx, cancel = context.WithCancel(t.Context())
			cancel()
			wantFailure(t, do(ctx, table), "canceled")
		})
	}
}

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
