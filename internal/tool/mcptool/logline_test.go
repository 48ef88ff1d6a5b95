package mcptool

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/proof/mcptest"
	"basecamp-mcp/internal/report/telemetry"
	"basecamp-mcp/internal/signin/identity"
)

// lines returns the logged lines without their times, and checks that ms is a number.
func (s testServer) lines(t *testing.T) []map[string]any {
	t.Helper()
	var lines []map[string]any
	for decoder := json.NewDecoder(strings.NewReader(s.log.String())); decoder.More(); {
		var line map[string]any
		if err := decoder.Decode(&line); err != nil {
			t.Fatal(err)
		}
		if _, ok := line["ms"].(float64); !ok {
			t.Errorf("ms is %v", line["ms"])
		}
		delete(line, "time")
		delete(line, "ms")
		lines = append(lines, line)
	}
	return lines
}

var named = identity.Caller{Subject: "37s:1", Scopes: []identity.Scope{identity.Write}, Client: "Claude\u202e Code\n"}

func TestLine_OfACallHasCallerAndDuration(t *testing.T) {
	s := newTestServer()
	s.options.Waited = func(context.Context) (time.Duration, int) { return 1500 * time.Microsecond, 2 }
	s.callAs(t, named, "greet", `{"name":"private"}`)
	s.bridged(t, named, "missing", `{"name":"private"}`)
	want := []map[string]any{
		{
			"level": "INFO", "msg": "tool call", "request_id": "req-1", "person": "fe04812ef1f4", "client": "Claude Code", "client_info": "t/1", "protocol": "2026-07-28",
			"method": "tools/call", "tool": "greet", "upstream_calls": 3.0, "upstream_ms": 1.5, "upstream_429": 2.0, "outcome": "ok",
		},
		{
			"level": "INFO", "msg": "tool call", "request_id": "req-1", "person": "fe04812ef1f4", "client": "Claude Code",
			"method": "POST /tools", "tool": "missing", "upstream_calls": 3.0, "upstream_ms": 1.5, "upstream_429": 2.0, "outcome": "NOT_FOUND",
		},
	}
	if diff := cmp.Diff(want, s.lines(t)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestLine_OfACallSpeaksForItsRequest(t *testing.T) {
	s := newTestServer()
	s.options.Table = "table"
	request := &telemetry.Request{Start: time.Now().Add(-time.Minute), Cold: true}
	ctx := identity.With(telemetry.With(t.Context(), request), writer)
	post(ctx, t, s.Handler(Selection{}), "tools/call", "missing", `"name":"missing","arguments":{"name":"x"}`)
	var line map[string]any
	if err := json.Unmarshal(s.log.Bytes(), &line); err != nil {
		t.Fatal(err)
	}
	if line["ms"].(float64) < 60_000 || line["outcome"] != "NOT_FOUND" || line["_aws"] != nil || line["cold"] != true {
		t.Errorf("logged %s", s.log)
	}
	if request.Tell() {
		t.Error("the request would get another line")
	}
}

func TestLine_OfAReadingNamesItsOutcome(t *testing.T) {
	for kind, ask := range asks {
		s := newLibrary()
		method, params := ask("disabled")
		s.read(t, reader, eras[0], method, params)
		if line := s.lines(t)[0]; line["outcome"] != "TOOL_NOT_ENABLED" || line["method"] != method {
			t.Errorf("%s: logged %s", kind, s.log)
		}
	}
}

// A message that uses no tool has a log line about its method.
func TestLine_OfAnyOtherRequest(t *testing.T) {
	const hello = `"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"Cursor","version":"1.2\u0000"}`
	for _, test := range []struct{ era, method, params, logged, protocol, said, outcome string }{
		{eras[0], "tools/list", "", "tools/list", eras[0], "t/1", "ok"},
		{eras[1], "tools/list", "", "tools/list", eras[1], "", "ok"},
		{eras[0], "tools/list", `"cursor":"private"`, "tools/list", eras[0], "t/1", "INVALID_INPUT"},
		{eras[0], "prompts/list", "", "prompts/list", eras[0], "t/1", "ok"},
		{eras[2], "resources/templates/list", "", "resources/templates/list", eras[2], "", "ok"},
		{eras[0], "server/discover", "", "server/discover", eras[0], "t/1", "ok"},
		{"", "initialize", hello, "initialize", eras[2], "Cursor/1.2", "ok"},
		{"", "initialize", strings.Replace(hello, "2025-06-18", "private", 1), "initialize", eras[1], "Cursor/1.2", "ok"},
		{eras[1], "tools/call", `"name":"private","arguments":{}`, "tools/call", eras[1], "", "NOT_FOUND"},
		{eras[1], "prompts/get", `"name":"private"`, "prompts/get", eras[1], "", "NOT_FOUND"},
		{eras[1], "private/method", "", "other", eras[1], "", "-32601"},
	} {
		s := newLibrary()
		s.options.Table = "table"
		request := &telemetry.Request{Start: time.Now()}
		ctx := identity.WithRequestID(identity.With(telemetry.With(t.Context(), request), named), "req-1")
		sendIn(ctx, t, s.Handler(Selection{}), test.era, test.method, test.params)
		want := []map[string]any{{
			"level": "INFO", "msg": "request", "request_id": "req-1", "person": "fe04812ef1f4", "client": "Claude Code", "protocol": test.protocol,
			"method": test.logged, "outcome": test.outcome,
		}}
		if test.said != "" {
			want[0]["client_info"] = test.said
		}
		if diff := cmp.Diff(want, s.lines(t)); diff != "" || request.Tell() {
			t.Errorf("%s %s: -want +got:\n%s", test.era, test.method, diff)
		}
	}
}

func TestLine_OfAnAnswerWithoutJSONRPCHasTheStatus(t *testing.T) {
	s := newLibrary()
	mcptest.Post(t.Context(), s.Handler(Selection{}), named, mcptest.Message("prompts/list", ""), http.Header{"Content-Type": {"text/plain"}})
	if got := s.lines(t); len(got) != 1 || got[0]["outcome"] != "HTTP 400" || got[0]["method"] != "prompts/list" {
		t.Errorf("logged %s", s.log)
	}
}

func TestLine_OfFrequentMessagesIsAtLevelDebug(t *testing.T) {
	for method, body := range map[string]string{
		"ping":                      `{"jsonrpc":"2.0","id":7,"method":"ping"}`,
		"notifications/initialized": `{"jsonrpc":"2.0","method":"notifications/initialized"}`,
	} {
		for cold, want := range map[bool]int{false: 0, true: 1} {
			s := newLibrary()
			request := &telemetry.Request{Start: time.Now(), Cold: cold}
			mcptest.Post(telemetry.With(t.Context(), request), s.Handler(Selection{}), named, body, nil)
			if got := s.lines(t); len(got) != want || request.Tell() {
				t.Errorf("%s, cold %v: logged %v", method, cold, got)
			}
		}
	}
}
