package basecamptools

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/own/calls"
	"basecamp-mcp/internal/own/undo"
	"basecamp-mcp/internal/proof/mcptest"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/mcptool"
	requests "basecamp-mcp/internal/wire/upstream"
)

// toolEnv calls the tools as a user of Fernhill Bikes, in the same way as the endpoint. It holds
// every answer against the tool's output schema, and asks lists for full detail
// unless short is set.
type toolEnv struct {
	testing.TB

	sandbox *sandbox.Sandbox
	client  *basecamp.Client
	server  *mcptool.Server
	tokens  map[string]basecamp.Credential
	who     identity.Caller

	readOnly bool      // call the read-only endpoint
	short    bool      // ask lists for what they show by default
	handlers *sync.Map // by endpoint; nil makes a new one for every call
}

// at runs a test as Ines Albrecht, on a fake clock. A test that calls it directly runs in
// parallel with others.
func at(t *testing.T, work func(d *toolEnv)) {
	t.Helper()
	bubble(t, sandbox.Options{}, work)
}

// unlimited runs a test as at does, but without Basecamp's rate limit.
func unlimited(t *testing.T, work func(d *toolEnv)) {
	t.Helper()
	bubble(t, sandbox.Options{RateLimit: -1}, work)
}

func bubble(t *testing.T, options sandbox.Options, work func(d *toolEnv)) {
	t.Helper()
	if _, again := parallel.LoadOrStore(t, true); !again && !strings.Contains(t.Name(), "/") {
		t.Parallel()
	}
	synctest.Test(t, func(t *testing.T) { work(newToolEnv(t, options)) })
}

// parallel holds the tests that run in parallel with others.
var parallel sync.Map

func newToolEnv(t testing.TB, options sandbox.Options) *toolEnv {
	return newToolEnvOn(t, options, func(company http.RoundTripper) http.RoundTripper { return company })
}

// newToolEnvOn does what newToolEnv does, with a transport on that of the sandbox.
func newToolEnvOn(t testing.TB, options sandbox.Options, on func(http.RoundTripper) http.RoundTripper) *toolEnv {
	options.Undocumented = func(problem string) { t.Errorf("Basecamp was asked for what it does not document: %s", problem) }
	d := &toolEnv{TB: t, sandbox: sandbox.New(options), tokens: map[string]basecamp.Credential{}, handlers: &sync.Map{}}
	company := on(d.sandbox.Transport())
	client, err := basecamp.New(basecamp.Config{
		BaseURL: sandbox.BaseURL, UserAgent: "test (test@fernhill.example)", Transport: company, Outside: company, Tokens: d.Credential,
		Unlimited: options.RateLimit < 0,
	})
	if err != nil {
		t.Fatal(err)
	}
	d.client = client
	d.server = d.serverWith(nil)
	for _, person := range d.sandbox.People() {
		d.tokens[person.Name] = basecamp.Credential{AccessToken: person.Token, Account: d.sandbox.Account(), Person: person.Name}
	}
	stranger := d.sandbox.Stranger()
	d.tokens[stranger.Name] = basecamp.Credential{AccessToken: stranger.Token, Account: d.sandbox.OtherAccount(), Person: stranger.Name}
	return d.as("Ines Albrecht")
}

// serverWith returns a server of the tools that keeps how writes are undone; nil does not.
func (d *toolEnv) serverWith(kept *calls.Log) *mcptool.Server {
	return mcptool.NewServer(New(d.client, nil, nil).Toolsets(), mcptool.Options{
		Name: "test", Version: "1", Log: slog.New(slog.DiscardHandler), Meter: requests.Meter,
		Calls: kept, Restorers: map[string]undo.Restorer{basecamp.ProviderID: {Restore: d.client.Restore, Title: d.client.ItemTitle}},
	})
}

// schemas are the output schemas of Basecamp's tools.
var schemas = sync.OnceValue(func() map[string]*jsonschema.Resolved {
	all := map[string]*jsonschema.Resolved{}
	for _, tool := range append(ofBasecamp(), mcptool.NewServer(nil, mcptool.Options{Calls: new(calls.Log)}).BuiltIn().Tools...) {
		all[tool.Name] = mcptest.Schema(tool.OutputSchema())
	}
	return all
})

// lists are Basecamp's tools whose answers the framework shortens. get_activity and get_report take
// detail too, but have shapes of their own for each.
var lists = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for _, tool := range ofBasecamp() {
		all[tool.Name] = tool.Name != "get_activity" && tool.Name != "get_report" && mcptest.IsList(tool.InputSchema())
	}
	return all
})

// ofBasecamp returns the tools that work on Basecamp.
func ofBasecamp() []mcptool.Tool {
	var tools []mcptool.Tool
	for _, toolset := range New(nil, nil, nil).Toolsets() {
		tools = append(tools, toolset.Tools...)
	}
	return tools
}

// Credential returns the caller's token, and an error once Basecamp has refused it.
func (d *toolEnv) Credential(ctx context.Context, refused string) (basecamp.Credential, error) {
	caller, _ := identity.From(ctx)
	credential := d.tokens[caller.Subject]
	if caller.Account != 0 { // of a connection with several
		credential.Account = caller.Account
	}
	if refused == credential.AccessToken {
		return basecamp.Credential{}, fault.New(fault.TokenExpired, "connect again")
	}
	return credential, nil
}

// as returns the environment of another user.
func (d *toolEnv) as(name string) *toolEnv {
	other := *d
	other.who = identity.Caller{Subject: name, Scopes: []identity.Scope{identity.Read, identity.Write}}
	return &other
}

type args map[string]any

// caller returns the environment as a client of its server.
func (d *toolEnv) caller() mcptest.Client {
	c := mcptest.Client{TB: d, Handler: d.handler(), Caller: d.who, Schemas: schemas()}
	if !d.short {
		c.Lists = lists()
	}
	return c
}

// raw calls a tool and returns the text of its answer's first block.
func (d *toolEnv) raw(tool string, arguments any) (text string, isError bool) {
	d.Helper()
	return d.caller().Raw(tool, arguments)
}

// answer calls a tool and returns the whole JSON-RPC response.
func (d *toolEnv) answer(tool string, arguments any) string {
	d.Helper()
	return d.caller().Answer(tool, arguments)
}

// endpoint selects a handler.
type endpoint struct {
	server   *mcptool.Server
	readOnly bool
}

// handler returns the handler of the endpoint. It makes each only once: a new one for every call
// took a tenth of the tests' time.
func (d *toolEnv) handler() http.Handler {
	if d.handlers == nil {
		return d.server.Handler(mcptool.Selection{Toolsets: []string{Basecamp, BasecampAdmin}, ReadOnly: d.readOnly})
	}
	which := endpoint{d.server, d.readOnly}
	if made, ok := d.handlers.Load(which); ok {
		return made.(http.Handler)
	}
	made, _ := d.handlers.LoadOrStore(which, d.server.Handler(mcptool.Selection{Toolsets: []string{Basecamp, BasecampAdmin}, ReadOnly: d.readOnly}))
	return made.(http.Handler)
}

// call calls a tool that must succeed.
func call[T any](d *toolEnv, tool string, arguments any) T {
	d.Helper()
	return mcptest.Call[T](d.caller(), tool, arguments)
}

type failed = mcptest.Failure

// fails calls a tool that must fail with the code, in a message that contains all of the words.
func (d *toolEnv) fails(code fault.Code, tool string, arguments any, words ...string) failed {
	d.Helper()
	return d.caller().Fails(code, tool, arguments, words...)
}

// ask sends a request to Basecamp directly, with the token of a person. It fails unless Basecamp
// answers with one of the statuses from 200 to 399.
func (d *toolEnv) ask(token, method, path, contentType, body string) *http.Response {
	d.Helper()
	url := fmt.Sprintf("%s/%d%s", sandbox.BaseURL, d.sandbox.Account(), path)
	r, err := http.NewRequestWithContext(context.Background(), method, url, strings.NewReader(body))
	if err != nil {
		d.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("User-Agent", "test (test@fernhill.example)")
	if body != "" {
		r.Header.Set("Content-Type", contentType)
	}
	response, err := d.sandbox.Transport().RoundTrip(r)
	if err != nil || response.StatusCode >= 400 {
		d.Fatalf("%s %s: %v %v", method, path, response, err)
	}
	return response
}

// ines returns the token of Ines Albrecht.
func (d *toolEnv) ines() string { return d.sandbox.People()[0].Token }

// meanwhile changes something in Basecamp directly, as a colleague would.
func (d *toolEnv) meanwhile(method, path, body string) {
	d.Helper()
	time.Sleep(time.Second) // of the test's own time: Basecamp counts this request too
	_ = d.ask(d.ines(), method, path, "application/json", body).Body.Close()
}

// upstream reads from Basecamp directly.
func upstream[T any](d *toolEnv, path string) T {
	d.Helper()
	return decode[T](d, d.ask(d.ines(), http.MethodGet, path, "", ""))
}

// decode returns what a response of Basecamp holds.
func decode[T any](d *toolEnv, response *http.Response) (v T) {
	d.Helper()
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&v); err != nil {
		d.Fatal(err)
	}
	return v
}

// asked counts the requests that reach Basecamp while work is done. Before it counts, it waits for
// requests that an earlier call has dropped, so it must run in a synctest bubble.
func (d *toolEnv) asked(work func()) []string {
	synctest.Wait()
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

// costing calls a tool that must succeed, and returns also the requests that reach Basecamp.
func costing[T any](d *toolEnv, tool string, arguments any) (answer T, requests []string) {
	d.Helper()
	requests = d.asked(func() { answer = call[T](d, tool, arguments) })
	return answer, requests
}

// all pages through a list to its end by cursor.
func all[T any](d *toolEnv, tool string, arguments args) []T {
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

// TestMain lets the heap grow to five times what is in use. The tests make thousands of short-lived
// companies, and collecting them took a fifth of the processor time.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	m.Run()
}

// inZone runs a test as a caller whose profile has a time zone.
func inZone(t *testing.T, zone string, work func(d *toolEnv)) {
	t.Helper()
	at(t, func(d *toolEnv) {
		d.meanwhile("PUT", "/my/profile.json", fmt.Sprintf(`{"time_zone_name":%q}`, zone))
		work(d)
	})
}
