package tools

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/own/checklist"
	"basecamp-mcp/internal/proof/mcptest"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/store/memory"
)

// withChecklists returns a user of session checklists. Each look at the clock takes a second.
func withChecklists(t testing.TB) user {
	at := time.Date(2026, 3, 2, 14, 0, 0, 0, time.FixedZone("elsewhere", 2*60*60))
	now := func() time.Time { at = at.Add(time.Second); return at }
	return withLists(t, checklist.New(memory.New(now), now))
}

func withLists(t testing.TB, lists *checklist.Lists) user {
	return newUser(t, checklists(lists, linking()))
}

// through returns the same user at another connection, in a session unless it is empty.
func (u user) through(connection, session string) user {
	u.Caller.Connection, u.Caller.Session = connection, session
	return u
}

func inSession(t testing.TB) user {
	return withChecklists(t).through("laptop", "s1")
}

func item(content string, status any, activeForm string) map[string]any {
	return map[string]any{"content": content, "status": status, "activeForm": activeForm}
}

// steps returns the to-dos of a build with the given statuses.
func steps(build, fix, test string) []any {
	return []any{item("Run build", build, "Running build"), item("Fix errors", fix, "Fixing errors"), item("Run tests", test, "Running tests")}
}

func counts(total, pending, inProgress, completed float64) map[string]any {
	return map[string]any{"total": total, "pending": pending, "in_progress": inProgress, "completed": completed}
}

func TestChecklist_OfANewSessionIsEmpty(t *testing.T) {
	u := inSession(t)
	for _, nothing := range []any{input{}, nil, input{"list_id": nil, "revision": nil}, input{"list_id": ""}} {
		got := u.call("todolist__get", nothing)
		delete(got, "understood")
		if diff := cmp.Diff(map[string]any{"todos": []any{}, "summary": counts(0, 0, 0, 0), "revision": 0.0}, got); diff != "" {
			t.Errorf("%v (-want +got):\n%s", nothing, diff)
		}
	}
}

func TestChecklist_GoesFromThePlanToTheEnd(t *testing.T) {
	u := inSession(t)
	var id any
	for i, step := range []struct {
		todos []any
		want  map[string]any
	}{
		{steps("pending", "pending", "pending"), counts(3, 3, 0, 0)},
		{steps("in_progress", "pending", "pending"), counts(3, 2, 1, 0)},
		{steps("completed", "in_progress", "pending"), counts(3, 1, 1, 1)},
		{steps("completed", "completed", "in_progress"), counts(3, 0, 1, 2)},
		{steps("completed", "completed", "completed"), counts(3, 0, 0, 3)},
		{steps("in_progress", "completed", "pending"), counts(3, 1, 1, 1)}, // any status may follow any other
		{slices.Repeat(steps("pending", "completed", "completed")[:1], 2), counts(2, 2, 0, 0)},
		{[]any{}, counts(0, 0, 0, 0)},
	} {
		set := u.call("todolist__set", input{"todos": step.todos})
		if id == nil {
			id = set["list_id"]
		}
		want := map[string]any{"summary": step.want, "list_id": id, "revision": float64(i + 1)}
		if diff := cmp.Diff(want, set); diff != "" {
			t.Errorf("set %d (-want +got):\n%s", i, diff)
		}
		want["todos"] = step.todos
		if diff := cmp.Diff(want, u.call("todolist__get", input{})); diff != "" {
			t.Errorf("get %d (-want +got):\n%s", i, diff)
		}
	}
}

// ownError is an error in the checklist's own form.
type ownError struct {
	Error   struct{ Code, Message string }
	Message string
	mcptest.Failure
}

// breaks calls a tool that must fail with a code of its own, in a message that contains all of the
// words.
func (u user) breaks(own string, code fault.Code, tool string, arguments any, words ...string) {
	u.Helper()
	text, isError := u.Raw(tool, arguments)
	var e ownError
	if err := json.Unmarshal([]byte(text), &e); err != nil || !isError {
		u.Fatalf("%s %v: want %s, got %s", tool, arguments, own, text)
	}
	if upper := fault.Code(strings.ToUpper(own)); e.Error.Code != own || e.ErrorCode != upper || e.Data.Code != code.Number() || e.Retryable || e.Error.Message == "" || e.Error.Message != e.Message {
		u.Errorf("%s %v: want %s, got %s", tool, arguments, own, text)
	}
	for _, word := range words {
		if !strings.Contains(e.Message, word) {
			u.Errorf("%s %v: %q does not say %q", tool, arguments, e.Message, word)
		}
	}
}

func TestSetChecklist_FailsWithItsOwnCodesAndChangesNothing(t *testing.T) {
	u := inSession(t)
	good := steps("completed", "in_progress", "pending")
	id := u.call("todolist__set", input{"todos": good})["list_id"]
	without := func(field string) []any {
		broken := item("a", "pending", "b")
		delete(broken, field)
		return []any{item("a", "pending", "b"), broken}
	}
	for _, c := range []struct {
		own   string
		todos []any
		words []string
	}{
		{"empty_content", without("content"), []string{"todos[1].content is missing or blank; each item needs"}},
		{"empty_active_form", without("activeForm"), []string{"todos[1].activeForm is missing or blank; each item needs"}},
		{"invalid_status", []any{item("a", nil, "b")}, []string{"todos[0].status"}},
		{"invalid_status", []any{item("a", 1, "b")}, []string{"todos[0].status"}},
		{"invalid_status", without("status"), []string{"todos[1].status"}},
		{"multiple_in_progress", steps("in_progress", "completed", "in_progress"), []string{"todos[0]", "todos[2]"}},
	} {
		u.breaks(c.own, fault.InvalidInput, "todolist__set", input{"todos": c.todos}, c.words...)
	}
	got := u.call("todolist__get", nil)
	if diff := cmp.Diff(map[string]any{"todos": good, "summary": counts(3, 1, 1, 1), "revision": 1.0, "list_id": id}, got); diff != "" {
		t.Error(diff)
	}
}

func TestChecklist_ReportsOtherMistakesInTheCommonWords(t *testing.T) {
	u := inSession(t)
	withID := item("a", "pending", "b")
	withID["id"] = 1
	for _, c := range []struct {
		tool      string
		arguments any
		word      string
	}{
		{"todolist__get", input{"x": 1}, "x: is not an argument"},
		{"todolist__get", input{"revision": 0}, "revision: must be at least 1"},
		{"todolist__get", input{"list_id": true}, "list_id: must be a string"},
		{"todolist__set", input{}, "todos: is required"},
		{"todolist__set", input{"todos": nil}, "todos: is required"},
		{"todolist__set", input{"todos": "Run build"}, "todos: must be a list"},
		{"todolist__set", input{"todos": []any{"Run build"}}, "todos[0]: must be an object"},
		{"todolist__set", input{"todos": []any{nil}}, "todos[0]: must be an object"},
		{"todolist__set", input{"todos": []any{map[string]any{"content": true, "status": "pending", "activeForm": "b"}}}, "todos[0].content: must be a string"},
		{"todolist__set", input{"todos": []any{withID}}, "todos[0].id: is not an argument"},
		{"todolist__set", input{"todos": []any{}, "x": 1}, "x: is not an argument"},
		{"todolist__set", input{"todos": []any{}, "if_revision": -1}, "if_revision: must be at least 0"},
		{"todolist__get", input{"lists": "x"}, "lists: must be true or false"},
	} {
		u.Fails(fault.InvalidInput, c.tool, c.arguments, c.word)
	}
}

func TestChecklist_RevisionsGuardAndGoBack(t *testing.T) {
	u := inSession(t)
	id := u.call("todolist__set", input{"todos": steps("pending", "pending", "pending"), "if_revision": 0})["list_id"]
	u.breaks("conflict", fault.Conflict, "todolist__set", input{"todos": []any{}, "if_revision": 0}, "at revision 1, not 0", "if_revision 1")
	u.call("todolist__set", input{"todos": []any{}, "if_revision": 1, "list_id": id})
	if before := mcptest.Call[checklistAnswer](u.Client, "todolist__get", input{"revision": 1}); before.Revision != 1 || before.Summary.Total != 3 {
		t.Errorf("revision 1 is %+v", before)
	}
	u.breaks("unknown_revision", fault.NotFound, "todolist__get", input{"revision": 3}, "at revision 2")
	u.as("Sam Okafor").breaks("unknown_list", fault.NotFound, "todolist__get", input{"list_id": id}, "todolist__set without list_id")
}

func TestGetChecklist_ListsThoseOfAllSessionsLastWrittenFirst(t *testing.T) {
	u := withChecklists(t)
	if got := u.call("todolist__get", input{"lists": true}); fmt.Sprint(got["lists"], got["todos"]) != "[] []" {
		t.Errorf("before any was written: %v", got)
	}
	var want []string
	for i := range mostChecklists + 1 {
		set := input{"todos": steps("completed", "in_progress", "pending")}
		want = append(want, mcptest.Call[checklistProgress](u.through(fmt.Sprint("c", i%3), fmt.Sprint("s", i)).Client, "todolist__set", set).ListID)
	}
	slices.Reverse(want)
	mcptest.Call[checklistProgress](u.as("Sam Okafor").Client, "todolist__set", input{"todos": []any{}})
	answer, got := mcptest.Call[checklistAnswer](u.Client, "todolist__get", input{"lists": true, "list_id": want[1]}), []string{}
	for _, h := range answer.Lists {
		got = append(got, h.ListID)
		if h.Doing != "Fixing errors" || h.Summary != answer.Summary || h.Revision != 1 || h.UpdatedAt.IsZero() {
			t.Errorf("head %+v", h)
		}
	}
	if diff := cmp.Diff(want[:mostChecklists], got); diff != "" || !answer.More || len(answer.Todos) != 3 {
		t.Errorf("more %v, %d todos (-want +got):\n%s", answer.More, len(answer.Todos), diff)
	}
}
