package dynamo

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
)

func TestFailures_SayInOurWordsWhatFailed(t *testing.T) {
	for _, c := range map[string]struct {
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
		wantFailure(t, everything["GetItem"](t.Context(), engineOf(t, answers(c.answer))), c.reason)
	}
	for _, do := range everything {
		wantFailure(t, do(t.Context(), engineOf(t, answers(says(200, "")))), "unreadable answer")
	}
}

// wantFailure stops the test unless err is an unnamed error whose text is safe.
func wantFailure(t *testing.T, err error, reason string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	said := regexp.MustCompile(`^DynamoDB( [A-Za-z]+)?: ` + regexp.QuoteMeta(reason) + `(: ` + otherKey + `)?$`)
	if !said.MatchString(err.Error()) || strings.Contains(err.Error(), secret) {
		t.Errorf("error %q, want reason %q", err, reason)
	}
}

func TestFailures_KeepTheirCauseForErrorsAs(t *testing.T) {
	e := engineOf(t, answers(refuses("ResourceNotFoundException")))
	err := everything["GetItem"](t.Context(), e)
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
			e := engineOf(t, silent)
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
			defer cancel()
			err := do(ctx, e)
			wantFailure(t, err, "no time left")
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%q is no deadline", err)
			}
			ctx, cancel = context.WithCancel(t.Context())
			cancel()
			wantFailure(t, do(ctx, e), "canceled")
		})
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
		wantWrong(t, New(client, wrong, nil), otherKey, "GetItem", "BatchGetItem", "Query")
	}
	wantWrong(t, New(client, "unknown", nil), unknownTable, slices.Collect(maps.Keys(everything))...)

	if err := everything["GetItem"](t.Context(), New(client, table, nil)); err != nil {
		t.Errorf("a missing item is %v", err)
	}
}

// wantWrong checks what methods say.
func wantWrong(t *testing.T, e *Engine, want string, methods ...string) {
	t.Helper()
	for _, name := range methods {
		if err := everything[name](t.Context(), e); !WrongTable(err) || !strings.HasSuffix(err.Error(), ": "+want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}
