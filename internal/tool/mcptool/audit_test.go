package mcptool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"basecamp-mcp/internal/own/calls"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/store/memory"
)

// audited returns a server that keeps what happened to calls, and where.
func audited(toolsets []Toolset, store calls.Store) (testServer, *calls.Log) {
	options := new(mender).options()
	options.Calls = calls.New(store, slog.New(slog.DiscardHandler), nil)
	return serve(options, toolsets...), options.Calls
}

func wantTrail(t *testing.T, trail *calls.Log, subject string, want ...calls.Entry) {
	t.Helper()
	got, err := trail.Recent(t.Context(), subject, 100)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(calls.Entry{}, "ID", "Time"), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestAudit_EveryCallIsWrittenDownForThePersonWhoMadeIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, trail := audited(outcomes(), memory.New(nil))
		caller := writer
		caller.Connection = "c1"
		named := []calls.Argument{{Name: "name"}}
		want := func(tool, outcome string, ms int64) calls.Entry {
			return calls.Entry{
				Tool: tool, Arguments: named, Outcome: outcome, Milliseconds: ms, Client: "t/1", Door: calls.MCP, RequestID: "req-1",
				Connection: "c1",
			}
		}
		for _, tool := range []string{"greet", "missing", "panics", "waits"} {
			s.callAs(t, caller, tool, `{"name":"x"}`)
			time.Sleep(time.Nanosecond) // in a bubble nothing else takes time
		}
		wantTrail(t, trail, caller.Subject,
			want("waits", "UPSTREAM_ERROR", 25_000), want("panics", "INTERNAL_ERROR", 0), want("missing", "NOT_FOUND", 0), want("greet", "ok", 0))
		wantTrail(t, trail, "37s:2")
	})
}

func TestAudit_KnowsTheDoorAndTheToolsOwnCode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // where no time passes by itself
		own := fault.New(fault.InvalidInput, "one at a time")
		own.Own = "multiple_in_progress"
		tool := Define(Spec{Name: "plan", Title: "T", Description: "D."}, func(context.Context, greetInput) (greeting, error) {
			return greeting{}, own
		})
		s, trail := audited([]Toolset{{Name: "t", Tools: []Tool{tool}}}, memory.New(nil))
		s.bridged(t, writer, "plan", `{"name":"x"}`)
		wantTrail(t, trail, writer.Subject, calls.Entry{
			Tool: "plan", Arguments: []calls.Argument{{Name: "name"}}, Outcome: "MULTIPLE_IN_PROGRESS", Door: calls.Bridge, RequestID: "req-1",
		})
	})
}

func TestAudit_ACallThatAsksToReconnectHasFailedSoFar(t *testing.T) {
	connected := false
	s := deadUntil(&connected, &mender{})
	trail := newCalls(memory.New(nil))
	s.options.Calls = trail
	if got := s.ask(t, keyed, opens, readIt); got.ResultType != "input_required" {
		t.Fatalf("got %+v", got)
	}
	connected = true
	s.ask(t, keyed, "", readIt) // in the legacy era no call says who the client is
	want := calls.Entry{Tool: "read", Arguments: []calls.Argument{{Name: "name"}}, Outcome: "TOKEN_EXPIRED", Client: "t/1", Door: calls.MCP, Connection: "c1"}
	done := want
	done.Outcome, done.Client = calls.OK, ""
	entries, err := trail.Recent(t.Context(), keyed.Subject, 10)
	if diff := cmp.Diff([]calls.Entry{done, want}, entries, cmpopts.IgnoreFields(calls.Entry{}, "ID", "Time", "Milliseconds")); diff != "" || err != nil {
		t.Errorf("%v, -want +got:\n%s", err, diff)
	}
}

func TestAudit_ACallWhoseTimeIsUpIsWrittenDown(t *testing.T) {
	s, trail := audited(outcomes(), memory.New(nil))
	ctx, cancel := context.WithCancel(identity.With(t.Context(), writer))
	cancel()
	run, _ := s.Tool(Selection{}, "waits")
	run(ctx, json.RawMessage(`{"name":"x"}`))
	if entries, err := trail.Recent(t.Context(), writer.Subject, 1); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}

func TestResources_AreListedWithTheirTemplate(t *testing.T) {
	s, _ := audited(outcomes(), memory.New(nil))
	for _, era := range eras {
		list, templates := s.read(t, reader, era, "resources/list", ""), s.read(t, reader, era, "resources/templates/list", "")
		if r := list.Result.Resources; len(r) != 1 || r[0]["uri"] != "audit://calls" || r[0]["mimeType"] != "application/json" || r[0]["title"] == nil {
			t.Errorf("%s: %+v", era, list)
		}
		if r := templates.Result.ResourceTemplates; len(r) != 1 || r[0]["uriTemplate"] != "audit://calls{?cursor}" {
			t.Errorf("%s: %+v", era, templates)
		}
	}
}

func TestResources_AreACapabilityThatNeverChanges(t *testing.T) {
	s, _ := audited(outcomes(), memory.New(nil))
	discovered := s.read(t, reader, "2026-07-28", "server/discover", "")
	initialized := s.read(t, reader, "2025-11-25", "initialize", `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}`)
	for _, got := range []rpc{discovered, initialized} {
		if resources, ok := got.Result.Capabilities["resources"].(map[string]any); !ok || resources["subscribe"] == true || resources["listChanged"] == true {
			t.Errorf("%+v", got.Result.Capabilities)
		}
	}
	if without := newTestServer().read(t, reader, "2026-07-28", "server/discover", ""); without.Result.Capabilities["resources"] != nil {
		t.Errorf("without a trail: %+v", without.Result.Capabilities)
	}
	if without := newTestServer().read(t, reader, "2026-07-28", "resources/read", `"uri":"audit://calls"`); without.Error == nil || without.Error.Code != -32601 {
		t.Errorf("without a trail: %+v", without)
	}
}

type callsPageRead struct {
	Calls []struct {
		Time       time.Time
		Tool       string
		Outcome    string
		Arguments  []map[string]string
		Client     string
		Door       string
		Connection string
	}
	HasMore    bool    `json:"has_more"`
	NextCursor *string `json:"next_cursor"`
	Next       string
}

// page reads one page of a caller's calls.
func (s testServer) page(t *testing.T, caller identity.Caller, era, uri string) callsPageRead {
	t.Helper()
	got := s.read(t, caller, era, "resources/read", fmt.Sprintf(`"uri":%q`, uri))
	if got.Error != nil || len(got.Result.Contents) != 1 {
		t.Fatalf("%s: %+v", uri, got)
	}
	content := got.Result.Contents[0]
	var c callsPageRead
	if err := json.Unmarshal([]byte(content.Text), &c); err != nil || content.URI != uri || content.MIMEType != "application/json" {
		t.Fatalf("%+v, %v", content, err)
	}
	if era == eras[0] && (got.Result.CacheScope != "private" || got.Result.TTLMs == nil || *got.Result.TTLMs != 0) {
		t.Errorf("cached: %+v", got.Result)
	}
	return c
}

func TestCalls_ArePagedNewestFirstForTheirPersonAlone(t *testing.T) {
	s, _ := audited(outcomes(), memory.New(nil))
	for range 120 {
		s.callAs(t, writer, "greet", `{"name":"secret"}`)
	}
	s.callAs(t, writer, "missing", `{"name":"secret"}`)
	for _, era := range eras {
		first := s.page(t, reader, era, "audit://calls")
		second := s.page(t, reader, era, first.Next)
		third := s.page(t, reader, era, "audit://calls?cursor="+*second.NextCursor)
		if len(first.Calls) != 50 || len(second.Calls) != 50 || len(third.Calls) != 21 || third.HasMore || third.NextCursor != nil || !first.HasMore {
			t.Errorf("%s: %d, %d and %d calls", era, len(first.Calls), len(second.Calls), len(third.Calls))
		}
		latest := first.Calls[0]
		if latest.Tool != "missing" || latest.Outcome != "NOT_FOUND" || latest.Client != "t/1" || latest.Door != "mcp" || latest.Arguments[0]["name"] != "name" || latest.Time.IsZero() {
			t.Errorf("%+v", latest)
		}
	}
	stranger := identity.Caller{Subject: "37s:2", Scopes: reader.Scopes}
	if got := s.page(t, stranger, eras[0], "audit://calls"); len(got.Calls) != 0 || got.Calls == nil {
		t.Errorf("a stranger reads %+v", got)
	}
}

// unread is a Store that cannot be read.
type unread struct{ *memory.Store }

func (unread) Entries(context.Context, string, string, int) ([]calls.Entry, error) {
	return nil, errors.New("dial tcp 10.0.0.1: secret")
}

func TestRead_ThatFailsSaysWhatToDoAndNothingElse(t *testing.T) {
	s, _ := audited(outcomes(), unread{memory.New(nil)})
	for what, test := range map[string]struct {
		caller identity.Caller
		uri    string
		says   string
	}{
		"a dead table":      {reader, "audit://calls", "try again"},
		"a strange cursor":  {reader, "audit://calls?cursor=37s%3A2", "read audit://calls without a cursor"},
		"another parameter": {reader, "audit://calls?foo=1", "read audit://calls without a cursor"},
		"another case":      {reader, "audit://calls?Cursor=abc", "read audit://calls without a cursor"},
		"another path":      {reader, "audit://calls/37s:2", "there is no resource at"},
		"a broken escape":   {reader, "audit://calls?cursor=%zz", "there is no resource at"},
		"an empty cursor":   {reader, "audit://calls?cursor=", "read audit://calls without a cursor"},
		"no caller":         {identity.Caller{}, "audit://calls", "needs the scope"},
	} {
		got := s.read(t, test.caller, eras[0], "resources/read", fmt.Sprintf(`"uri":%q`, test.uri))
		if got.Error == nil || !strings.Contains(got.Error.Message, test.says) || strings.Contains(got.Error.Message, "secret") {
			t.Errorf("%s: %+v", what, got.Error)
		}
	}
}
