package awsfault_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"basecamp-mcp/internal/store/awsfault"
	"basecamp-mcp/internal/store/dynamo/dynamotest"
)

// secret is in what the service says, and must not be in any error.
const secret = "fernhill-bikes-secret"

// answer is a service that always says the same. One without a status hangs up.
type answer struct {
	status int
	body   string
}

func (a answer) Do(r *http.Request) (*http.Response, error) {
	if a.status == 0 {
		return nil, io.ErrUnexpectedEOF
	}
	return &http.Response{
		StatusCode: a.status, Body: io.NopCloser(strings.NewReader(a.body)), Header: http.Header{"X-Amzn-Requestid": {"request-7"}}, Request: r,
	}, r.Context().Err()
}

func refuses(code string) answer {
	return answer{400, `{"__type": "com.amazonaws.dynamodb.v20120810#` + code + `", "message": "` + secret + `"}`}
}

// ask returns the error of a read.
func ask(ctx context.Context, a answer) error {
	client := dynamotest.Client("http://dynamodb.example", func(o *dynamodb.Options) { o.HTTPClient, o.Retryer = a, aws.NopRetryer{} })
	_, err := client.GetItem(ctx, &dynamodb.GetItemInput{TableName: new("t"), Key: map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: "a"}}})
	return err
}

func TestNew_SaysInOurWordsWhatFailed(t *testing.T) {
	left, cancel := context.WithCancel(t.Context())
	cancel()
	late, cancelLate := context.WithTimeout(t.Context(), 0)
	defer cancelLate()
	answered := func(status int, body string) error { return ask(t.Context(), answer{status, body}) }
	refused := func(code string) error { return ask(t.Context(), refuses(code)) }
	const status400 = ` (status 400, request "request-7")`
	const unreadable = `GetItem: unreadable answer (status 200, request "request-7")`
	for name, c := range map[string]struct {
		cause error
		want  string
	}{
		"not allowed":        {refused("AccessDeniedException"), `GetItem: AccessDeniedException` + status400},
		"table throttled":    {refused("ProvisionedThroughputExceededException"), `GetItem: ProvisionedThroughputExceededException` + status400},
		"throttled":          {refused("ThrottlingException"), `GetItem: ThrottlingException` + status400},
		"collection full":    {refused("ItemCollectionSizeLimitExceededException"), `GetItem: ItemCollectionSizeLimitExceededException` + status400},
		"an internal error":  {answered(500, `{"__type": "InternalServerError", "message": "`+secret+`"}`), `GetItem: InternalServerError (status 500, request "request-7")`},
		"a proxy's 502":      {answered(502, "<html>"+secret+"</html>"), `GetItem: unreadable answer (status 502, request "request-7")`},
		"a page":             {answered(200, "<html>"+secret+"</html>"), unreadable},
		"a list":             {answered(200, `["`+secret+`"]`), unreadable},
		"a truncated":        {answered(200, "{"), unreadable},
		"a word":             {answered(200, `"x"`), unreadable},
		"a null":             {answered(200, "null"), unreadable},
		"a strange error":    {refused("Fernhill " + secret), `GetItem: unreadable answer` + status400},
		"an empty error":     {answered(400, ""), `GetItem: unreadable answer` + status400},
		"a hang-up":          {ask(t.Context(), answer{}), "GetItem: no answer"},
		"a timeout":          {ask(late, answer{200, "{}"}), "GetItem: context deadline exceeded"},
		"a caller that left": {ask(left, answer{200, "{}"}), "GetItem: context canceled"},
		"what we know alone": {awsfault.ReasonError("too much"), "too much"},
		"what we know of it": {errors.Join(awsfault.ReasonError("too much"), refused("Full")), `too much: GetItem: Full` + status400},
		"a pause that ended": {left.Err(), "context canceled"},
	} {
		err := awsfault.New("load", c.cause)
		if err == nil || err.Error() != "load: "+c.want || !errors.Is(err, c.cause) || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	if err := awsfault.New("load", nil); err != nil {
		t.Error(err)
	}
	api, ok := errors.AsType[smithy.APIError](awsfault.New("load", refused("ThrottlingException")))
	if !ok || api.ErrorMessage() != secret {
		t.Errorf("the cause is %v", api)
	}
}
