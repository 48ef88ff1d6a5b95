package basecamp

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/basecamp/sandbox/documented"
	"basecamp-mcp/internal/report/fault"
)

const (
	agent   = "fernhill-mcp (ops@fernhill.example)"
	account = "/77001"
)

// tokenList returns its tokens, each after the previous one was refused.
type tokenList struct {
	mu      sync.Mutex
	tokens  []string
	refused []string
	err     error
}

func (k *tokenList) Credential(_ context.Context, refused string) (Credential, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if refused != "" {
		k.refused = append(k.refused, refused)
		if k.err != nil {
			return Credential{}, k.err
		}
		k.tokens = k.tokens[1:]
	}
	return Credential{AccessToken: k.tokens[0], Account: 77001, Person: "nora"}, nil
}

func tokens(t ...string) *tokenList { return &tokenList{tokens: t} }

// server starts an HTTP server and returns a client of it.
func server(t testing.TB, answer http.HandlerFunc) *Client {
	t.Helper()
	s := httptest.NewServer(answer)
	t.Cleanup(s.Close)
	return client(t, Config{BaseURL: s.URL})
}

// transport passes requests to a function, for tests with their own clock.
type transport func(*http.Request) (*http.Response, error)

func (w transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return w(r)
}

// answering returns a client whose requests are answered without a network.
func answering(t testing.TB, answer http.HandlerFunc) *Client {
	t.Helper()
	return client(t, Config{Transport: transportOf(answer)})
}

func transportOf(answer http.HandlerFunc) transport {
	return func(r *http.Request) (*http.Response, error) {
		recorder := httptest.NewRecorder()
		answer(recorder, r)
		return recorder.Result(), nil
	}
}

func client(t testing.TB, config Config) *Client {
	t.Helper()
	if config.BaseURL == "" {
		config.BaseURL = "https://basecamp.example"
	}
	if config.Tokens == nil {
		config.Tokens = tokens("token-1", "token-2", "token-3").Credential
	}
	if config.Outside == nil {
		config.Outside = config.Transport
	}
	config.UserAgent = agent
	if config.Transport != nil {
		config.Transport = documentedOnly(t, config)
	}
	c, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// documentedOnly fails the test when Basecamp is asked for a route, a query name or a body field
// that it does not document.
func documentedOnly(t testing.TB, config Config) transport {
	table, basecamp, through := documented.Read(), strings.TrimPrefix(config.BaseURL, "https://"), config.Transport
	return func(r *http.Request) (*http.Response, error) {
		segments := strings.Split(strings.TrimSuffix(r.URL.Path, ".json"), "/")
		if r.URL.Host != basecamp || len(segments) < 3 {
			return through.RoundTrip(r)
		}
		route := table.Find(r.Method, segments[2:]) // after the account
		if route == nil {
			t.Errorf("%s %s is not in sandbox/documented/routes.txt", r.Method, r.URL.Path)
			return through.RoundTrip(r)
		}
		fields := map[string]json.RawMessage{}
		if r.GetBody != nil {
			body, err := r.GetBody()
			if err != nil {
				t.Error(err)
				return through.RoundTrip(r)
			}
			_ = json.NewDecoder(body).Decode(&fields) // a file is not JSON
		}
		for _, name := range slices.Concat(route.Query(r.URL.Query()), route.Fields(fields)) {
			t.Errorf("%s %s has %q, which sandbox/documented/routes.txt does not list", r.Method, r.URL.Path, name)
		}
		return through.RoundTrip(r)
	}
}

// says answers with a status, a body, and headers as pairs of name and value.
func says(status int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

// counted counts the requests in n.
func counted(n *int, answer http.HandlerFunc) http.HandlerFunc {
	var mu sync.Mutex
	return func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		*n++
		mu.Unlock()
		answer(w, r)
	}
}

func fixture(t testing.TB, name string) string {
	t.Helper()
	content, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// wantFault returns the fault that err must be.
func wantFault(t testing.TB, err error, code fault.Code) *fault.Error {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want %s", code)
	}
	f := fault.From(err)
	if f.Code != code {
		t.Fatalf("error %v, want %s", err, code)
	}
	return f
}

func withTimeout(t testing.TB, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

type note struct {
	ID int64 `json:"id"`
}

func post(ctx context.Context, c *Client) error {
	_, err := TodosIn.Post(ctx, c, map[string]string{"content": "x"}, 5)
	return err
}

func put(ctx context.Context, c *Client) error {
	_, err := TodoAt.Put(ctx, c, map[string]string{"content": "x"}, 5)
	return err
}

func remove(ctx context.Context, c *Client) error {
	return TodoDone.Delete(ctx, c, 5)
}

func read5(ctx context.Context, c *Client) error {
	_, err := TodoAt.Get(ctx, c, 5)
	return err
}

// fixed is a token source with one credential.
type fixed Credential

func (f fixed) Credential(context.Context, string) (Credential, error) { return Credential(f), nil }

func unreachable(t testing.TB) func(*http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		t.Errorf("%s received a request", r.URL)
		return nil, http.ErrServerClosed
	}
}

func errOf[T any](_ T, err error) error { return err }

// sandboxClient returns a client of a person in the sandbox.
func sandboxClient(t *testing.T, s *sandbox.Sandbox, person string) *Client {
	return client(t, Config{
		BaseURL:   sandbox.BaseURL,
		Transport: s.Transport(),
		Tokens:    fixed{AccessToken: s.Person(person).Token, Account: s.Account(), Person: person}.Credential,
	})
}

// inFernhill runs a test with the sandbox and a client of Ines Albrecht, on a fake clock.
func inFernhill(t *testing.T, work func(t *testing.T, s *sandbox.Sandbox, c *Client)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := sandbox.New(sandbox.Options{RateLimit: -1})
		work(t, s, sandboxClient(t, s, "Ines Albrecht"))
	})
}

func TestAnInactiveAccountHasItsOwnMessage(t *testing.T) {
	s := sandbox.New(sandbox.Options{})
	c := client(t, Config{
		BaseURL: sandbox.BaseURL, Transport: s.Transport(),
		Tokens: fixed{AccessToken: s.People()[0].Token, Account: s.InactiveAccount(), Person: "ines"}.Credential,
	})
	inactive := wantFault(t, errOf(Me.Get(t.Context(), c)), fault.NotFound)
	missing := wantFault(t, errOf(TodoAt.Get(t.Context(), sandboxClient(t, s, s.People()[0].Name), 1)), fault.NotFound)
	if inactive.Message == missing.Message {
		t.Error(inactive.Message)
	}
}
