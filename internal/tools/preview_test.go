package tools

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/checklist"
	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/memory"
	"basecamp-mcp/internal/task"
)

// A preview of a tool of this server's own shows one write, and stores nothing.
func TestOwnTools_StoreNothingInAPreview(t *testing.T) {
	tasks, lists := task.New(memory.New(nil), nil), checklist.New(memory.New(nil), nil)
	person := identity.With(t.Context(), identity.Caller{Subject: "Ines Albrecht", Connection: "laptop", Session: "s1", Scopes: identity.AllScopes()})
	mill, err := tasks.Add(person, "Call the mill", "About the tubes", "")
	if err != nil {
		t.Fatal(err)
	}
	done, err := tasks.Add(person, "Sweep", "", "")
	if err == nil {
		_, err = tasks.Complete(person, done.ID)
	}
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
		"reopen_task":   {input{"task_id": done.ID}, "change a personal task", map[string]any{"completed": true}, map[string]any{"completed": false}},
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
