package awsstores

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"basecamp-mcp/internal/store/awsfault"
)

// stalled is the body of an answer that never ends.
type stalled struct{ context.Context }

func (s stalled) Read([]byte) (int, error) {
	<-s.Done()
	return 0, s.Err()
}

func (stalled) Close() error { return nil }

func (s stalled) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, ContentLength: -1, Body: stalled{r.Context()}}, nil
}

func TestAWSClient_TheTimeoutCoversTheWholeAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://dynamodb.test/", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		answer, err := client(stalled{}).Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		_, err = io.ReadAll(answer.Body)
		if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took != timeout {
			t.Errorf("%v after %v", err, took)
		}
	})
}

// readAt returns a function that reads an item, as a deployment does.
func readAt(ctx context.Context, url string) func() error {
	table := dynamodb.New(dynamodb.Options{
		Region: "eu-central-1", HTTPClient: client(Outbound()), BaseEndpoint: &url, Retryer: retryer(),
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "a", SecretAccessKey: "b"}, nil
		}),
	})
	return func() error {
		key := map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: "a"}}
		_, err := table.GetItem(ctx, &dynamodb.GetItemInput{TableName: new("t"), Key: key})
		return err
	}
}

func TestAWSClient_KeepsItsConnection(t *testing.T) {
	var opened atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"Item":{"pk":{"S":"a"}}}`)
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	read := readAt(t.Context(), server.URL)
	for range 300 {
		if err := read(); err != nil {
			t.Fatal(err)
		}
	}
	if n := opened.Load(); n != 1 {
		t.Errorf("%d connections, want 1", n)
	}
}

func TestAWSClient_CannotReadAnEmptyAnswer(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer server.Close()
	err := awsfault.New("read", readAt(t.Context(), server.URL)())
	if err == nil || err.Error() != `read: GetItem: unreadable answer (status 200, request "")` || asked != 1 {
		t.Errorf("%v after %d requests", err, asked)
	}
}

// A store that does not answer fails; a caller that gave up says nothing about the store.
func TestStoreFailed_CountsATimeoutAndNotAnAnswerOrACallerThatGaveUp(t *testing.T) {
	late, cancelLate := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancelLate()
	left, cancel := context.WithCancel(t.Context())
	cancel()
	canceled := func(code string) error {
		return &types.TransactionCanceledException{CancellationReasons: []types.CancellationReason{{}, {Code: &code}}}
	}
	for _, test := range []struct {
		ctx  context.Context
		err  error
		want bool
	}{
		{late, late.Err(), true},
		{left, left.Err(), false},
		{t.Context(), nil, false},
		{t.Context(), &types.ConditionalCheckFailedException{}, false},
		{t.Context(), &types.ProvisionedThroughputExceededException{}, true},
		{t.Context(), canceled("ConditionalCheckFailed"), false},
		{t.Context(), canceled("ThrottlingError"), true},
	} {
		if got := storeFailed(test.ctx, test.err, tableRefusals); got != test.want {
			t.Errorf("%v: %t", test.err, got)
		}
	}
}
