package main

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

	"basecamp-mcp/internal/lambdahttp/runtimetest"
)

const root = "../.."

// promise is what the name of an event promises of its answer.
type promise struct {
	status int
	has    []string          // parts of the body
	lacks  []string          // what the body must not have
	header map[string]string // a part of each header
}

var (
	success   = []string{`"structuredContent":{`, `"content":[{`}
	challenge = map[string]string{
		"Www-Authenticate": `Bearer `,
		"X-Mcp-Challenge":  `resource_metadata="https://abc123def4.execute-api.eu-central-1.amazonaws.com/.well-known/oauth-protected-resource/mcp"`,
	}
	allow = map[string]string{"Allow": "POST, DELETE"}
)

var promises = map[string]promise{
	// The MCP of 2026-07-28, where each message stands alone.
	"server-discover":          {status: 200, has: []string{`"supportedVersions":["2026-07-28"`, `"basecamp-mcp"`, `"instructions":`}},
	"tools-list":               {status: 200, has: []string{`"name":"list_projects"`, `"name":"list_todos"`, `"outputSchema":`, `"resultType":"complete"`}},
	"tools-call-get-me":        {status: 200, has: append([]string{`Ines Albrecht`}, success...), lacks: []string{`"isError"`}},
	"tools-call-list-projects": {status: 200, has: append([]string{`"has_more":`}, success...), lacks: []string{`"isError"`}},
	"tools-call-list-todos":    {status: 200, has: append([]string{`"has_more":`}, success...), lacks: []string{`"isError"`}},
	"unknown-tool":             {status: 400, has: []string{`"code":-32602`, `launch_rocket`}},
	"unknown-project":          {status: 200, has: []string{`"isError":true`, `NOT_FOUND`}, lacks: []string{`"structuredContent"`}},
	"invalid-arguments":        {status: 200, has: []string{`"isError":true`, `INVALID_INPUT`, `project_id`, `colour`}, lacks: []string{`"structuredContent"`}},
	"unknown-method-404":       {status: 404, has: []string{`"code":-32601`}},
	"header-mismatch-400":      {status: 400, has: []string{`"code":-32020`}},
	"unknown-version-400":      {status: 400, has: []string{`"code":-32022`, `"requested":"1900-01-01"`, `"supported":["2026-07-28"`}},
	"subscriptions-listen-404": {status: 404, has: []string{`"code":-32601`}},
	"malformed-json-400":       {status: 400, has: []string{`"code":-32700`}},
	"batch-rejected-400":       {status: 400, has: []string{`"code":-32600`, `batch`}},
	"base64-body":              {status: 200, has: []string{`"name":"list_projects"`}},
	"readonly-path":            {status: 200, has: []string{`"name":"list_projects"`}},
	"toolset-path":             {status: 200, has: []string{`"name":"list_projects"`}},
	"unknown-toolset-404":      {status: 404, has: []string{`rockets`, `basecamp`}},

	// The eras with a handshake.
	"initialize-2025-11-25":        {status: 200, has: []string{`"protocolVersion":"2025-11-25"`, `"serverInfo":`}, header: map[string]string{"Mcp-Session-Id": ""}},
	"initialize-2025-06-18":        {status: 200, has: []string{`"protocolVersion":"2025-06-18"`}, header: map[string]string{"Mcp-Session-Id": ""}},
	"initialize-unknown-version":   {status: 200, has: []string{`"protocolVersion":"2025-11-25"`}},
	"initialized-notification-202": {status: 202},
	"cancelled-notification-202":   {status: 202},
	"ping":                         {status: 200, has: []string{`"result":{}`}},
	"tools-list-2025-11-25":        {status: 200, has: []string{`"name":"list_projects"`}, lacks: []string{`"resultType"`}},
	"unknown-session-404":          {status: 404},
	"session-delete-404":           {status: 404},

	// Who may call, and how.
	"no-bearer-401":          {status: 401, has: []string{`"resource_metadata":`}, header: challenge},
	"bad-bearer-401":         {status: 401, has: []string{`"error":"invalid_token"`}, header: challenge},
	"get-without-bearer-401": {status: 401, header: challenge},
	"wrong-origin-403":       {status: 403, has: []string{`"error":"forbidden_origin"`}},
	"get-405":                {status: 405, header: allow},
	"head-405":               {status: 405, header: allow},
	"preflight-204":          {status: 204, header: map[string]string{"Access-Control-Allow-Methods": "POST"}},

	// The rest of the host, and events that are no requests at all.
	"healthz":             {status: 200, has: []string{`"status":"ok"`}},
	"unknown-route-404":   {status: 404, has: []string{`"error":"not_found"`}},
	"broken-base64-400":   {status: 400, has: []string{`"error":"invalid_request"`}},
	"empty-event-400":     {status: 400, has: []string{`"error":"invalid_request"`}},
	"rest-v1-event-400":   {status: 400, has: []string{`"error":"invalid_request"`}},
	"scheduled-event-400": {status: 400, has: []string{`"error":"invalid_request"`}},
}

func TestBootstrap(t *testing.T) {
	bootstrap := runtimetest.Build(t, root, "./functions/mcp")
	sandbox := runtimetest.Start(t, bootstrap, "BASECAMP_API_URL=sandbox")

	t.Run("every event is answered as its name promises", func(t *testing.T) {
		files, err := filepath.Glob(root + "/events/*.json")
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, file := range files {
			names = append(names, strings.TrimSuffix(filepath.Base(file), ".json"))
		}
		slices.Sort(names) // Glob sorts tools-list-2025-11-25.json before tools-list.json
		if diff := cmp.Diff(slices.Sorted(maps.Keys(promises)), names); diff != "" {
			t.Errorf("promises and events/ differ: %s", diff)
		}
		for _, name := range names {
			t.Run(name, func(t *testing.T) {
				promises[name].check(t, invoke(t, sandbox, read(t, name)))
			})
		}
	})

	t.Run("a session ends once and for all", func(t *testing.T) {
		opened := invoke(t, sandbox, read(t, "initialize-2025-11-25"))
		id := opened.Headers["Mcp-Session-Id"]
		if id == "" {
			t.Fatalf("%+v", opened)
		}
		for _, step := range []struct {
			event string
			want  int
		}{{"unknown-session-404", 200}, {"session-delete-404", 204}, {"unknown-session-404", 404}, {"session-delete-404", 404}} {
			event := edited(t, step.event, func(e *events.APIGatewayV2HTTPRequest) { e.Headers["mcp-session-id"] = id })
			if answer := invoke(t, sandbox, event); answer.StatusCode != step.want {
				t.Errorf("%s with our session: %d, want %d: %s", step.event, answer.StatusCode, step.want, answer.Body)
			}
		}
	})

	t.Run("a message of more than 1 MiB is refused", func(t *testing.T) {
		event := edited(t, "tools-list", func(e *events.APIGatewayV2HTTPRequest) {
			e.Body = strings.Replace(e.Body, `"params":{`, `"params":{"padding":"`+strings.Repeat("x", 1<<20)+`",`, 1)
		})
		promise{status: 413, has: []string{`"jsonrpc":"2.0"`, `"error":`}}.check(t, invoke(t, sandbox, event))
	})

	t.Run("no bearer token is logged", func(t *testing.T) {
		if logs := sandbox.Logs(); strings.Contains(logs, "sandbox-ines") || strings.Contains(logs, "sandbox-nobody") {
			t.Error(logs)
		}
	})

	t.Run("every bad variable is named on one line", func(t *testing.T) {
		f := runtimetest.Start(t, bootstrap, "PUBLIC_URL=mcp", "READ_ONLY=perhaps", "LOG_LEVEL=loud", "BASECAMP_API_URL=ftp://x")
		code, err := f.ExitCode()
		if err != nil || code != 1 {
			t.Errorf("exit code %d, %v", code, err)
		}
		logs := f.Logs()
		for _, name := range []string{"PUBLIC_URL", "READ_ONLY", "LOG_LEVEL", "BASECAMP_API_URL"} {
			if !strings.Contains(logs, name) {
				t.Errorf("%s is not named in %s", name, logs)
			}
		}
		if strings.Count(logs, "\n") != 1 {
			t.Errorf("more than one line: %s", logs)
		}
	})

	t.Run("a real deployment lets nobody in without a login", func(t *testing.T) {
		f := runtimetest.Start(t, bootstrap, "PUBLIC_URL=https://mcp.example.com")
		answer := invoke(t, f, read(t, "tools-list"))
		promise{status: 401, header: map[string]string{"X-Mcp-Challenge": "https://mcp.example.com/"}}.check(t, answer)
	})
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
	if typ := header.Get("Content-Type"); answer.Body != "" && typ != "application/json" {
		t.Errorf("Content-Type %q", typ)
	}
	if t.Failed() {
		t.Logf("the answer was %+v", answer)
	}
}

// read is a file of events/.
func read(tb testing.TB, name string) []byte {
	tb.Helper()
	event, err := os.ReadFile(filepath.Join(root, "events", name+".json"))
	if err != nil {
		tb.Fatal(err)
	}
	return event
}

// edited is a file of events/ with a change.
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

// invoke decodes the answer with AWS's own types, and takes no member they do not have.
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
