package upstream

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/wire/writeplan"
)

// account is a user of Acme, the provider of these tests.
type account struct {
	user   string
	tokens []string // Renew moves to the next one
	err    error    // of Renew

	mu      sync.Mutex
	renewed int
}

func newAccount(user string) *account {
	return &account{user: user, tokens: []string{"token-1", "token-2", "token-3"}}
}

func (a *account) Authorize(h http.Header) {
	a.mu.Lock()
	defer a.mu.Unlock()
	h.Set("Authorization", "Bearer "+a.tokens[a.renewed])
}

func (a *account) Opposite(context.Context, *writeplan.Journal) (func([]byte) []writeplan.Step, error) {
	return func([]byte) []writeplan.Step { return []writeplan.Step{{What: "write"}} }, nil
}

func (a *account) Plan(_ context.Context, plan *writeplan.Plan) ([]byte, error) {
	plan.Record(writeplan.Write{What: "write", Made: plan.MakeUp().String()})
	return []byte(`{"id": -1}`), nil
}

func (a *account) Renew(context.Context) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.renewed++
	return a.err
}

// Fault has two ways to limit the rate: 429, and 403 with an exhausted limit.
func (a *account) Fault(answer Answer) *fault.Error {
	switch answer.Status {
	case http.StatusUnauthorized:
		return fault.New(fault.TokenExpired, "connect to Acme again")
	case http.StatusForbidden:
		if answer.Header.Get("X-RateLimit-Remaining") == "0" {
			f := fault.New(fault.RateLimited, "Acme asks to slow down")
			f.RetryAfter = 4 * time.Second
			return f
		}
		return fault.New(fault.PermissionDenied, "not allowed in Acme")
	case http.StatusNotFound:
		return fault.New(fault.NotFound, "not in Acme")
	case http.StatusUnprocessableEntity:
		f := fault.New(fault.InvalidInput, "Acme did not accept the input")
		f.Upstream = &fault.Upstream{Message: "name is too long"}
		return f
	case http.StatusTooManyRequests:
		return fault.New(fault.RateLimited, "Acme asks to slow down")
	}
	return fault.New(fault.UpstreamError, "Acme has a problem")
}

var testRate = Rate{Burst: 15, Refill: time.Second / 3, Window: 11 * time.Second, PerWindow: 45, Spare: 3}

func newClient(transport http.RoundTripper) *Client {
	return New(Config{
		ID: "acme", Name: "Acme", UserAgent: "test (ops@acme.example)", RequestIDHeader: "X-Request-Id",
		Transport: transport, Rate: testRate,
	})
}

// answering returns a client of an API without a network in between, for tests with their own
// clock.
func answering(answer http.HandlerFunc) *Client { return newClient(transportOf(answer)) }

// transport passes requests to a function.
type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return t(r)
}

func transportOf(answer http.HandlerFunc) transport {
	return func(r *http.Request) (*http.Response, error) {
		recorder := httptest.NewRecorder()
		answer(recorder, r)
		return recorder.Result(), nil
	}
}

// item is a thing that Acme stores.
type item struct {
	ID   int64
	Name string
}

func requestFor(call *account, method, address string) Request {
	u, err := url.Parse(address)
	if err != nil {
		panic(err)
	}
	return Request{Call: call, User: call.user, Method: method, URL: u, About: fault.Resource{Type: "item", ID: "5"}}
}

const itemURL = "https://api.acme.example/items/5"

func read(ctx context.Context, c *Client, call *account) (item, error) {
	return readURL(ctx, c, call, itemURL)
}

func readURL(ctx context.Context, c *Client, call *account, address string) (item, error) {
	return Read(ctx, c, requestFor(call, http.MethodGet, address), func(a Answer, kept item) (item, error) {
		if a.Unchanged() {
			return kept, nil
		}
		var v item
		err := json.Unmarshal(a.Body, &v)
		return v, err
	})
}

func write(ctx context.Context, c *Client, r Request) error {
	r.Body = []byte(`{"name":"x"}`)
	_, err := Send[item](ctx, c, r, json.Unmarshal)
	return err
}

func get(ctx context.Context, c *Client) error {
	_, err := read(ctx, c, newAccount("nora"))
	return err
}

func post(ctx context.Context, c *Client) error {
	return write(ctx, c, requestFor(newAccount("nora"), http.MethodPost, itemURL))
}

// methods has one request of each method.
var methods = map[string]func(context.Context, *Client) error{
	http.MethodGet:  get,
	http.MethodPost: post,
	http.MethodPut: func(ctx context.Context, c *Client) error {
		return write(ctx, c, requestFor(newAccount("nora"), http.MethodPut, itemURL))
	},
	http.MethodDelete: func(ctx context.Context, c *Client) error {
		return write(ctx, c, requestFor(newAccount("nora"), http.MethodDelete, itemURL))
	},
}

// inTurn answers each request with the next answer, and all further requests with the last one.
func inTurn(answers ...http.HandlerFunc) http.HandlerFunc {
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

// tagged answers with an ETag, and to who has that with 304.
func tagged(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("If-None-Match") != "" {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	says(200, `{"id": 5}`, "ETag", `"a"`)(w, r)
}

// unconditionally answers, and refuses a question about an answer that was kept.
func unconditionally(t *testing.T, answer http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("If-None-Match"); got != "" {
			t.Errorf("%s with If-None-Match = %q", r.URL, got)
		}
		answer(w, r)
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

// hang answers a request only with the end of its context.
func hang(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
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

type result struct {
	took   time.Duration
	failed int64
}

// concurrently calls do n times at the same time, on the test's own clock.
func concurrently(n int, do func() error) result {
	start := time.Now()
	var failures atomic.Int64
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			if do() != nil {
				failures.Add(1)
			}
		})
	}
	all.Wait()
	return result{took: time.Since(start), failed: failures.Load()}
}
