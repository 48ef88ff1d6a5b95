package app

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"basecamp-mcp/internal/app/awsstores"
	"basecamp-mcp/internal/app/local"
	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/proof/docstest"
	"basecamp-mcp/internal/proof/mcptest"
	"basecamp-mcp/internal/store/dynamo/dynamotest"
)

// tableRequests counts the requests to DynamoDB on the way to the network.
type tableRequests struct {
	http.RoundTripper

	mu   sync.Mutex
	sent []string
}

func (c *tableRequests) RoundTrip(r *http.Request) (*http.Response, error) {
	if operation, ok := strings.CutPrefix(r.Header.Get("X-Amz-Target"), "DynamoDB_20120810."); ok {
		c.mu.Lock()
		c.sent = append(c.sent, operation)
		c.mu.Unlock()
	}
	return c.RoundTripper.RoundTrip(r)
}

// reset returns the operations since the last reset.
func (c *tableRequests) reset() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	sent := c.sent
	c.sent = nil
	return sent
}

// counted is a client whose server's requests to DynamoDB are counted.
type counted struct {
	*agent
	requests *tableRequests
	server   atomic.Pointer[Local]
	restart  func() // replaces the server by a new instance, which has cached nothing
	tokens   mcptest.Tokens
	task     string // the ID of a task
	list     string // the ID of a checklist
	page     reply  // the first page of a list
	keys     int    // used so far
}

// countedAgent logs Ines Albrecht in, on a new table.
func countedAgent(t *testing.T, where config.AWS, w way) *counted {
	t.Helper()
	c := &counted{requests: &tableRequests{RoundTripper: awsstores.Outbound()}}
	s := must(inAWS(newTable(t, where), quiet, c.requests, demoCredentials))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { c.server.Load().Handler.ServeHTTP(w, r) }))
	t.Cleanup(server.Close)
	demo := local.NewDemo()
	c.restart = func() {
		started := must(newLocalDemo(config.Config{BasecampURL: config.Sandbox, PublicURL: server.URL}, quiet, s, demo))
		c.server.Store(&started)
	}
	c.restart()
	p := &place{Site: mcptest.Site{TB: t, URL: server.URL}, storage: s, sandbox: demo.Sandbox}
	c.tokens = p.LogIn("ines")
	c.agent = p.with(c.tokens.Access, w)
	c.must("get_me", args{})
	c.settled()
	return c
}

// settled returns the operations since its last call.
func (c *counted) settled() []string { return c.requests.reset() }

// rotate refreshes the client's tokens. Its session stays.
func (c *counted) rotate() {
	c.Helper()
	c.tokens = c.Renew(c.tokens)
	c.bearer = c.tokens.Access
}

// comment comments on a message.
func (c *counted) comment(more ...args) {
	c.Helper()
	message := fmt.Sprint("message:", c.sandbox.Find("Message", "Two Sams, one inbox"))
	c.must("create_comment", merged(args{"item": message, "body": "Done"}, more...))
}

// key returns a new idempotency key.
func (c *counted) key() args {
	c.keys++
	return args{"idempotency_key": fmt.Sprint("k", c.keys)}
}

// kindOfCall is a call whose requests to DynamoDB are counted.
type kindOfCall struct {
	name   string
	most   int              // requests
	why    string           // it is more than three for a read, or four for a write
	before func(c *counted) // not counted
	call   func(c *counted)
}

// tool returns a call with the same arguments each time.
func tool(name string, arguments args) func(c *counted) {
	return func(c *counted) { c.must(name, arguments) }
}

func listTools(c *counted) {
	if c.way != bridged {
		c.result("tools/list", "", args{}, &struct{}{})
	} else if status, _, text := mcptest.Ask(c, http.MethodGet, c.URL+"/tools", c.bearer, ""); status != http.StatusOK {
		c.Fatalf("HTTP %d %s", status, text)
	}
}

const once = "the client's first use of a new access token is stored, once for each refresh, so that its old refresh token counts as stolen from then on"

// The order matters: later calls find what earlier ones have written.
var kindsOfCalls = []kindOfCall{
	{"the list of tools", 1, "", nil, listTools},
	{"`get_me`", 2, "", nil, tool("get_me", args{})},
	{"the same, the user's first call on an instance, or after 30 s", 3, "", (*counted).restarted, tool("get_me", args{})},
	{"the same with a new access token", 3, "", (*counted).rotate, tool("get_me", args{})},
	{"the two together", 4, once, func(c *counted) { c.rotate(); c.restart() }, tool("get_me", args{})},
	{"`todolist__get` before the first write", 3, "", nil, tool("todolist__get", args{})},
	{"`todolist__set`", 6, "", nil, func(c *counted) { c.list = c.set(pending("Oil the chains")) }},
	{"the same with `list_id`", 6, "", nil, func(c *counted) { c.set(pending("Oil"), args{"list_id": c.list}) }},
	{"the same again", 6, "", nil, func(c *counted) { c.set(pending("Oil"), args{"list_id": c.list}) }},
	{"`todolist__get`", 5, "", nil, tool("todolist__get", args{})},
	{"the same on a new instance", 5, "", (*counted).restarted, tool("todolist__get", args{})},
	{"the same with `list_id`", 4, "", nil, func(c *counted) { c.must("todolist__get", args{"list_id": c.list}) }},
	{"the same with `lists`", 6, "", nil, tool("todolist__get", args{"lists": true})},
	{"`add_task`, the user's first", 7, "", nil, func(c *counted) { c.task = c.add("Oil the chains") }},
	{"`add_task`", 6, "", nil, tool("add_task", args{"title": "Oil"})},
	{"the same with `idempotency_key`", 8, "", nil, func(c *counted) { c.must("add_task", merged(args{"title": "Oil"}, c.key())) }},
	{"`list_tasks`", 4, "", nil, tool("list_tasks", args{})},
	{"the same, with more tasks than `limit`", 4, "", nil, func(c *counted) { c.page = c.must("list_tasks", args{"limit": 2}) }},
	{"the same with `cursor`", 4, "", nil, func(c *counted) { c.must("list_tasks", args{"limit": 2, "cursor": c.page.at("next_cursor")}) }},
	{"`update_task`", 7, "", nil, func(c *counted) { c.must("update_task", args{"task_id": c.task, "title": "Clean the chains"}) }},
	{"`complete_task`", 6, "", nil, func(c *counted) { c.must("complete_task", args{"task_id": c.task}) }},
	{"the same with `completed` false", 7, "", nil, func(c *counted) { c.must("complete_task", args{"task_id": c.task, "completed": false}) }},
	{"`delete_task`", 6, "", nil, func(c *counted) { c.must("delete_task", args{"task_id": c.task}) }},
	{"`create_comment`", 4, "", tool("get_me", args{}), func(c *counted) { c.comment() }},
	{"the same with `idempotency_key`", 5, "", nil, func(c *counted) { c.comment(c.key()) }},
	{"the same, the user's first call on an instance, or after 30 s", 6, "", (*counted).restarted, func(c *counted) { c.comment(c.key()) }},
	{"a repeat of that call", 4, "", nil, func(c *counted) { c.comment(args{"idempotency_key": fmt.Sprint("k", c.keys)}) }},
}

// restarted calls restart.
func (c *counted) restarted() { c.restart() }

// countRequests returns the number of requests of each kind of call, by each way.
func countRequests(t *testing.T, where config.AWS) map[way][]int {
	t.Helper()
	counts := map[way][]int{}
	for _, w := range allWays {
		c := countedAgent(t, where, w)
		for _, kind := range kindsOfCalls {
			if kind.before != nil {
				kind.before(c)
			}
			c.settled()
			kind.call(c)
			sent := c.settled()
			counts[w] = append(counts[w], len(sent))
			t.Logf("%-10s %d %s: %s", w, len(sent), kind.name, strings.Join(sent, " "))
			if len(sent) > kind.most {
				t.Errorf("%s by %s: %d requests, want at most %d", kind.name, w, len(sent), kind.most)
			}
		}
	}
	return counts
}

var allWays = []way{handshake, stateless, bridged}

// TestCalls_RequestsToDynamoDBHaveALimit also keeps the table of docs/performance.md.
func TestCalls_RequestsToDynamoDBHaveALimit(t *testing.T) {
	where := inStandIns(t)
	counts := countRequests(t, where)
	wantOneMoreIfSealed(t, where, counts)
	var table, notes strings.Builder
	table.WriteString("| call | 2025-11-25, in a session | 2026-07-28 | `/tools` |\n|---|---|---|---|\n")
	var reasons []string
	for i, kind := range kindsOfCalls {
		name := kind.name
		if kind.why != "" {
			reasons = append(reasons, kind.why)
			name += fmt.Sprintf(" (%d)", len(reasons))
			fmt.Fprintf(&notes, "%d. %s.\n", len(reasons), strings.ToUpper(kind.why[:1])+kind.why[1:])
		}
		fmt.Fprintf(&table, "| %s | %d | %d | %d |\n", name, counts[handshake][i], counts[stateless][i], counts[bridged][i])
	}
	notes.WriteString("\nWith `TokenStore=envelope`, a user's first call on an instance takes one more, which reads the user's tokens.\n")
	docstest.Section(t, "docs/performance.md", "requests to DynamoDB", table.String()+"\n"+notes.String())
}

// wantOneMoreIfSealed checks that calls take as many requests if tokens are sealed, and one more if
// the instance has not read the user's tokens yet.
func wantOneMoreIfSealed(t *testing.T, where config.AWS, counts map[way][]int) {
	t.Helper()
	where.SealsTokens, where.KeyRing = true, "ring"
	manager := secretsmanager.New(secretsmanager.Options{
		Region: where.Region, BaseEndpoint: &where.SecretsManager, Credentials: dynamotest.Client(where.SecretsManager).Options().Credentials,
	})
	if _, err := manager.CreateSecret(t.Context(), &secretsmanager.CreateSecretInput{
		Name: &where.KeyRing, SecretString: new(strings.Repeat("aB3x", 16)),
	}); err != nil {
		t.Fatal(err)
	}
	c := countedAgent(t, where, stateless)
	restart, unread, more := c.restart, false, 0
	c.restart = func() { unread = true; restart() }
	for i, kind := range kindsOfCalls {
		if kind.before != nil {
			kind.before(c)
		}
		c.settled()
		kind.call(c)
		sent, want := c.settled(), counts[stateless][i]
		if unread && len(sent) == want+1 {
			unread, more = false, more+1
			continue
		}
		if len(sent) != want {
			t.Errorf("%s with sealed tokens: %d requests, want %d: %s", kind.name, len(sent), want, strings.Join(sent, " "))
		}
	}
	if more != 3 {
		t.Errorf("%d calls read the tokens, want those of three new instances", more)
	}
}
