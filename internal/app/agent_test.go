package app

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/app/awsstores"
	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/proof/mcptest"
	"basecamp-mcp/internal/store/dynamo/dynamotest"
)

// way is an interface and a protocol by which a client calls tools.
type way string

const (
	handshake way = "2025-11-25" // and a session
	stateless way = "2026-07-28"
	bridged   way = "bridge"
)

// agent is a client of one user.
type agent struct {
	*place
	way
	bearer  string
	session string // with a handshake; "" sends none
	path    string // below /mcp
}

type args = map[string]any

// agentOf logs a user in with a client of a way.
func (p *place) agentOf(handle string, w way) *agent {
	p.Helper()
	access := p.LogIn(handle).Access
	return p.with(access, w)
}

// with returns a client with a bearer token.
func (p *place) with(bearer string, w way) *agent {
	p.Helper()
	a := &agent{place: p, way: w, bearer: bearer}
	return a.reopened()
}

// reopened returns the same client and connection, in a new session if it has sessions.
func (a *agent) reopened() *agent {
	a.Helper()
	fresh := *a
	if a.way == handshake {
		fresh.session = ""
		_, header, body := fresh.request("initialize", "", args{
			"protocolVersion": string(a.way), "capabilities": args{}, "clientInfo": args{"name": "Plumcot", "version": "1"},
		})
		if fresh.session = header.Get("Mcp-Session-Id"); fresh.session == "" {
			a.Fatalf("initialize opens no session: %s", body)
		}
	}
	return &fresh
}

// by returns the same user as a client of another way.
func (a *agent) by(w way) *agent {
	a.Helper()
	return a.with(a.bearer, w)
}

// request sends one MCP message. named is the tool or the resource that it names.
func (a *agent) request(method, named string, params args) (status int, header http.Header, body string) {
	a.Helper()
	params = maps.Clone(params)
	headers := []string{"Accept", "application/json, text/event-stream", "Mcp-Protocol-Version", string(a.way)}
	if a.way == stateless {
		params["_meta"] = args{
			"io.modelcontextprotocol/protocolVersion":    string(a.way),
			"io.modelcontextprotocol/clientInfo":         args{"name": "Plumcot", "version": "1"},
			"io.modelcontextprotocol/clientCapabilities": args{},
		}
		headers = append(headers, "Mcp-Method", method, "Mcp-Name", named)
	}
	headers = append(headers, "Mcp-Session-Id", a.session)
	message := a.encoded(args{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	return mcptest.Ask(a, http.MethodPost, a.URL+"/mcp"+a.path, a.bearer, message, headers...)
}

func (a *agent) encoded(v any) string {
	a.Helper()
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		a.Fatal(err)
	}
	return b.String()
}

// result sends a message and decodes its result into an object.
func (a *agent) result(method, named string, params args, into any) {
	a.Helper()
	status, _, body := a.request(method, named, params)
	answer := struct{ Result, Error json.RawMessage }{}
	if err := json.Unmarshal([]byte(body), &answer); err != nil || status != http.StatusOK || answer.Error != nil {
		a.Fatalf("%s %s: HTTP %d %s", method, named, status, body)
	}
	if err := json.Unmarshal(answer.Result, into); err != nil {
		a.Fatalf("%s %s: %v: %s", method, named, err, body)
	}
}

// reply is the answer of a tool: its result or its error.
type reply struct {
	failed bool
	text   string // as it came, in JSON
	said   args
}

func (r reply) at(names ...string) (v any) {
	v = r.said
	for _, name := range names {
		object, _ := v.(args)
		v = object[name]
	}
	return v
}

// call calls a tool. It omits nil arguments.
func (a *agent) call(tool string, arguments any) reply {
	a.Helper()
	if a.way == bridged {
		return a.bridge(tool, arguments)
	}
	params := args{"name": tool}
	if arguments != nil {
		params["arguments"] = arguments
	}
	var r struct {
		IsError           bool
		StructuredContent json.RawMessage
		Content           []struct{ Text string }
		ResultType        string
	}
	a.result("tools/call", tool, params, &r)
	if len(r.Content) != 1 || (a.way == stateless) != (r.ResultType == "complete") {
		a.Fatalf("%s: %+v", tool, r)
	}
	text := r.Content[0].Text
	// The text block has the same JSON as the structured content.
	if r.IsError && r.StructuredContent != nil || !r.IsError && !cmp.Equal(decoded(r.StructuredContent), decoded([]byte(text))) {
		a.Errorf("%s says in words %s, and besides %s", tool, text, r.StructuredContent)
	}
	said, _ := decoded([]byte(text)).(args)
	return reply{r.IsError, text, said}
}

func (a *agent) bridge(tool string, arguments any) reply {
	a.Helper()
	body := ""
	if arguments != nil {
		body = a.encoded(arguments)
	}
	status, _, text := mcptest.Ask(a, http.MethodPost, a.URL+"/tools/"+tool, a.bearer, body)
	var r struct {
		IsError *bool `json:"is_error"`
		Result  json.RawMessage
	}
	if err := json.Unmarshal([]byte(text), &r); err != nil || status != http.StatusOK || r.IsError == nil {
		a.Fatalf("%s: HTTP %d %s", tool, status, text)
	}
	if !*r.IsError {
		said, _ := decoded(r.Result).(args)
		return reply{false, string(r.Result), said}
	}
	said, _ := decoded([]byte(text)).(args)
	said["message"] = said["error"] // the bridge has it there
	return reply{true, text, said}
}

// must makes a call that has to succeed.
func (a *agent) must(tool string, arguments any) reply {
	a.Helper()
	r := a.call(tool, arguments)
	if r.failed {
		a.Fatalf("%s %v: %s", tool, arguments, r.text)
	}
	return r
}

// refuses makes a call and checks that it fails with a code and a message.
func (a *agent) refuses(tool string, arguments any, code, says string) reply {
	a.Helper()
	r := a.call(tool, arguments)
	message, _ := r.at("message").(string)
	if !r.failed || r.at("error_code") != code || !strings.Contains(message, says) {
		a.Errorf("%s %v: want %s that says %q, got %s", tool, arguments, code, says, r.text)
	}
	return r
}

// rule is a statement that is true for every way and every storage. The sentence is its name.
type rule struct {
	name  string
	holds func(a *agent)
}

// hold checks the rules as Ines Albrecht by each of the ways, with two instances in turns, each
// time with new storage.
func hold(t *testing.T, kept func(t *testing.T) []storage, rules []rule, ways ...way) {
	t.Helper()
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			for _, w := range ways {
				t.Run(string(w), func(t *testing.T) { r.holds(openOn(t, config.Config{}, kept(t)...).agentOf("ines", w)) })
			}
		})
	}
}

// twoInMemory returns the storage of two instances that share a memory.
func twoInMemory(*testing.T) []storage { return slices.Repeat([]storage{inMemory("", "")}, 2) }

// twoOn returns the storage of two instances, on a new table and new secrets each time.
func twoOn(where config.AWS) func(t *testing.T) []storage {
	return func(t *testing.T) []storage {
		t.Helper()
		return instances(t, newTable(t, where), 2)
	}
}

func newTable(t *testing.T, where config.AWS) config.AWS {
	t.Helper()
	where.Table = (&dynamotest.Server{Endpoint: where.DynamoDB}).Table(t)
	where.SecretPrefix = where.Table + "/"
	return where
}

// instances returns several storages of one place, as the instances of one deployment have them.
func instances(t *testing.T, where config.AWS, n int) (storages []storage) {
	t.Helper()
	for range n {
		s := must(inAWS(where, quiet, awsstores.Outbound(), demoCredentials))
		storages = append(storages, s)
	}
	return storages
}

func TestRules_HoldInMemory(t *testing.T) {
	hold(t, twoInMemory, rulebook, handshake, stateless, bridged)
}

func TestRules_HoldInAWS(t *testing.T) {
	hold(t, twoOn(inStandIns(t)), rulebook, handshake, stateless) // a table is used in the same way by the bridge
}

func decoded(text []byte) (v any) {
	_ = json.Unmarshal(text, &v)
	return v
}
