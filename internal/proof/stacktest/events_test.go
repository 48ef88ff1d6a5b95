package stacktest_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/own/sweep"
	"basecamp-mcp/internal/serve/lambdahttp/runtimetest"
)

// sources are the packages that the functions are built from.
var sources = map[string]string{"McpFunction": "./functions/mcp", "OAuthFunction": "./functions/oauth"}

// promise is the expected answer to an event; the event's name describes it.
type promise struct {
	status int
	page   bool              // a page for people
	has    []string          // texts that the body contains
	lacks  []string          // texts that the body must not contain
	header map[string]string // a part of each header
}

var (
	success   = []string{`"structuredContent":{`, `"content":[{`}
	challenge = map[string]string{
		"Www-Authenticate": `Bearer `,
		"X-Mcp-Challenge":  `resource_metadata="https://abc123def4.execute-api.eu-central-1.amazonaws.com/.well-known/oauth-protected-resource/mcp"`,
	}
	// CORS, for clients in browsers.
	shared = map[string]string{"Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": "WWW-Authenticate"}
	// RFC 6749 section 5.1.
	secret = map[string]string{"Cache-Control": "no-store", "Pragma": "no-cache"}
	// Against framing.
	framed = map[string]string{
		"Content-Security-Policy": "frame-ancestors 'none'", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer",
		"Cache-Control": "no-store", "Strict-Transport-Security": "max-age=", "X-Content-Type-Options": "nosniff",
	}
)

const host = "https://abc123def4.execute-api.eu-central-1.amazonaws.com"

var promises = map[string]promise{
	// MCP 2026-07-28, in which each message is independent.
	"server-discover":          {status: 200, has: []string{`"supportedVersions":["2026-07-28"`, `"basecamp-mcp"`, `"instructions":`}},
	"tools-list":               {status: 200, has: []string{`"name":"list_projects"`, `"name":"list_todos"`, `"outputSchema":`, `"resultType":"complete"`}},
	"tools-call-get-me":        {status: 200, has: append([]string{`Ines Albrecht`}, success...), lacks: []string{`"isError"`}},
	"tools-call-list-projects": {status: 200, has: append([]string{`"has_more":`}, success...), lacks: []string{`"isError"`}},
	"tools-call-add-task":      {status: 200, has: append([]string{`Order brake pads`, `"completed":false`}, success...), lacks: []string{`"isError"`}},
	// The demo has a GitHub, too.
	"tools-call-github-list-issues": {status: 200, has: append([]string{`"ref":"fernhill-bikes/configurator#`, `"has_more":true`}, success...), lacks: []string{`"isError"`}},

	// A protocol version with a handshake.
	"initialize-2025-11-25": {status: 200, has: []string{`"protocolVersion":"2025-11-25"`, `"serverInfo":`}, header: map[string]string{"Mcp-Session-Id": ""}},

	// The bridge, for programs that use the Messages API without MCP.
	"tools-get-200":       {status: 200, has: []string{`[{"name":"`, `{"name":"add_task"`, `"input_schema":{"type":"object"`}, header: map[string]string{"Etag": `"`}},
	"tools-post-call-200": {status: 200, has: []string{`{"is_error":false,"result":{`, `"has_more":`}, lacks: []string{`"structuredContent"`}},

	// Access control.
	"no-bearer-401":  {status: 401, has: []string{`"resource_metadata":`}, header: challenge},
	"bad-bearer-401": {status: 401, has: []string{`"error":"invalid_token"`}, header: challenge},

	// The metadata that clients read before a login.
	"protected-resource-metadata-mcp": {status: 200, has: []string{`"resource":"` + host + `/mcp"`, `"authorization_servers":["` + host + `"]`}, header: shared},
	"authorization-server-metadata":   {status: 200, has: []string{`"issuer":"` + host + `"`, `"code_challenge_methods_supported":["S256"]`, `"none"`}, header: shared},

	// The login. The demo's functions share no storage, so that it cannot finish; errors are the
	// same as in a real login.
	"register-201":                 {status: 201, has: []string{`"client_id":"c_`, `"redirect_uris":["http://localhost:33418/callback"`}, header: map[string]string{"Cache-Control": "no-store"}},
	"authorize-unknown-client-400": {status: 400, page: true, has: []string{"not known here"}, header: framed},
	"account-without-login-302":    {status: 302, header: map[string]string{"Location": "/oauth/start?for=account", "Cache-Control": "no-store"}},
	"landing-200":                  {status: 200, page: true, has: []string{host + "/mcp", "sandbox-ines"}, header: framed},
	"token-unknown-client-401":     {status: 401, has: []string{`"error":"invalid_client"`, `"error_description":`}, header: secret},

	"healthz": {status: 200, has: []string{`"status":"ok"`}},
}

// TestEvents_GetTheAnswersThatTheirNamesDescribe sends every file of events/ to the function that
// the template routes its path to, built like the deployed one.
func TestEvents_GetTheAnswersThatTheirNamesDescribe(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	demo := runAll(t, map[string]string{"BASECAMP_API_URL": "sandbox"})

	t.Run("every event has the answer that its name describes", func(t *testing.T) {
		if diff := cmp.Diff(slices.Sorted(maps.Keys(promises)), eventNames(t)); diff != "" {
			t.Errorf("the expected answers and the files in events/ differ: %s", diff)
		}
		s := readStack(t)
		for _, name := range eventNames(t) {
			t.Run(name, func(t *testing.T) {
				promises[name].check(t, invoke(t, demo[receiver(t, s, name)], read(t, name)))
			})
		}
	})

	t.Run("the event of the schedule begins a sweep", func(t *testing.T) {
		swept, err := demo["OAuthFunction"].Invoke(read(t, sweepEvent)) // the demo keeps no users
		if err != nil {
			t.Fatal(err)
		}
		wantSwept(t, sweep.Report{Complete: true}, swept)
	})

	t.Run("no secret and no argument is logged", func(t *testing.T) {
		for function, f := range demo {
			f.Stop()
			for _, secret := range []string{"sandbox-ines", "sandbox-nobody", "bcm_rt_", "aaaabbbb", "brake"} {
				if logs := f.Logs(); strings.Contains(logs, secret) {
					t.Errorf("%s logged %s: %s", function, secret, logs)
				}
			}
		}
	})
}

// runAll starts every function of the template with an environment.
func runAll(t *testing.T, env map[string]string) map[string]*runtimetest.Function {
	t.Helper()
	running := map[string]*runtimetest.Function{}
	for function, source := range sources {
		running[function] = runtimetest.Start(t, runtimetest.Build(t, root, source), pairs(env)...)
	}
	return running
}

// eventNames returns the names of the events that are requests.
func eventNames(t *testing.T) (names []string) {
	t.Helper()
	files, err := filepath.Glob(root + "/events/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if name := strings.TrimSuffix(filepath.Base(file), ".json"); name != sweepEvent {
			names = append(names, name)
		}
	}
	return names
}

// receiver returns the function that the template routes an event's request to. The event's own
// route must match the template's.
func receiver(t *testing.T, s stack, name string) string {
	t.Helper()
	var e events.APIGatewayV2HTTPRequest
	if err := json.Unmarshal(read(t, name), &e); err != nil {
		t.Fatal(err)
	}
	route, function := s.route(e.RequestContext.HTTP.Method, e.RawPath)
	if e.RouteKey != route || e.RequestContext.RouteKey != route {
		t.Errorf("the event has the routes %s and %s, but the template routes it by %s", e.RouteKey, e.RequestContext.RouteKey, route)
	}
	return function
}

func (p promise) check(t *testing.T, answer events.APIGatewayV2HTTPResponse) {
	t.Helper()
	if answer.StatusCode != p.status {
		t.Errorf("status %d, want %d", answer.StatusCode, p.status)
	}
	for _, part := range p.has {
		if !strings.Contains(answer.Body, part) {
			t.Errorf("the body lacks %s", part)
		}
	}
	for _, part := range p.lacks {
		if strings.Contains(answer.Body, part) {
			t.Errorf("the body has %s", part)
		}
	}
	header := http.Header{}
	for name, value := range answer.Headers {
		header.Add(name, value)
	}
	for name, part := range p.header {
		if value, ok := header[name]; !ok || !strings.Contains(value[0], part) {
			t.Errorf("%s is %q, which lacks %q", name, value, part)
		}
	}
	want := "application/json"
	if p.page {
		want = "text/html; charset=utf-8"
	}
	if typ := header.Get("Content-Type"); answer.Body != "" && typ != want {
		t.Errorf("Content-Type %q", typ)
	}
	if header.Get("Location") != "" && p.status/100 != 3 { // an error on a page must not redirect
		t.Errorf("it redirects to %s", header.Get("Location"))
	}
	if t.Failed() {
		t.Logf("the answer was %+v", answer)
	}
}

// read returns a file of events/.
func read(tb testing.TB, name string) []byte {
	tb.Helper()
	event, err := os.ReadFile(filepath.Join(root, "events", name+".json"))
	if err != nil {
		tb.Fatal(err)
	}
	return event
}

// edited returns a file of events/ with a change.
func edited(t *testing.T, name string, change func(*events.APIGatewayV2HTTPRequest)) []byte {
	t.Helper()
	var e events.APIGatewayV2HTTPRequest
	if err := json.Unmarshal(read(t, name), &e); err != nil {
		t.Fatal(err)
	}
	change(&e)
	event, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	return event
}

// invoke sends an event and decodes the answer with AWS's types, which must know every member.
func invoke(t *testing.T, f *runtimetest.Function, event []byte) (answer events.APIGatewayV2HTTPResponse) {
	t.Helper()
	out, err := f.Invoke(event)
	if err != nil {
		t.Fatalf("%v\n%s", err, f.Logs())
	}
	dec := json.NewDecoder(bytes.NewReader(out))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&answer); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	return answer
}
