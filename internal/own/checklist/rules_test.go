package checklist

import (
	"fmt"
	"strings"
	"testing"
)

// plan returns to-dos with these statuses.
func plan(statuses ...Status) []Todo {
	todos := make([]Todo, len(statuses))
	for i, s := range statuses {
		todos[i] = Todo{Content: fmt.Sprint("True wheel ", i), Status: s, ActiveForm: fmt.Sprint("Truing wheel ", i)}
	}
	return todos
}

// with returns a plan of three to-dos in which one is changed.
func with(i int, change func(*Todo)) []Todo {
	todos := plan(Completed, InProgress, Pending)
	change(&todos[i])
	return todos
}

func TestCheck_AcceptsAValidList(t *testing.T) {
	for name, todos := range map[string][]Todo{
		"none":                 nil,
		"nothing in progress":  plan(Pending, Completed),
		"one in progress":      plan(InProgress, InProgress)[:1],
		"doubles":              {{"a", Pending, "b"}, {"a", Pending, "b"}},
		"200 items":            plan(make([]Status, 200)...),
		"1,000 characters":     with(0, func(t *Todo) { t.Content, t.ActiveForm = strings.Repeat("🚲", 1000), strings.Repeat("ü", 1000) }),
		"space around a word":  with(0, func(t *Todo) { t.Content, t.ActiveForm = " \ta ", "\u3000b" }),
		"invisible characters": with(0, func(t *Todo) { t.Content = "\x00" }),
		"65,536 bytes as JSON": ofSize(MaxBytes),
	} {
		for i := range todos {
			if todos[i].Status == "" {
				todos[i].Status = Pending
			}
		}
		if f := Check(todos); f != nil {
			t.Errorf("%s: %v", name, f)
		}
	}
}

// ofSize returns to-dos that take this many bytes.
func ofSize(bytes int) []Todo {
	todos := plan(make([]Status, 70)...)
	for i := range todos {
		todos[i].Status = Pending
		todos[i].Content = strings.Repeat("<", min(900, bytes-size(todos)+len(todos[i].Content)))
	}
	return todos
}

func TestCheck_NamesTheFirstBrokenRule(t *testing.T) {
	long := strings.Repeat("ü", 1001)
	all := func(t *Todo) { t.Content, t.ActiveForm, t.Status = "", "", "" }
	for name, c := range map[string]struct {
		todos []Todo
		own   string
		says  string
	}{
		"no content":                      {with(2, func(t *Todo) { t.Content = "" }), "empty_content", "todos[2].content"},
		"blank content":                   {with(1, func(t *Todo) { t.Content = "  \t\n" }), "empty_content", "todos[1].content"},
		"other blanks":                    {with(1, func(t *Todo) { t.Content = "\u00a0\u3000" }), "empty_content", "todos[1].content"},
		"long content":                    {with(0, func(t *Todo) { t.Content = long }), "content_too_long", "todos[0].content has 1001"},
		"no active form":                  {with(2, func(t *Todo) { t.ActiveForm = "" }), "empty_active_form", "todos[2].activeForm"},
		"blank active form":               {with(2, func(t *Todo) { t.ActiveForm = "\u3000\u00a0" }), "empty_active_form", "todos[2].activeForm"},
		"long active form":                {with(2, func(t *Todo) { t.ActiveForm = long }), "active_form_too_long", "todos[2].activeForm has 1001"},
		"another status":                  {with(1, func(t *Todo) { t.Status = "done" }), "invalid_status", "todos[1].status"},
		"a status in capitals":            {with(1, func(t *Todo) { t.Status = "PENDING" }), "invalid_status", "pending, in_progress, completed"},
		"no status":                       {with(0, func(t *Todo) { t.Status = "" }), "invalid_status", "todos[0].status"},
		"two in progress":                 {plan(Pending, InProgress, Pending, InProgress, InProgress), "multiple_in_progress", "todos[1] and todos[3]"},
		"201 items":                       {plan(make([]Status, 201)...), "list_too_large", "at most 200 items"},
		"65,537 bytes":                    {ofSize(MaxBytes + 1), "list_too_large", "has 65537"},
		"content before the rest":         {with(1, all), "empty_content", "todos[1].content"},
		"active form before status":       {with(1, func(t *Todo) { t.ActiveForm, t.Status = "", "" }), "empty_active_form", "todos[1]"},
		"long content before active form": {with(1, func(t *Todo) { t.Content, t.ActiveForm = long, "" }), "content_too_long", "todos[1]"},
		"the first item first":            {append(with(2, func(t *Todo) { t.Status = "" }), Todo{}), "invalid_status", "todos[2]"},
		"in progress last":                {append(plan(InProgress, InProgress), Todo{}), "empty_content", "todos[2]"},
	} {
		f := Check(c.todos)
		if f == nil || f.Own != c.own || !strings.Contains(f.Message, c.says) {
			t.Errorf("%s: got %+v, want %s saying %q", name, f, c.own, c.says)
			continue
		}
		if len(f.Validation) != 1 || f.Validation[0].Code != c.own || !strings.HasPrefix(f.Validation[0].Path, "todos") {
			t.Errorf("%s: violations %+v", name, f.Validation)
		}
	}
}

// A new list may continue the revisions of an expired one, but it has no previous revision.
func TestList_ThatIsNewHasNoPreviousRevision(t *testing.T) {
	if l, err := (List{Revision: 8}).atRevision(7); err == nil {
		t.Errorf("%+v", l)
	}
}

func TestSummarize_CountsEveryTodoOnce(t *testing.T) {
	got := Summarize(plan(Pending, InProgress, Completed, Completed, Pending, Pending))
	if want := (Summary{Total: 6, Pending: 3, InProgress: 1, Completed: 2}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestDoing_IsTheStartOfTheActiveForm(t *testing.T) {
	long := plan(Pending, InProgress)
	long[1].ActiveForm = strings.Repeat("ü", 101)
	for want, todos := range map[string][]Todo{
		"":                            plan(Pending, Completed),
		"Truing wheel 1":              plan(Pending, InProgress),
		strings.Repeat("ü", 99) + "…": long,
	} {
		if got := Doing(todos); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
