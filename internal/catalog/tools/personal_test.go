package tools

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/own/task"
	"basecamp-mcp/internal/proof/mcptest"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/store/memory"
)

const noTask = "0190d0b2-0000-7000-8000-000000000000"

// withTasks returns a user of personal tasks in a Store. Each look at the clock takes a minute.
func withTasks(t testing.TB, store task.Store) user {
	at := time.Date(2026, 3, 2, 14, 0, 0, 0, time.FixedZone("elsewhere", 2*60*60))
	return newUser(t, personalTasks(task.New(store, func() time.Time { at = at.Add(time.Minute); return at }), sameDay, linking()))
}

// sameDay reads only dates.
func sameDay(_ context.Context, argument, text string) (string, error) {
	if _, err := time.Parse(time.DateOnly, text); text != "" && err != nil {
		return "", fault.Invalid(argument, "must be a date")
	}
	return text, nil
}

// says calls a tool whose answer must be exactly want.
func (u user) says(tool string, arguments input, want map[string]any) {
	u.Helper()
	if diff := cmp.Diff(want, u.call(tool, arguments)); diff != "" {
		u.Errorf("%s %v (-want +got):\n%s", tool, arguments, diff)
	}
}

func (u user) addTask(arguments input) (id string) {
	u.Helper()
	return mcptest.Call[personalTask](u.Client, "add_task", arguments).ID
}

func (u user) tasks(arguments input) taskPage {
	u.Helper()
	return mcptest.Call[taskPage](u.Client, "list_tasks", arguments)
}

func TestPersonalTasks_GoFromTheFirstToTheLast(t *testing.T) {
	u := withTasks(t, memory.New(nil))
	u.says("list_tasks", nil, map[string]any{"tasks": []any{}, "count": 0.0, "total": 0.0, "has_more": false, "next_cursor": nil})

	first := u.call("add_task", input{"title": " Oil the chains "})
	oil := first["id"].(string)
	if diff := cmp.Diff(map[string]any{"id": oil, "title": "Oil the chains", "description": nil, "completed": false}, first); diff != "" {
		t.Error(diff)
	}
	second := u.call("add_task", input{"title": "Ring the courier", "description": "Before noon"})
	ring := second["id"].(string)
	if diff := cmp.Diff(map[string]any{"id": ring, "title": "Ring the courier", "description": "Before noon", "completed": false}, second); diff != "" {
		t.Error(diff)
	}

	for range 2 {
		u.says("complete_task", input{"task_id": oil}, map[string]any{"id": oil, "title": "Oil the chains", "completed": true})
	}
	u.says("list_tasks", input{"status": "all"}, map[string]any{
		"tasks": []any{
			map[string]any{
				"id": ring, "title": "Ring the courier", "description": "Before noon", "completed": false,
				"created_at": "2026-03-02T12:02:00Z", "updated_at": "2026-03-02T12:02:00Z", "completed_at": nil,
			},
			map[string]any{
				"id": oil, "title": "Oil the chains", "description": nil, "completed": true,
				"created_at": "2026-03-02T12:01:00Z", "updated_at": "2026-03-02T12:03:00Z", "completed_at": "2026-03-02T12:03:00Z",
			},
		},
		"count": 2.0, "total": 2.0, "has_more": false, "next_cursor": nil,
	})
	for range 2 {
		u.says("complete_task", input{"task_id": oil, "completed": false}, map[string]any{"id": oil, "title": "Oil the chains", "completed": false})
	}
	u.says("update_task", input{"task_id": ring, "description": ""},
		map[string]any{"id": ring, "title": "Ring the courier", "description": nil, "completed": false})
	u.says("update_task", input{"task_id": oil, "title": "Oil all chains", "description": "All 40"},
		map[string]any{"id": oil, "title": "Oil all chains", "description": "All 40", "completed": false})

	u.says("delete_task", input{"task_id": oil}, map[string]any{"deleted": true, "id": oil, "title": "Oil all chains"})
	u.Fails(fault.NotFound, "delete_task", input{"task_id": oil}, "Task not found")
	if p := u.tasks(nil); p.Count != 1 || p.Tasks[0].ID != ring {
		t.Errorf("%+v", p)
	}
}

// Undo puts a task back as it was, apart from the times of its changes.
func TestUndo_PutsTasksBackAndNothingThatChangedSince(t *testing.T) {
	inWorld(t, func(w *world) {
		listed := func() (all []map[string]any) {
			for _, one := range call[struct{ Tasks []map[string]any }](w, "list_tasks", input{"status": "all"}).Tasks {
				delete(one, "updated_at")
				delete(one, "completed_at")
				all = append(all, one)
			}
			return all
		}
		does := func(tool string, arguments input) (change string) {
			call[map[string]any](w, tool, arguments)
			text, _ := w.Raw("undo", input{})
			_, change, _ = strings.Cut(text, `"changes":[{"id":"`)
			change, _, _ = strings.Cut(change, `"`)
			return change
		}
		id := strings.TrimPrefix(w.task("Order bells"), "task:")
		for tool, arguments := range map[string]input{
			"add_task": {"title": "Order horns"}, "update_task": {"task_id": id, "title": "Order quiet bells", "description": "Soft"},
			"complete_task": {"task_id": id}, "delete_task": {"task_id": id},
		} {
			before := listed()
			said, _ := w.Raw("undo", input{"ids": []any{does(tool, arguments)}})
			if diff := cmp.Diff(before, listed()); diff != "" || !strings.Contains(said, `"result":"undone"`) {
				t.Errorf("%s: %s %s", tool, said, diff)
			}
		}
		older := does("update_task", input{"task_id": id, "title": "Order red bells"})
		does("update_task", input{"task_id": id, "title": "Order blue bells"})
		if said, _ := w.Raw("undo", input{"ids": []any{older}}); !strings.Contains(said, "refused") || !strings.Contains(said, "Order blue bells") {
			t.Errorf("the older change: %s", said)
		}
		if said, _ := w.Raw("undo", input{"last": 2}); strings.Count(said, `"tool":"update_task","result":"undone"`) != 2 || listed()[0]["title"] != "Order bells" {
			t.Errorf("both changes: %s", said)
		}
	})
}

func TestPersonalTasks_HaveADayIfOneIsGiven(t *testing.T) {
	u := withTasks(t, memory.New(nil))
	first := u.call("add_task", input{"title": "Oil the chains", "due_on": "2026-03-05"})
	oil, ring := first["id"].(string), u.addTask(input{"title": "Ring the courier"})
	if first["due_on"] != "2026-03-05" {
		t.Errorf("%v", first)
	}
	for _, c := range []struct {
		id, dueOn string
		onFifth   []string
	}{{ring, "2026-03-05", []string{ring, oil}}, {oil, "2026-03-06", []string{ring}}, {ring, "none", nil}} {
		answer := u.call("update_task", input{"task_id": c.id, "due_on": c.dueOn})
		if got, given := answer["due_on"].(string); given == (c.dueOn == "none") || given && got != c.dueOn {
			t.Errorf("%v, want %s", answer, c.dueOn)
		}
		if got := u.allTasks(input{"due_on": "2026-03-05", "limit": 1}, len(c.onFifth)); !slices.Equal(got, c.onFifth) {
			t.Errorf("after %v: %v", c, got)
		}
	}
	if kept := u.call("update_task", input{"task_id": oil, "title": "Oil all chains", "due_on": ""}); kept["due_on"] != "2026-03-06" {
		t.Errorf("%v", kept)
	}
	for tool, arguments := range map[string]input{"add_task": {"title": "Oil"}, "update_task": {"task_id": oil}, "list_tasks": {}} {
		arguments["due_on"] = "someday"
		u.Fails(fault.InvalidInput, tool, arguments, "due_on: must be")
	}
	if p := u.tasks(nil); p.Total != 2 || p.Tasks[1].DueOn != "2026-03-06" {
		t.Errorf("%+v", p)
	}
}

func TestPersonalTasks_ReportMistakesInTheExactWords(t *testing.T) {
	u := withTasks(t, memory.New(nil))
	const malformed, titleRequired = "Invalid task_id format", "Task title is required"
	for _, c := range []struct {
		tool      string
		arguments any
		code      fault.Code
		message   string
	}{
		{"add_task", nil, fault.InvalidInput, titleRequired},
		{"add_task", input{"title": nil}, fault.InvalidInput, titleRequired},
		{"add_task", input{"description": true}, fault.InvalidInput, titleRequired},
		{"complete_task", nil, fault.InvalidInput, malformed},
		{"complete_task", input{"task_id": 12}, fault.InvalidInput, malformed},
		{"complete_task", input{"task_id": noTask, "completed": false}, fault.NotFound, "Task not found"},
		{"complete_task", input{"task_id": noTask, "completed": false, "everywhere": true}, fault.InvalidInput, "everywhere: completes what is linked, and reopens nothing; leave it out"},
		{"delete_task", input{"task_id": []string{noTask}}, fault.InvalidInput, malformed},
		{"update_task", input{"task_id": false, "title": false}, fault.InvalidInput, malformed},
		{"update_task", input{"task_id": noTask, "title": nil, "description": nil}, fault.InvalidInput, "At least one of title or description must be provided"},
	} {
		if f := u.Fails(c.code, c.tool, c.arguments); f.Message != c.message || f.Retryable {
			t.Errorf("%s %v: %q, want %q", c.tool, c.arguments, f.Message, c.message)
		}
	}
	if p := u.tasks(nil); p.Total != 0 {
		t.Errorf("%+v", p)
	}
}

func TestPersonalTasks_ReportOtherMistakesInTheCommonWords(t *testing.T) {
	u := withTasks(t, memory.New(nil))
	u.Fails(fault.InvalidInput, "list_tasks", input{"status": "done"}, "status: must be one of all, pending, completed")
	for _, limit := range []any{0, -1, 1.5, "ten"} {
		u.Fails(fault.InvalidInput, "list_tasks", input{"limit": limit}, "limit: must be")
	}
	u.Fails(fault.InvalidInput, "list_tasks", input{"cursor": "e30"}, "cursor: does not belong to this list")
	u.Fails(fault.InvalidInput, "add_task", input{"title": true}, "title: must be a string")
	u.Fails(fault.InvalidInput, "add_task", input{"title": "Oil", "user_id": "Ines Albrecht"}, "user_id: is not an argument")
	u.Fails(fault.InvalidInput, "add_task", []string{"Oil"}, "must be an object")
}

// allTasks pages through a list by cursor and returns the IDs.
func (u user) allTasks(arguments input, total int) (ids []string) {
	u.Helper()
	arguments = maps.Clone(arguments)
	for range 200 {
		p := u.tasks(arguments)
		if p.Count != len(p.Tasks) || p.Total != total || p.HasMore != (p.NextCursor != nil) {
			u.Fatalf("count %d of %d tasks, total %d, has_more %v, cursor %v", p.Count, len(p.Tasks), p.Total, p.HasMore, p.NextCursor)
		}
		for _, listed := range p.Tasks {
			ids = append(ids, listed.ID)
		}
		if !p.HasMore {
			return ids
		}
		arguments["cursor"] = *p.NextCursor
	}
	u.Fatal("no end after 200 pages")
	return nil
}

func TestListTasks_ReturnsFewerTasksRatherThanShorterOnes(t *testing.T) {
	u := withTasks(t, memory.New(nil))
	text := strings.Repeat("\x01", 2000) // six bytes each, in JSON
	var want []string
	for i := range 20 {
		want = slices.Insert(want, 0, u.addTask(input{"title": strings.Repeat("\x02", 200) + fmt.Sprint(i), "description": text}))
	}
	p := u.tasks(nil)
	if p.Count >= 20 || p.Count < 2 || *p.Tasks[0].Description != text {
		t.Errorf("%d tasks", p.Count)
	}
	if got := u.allTasks(input{}, 20); !slices.Equal(got, want) {
		t.Errorf("%d tasks, want %d", len(got), len(want))
	}
}

var errDown = errors.New("fernhill-secret: table not reached")

func TestPersonalTasks_AreFoundByTheirWholeTitle(t *testing.T) {
	u := withTasks(t, memory.New(nil))
	hers := u.addTask(input{"title": "Oil the chains"})
	if got := mcptest.Call[taskState](u.Client, "complete_task", input{"task_id": " oil the Chains "}); got.ID != hers || !got.Completed {
		t.Errorf("completed %+v, want %s", got, hers)
	}
	if got := mcptest.Call[personalTask](u.Client, "update_task", input{"task_id": "Oil the chains", "title": "Grease the chains"}); got.ID != hers {
		t.Errorf("updated %+v, want %s", got, hers)
	}
	second := u.addTask(input{"title": "Grease the chains"})
	for given, want := range map[string]string{
		"Grease the chains":    "several tasks have this title: " + second + ", " + hers,
		"Grease":               "must be the id of a task in list_tasks, or its whole title",
		"4812096679":           "or its whole title; for a to-do in Basecamp use set_item_status",
		"todo:4812096679":      "use set_item_status",
		"3.basecamp.com/1/x/2": "use set_item_status",
	} {
		f := u.Fails(fault.InvalidInput, "delete_task", input{"task_id": given})
		if f.Message != task.MalformedID || len(f.Data.Validation) != 1 || f.Data.Validation[0].Path != "task_id" || !strings.HasSuffix(f.Data.Validation[0].Message, want) {
			t.Errorf("%s: %s, %+v, want %s", given, f.Message, f.Data.Validation, want)
		}
	}
	f := u.Fails(fault.NotFound, "delete_task", input{"task_id": noTask})
	if len(f.Data.Validation) != 1 || !strings.Contains(f.Data.Validation[0].Message, "list_tasks") {
		t.Errorf("%+v", f)
	}
}
