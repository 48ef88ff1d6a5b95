package mcptool

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/own/calls"
	"basecamp-mcp/internal/proof/mcptest"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/report/telemetry"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/signin/provider"
	"basecamp-mcp/internal/store/memory"
)

// twoWorlds returns two toolsets with tools for projects, and the log and the trail of their
// server. The tools of the second one have a prefix, and count what they build.
func twoWorlds(built *int) (testServer, *calls.Log) {
	say := func(text string) func(context.Context, greetInput) (greeting, error) {
		return func(context.Context, greetInput) (greeting, error) { return greeting{Text: text}, nil }
	}
	broken := fault.New(fault.NotFound, "there is no such issue")
	build := func(context.Context, greetInput) (greeting, error) {
		*built++
		return greeting{Text: "an issue"}, nil
	}
	toolsets := []Toolset{
		{Name: "company", Provider: "37s", Tools: []Tool{
			define("list_projects", Reads, say("the company's")), define("create_project", Creates, say("the company's")),
		}},
		{Name: "hub", Provider: "hub", Prefix: "hub_", Optional: true, Tools: []Tool{
			define("hub_list_projects", Reads, say("the hub's")), define("hub_create_project", Creates, say("the hub's")),
			define("hub_create_issue", Creates, build), define("hub_get_issue", Reads, failWith(broken)), define("help", Reads, say("help")),
		}},
	}
	kept := newCalls(memory.New(nil))
	return serve(Options{
		Calls: kept, Providers: []provider.Provider{{ID: "37s", Name: "Basecamp"}, {ID: "hub", Name: "Hub"}},
	}, toolsets...), kept
}

const noSuchTool = "Unknown tool: "

func TestBareName_RunsAToolWhereNoListedToolHasThatName(t *testing.T) {
	both := []string{"company", "hub"}
	for _, test := range []struct {
		toolsets []string
		readOnly bool
		tool     string
		want     string
	}{
		{both, false, "list_projects", "the company's"},
		{both, false, "hub_list_projects", "the hub's"},
		{both, true, "list_projects", "the company's"},
		{both, false, "create_issue", "an issue"},
		{both, false, "hub_create_issue", "an issue"},
		{both, true, "create_issue", noSuchTool},
		{both, true, "create_project", noSuchTool},
		{[]string{"hub"}, false, "list_projects", "the hub's"},
		{[]string{"hub"}, false, "create_project", "the hub's"},
		{[]string{"hub"}, false, "hub_hub_create_issue", noSuchTool},
		{[]string{"hub"}, false, "Create_issue", noSuchTool},
		{[]string{"hub"}, false, "help", "help"},
		{nil, false, "list_projects", "the company's"},
		{nil, false, "create_issue", noSuchTool},
	} {
		s, _ := twoWorlds(new(int))
		for _, era := range eras {
			answer := s.readIn(t, s.Handler(Selection{Toolsets: test.toolsets, ReadOnly: test.readOnly}), writer, era, "tools/call", `"name":"`+test.tool+`","arguments":{"name":"x"}`)
			if !strings.Contains(answer.body, test.want) || (answer.Error != nil) != (test.want == noSuchTool) {
				t.Errorf("%s: %+v: %s", era, test, answer.body)
			}
		}
		run, ok := s.Tool(Selection{Toolsets: test.toolsets, ReadOnly: test.readOnly}, test.tool)
		if ok != (test.want != noSuchTool) {
			t.Errorf("%+v: over the bridge: %v", test, ok)
		}
		if ok && !strings.Contains(string(run(identity.With(t.Context(), writer), json.RawMessage(`{"name":"x"}`))), test.want) {
			t.Errorf("%+v: another tool over the bridge", test)
		}
		if _, known := s.Scope(Selection{Toolsets: test.toolsets, ReadOnly: test.readOnly}, test.tool); known != ok {
			t.Errorf("%+v: its scope is known: %v", test, known)
		}
	}
}

func TestBareName_OfTwoToolsRunsNeither(t *testing.T) {
	s := serve(Options{},
		Toolset{Name: "a", Prefix: "a_", Tools: []Tool{define("a_read", Reads, failWith(nil))}},
		Toolset{Name: "b", Prefix: "b_", Tools: []Tool{define("b_read", Reads, failWith(nil))}})
	for _, toolsets := range [][]string{{"a"}, {"b"}, {"a", "b"}} {
		_, known := s.Scope(Selection{Toolsets: toolsets}, "read")
		if called := strings.Contains(post(identity.With(t.Context(), writer), t, s.Handler(Selection{Toolsets: toolsets}), "tools/call", "read",
			`"name":"read","arguments":{"name":"x"}`).Body.String(), `"result"`); known != (len(toolsets) == 1) || called != known {
			t.Errorf("%v: known %v, called %v", toolsets, known, called)
		}
	}
}

func TestBareName_IsInNoList(t *testing.T) {
	s, _ := twoWorlds(new(int))
	listed := []string{"help", "hub_create_issue", "hub_create_project", "hub_get_issue", "hub_list_projects", "preview", "undo"}
	of := func(tools []struct{ Name string }) (names []string) {
		for _, tool := range tools {
			names = append(names, tool.Name)
		}
		return names
	}
	handler := s.Handler(Selection{Toolsets: []string{"hub"}})
	for what, list := range map[string]string{
		"our own":  mcptest.Message("tools/list", ""),
		"mcp-go's": `{"jsonrpc":"2.0","id":"a\u0062","method":"tools/list","params":{"cursor":""}}`,
	} {
		for range 2 {
			w := mcptest.Post(t.Context(), handler, writer, list, nil)
			if got := of(mcptest.Result[struct{ Tools []struct{ Name string } }](t, w.Body.Bytes()).Tools); !slices.Equal(got, listed) {
				t.Errorf("%s lists %v", what, got)
			}
		}
	}
	var definitions []struct{ Name string }
	if err := json.Unmarshal(s.Definitions(Selection{Toolsets: []string{"hub"}}), &definitions); err != nil || !slices.Equal(of(definitions), listed) {
		t.Errorf("the bridge lists %v", definitions)
	}
}

func TestBareName_ShowsOnlyTheListedName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // where no time passes by itself
		built := 0
		s, trail := twoWorlds(&built)
		handler := s.Handler(Selection{Toolsets: []string{"hub"}})
		call := func(tool, arguments string) string {
			time.Sleep(time.Nanosecond) // orders the entries of the trail
			ctx := identity.WithRequestID(identity.With(telemetry.With(t.Context(), &telemetry.Request{Start: time.Now()}), writer), "req-1")
			return post(ctx, t, handler, "tools/call", tool, `"name":"`+tool+`","arguments":`+arguments).Body.String()
		}
		if text := call("get_issue", `{"name":"x"}`); !strings.Contains(text, `\"tool\":\"hub_get_issue\"`) {
			t.Errorf("the failure is %s", text)
		}
		for _, name := range []string{"create_issue", "hub_create_issue"} {
			if text := call(name, `{"name":"x","idempotency_key":"k"}`); !strings.Contains(text, "an issue") {
				t.Errorf("%s: %s", name, text)
			}
		}
		if built != 1 {
			t.Errorf("one idempotency key under both names: built %d times", built)
		}
		for _, line := range s.lines(t) {
			if name, _ := line["tool"].(string); !strings.HasPrefix(name, "hub_") || line["provider"] != "hub" {
				t.Errorf("line %v", line)
			}
		}
		entry := calls.Entry{
			Tool: "hub_create_issue", Arguments: []calls.Argument{{Name: "name"}, {Name: "idempotency_key"}}, Outcome: calls.OK,
			Client: "t/1", Door: calls.MCP, RequestID: "req-1", Provider: "hub",
		}
		missing := entry
		missing.Tool, missing.Arguments, missing.Outcome = "hub_get_issue", []calls.Argument{{Name: "name"}}, string(fault.NotFound)
		wantTrail(t, trail, writer.Subject, entry, entry, missing)
	})
}

func TestBareName_SharesTheRequestStateOfTheListedName(t *testing.T) {
	dead := fault.New(fault.TokenExpired, "dead")
	dead.Provider = "37signals"
	s := serve(new(mender).options(), Toolset{Name: "t", Prefix: "t_", Provider: "37signals", Tools: []Tool{define("t_read", Reads, failWith(dead))}})
	state := s.ask(t, keyed, opens, readIt).RequestState
	round, err := openRound(state, keyed.Key)
	if err != nil || round.Tool != "t_read" {
		t.Fatalf("%+v, %v", round, err)
	}
	if again := s.ask(t, keyed, opens, readIt+`,"requestState":"`+state+`"`); again.ResultType != "input_required" || again.RequestState == state {
		t.Errorf("the second round: %+v", again)
	}
}

func TestBareName_MustMatchTheHeaderAsSent(t *testing.T) {
	s, _ := twoWorlds(new(int))
	for _, names := range [][2]string{{"create_issue", "hub_create_issue"}, {"hub_create_issue", "create_issue"}, {"create_issue", "get_issue"}, {"create_issue", ""}} {
		w := post(identity.With(t.Context(), writer), t, s.Handler(Selection{Toolsets: []string{"hub"}}), "tools/call", names[0], `"name":"`+names[1]+`","arguments":{"name":"x"}`)
		if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "-32020") {
			t.Errorf("header %s, body %s: HTTP %d %s", names[0], names[1], w.Code, w.Body)
		}
	}
}

func TestUnknownTool_IsAnsweredWithTheNearestOfTheSelection(t *testing.T) {
	s, _ := twoWorlds(new(int))
	for name, want := range map[string]string{
		"list_project":                 `"nearest":[{"type":"tool","name":"hub_list_projects"}]`,
		"hub_create_issues":            `"nearest":[{"type":"tool","name":"hub_create_issue"}`,
		"hub_create_issue_from_a_mail": `"nearest":[{"type":"tool","name":"hub_create_issue"}]`,
		"plant_trees":                  `"data":{"error_code":"NOT_FOUND","retryable":false}`,
	} {
		got := post(identity.With(t.Context(), writer), t, s.Handler(Selection{Toolsets: []string{"hub"}}), "tools/call", name, `"name":"`+name+`","arguments":{}`).Body.String()
		if !strings.Contains(got, `"code":-32602,"message":"Unknown tool: `+name) || !strings.Contains(got, want) {
			t.Errorf("%s: %s", name, got)
		}
	}
	if f := s.unknownTool(Selection{}, "a\"\nb"); f.Message != `Unknown tool: "a\" b"` {
		t.Errorf("got %s", f.Message)
	}
}

func TestToolset_OptionalIsServedOnlyByName(t *testing.T) {
	of := func(name string) []Tool { return []Tool{define(name, Reads, failWith(nil))} }
	s := NewServer([]Toolset{
		{Name: "plain", Instructions: "Read.", Writing: "Write.", Tools: append(of("seen"), define("making", Creates, failWith(nil)))},
		{Name: "more", Optional: true, Instructions: "More.", Tools: append(of("hidden"), define("changing", Creates, failWith(nil)))},
		{Name: "far", Prefix: "away_", Optional: true, Tools: append(of("away_look"), define("away_change", Creates, failWith(nil)))},
	}, Options{Name: "test", Version: "1", Instructions: "All.", MoreTools: "name %s", Log: slog.New(slog.DiscardHandler)})
	for _, c := range []struct {
		toolsets     []string
		readOnly     bool
		hidden       bool
		instructions string
	}{
		{nil, false, false, "All.\nRead.\nWrite.\nNot served here: hidden, changing, away_*. To get them, name plain,more,far."},
		{nil, true, false, "All.\nRead.\nNot served here: hidden, away_*. To get them, name plain,more,far."},
		{[]string{"more"}, false, true, "All.\nMore.\nNot served here: toolsets plain, far. To get them, name plain,more,far."},
		{[]string{"more", "plain"}, true, true, "All.\nRead.\nMore.\nNot served here: toolsets far. To get them, name plain,more,far."},
		{[]string{"far", "more", "plain"}, true, true, "All.\nRead.\nMore."},
	} {
		if _, found := s.Scope(Selection{Toolsets: c.toolsets, ReadOnly: c.readOnly}, "hidden"); found != c.hidden {
			t.Errorf("%v: hidden is found: %v", c.toolsets, found)
		}
		if got := s.instructions(Selection{Toolsets: c.toolsets, ReadOnly: c.readOnly}); got != c.instructions {
			t.Errorf("%v: %q", c.toolsets, got)
		}
		list := post(t.Context(), t, s.Handler(Selection{Toolsets: c.toolsets, ReadOnly: c.readOnly}), "tools/list", "", "").Body.String()
		if strings.Contains(list, `"hidden"`) != c.hidden {
			t.Errorf("%v: %s", c.toolsets, list)
		}
	}
}

func TestServer_KeepsAFewSelectionsInMemory(t *testing.T) {
	var toolsets []Toolset
	for i := range 2 * mostSelections {
		name := "t" + strconv.Itoa(i)
		toolsets = append(toolsets, Toolset{Name: name, Tools: []Tool{define(name, Reads, failWith(nil))}})
	}
	s := serve(Options{}, toolsets...)
	for _, toolset := range toolsets {
		s.Handler(Selection{Toolsets: []string{toolset.Name}})
		s.Scope(Selection{Toolsets: []string{toolset.Name}}, toolset.Name)
	}
	if len(s.parts) > mostSelections {
		t.Errorf("%d selections", len(s.parts))
	}
}
