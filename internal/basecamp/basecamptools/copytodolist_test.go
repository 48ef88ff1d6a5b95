package basecamptools

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/files"
	"basecamp-mcp/internal/basecamp/basecamptools/todos"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/own/calls"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/store/memory"
	"basecamp-mcp/internal/tool/mcptool"
	requests "basecamp-mcp/internal/wire/upstream"
)

// withKeys makes the environment's server keep idempotency keys.
func (d *toolEnv) withKeys() {
	log := slog.New(slog.DiscardHandler)
	d.server = mcptool.NewServer(New(d.client, nil, nil).Toolsets(), mcptool.Options{
		Name: "test", Version: "1", Log: log, Meter: requests.Meter, Calls: calls.New(memory.New(nil), log, nil),
	})
	d.handlers = &sync.Map{}
}

// original makes a list in the launch with everything that a copy must take along, and returns its
// ID.
func original(d *toolEnv) int64 {
	d.Helper()
	file := d.post("/attachments.json?name=torque.txt", "text/plain", "Forty newton metres.").SGID
	list := d.make(fmt.Sprintf("/todosets/%d/todolists.json", d.sandbox.ToolID(launch, "todoset")), `{"name":"Per bike","description":"<div>For <em>each</em> bike.</div>"}`)
	todo := func(in int64, body string) int64 { return d.make(fmt.Sprintf("/todolists/%d/todos.json", in), body) }
	priya, dele := personID(d, "Priya Raman"), personID(d, "Dele Adeyemi")
	first := todo(list, fmt.Sprintf(`{"content":"Tighten","description":"<div>Like this: <bc-attachment sgid=\"%s\" caption=\"Values\"></bc-attachment></div>","due_on":"2031-05-20","starts_on":"2031-05-19","assignee_ids":[%d,%d]}`, file, priya, dele))
	for _, title := range []string{"Front", "Rear", "Front"} {
		d.make(fmt.Sprintf("/recordings/%d/subtasks.json", first), fmt.Sprintf(`{"title":%q,"due_on":"2031-05-20","assignee_ids":[%d]}`, title, priya))
	}
	d.make(fmt.Sprintf("/recordings/%d/comments.json", first), `{"content":"Seen."}`)
	todo(list, `{"content":"Test"}`)
	todo(list, `{"content":"Test"}`)
	done := todo(list, `{"content":"Wash"}`)
	d.meanwhile(http.MethodPost, fmt.Sprintf("/todos/%d/completion.json", done), "")
	for _, name := range []string{"Wheels", "Wheels", "Paint"} {
		group := d.make(fmt.Sprintf("/todolists/%d/groups.json", list), fmt.Sprintf(`{"name":%q,"color":"green"}`, name))
		todo(group, fmt.Sprintf(`{"content":"True %s"}`, name))
	}
	return list
}

func personID(d *toolEnv, name string) int64 {
	i := slices.IndexFunc(d.sandbox.People(), func(p sandbox.Person) bool { return p.Name == name })
	return d.sandbox.People()[i].ID
}

// outline returns a list with everything in it, as lines.
func outline(d *toolEnv, list int64) (lines []string) {
	d.Helper()
	var walk func(id int64)
	walk = func(id int64) {
		l := upstream[basecamp.Todolist](d, fmt.Sprintf("/todolists/%d.json", id))
		lines = append(lines, fmt.Sprintf("list %s %s %s", l.Name, l.Color, l.Description))
		for _, t := range upstream[[]basecamp.Todo](d, fmt.Sprintf("/todolists/%d/todos.json", id)) {
			var who []string
			for _, p := range t.Assignees {
				who = append(who, p.Name)
			}
			lines = append(lines, fmt.Sprintf("to-do %s %s-%s %v files %d", t.Content, t.StartsOn, t.DueOn, who, len(t.Attachments)))
			for _, s := range t.Steps {
				lines = append(lines, fmt.Sprintf("step %s %s %d", s.Title, s.DueOn, len(s.Assignees)))
			}
		}
		if l.Parent.Type == "Todoset" {
			for _, g := range upstream[[]basecamp.Todolist](d, fmt.Sprintf("/todolists/%d/groups.json", id)) {
				walk(g.ID)
			}
		}
	}
	walk(list)
	return lines
}

var copiedOutline = []string{
	"list Per bike  <div>For <em>each</em> bike.</div>",
	"to-do Tighten 2031-05-26-2031-05-27 [Priya Raman] files 1", "step Front 2031-05-27 1", "step Rear 2031-05-27 1", "step Front 2031-05-27 1",
	"to-do Test - [] files 0", "to-do Test - [] files 0", "to-do Wash - [] files 0",
	"list Wheels green ", "to-do True Wheels - [] files 0", "list Wheels green ", "to-do True Wheels - [] files 0", "list Paint green ", "to-do True Paint - [] files 0",
}

func TestCreateTodolist_CopiesAListToAnotherProject(t *testing.T) {
	unlimited(t, func(d *toolEnv) {
		list := original(d)
		got := call[todos.CreatedTodolist](d, "create_todolist", args{"copy_of": "Per bike", "project": winterKit, "shift_days": 7})
		if diff := cmp.Diff(copiedOutline, outline(d, got.ID)); diff != "" {
			d.Error(diff)
		}
		if got.Project.Name != winterKit || got.CopiedTodos != 7 || len(got.Groups) != 3 || len(got.NotAttempted) > 0 || len(got.Notified) > 0 {
			d.Errorf("got %+v", got)
		}
		want := []string{"1 comments", "1 completed to-dos are open in the copy", "Dele Adeyemi is not on the project (1 to-dos)"}
		if diff := cmp.Diff(want, got.NotCopied); diff != "" {
			d.Error(diff)
		}
		text := upstream[[]basecamp.Todo](d, fmt.Sprintf("/todolists/%d/todos.json", got.ID))[0]
		if !strings.Contains(string(text.Description), `caption="Values"`) {
			d.Errorf("notes %s", text.Description)
		}
		if content := call[files.ShownFile](d, "get_file", args{"item": fmt.Sprint("todo:", text.ID)}); content.Text != "Forty newton metres." {
			d.Errorf("the file holds %q", content.Text)
		}
		named := call[todos.CreatedTodolist](d, "create_todolist", args{"copy_of": list, "project": launch, "name": "Bike 2"})
		if named.Name != "Bike 2" || named.CopiedTodos != 7 || len(named.NotCopied) != 2 {
			d.Errorf("got %+v", named)
		}
	})
}

func TestCreateTodolist_RefusesACopyOfAnythingElse(t *testing.T) {
	unlimited(t, func(d *toolEnv) {
		list := original(d)
		group := upstream[[]basecamp.Todolist](d, fmt.Sprintf("/todolists/%d/groups.json", list))[0].ID
		d.refuses(fault.InvalidInput, "create_todolist", args{"copy_of": group, "project": winterKit}, "copy_of", "group")
		d.refuses(fault.InvalidInput, "create_todolist", args{"copy_of": list, "project": winterKit, "description": "x"}, "description")
		d.refuses(fault.InvalidInput, "create_todolist", args{"project": winterKit, "name": "x", "shift_days": 7}, "shift_days")
		d.refuses(fault.InvalidInput, "create_todolist", args{"project": winterKit}, "name")
		d.refuses(fault.NotFound, "create_todolist", args{"copy_of": "No such list", "project": winterKit}, "copy_of")
		d.refuses(fault.InvalidInput, "create_todolist", args{"copy_of": list, "project": winterKit, "shift_days": 4000}, "shift_days")
		for i := range 50 {
			d.make(fmt.Sprintf("/todolists/%d/todos.json", list), fmt.Sprintf(`{"content":"More %d"}`, i))
		}
		d.refuses(fault.InvalidInput, "create_todolist", args{"copy_of": list, "project": winterKit}, "idempotency_key")
	})
}

// copyUntilDone repeats a call with its key until nothing is left. It returns the ID of the copy
// and how many calls left something over, or 0 if it is unknown whether there is a copy.
func copyUntilDone(d *toolEnv, in args) (id int64, cuts int) {
	d.Helper()
	for range 10 {
		text, isError := d.raw("create_todolist", in)
		var got todos.CreatedTodolist
		switch err := json.Unmarshal([]byte(text), &got); {
		case isError && strings.Contains(text, "may_have_happened"):
			return 0, cuts
		case isError || err != nil:
			d.Fatal(text)
		case len(got.NotAttempted) == 0:
			return got.ID, cuts
		case !strings.Contains(got.HowToGoOn, "same idempotency_key"):
			d.Errorf("how_to_go_on: %s", got.HowToGoOn)
		}
		cuts++
	}
	d.Fatalf("not done after ten calls")
	return 0, cuts
}

// The time ends at each write, before it has an effect and after it.
func TestCreateTodolist_ACopyGoesOnWhereItsTimeEnded(t *testing.T) {
	const writes = 16 // the list, a file, 3 subtasks, 3 groups, 7 to-dos, and none
	for _, afterEffect := range []bool{false, true} {
		for n := 1; n <= writes; n++ {
			unlimited(t, func(d *toolEnv) {
				d.withKeys()
				list := original(d)
				if n > 1 {
					d.sandbox.Inject(sandbox.Fault{Method: http.MethodPost, Times: n - 1})
				}
				d.sandbox.Inject(sandbox.Fault{Method: http.MethodPost, Times: 1, Hang: true, AfterEffect: afterEffect})
				id, cuts := copyUntilDone(d, args{"copy_of": list, "project": d.sandbox.ProjectID(winterKit), "shift_days": 7, "idempotency_key": "k"})
				lists := upstream[[]basecamp.Todolist](d, fmt.Sprintf("/todosets/%d/todolists.json", d.sandbox.ToolID(winterKit, "todoset")))
				copies := slices.DeleteFunc(lists, func(l basecamp.Todolist) bool { return l.Name != "Per bike" })
				if n == 1 { // it is unknown whether there is a list
					if id != 0 || len(copies) > 1 {
						d.Errorf("copy %d, %d lists", id, len(copies))
					}
					return
				}
				if wantCuts := min(1, writes-n); len(copies) != 1 || cuts != wantCuts {
					d.Errorf("write %d, after %v: %d lists after %d cuts", n, afterEffect, len(copies), cuts)
				}
				if diff := cmp.Diff(copiedOutline, outline(d, id)); diff != "" {
					d.Errorf("write %d, after %v: %s", n, afterEffect, diff)
				}
			})
		}
	}
}

func TestCreateTodolist_CopiesMoreThanACallCanSend(t *testing.T) {
	unlimited(t, func(d *toolEnv) {
		d.withKeys()
		list := original(d)
		for i := range 150 {
			d.make(fmt.Sprintf("/todolists/%d/todos.json", list), fmt.Sprintf(`{"content":"More %d"}`, i))
		}
		in := args{"copy_of": list, "project": d.sandbox.ProjectID(winterKit), "idempotency_key": "k"}
		id, cuts := copyUntilDone(d, in)
		titles := map[string]int{}
		for _, todo := range all[todos.TodoItem](d, "list_todos", args{"project_id": winterKit, "todolist_id": id, "limit": 100}) {
			titles[todo.Title]++
		}
		if titles["Test"] != 2 || titles["More 149"] != 1 || len(titles) != 150+5 || cuts < 1 || cuts > 2 {
			d.Errorf("%d titles after %d cuts: %v", len(titles), cuts, titles)
		}
		if again := call[todos.CreatedTodolist](d, "create_todolist", in); again.ID != id || again.CopiedTodos != 157 {
			d.Errorf("again: %+v", again)
		}
	})
}
