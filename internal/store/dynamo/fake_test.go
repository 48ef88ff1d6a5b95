package dynamo

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"basecamp-mcp/internal/store/dynamo/dynamotest"
	"basecamp-mcp/internal/store/items"
)

// fake speaks a small part of DynamoDB's protocol. It returns its answers to all operations in
// order, and repeats the last one. It has no socket: tests can use a fake clock, and no broken
// connection causes a retry.
type fake struct {
	answers []http.HandlerFunc
	tokens  []string // of the requests; empty unless it writes a transaction
}

func answers(in ...http.HandlerFunc) *fake { return &fake{answers: in} }

func (f *fake) Do(r *http.Request) (*http.Response, error) {
	var input struct{ ClientRequestToken string }
	_ = json.NewDecoder(r.Body).Decode(&input)
	recorder := httptest.NewRecorder()
	f.answers[min(len(f.tokens), len(f.answers)-1)](recorder, r)
	f.tokens = append(f.tokens, input.ClientRequestToken)
	return recorder.Result(), nil
}

// secret is in every text of a fake, and must not be in any error.
const secret = "fernhill-bikes-secret"

func says(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func refuses(code string) http.HandlerFunc {
	return says(400, fmt.Sprintf(`{"__type": "com.amazonaws.dynamodb.v20120810#%s", "message": "%s"}`, code, secret))
}

// cancels refuses a transaction, with a reason for each of its writes.
func cancels(codes ...string) http.HandlerFunc {
	reasons := make([]string, len(codes))
	for i, code := range codes {
		reasons[i] = fmt.Sprintf(`{"Code": "%s", "Message": "%s"}`, code, secret)
	}
	return says(400, fmt.Sprintf(
		`{"__type": "com.amazonaws.dynamodb.v20120810#TransactionCanceledException", "Message": "%s", "CancellationReasons": [%s]}`,
		secret, strings.Join(reasons, ", ")))
}

// impatient makes four tries without pauses.
func impatient(o *dynamodb.Options) {
	o.Retryer = retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts, o.MaxBackoff, o.RateLimiter = 4, time.Nanosecond, ratelimit.None
	})
}

// wired returns an Engine on a fake.
func wired(f *fake) *Engine {
	return New(dynamotest.Client("http://dynamodb.example", func(o *dynamodb.Options) { o.HTTPClient = f }), "fernhill", nil)
}

// everything uses every operation once, as some method of a store does.
var everything = map[string]func(context.Context, *Engine) error{
	"GetItem":      func(ctx context.Context, e *Engine) error { _, err := e.Find(ctx, key("1")); return err },
	"BatchGetItem": func(ctx context.Context, e *Engine) error { _, err := e.Find(ctx, key("1"), key("2")); return err },
	"TransactGetItems": func(ctx context.Context, e *Engine) error {
		_, err := e.FindTogether(ctx, key("1"), key("2"))
		return err
	},
	"Query": func(ctx context.Context, e *Engine) error {
		_, err := e.List(ctx, items.Range{Kind: "k", Owner: "o"})
		return err
	},
	"PutItem":            func(ctx context.Context, e *Engine) error { return put(ctx, e, "1") },
	"TransactWriteItems": func(ctx context.Context, e *Engine) error { return put(ctx, e, "1", "2") },
}

func key(name string) items.Key { return items.Key{Kind: "k", Owner: "o", Name: name} }

// put writes items without reading them.
func put(ctx context.Context, e *Engine, names ...string) error {
	return e.Write(ctx, func(t items.Tx) error {
		for _, name := range names {
			if err := t.Put(items.Item{Key: key(name), Body: []byte(`"a"`)}); err != nil {
				return err
			}
		}
		return nil
	})
}
