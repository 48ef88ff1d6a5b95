package dynamo

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"basecamp-mcp/internal/proof/storetest"
	"basecamp-mcp/internal/store/dynamo/dynamotest"
	"basecamp-mcp/internal/store/items"
)

// local is DynamoDB Local with INTEGRATION=1, and otherwise nil.
var local *dynamotest.Server

func TestMain(m *testing.M) {
	if os.Getenv("INTEGRATION") == "" {
		os.Exit(m.Run())
	}
	var err error
	if local, err = dynamotest.Start(context.Background(), "../../.."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	local.Stop()
	os.Exit(code)
}

// integration returns a client of DynamoDB Local and the name of a new table.
func integration(tb testing.TB, options ...func(*dynamodb.Options)) (*dynamodb.Client, string) {
	tb.Helper()
	if local == nil {
		tb.Skip("set INTEGRATION=1: make integration does")
	}
	return local.Client(options...), local.Table(tb)
}

// ring has one key.
type ring struct{}

func (ring) Current(context.Context) (string, []byte, error) { return "k", make([]byte, 32), nil }
func (ring) Key(context.Context, string) ([]byte, error)     { return make([]byte, 32), nil }

func TestEngine_HoldsItsSuite_AlsoWhenAnswersAreLost(t *testing.T) {
	client, table := integration(t)
	for _, client := range []*dynamodb.Client{client, forgetful(t)} {
		storetest.Engine(t, func(_ *testing.T, now func() time.Time) items.Engine { return New(client, table, now) })
		storetest.Races(t, func(_ *testing.T, now func() time.Time) *items.Store {
			return items.New(New(client, table, now), items.Options{Now: now})
		})
	}
}

// forgetful returns a client whose requests are all carried out, but not answered the first time.
func forgetful(t *testing.T) *dynamodb.Client {
	endpoint, err := url.Parse(local.Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(endpoint)
	proxy.ErrorHandler = func(w http.ResponseWriter, r *http.Request, err error) { t.Log("proxy", err); w.WriteHeader(502) }
	var known sync.Map
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		if _, again := known.LoadOrStore(sha256.Sum256(body), true); again {
			proxy.ServeHTTP(w, r)
			return
		}
		proxy.ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	}))
	t.Cleanup(server.Close)
	return dynamotest.Client(server.URL, impatient)
}
