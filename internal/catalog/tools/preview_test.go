package tools

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/own/checklist"
	"basecamp-mcp/internal/own/task"
	"basecamp-mcp/internal/proof/mcptest"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/store/memory"
	"basecamp-mcp/internal/tool/mcptool"
)

// A preview of a tool of this server's own shows one write, and stores nothing.
func TestOwnTools_StoreNothingInAPreview(t *testing.T) {
	tasks, lists := task.New(memory.New(nil), nil), checklist.New(memory.New(nil), nil)
	person := identity.With(t.Context(), identity.Caller{Subject: "Ines Albrecht", Connection: "laptop", Session: "s1", Scopes: identity.AllScopes()})
	mill, err := tasks.Add(person, "Call the mill", "About the tubes", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lists.Set(person, checklist.Change{Todos: []checklist.Todo{{Content: "Run build", Status: checklist.Pending, ActiveForm: "Running build"}}}); err != nil {
		t.Fatal(err)
	}
	stored := func() []any {
		page, err := tasks.List(person, task.Query{Status: task.All, Limit: 100})
		list, errOfList := lists.Get(person, "", 0)
		if err != nil || errOfList != nil {
			t.Fatal(err, errOfList)
		}
		return []any{page.Tasks, list}
	}
	before := stored()
	calls := map[string]struct {
		in           input
		what         string
		was, becomes map[string]any
	}{
		"add_task":      {input{"title": "New"}, "add a personal task", nil, map[string]any{"title": "New"}},
		"update_task":   {input{"task_id": mill.ID, "title": "Call"}, "change a personal task", map[string]any{"title": "Call the mill"}, map[string]any{"title": "Call"}},
		"complete_task": {input{"task_id": "call the mill"}, "change a personal task", map[string]any{"completed": false}, map[string]any{"completed": true}},
		"delete_task": {
			input{"task_id": mill.ID}, "delete a personal task permanently",
			map[string]any{"title": "Call the mill", "description": "About the tubes"}, nil,
		},
		"todolist__set": {input{"todos": []any{}}, "replace a session's checklist", map[string]any{
			"todos": []any{map[string]any{"content": "Run build", "status": "pending", "activeForm": "Running build"}},
		}, map[string]any{"todos": []any{}}},
	}
	for _, toolset := range []mcptool.Toolset{checklists(lists, linking()), personalTasks(tasks, sameDay, linking())} {
		u := newUser(t, toolset).through("laptop", "s1")
		for _, tool := range toolset.Tools {
			call, known := calls[tool.Name]
			if tool.Effect == mcptool.Reads {
				continue
			}
			answer := u.call("preview", input{"tool": tool.Name, "arguments": call.in})
			if diff := cmp.Diff(before, stored()); diff != "" || !known {
				t.Fatalf("%s, known %v: %s", tool.Name, known, diff)
			}
			written, _ := answer["writes"].([]any)
			if len(written) != 1 {
				t.Fatalf("%s: %v", tool.Name, answer)
			}
			w, _ := written[0].(map[string]any)
			got := []any{w["what"], orEmpty(w["before"]), orEmpty(w["after"])}
			if diff := cmp.Diff([]any{call.what, orEmpty(call.was), orEmpty(call.becomes)}, got); diff != "" {
				t.Errorf("%s: %s", tool.Name, diff)
			}
		}
	}
}

func orEmpty(fields any) map[string]any {
	if f, ok := fields.(map[string]any); ok && f != nil {
		return f
	}
	return map[string]any{}
}

// input is the arguments of a call.
type input = map[string]any

// user calls the tools of one of the server's own toolsets.
type user struct {
	mcptest.Client
	server *mcptool.Server
}

// newServer returns a server of toolsets, and of nothing else.
func newServer(toolsets ...mcptool.Toolset) *mcptool.Server {
	return mcptool.NewServer(toolsets, mcptool.Options{Name: "test", Version: "1", Log: slog.New(slog.DiscardHandler)})
}

// newUser returns Ines Albrecht as a user of a toolset.
func newUser(t testing.TB, toolset mcptool.Toolset) user {
	server := newServer(toolset)
	schemas, lists := outputs(append(toolset.Tools, server.BuiltIn().Tools...))
	u := user{mcptest.Client{TB: t, Handler: server.Handler(mcptool.Selection{}), Schemas: schemas, Lists: lists}, server}
	return u.as("Ines Albrecht")
}

// as returns another user of the same server.
func (u user) as(name string) user {
	u.Caller = identity.Caller{Subject: name, Scopes: identity.AllScopes()}
	return u
}

// call calls a tool and returns its answer as a map.
func (u user) call(tool string, arguments any) map[string]any {
	u.Helper()
	return mcptest.Call[map[string]any](u.Client, tool, arguments)
}

// A read-only token and a read-only endpoint refuse the same calls.
func TestOwnTools_WriteOnlyWithTheRight(t *testing.T) {
	calls := map[string]input{
		"todolist__get": {}, "todolist__set": {"todos": []any{}},
		"list_tasks": {}, "add_task": {"title": "Call the mill"}, "update_task": {"task_id": noTask, "title": "Call"},
		"complete_task": {"task_id": noTask}, "delete_task": {"task_id": noTask},
	}
	for _, toolset := range []mcptool.Toolset{
		checklists(checklist.New(memory.New(nil), nil), linking()), personalTasks(task.New(memory.New(nil), nil), sameDay, linking()),
	} {
		byToken, byEndpoint := newUser(t, toolset), newUser(t, toolset)
		byToken.Caller.Scopes = []identity.Scope{identity.Read}
		byEndpoint.Handler = byEndpoint.server.Handler(mcptool.Selection{ReadOnly: true})
		for _, tool := range toolset.Tools {
			arguments, ok := calls[tool.Name]
			if !ok {
				t.Errorf("%s: no call", tool.Name)
			}
			for way, u := range map[string]user{"token": byToken, "endpoint": byEndpoint} {
				answer := u.Answer(tool.Name, arguments)
				refused := strings.Contains(answer, `"isError":true`) || strings.Contains(answer, `"error":{"code"`)
				if want := tool.Effect != mcptool.Reads; refused != want {
					t.Errorf("%s by a read-only %s: refused is %v: %.300s", tool.Name, way, refused, answer)
				}
			}
		}
	}
}
