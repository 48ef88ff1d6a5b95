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
)

// stalling answers with a body that ends only when the request does.
type stalling struct{ asked *http.Request }

func (s *stalling) RoundTrip(r *http.Request) (*http.Response, error) {
	s.asked = r
	return &http.Response{StatusCode: http.StatusOK, Body: stalledBody{r.Context()}}, nil
}

type stalledBody struct{ ctx context.Context }

func (b stalledBody) Read([]byte) (int, error) {
	<-b.ctx.Done()
	return 0, b.ctx.Err()
}

func (stalledBody) Close() error { return nil }

func askAWS(t *testing.T, s *stalling) *http.Response {
	t.Helper()
	body := struct{ *strings.Reader }{strings.NewReader("{}")}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://dynamodb.test/", io.NopCloser(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Amz-Target", "DynamoDB_20120810.Query")
	answer, err := client{s}.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if s.asked.Header.Get("X-Amz-Target") == "" || r.Context() == s.asked.Context() {
		t.Errorf("sent %v", s.asked.Header)
	}
	if _, ok := s.asked.Body.(io.WriterTo); ok {
		t.Error("net/http can see the body's WriteTo")
	}
	return answer
}

func TestAWSClient_TheTimeoutCoversTheWholeAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		answer := askAWS(t, new(stalling))
		defer answer.Body.Close()
		_, err := io.ReadAll(answer.Body)
		if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took != timeout {
			t.Errorf("%v after %v", err, took)
		}
	})
}

func TestAWSClient_ClosingTheBodyEndsTheTimeout(t *testing.T) {
	var s stalling
	if err := askAWS(t, &s).Body.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.asked.Context().Err(); !errors.Is(err, context.Canceled) {
		t.Errorf("the request's context: %v", err)
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
	table := dynamodb.New(dynamodb.Options{
		Region: "eu-central-1", HTTPClient: client{Outbound()}, BaseEndpoint: &server.URL,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "a", SecretAccessKey: "b"}, nil
		}),
	})
	for range 300 {
		key := map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: "a"}}
		if _, err := table.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: new("t"), Key: key}); err != nil {
			t.Fatal(err)
		}
	}
	if n := opened.Load(); n != 1 {
		t.Errorf("%d connections, want 1", n)
	}
}

// A store that does not answer fails; a caller that gave up says nothing about the store.
func TestStoreFailed_CountsATimeoutAndNotACallerThatGaveUp(t *testing.T) {
	late, cancelLate := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancelLate()
	left, cancel := context.WithCancel(t.Context())
	cancel()
	for _, test := range []struct {
		ctx  context.Context
		want bool
	}{{late, true}, {left, false}} {
		if got := storeFailed(test.ctx, test.ctx.Err(), tableRefusals); got != test.want {
			t.Errorf("%v: %t", test.ctx.Err(), got)
		}
	}
}
