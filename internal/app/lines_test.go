package app

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"basecamp-mcp/internal/app/local"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/proof/mcptest"
)

// openFunction returns a place that logs and counts like a Lambda function with a table; without
// one, like the local server.
func openFunction(t *testing.T, table string) *place {
	t.Helper()
	return openDemo(t, table, local.NewDemo())
}

func openDemo(t *testing.T, table string, demo local.Demo) *place {
	t.Helper()
	p := &place{Site: mcptest.Site{TB: t}, log: &bytes.Buffer{}, storage: inMemory("", ""), sandbox: demo.Sandbox}
	var instances []http.Handler
	p.URL = inTurns(t, &instances)
	c := config.Config{BasecampURL: config.Sandbox, PublicURL: p.URL, AWS: config.AWS{Table: table}}
	started := must(newLocalDemo(c, slog.New(slog.NewJSONHandler(&locked{w: p.log}, nil)), p.storage, demo))
	instances = append(instances, started.Handler)
	return p
}

// line returns the only line that was logged since the last call.
func (p *place) line() map[string]any {
	p.Helper()
	var line map[string]any
	if err := json.Unmarshal(p.log.Bytes(), &line); err != nil {
		p.Fatalf("%v in %s", err, p.log)
	}
	p.log.Reset()
	return line
}

func TestLine_DescribesACall(t *testing.T) {
	p := openFunction(t, "fernhill")
	p.whoAmI("sandbox-ines")
	first := p.line()
	if first["cold"] != true || first["tool"] != "get_me" || first["person"] == nil || first["method"] != "tools/call" || first["outcome"] != "ok" ||
		first["request_id"] == "" || first["upstream_calls"].(float64) < 1 || first["upstream_ms"].(float64) <= 0 ||
		first["ms"].(float64) < first["upstream_ms"].(float64) {
		t.Errorf("a call: %v", first)
	}
	if first["_aws"] != nil {
		t.Errorf("a call: %v", first)
	}

	p.sandbox.Inject(sandbox.Fault{Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"0"}}, Times: 1})
	p.whoAmI("sandbox-ines")
	if again := p.line(); again["outcome"] != "ok" || again["upstream_429"] != 1.0 || again["cold"] != nil {
		t.Errorf("a 429 met: %v", again)
	}

	send(t, p.URL+"/mcp", "sandbox-ines", "tools/call", `{"name":"get_todo","arguments":{"todo_id":"404"}}`)
	if failed := p.line(); failed["outcome"] != "NOT_FOUND" || failed["_aws"] != nil {
		t.Errorf("a failed call: %v", failed)
	}

	send(t, p.URL+"/mcp", "unknown", "tools/list", `{}`)
	if refused := p.line(); refused["outcome"] != "HTTP 401" || refused["route"] != "/mcp" || refused["_aws"] != nil {
		t.Errorf("a stranger: %v", refused)
	}
}

// The sign-in, both eras of MCP, the bridge and a refusal: all lines about one client have the name
// of its registration. What the client says about itself in a message is in a field of its own.
func TestLine_HasOneNameForAClient(t *testing.T) {
	p := openFunction(t, "")
	ines := p.LogIn("ines")
	access, refresh := ines.Access, ines.Refresh
	p.Token("grant_type", "refresh_token", "refresh_token", refresh, "client_id", "c_stranger")
	send(t, p.URL+"/mcp", access, "tools/list", `{}`)
	for _, path := range []string{"/mcp", "/tools/get_me"} {
		for _, body := range []string{
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_me","arguments":{}}}`, "{",
		} {
			r, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, p.URL+path, strings.NewReader(body))
			r.Header = http.Header{"Authorization": {"Bearer " + access}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
			response := must(http.DefaultClient.Do(r))
			response.Body.Close()
		}
	}
	if log := p.log.String(); strings.Contains(log, access) || strings.Contains(log, refresh) || strings.Contains(log, mcptest.Verifier) {
		t.Errorf("a secret is logged: %s", log)
	}
	said := 0
	for text := range strings.Lines(p.log.String()) {
		var line map[string]any
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatal(err)
		}
		if line["client_info"] != nil {
			said++
		}
		if route, _ := line["route"].(string); strings.HasPrefix(route, "/launchpad/") { // the demo's sign-on
			continue
		}
		switch line["client"] {
		case "Plumcot":
		case nil:
			if line["outcome"] != "invalid_client" {
				t.Errorf("no client: %s", text)
			}
		default:
			t.Errorf("another client: %s", text)
		}
	}
	if said != 1 {
		t.Errorf("%d lines have client_info: %s", said, p.log)
	}
}
