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
	"time"

	"basecamp-mcp/internal/basecamp/sandbox/documented"
	"basecamp-mcp/internal/fault"
)

const (
	agent   = "fernhill-mcp (ops@fernhill.example)"
	account = "/77001"
)

// keyring gives each person the tokens it is made of, one after another.
type keyring struct {
	mu      sync.Mutex
	tokens  []string
	refused []string
	err     error
}

type personKey struct{}

func as(ctx context.Context, person string) context.Context {
	return context.WithValue(ctx, personKey{}, person)
}

func (k *keyring) Credential(ctx context.Context, refused string) (Credential, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if refused != "" {
		k.refused = append(k.refused, refused)
		if k.err != nil {
			return Credential{}, k.err
		}
		k.tokens = k.tokens[1:]
	}
	person, _ := ctx.Value(personKey{}).(string)
	if person == "" {
		person = "nora"
	}
	return Credential{AccessToken: k.tokens[0], Account: 77001, Person: person}, nil
}

func tokens(t ...string) *keyring { return &keyring{tokens: t} }

// server starts a Basecamp that answers as told, and a client of it.
func server(t testing.TB, answer http.HandlerFunc) *Client {
	t.Helper()
	s := httptest.NewServer(answer)
	t.Cleanup(s.Close)
	return client(t, Config{BaseURL: s.URL})
}

// wire is a Basecamp without a network in between, for tests whose clock is not the world's.
type wire func(*http.Request) (*http.Response, error)

func (w wire) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return w(r)
}

// wired is a client of such a Basecamp.
func wired(t testing.TB, answer http.HandlerFunc) *Client {
	t.Helper()
	return client(t, Config{Transport: transportOf(answer)})
}

func transportOf(answer http.HandlerFunc) wire {
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
		config.Tokens = tokens("token-1", "token-2", "token-3")
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

// documentedOnly fails the test when Basecamp is asked for a route, a query name or a body field that it does not document.
func documentedOnly(t testing.TB, config Config) wire {
	table, basecamp, through := documented.Read(), strings.TrimPrefix(config.BaseURL, "https://"), config.Transport
	return func(r *http.Request) (*http.Response, error) {
		segments := strings.Split(strings.TrimSuffix(r.URL.Path, ".json"), "/")
		if r.URL.Host != basecamp || len(segments) < 3 {
			return through.RoundTrip(r)
		}
		route := table.Find(r.Method, segments[2:]) // behind the account
		if route == nil {
			t.Errorf("%s %s is no documented route", r.Method, r.URL.Path)
			return through.RoundTrip(r)
		}
		fields := map[string]json.RawMessage{}
		if r.GetBody != nil {
			body, err := r.GetBody()
			if err != nil {
				t.Error(err)
				return through.RoundTrip(r)
			}
			_ = json.NewDecoder(body).Decode(&fields) // a file is no JSON
		}
		for _, name := range slices.Concat(route.Query(r.URL.Query()), route.Fields(fields)) {
			t.Errorf("%s %s has no documented %q", r.Method, r.URL.Path, name)
		}
		return through.RoundTrip(r)
	}
}

// replies answers a request each with what stands next, and the last for ever.
func replies(answers ...http.HandlerFunc) http.HandlerFunc {
	var mu sync.Mutex
	return func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		answer := answers[0]
		if len(answers) > 1 {
			answers = answers[1:]
		}
		mu.Unlock()
		answer(w, r)
	}
}

// says answers with a status, a body and headers in pairs.
func says(status int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

// counted counts requests in n, to be read once they are answered.
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

// failed gives the fault that err must be.
func failed(t testing.TB, err error, code fault.Code) *fault.Error {
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

// soon is a caller with that much time.
func soon(t testing.TB, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

type note struct {
	ID int64 `json:"id"`
}

func post(ctx context.Context, c *Client) error {
	_, err := send[note](ctx, c, http.MethodPost, at("todolist", 5, "todolists/%d/todos.json"), map[string]string{"content": "x"})
	return err
}

func put(ctx context.Context, c *Client) error {
	_, err := send[note](ctx, c, http.MethodPut, at("todo", 5, "todos/%d.json"), map[string]string{"content": "x"})
	return err
}

func remove(ctx context.Context, c *Client) error {
	_, err := send[note](ctx, c, http.MethodDelete, at("todo", 5, "todos/%d/completion.json"), nil)
	return err
}

func read5(ctx context.Context, c *Client) error {
	_, err := c.Todo(ctx, 5)
	return err
}

// fixed is a token source with one answer.
type fixed Credential

func (f fixed) Credential(context.Context, string) (Credential, error) { return Credential(f), nil }

func unreachable(t testing.TB) func(*http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		t.Errorf("%s was asked", r.URL)
		return nil, http.ErrServerClosed
	}
}

func errOf[T any](_ T, err error) error { return err }
