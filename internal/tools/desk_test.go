package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/memory"
	"basecamp-mcp/internal/task"
	"basecamp-mcp/internal/todolist"
	requests "basecamp-mcp/internal/upstream"
)

// desk is somebody at work: tools on one side, Fernhill Bikes on the other. Tools are called the way the endpoint calls
// them, and every answer is held against the tool's output schema.
type desk struct {
	testing.TB
	sandbox *sandbox.Sandbox
	client  *basecamp.Client
	server  *mcptool.Server
	tokens  map[string]basecamp.Credential
	who     identity.Caller

	readOnly bool      // whether it is called by an endpoint for reads alone
	handlers *sync.Map // of what Handler made, by endpoint; nil: make one for every call
}

// at runs a test at Ines Albrecht's desk, where waiting takes no time.
func at(t *testing.T, work func(d *desk)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { work(newDesk(t, sandbox.Options{})) })
}

func newDesk(t testing.TB, options sandbox.Options) *desk {
	options.Undocumented = func(problem string) { t.Errorf("Basecamp was asked for what it does not document: %s", problem) }
	d := &desk{TB: t, sandbox: sandbox.New(options), tokens: map[string]basecamp.Credential{}, handlers: &sync.Map{}}
	company := d.sandbox.Transport()
	client, err := basecamp.New(basecamp.Config{
		BaseURL: sandbox.BaseURL, UserAgent: "test (test@fernhill.example)", Transport: company, Outside: company, Tokens: d,
	})
	if err != nil {
		t.Fatal(err)
	}
	d.client = client
	catalog := Catalog(Sources{Basecamp: client, Lists: todolist.New(memory.NewTodolists(nil), nil), Tasks: task.New(memory.NewTasks(), nil)})
	d.server = mcptool.NewServer(catalog, mcptool.Options{Name: "test", Version: "1", Log: slog.New(slog.DiscardHandler), Meter: requests.Meter})
	for _, person := range d.sandbox.People() {
		d.tokens[person.Name] = basecamp.Credential{AccessToken: person.Token, Account: d.sandbox.Account(), Person: person.Name}
	}
	stranger := d.sandbox.Stranger()
	d.tokens[stranger.Name] = basecamp.Credential{AccessToken: stranger.Token, Account: d.sandbox.OtherAccount(), Person: stranger.Name}
	return d.as("Ines Albrecht")
}

// schemas are the output schemas of all tools, ready to be held against answers.
var schemas = sync.OnceValue(func() map[string]*jsonschema.Resolved {
	all := map[string]*jsonschema.Resolved{}
	for _, toolset := range Catalog(Sources{}) {
		for _, tool := range toolset.Tools {
			all[tool.Name] = resolved(tool.OutputSchema())
		}
	}
	return all
})

func resolved(raw json.RawMessage) *jsonschema.Resolved {
	var s jsonschema.Schema
	if err := json.Unmarshal(raw, &s); err != nil {
		panic(err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		panic(err)
	}
	return r
}

// Credential is the token of whoever calls. A refused one is gone for good.
func (d *desk) Credential(ctx context.Context, refused string) (basecamp.Credential, error) {
	caller, _ := identity.From(ctx)
	credential := d.tokens[caller.Subject]
	if refused == credential.AccessToken {
		return basecamp.Credential{}, fault.New(fault.TokenExpired, "connect again")
	}
	return credential, nil
}

// as is the same desk with another person at it.
func (d *desk) as(name string) *desk {
	other := *d
	other.who = identity.Caller{Subject: name, Scopes: []identity.Scope{identity.Read, identity.Write}}
	return &other
}

type args map[string]any

// raw calls a tool and gives its text block, behind which there may be images.
func (d *desk) raw(tool string, arguments any) (text string, isError bool) {
	d.Helper()
	answer := d.answer(tool, arguments)
	var response struct {
		Result struct {
			Content           []struct{ Text string }
			StructuredContent json.RawMessage
			IsError           bool
		}
	}
	if err := json.Unmarshal([]byte(answer), &response); err != nil || len(response.Result.Content) == 0 {
		d.Fatalf("%s %v: %s", tool, arguments, answer)
	}
	text = response.Result.Content[0].Text
	if !response.Result.IsError {
		d.holdAgainstSchema(tool, text, response.Result.StructuredContent)
	}
	return text, response.Result.IsError
}

// answer calls a tool and gives the whole message that came back.
func (d *desk) answer(tool string, arguments any) string {
	d.Helper()
	data, err := json.Marshal(arguments)
	if err != nil {
		d.Fatal(err)
	}
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, data)
	r := httptest.NewRequestWithContext(identity.With(context.Background(), d.who), http.MethodPost, "/mcp", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	d.handler().ServeHTTP(w, r)
	return w.Body.String()
}

// An endpoint is what a handler is made of.
type endpoint struct {
	server   *mcptool.Server
	readOnly bool
}

// handler makes a handler for each endpoint once: to make one for every call took a tenth of all time.
func (d *desk) handler() http.Handler {
	if d.handlers == nil {
		return d.server.Handler(Toolsets(), d.readOnly)
	}
	which := endpoint{d.server, d.readOnly}
	if made, ok := d.handlers.Load(which); ok {
		return made.(http.Handler)
	}
	made, _ := d.handlers.LoadOrStore(which, d.server.Handler(Toolsets(), d.readOnly))
	return made.(http.Handler)
}

func (d *desk) holdAgainstSchema(tool, text string, structured json.RawMessage) {
	d.Helper()
	var fromText, fromStructured any
	if json.Unmarshal([]byte(text), &fromText) != nil || json.Unmarshal(structured, &fromStructured) != nil || !reflect.DeepEqual(fromText, fromStructured) {
		d.Errorf("%s: text and structured content differ", tool)
	}
	if err := schemas()[tool].Validate(fromText); err != nil {
		d.Errorf("%s: answer breaks its schema: %v\n%s", tool, err, text)
	}
	if len(text) > 50_000 && strings.HasPrefix(tool, "list_") {
		d.Errorf("%s: answer of %d bytes", tool, len(text))
	}
}

// call calls a tool that must succeed.
func call[T any](d *desk, tool string, arguments any) T {
	d.Helper()
	text, isError := d.raw(tool, arguments)
	if isError {
		d.Fatalf("%s %v: %s", tool, arguments, text)
	}
	var answer T
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		d.Fatalf("%s %v: %v in %s", tool, arguments, err, text)
	}
	return answer
}

type failed struct {
	ErrorCode         fault.Code `json:"error_code"`
	Message           string
	Retryable         bool
	RetryAfterSeconds int `json:"retry_after_seconds"`
	Data              struct {
		Code       int
		Candidates []fault.Candidate
		Validation []fault.Violation
		Upstream   *fault.Upstream
	}
}

// fails calls a tool that must fail with a code, in a message that says all of the words.
func (d *desk) fails(code fault.Code, tool string, arguments any, words ...string) failed {
	d.Helper()
	text, isError := d.raw(tool, arguments)
	var f failed
	if err := json.Unmarshal([]byte(text), &f); err != nil || !isError || f.ErrorCode != code {
		d.Fatalf("%s %v: want %s, got %s", tool, arguments, code, text)
	}
	for _, word := range words {
		if !strings.Contains(f.Message, word) {
			d.Errorf("%s %v: %q does not say %q", tool, arguments, f.Message, word)
		}
	}
	return f
}

// meanwhile does something in Basecamp by other means, as a colleague would.
func (d *desk) meanwhile(method, path, body string) {
	d.Helper()
	time.Sleep(time.Second) // of the test's own time: Basecamp counts this request too
	url := fmt.Sprintf("%s/%d%s", sandbox.BaseURL, d.sandbox.Account(), path)
	r, err := http.NewRequestWithContext(context.Background(), method, url, strings.NewReader(body))
	if err != nil {
		d.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+d.sandbox.People()[0].Token)
	r.Header.Set("User-Agent", "test (test@fernhill.example)")
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	response, err := d.sandbox.Transport().RoundTrip(r)
	if err != nil || response.StatusCode >= 300 {
		d.Fatalf("%s %s: %v %v", method, path, response, err)
	}
	_ = response.Body.Close()
}

// asked counts the requests that reach Basecamp while work is done.
func (d *desk) asked(work func()) []string {
	d.sandbox.ResetRequests()
	work()
	var lines []string
	for _, r := range d.sandbox.Requests() {
		line := r.Method + " " + r.Path
		if r.Query != "" {
			line += "?" + r.Query
		}
		lines = append(lines, line)
	}
	return lines
}

// all pages through a list to its end by cursor.
func all[T any](d *desk, tool string, arguments args) []T {
	d.Helper()
	var items []T
	arguments = clone(arguments)
	for range 200 {
		p := call[listing.Page[T]](d, tool, arguments)
		if p.HasMore != (p.NextCursor != nil) {
			d.Fatalf("%s: has_more is %v with cursor %v", tool, p.HasMore, p.NextCursor)
		}
		items = append(items, p.Items...)
		if !p.HasMore {
			return items
		}
		arguments["cursor"] = *p.NextCursor
		delete(arguments, "page")
	}
	d.Fatalf("%s: no end after 200 pages", tool)
	return nil
}

func clone(a args) args {
	return maps.Clone(a)
}

func ids[T any](items []T, id func(T) int64) []int64 {
	all := make([]int64, len(items))
	for i, item := range items {
		all[i] = id(item)
	}
	return all
}

func distinct(ids []int64) int { return len(slices.Compact(slices.Sorted(slices.Values(ids)))) }
