package awsstores

import (
	"context"
	"encoding/json"
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

	"basecamp-mcp/internal/audit"
	"basecamp-mcp/internal/config"
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

func TestAuditLog_WritesReferencesToAStreamOfItsOwn(t *testing.T) {
	var actions []string
	var put struct {
		LogGroupName, LogStreamName string
		LogEvents                   []struct {
			Timestamp int64
			Message   string
		}
	}
	answer := func(w http.ResponseWriter, action string) {}
	logs := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		action := strings.TrimPrefix(r.Header.Get("X-Amz-Target"), "Logs_20140328.")
		actions = append(actions, action)
		body, _ := io.ReadAll(r.Body)
		if action == "PutLogEvents" {
			if err := json.Unmarshal(body, &put); err != nil {
				t.Error(err)
			}
		}
		if !strings.Contains(r.Header.Get("Authorization"), "/eu-central-1/logs/aws4_request") || r.Header.Get("X-Amz-Security-Token") != "session" {
			t.Errorf("not signed: %v", r.Header)
		}
		answer(w, action)
	}))
	defer logs.Close()
	c := config.AWS{Region: "eu-central-1", AccessKeyID: "AKIA", SecretAccessKey: "key", SessionToken: "session", Logs: logs.URL, AuditLogGroup: "fernhill-calls", LogStream: "2026/11/27/[$LATEST]ab"}
	if NewAuditLog(config.AWS{}, http.DefaultTransport) != nil {
		t.Error("a log without a group")
	}
	l := NewAuditLog(c, http.DefaultTransport)
	entry := audit.Entry{
		Time: time.Date(2026, 11, 27, 9, 0, 0, 0, time.UTC), Tool: "create_todos", Outcome: audit.OK, Client: "Plumcot",
		Arguments: []audit.Argument{{Name: "list", Value: "4812"}, {Name: "todos"}}, Wrote: []string{"5012", "fernhill-bikes/configurator#3"},
	}
	if err := l.Write(t.Context(), "37s:1", entry); err != nil {
		t.Fatal(err)
	}
	if put.LogGroupName != "fernhill-calls" || put.LogStreamName != "2026/11/27/[$LATEST]ab" || len(put.LogEvents) != 1 || put.LogEvents[0].Timestamp != entry.Time.UnixMilli() ||
		!strings.Contains(put.LogEvents[0].Message, `"person":"37s:1"`) || !strings.Contains(put.LogEvents[0].Message, `{"name":"list","value":"4812"}`) ||
		!strings.Contains(put.LogEvents[0].Message, `"wrote":["5012","fernhill-bikes/configurator#3"]`) {
		t.Errorf("%+v", put)
	}
	if err := l.Write(t.Context(), "37s:1", entry); err != nil || strings.Join(actions, " ") != "CreateLogStream PutLogEvents PutLogEvents" {
		t.Errorf("%v %v", actions, err)
	}
	answer = func(w http.ResponseWriter, action string) {
		w.WriteHeader(http.StatusBadRequest)
		if action == "CreateLogStream" {
			_, _ = io.WriteString(w, `{"__type":"ResourceAlreadyExistsException"}`)
		}
	}
	if err := NewAuditLog(c, http.DefaultTransport).Write(t.Context(), "37s:1", entry); err == nil || !strings.Contains(err.Error(), "PutLogEvents: HTTP 400") {
		t.Errorf("a refused entry: %v", err)
	}
	logs.Close()
	if err := l.Write(t.Context(), "37s:1", entry); err == nil {
		t.Error("no error without an answer")
	}
}
