package githubtools

import (
	"context"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/github/githubtools/parts"
	"basecamp-mcp/internal/github/sandbox"
	"basecamp-mcp/internal/own/calls"
	"basecamp-mcp/internal/own/undo"
	"basecamp-mcp/internal/proof/mcptest"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/tool/mcptool"
)

const (
	configurator = "fernhill-bikes/configurator"
	launch       = "fernhill-bikes/1"
	ines         = "ines-albrecht"
)

// TestMain lets the heap grow to five times what is in use, because most of it is soon garbage.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	m.Run()
}

// toolEnv calls the tools as a person of the sandbox, in the same way as the endpoint. It holds
// every answer against the tool's output schema.
type toolEnv struct {
	testing.TB
	sandbox *sandbox.Server
	on      func(http.RoundTripper) http.RoundTripper // nil for the sandbox's own transport
	handler http.Handler
	login   string
	scope   string
	calls   *calls.Log // nil: what calls write is not kept
	fence   fence.Fence
	locked  bool // the client withholds what outsiders wrote
}

type args map[string]any

func newToolEnv(t testing.TB) *toolEnv {
	t.Helper()
	return newToolEnvOn(t, nil)
}

// newToolEnvOn does what newToolEnv does, with a transport on that of the sandbox.
func newToolEnvOn(t testing.TB, on func(http.RoundTripper) http.RoundTripper) *toolEnv {
	t.Helper()
	s := sandbox.New(sandbox.Options{Undocumented: func(request string) { t.Errorf("undocumented: %s", request) }})
	return (&toolEnv{TB: t, sandbox: s, on: on}).as(ines, "repo project read:org")
}

// as returns the environment of another person, who granted a scope.
func (d *toolEnv) as(login, scope string) *toolEnv {
	d.Helper()
	other := &toolEnv{TB: d.TB, sandbox: d.sandbox, on: d.on, login: login, scope: scope, locked: d.locked, calls: d.calls}
	client := other.client()
	server := mcptool.NewServer([]mcptool.Toolset{Toolset(client, nil)}, mcptool.Options{
		Name: "test", Version: "1", Log: slog.New(slog.DiscardHandler),
		Calls: d.calls, Restorers: map[string]undo.Restorer{github.ProviderID: {Restore: client.Restore, Title: client.ItemTitle}},
	})
	other.handler = server.Handler(mcptool.Selection{Toolsets: []string{Name}})
	return other
}

// client returns a client of the person, which changes no text.
func (d *toolEnv) client() *github.Client {
	d.Helper()
	hub := d.sandbox.Transport()
	if d.on != nil {
		hub = d.on(hub)
	}
	client, err := github.New(github.Config{
		APIURL: sandbox.APIURL, WebURL: sandbox.URL, UserAgent: "test (test@fernhill.example)", Transport: hub,
		Unlimited: true, Tokens: d.Credential, Lockdown: d.locked,
	})
	if err != nil {
		d.Fatal(err)
	}
	return client
}

// Credential returns the token of the caller in ctx, and an error once GitHub has refused it.
func (d *toolEnv) Credential(ctx context.Context, refused string) (github.Credential, error) {
	login := d.login
	if caller, ok := identity.From(ctx); ok {
		login = caller.Subject
	}
	token := d.sandbox.Person(login).Token
	if refused != "" || token == "" {
		f := fault.New(fault.NotLinked, "link GitHub")
		f.Link = &fault.Link{Provider: parts.ProviderID, Reason: fault.NeverLinked}
		if refused != "" {
			f.Code, f.Link.Reason = fault.TokenExpired, fault.Reauthorize
		}
		return github.Credential{}, f
	}
	return github.Credential{AccessToken: token, Person: login, Login: login, Scope: d.scope}, nil
}

// schemas are the output schemas of the tools.
var schemas = sync.OnceValue(func() map[string]*jsonschema.Resolved {
	all := map[string]*jsonschema.Resolved{}
	for _, tool := range append(Toolset(nil, nil).Tools, mcptool.NewServer(nil, mcptool.Options{Calls: new(calls.Log)}).BuiltIn().Tools...) {
		all[tool.Name] = mcptest.Schema(tool.OutputSchema())
	}
	return all
})

func (d *toolEnv) caller() mcptest.Client {
	who := identity.Caller{Subject: d.login, Scopes: []identity.Scope{identity.Read, identity.Write}, Fence: d.fence}
	return mcptest.Client{TB: d, Handler: d.handler, Caller: who, Schemas: schemas()}
}

// call calls a tool that must succeed. The name goes without its prefix.
func call[T any](d *toolEnv, tool string, arguments args) T {
	d.Helper()
	return mcptest.Call[T](d.caller(), "github_"+tool, arguments)
}

// only fails the test unless a list has something, and has nothing but what a filter selects.
func only[T any](d *toolEnv, tool, what string, with args, is func(T) bool) {
	d.Helper()
	p := call[parts.Page[T]](d, tool, with)
	if len(p.Items) == 0 || slices.ContainsFunc(p.Items, func(one T) bool { return !is(one) }) {
		d.Errorf("%s: %d, %+v", what, len(p.Items), p.Items)
	}
}

type failed = mcptest.Failure

// fails calls a tool that must fail with the code, in a message that contains all of the words.
func (d *toolEnv) fails(code fault.Code, tool string, arguments args, words ...string) failed {
	d.Helper()
	return d.caller().Fails(code, "github_"+tool, arguments, words...)
}

// asked returns the requests that reach GitHub while work is done, and how many of them count
// against the limit of REST.
func (d *toolEnv) asked(work func()) (requests []sandbox.Request, core int) {
	d.sandbox.ResetRequests()
	work()
	requests = d.sandbox.Requests()
	for _, r := range requests {
		if r.Operation == "" && r.Status != http.StatusNotModified {
			core++
		}
	}
	return requests, core
}

// asksNothing fails the test if work, which is about something, asks GitHub for anything.
func (d *toolEnv) asksNothing(about any, work func()) {
	d.Helper()
	if requests, _ := d.asked(work); len(requests) != 0 {
		d.Errorf("%v: asked %+v", about, requests)
	}
}

// writesNothing fails the test if work, which is about something, writes to GitHub.
func (d *toolEnv) writesNothing(about any, work func()) {
	d.Helper()
	if requests, _ := d.asked(work); len(writes(requests)) != 0 {
		d.Errorf("%v: wrote %v", about, writes(requests))
	}
}

// writes returns the requests that change something.
func writes(requests []sandbox.Request) []string {
	var found []string
	for _, r := range requests {
		if r.Operation != "" && !strings.Contains(r.Document, "mutation ") || r.Method == http.MethodGet {
			continue
		}
		found = append(found, r.Method+" "+r.Path+" "+r.Operation)
	}
	return found
}
