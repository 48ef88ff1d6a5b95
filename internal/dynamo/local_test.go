package dynamo

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
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

	"basecamp-mcp/internal/authserver"
	"basecamp-mcp/internal/dynamo/dynamotest"
	"basecamp-mcp/internal/envelope"
	"basecamp-mcp/internal/envelope/envelopetest"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/storetest"
)

// local is DynamoDB Local with INTEGRATION=1, and otherwise nil.
var local *dynamotest.Server

func TestMain(m *testing.M) {
	if os.Getenv("INTEGRATION") == "" {
		os.Exit(m.Run())
	}
	var err error
	if local, err = dynamotest.Start(context.Background(), "../.."); err != nil {
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

// stores returns all stores of a table, one call of which is made by another client.
func stores(table, steps *Table) storetest.Stores {
	sealed := envelope.New(envelope.Config{Keys: envelopetest.NewRing(), Rows: table.Tokens(), Stack: "fernhill"})
	return storetest.Stores{
		Lists: table, Tasks: table, Undo: table, Links: table, Once: table, Audit: table, EndCall: table.EndCall,
		Auth:    authserver.NewStore(reliableStates{table, steps}),
		Records: func(provider string) grant.Records { return table.Records(provider) },
		Grants:  func(provider string) grant.Store { return sealed.Of(provider) },
	}
}

func TestTable_HoldsEverySuite(t *testing.T) {
	client, table := integration(t)
	storetest.All(t, func(_ *testing.T, now func() time.Time) storetest.Stores {
		return stores(New(client, table, now), New(client, table, now))
	})
}

func TestTable_HoldsEverySuite_WhenAnswersAreLost(t *testing.T) {
	client, table := integration(t)
	bad := forgetful(t)
	storetest.All(t, func(_ *testing.T, now func() time.Time) storetest.Stores {
		return stores(New(bad, table, now), New(client, table, now))
	})
}

// reliableStates takes steps over a reliable connection: TakeStep is the only method whose lost
// answer changes the result.
type reliableStates struct {
	*Table
	sure *Table
}

func (s reliableStates) TakeLoginState(ctx context.Context, hash, binding authserver.Hash) (authserver.LoginState, error) {
	return s.sure.TakeLoginState(ctx, hash, binding)
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

func TestAddCode_DoesNotHideACodeThatCanStillBeReplayed(t *testing.T) {
	client, table := integration(t)
	now := time.Now()
	store := New(client, table, func() time.Time { return now })
	c := authserver.Code{Hash: "1", ExpiresAt: now.Add(time.Minute)}
	if err := store.AddCode(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	now = c.ExpiresAt.Add(retention - 1)
	if err := store.AddCode(t.Context(), c); !errors.Is(err, authserver.ErrConflict) {
		t.Error(err)
	}
	now = c.ExpiresAt.Add(retention)
	if err := store.AddCode(t.Context(), c); err != nil {
		t.Error(err)
	}
}

func TestTable_RejectsItemsThatAreTooLarge(t *testing.T) {
	client, table := integration(t)
	large := authserver.LoginState{Key: "1", Body: make([]byte, 400<<10), ExpiresAt: time.Now().Add(time.Hour)}
	wantFailure(t, New(client, table, nil).AddLoginState(t.Context(), large), "ValidationException")
}

func TestTable_AMissingTableIsNotReportedAsNotFound(t *testing.T) {
	client, _ := integration(t)
	for name, do := range everything {
		t.Run(name, func(t *testing.T) {
			wantFailure(t, do(t.Context(), New(client, "elsewhere", nil)), "ResourceNotFoundException: "+unknownTable)
		})
	}
}

// A call that reads a refresh token after a rotation must see the whole rotation or nothing of it.
// Otherwise the token would count as stolen.
func TestRefresh_SeesTheWholeRotationOrNothingOfIt(t *testing.T) {
	client, table := integration(t)
	store := New(client, table, nil)
	l := begin(t, store)
	rotated := make(chan error, 1)
	go func() {
		for range 100 {
			if err := l.rotate(t.Context(), store); err != nil {
				rotated <- err
				return
			}
		}
		rotated <- nil
	}()
	for hash := authserver.Hash("r1"); ; {
		f, r, err := store.Refresh(t.Context(), l.family, hash)
		if err != nil {
			t.Fatal(err)
		}
		if r.RotatedAt.IsZero() != (f.Generation == r.Generation) {
			t.Fatalf("token of generation %d, rotated at %v, in a family of generation %d", r.Generation, r.RotatedAt, f.Generation)
		}
		hash = authserver.Hash(fmt.Sprint("r", f.Generation))
		select {
		case err := <-rotated:
			if err != nil {
				t.Fatal(err)
			}
			return
		default:
		}
	}
}
