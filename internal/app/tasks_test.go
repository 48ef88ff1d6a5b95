package app

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/go-cmp/cmp"
)

const (
	noTask       = "0190d0b2-0000-7000-8000-000000000000"
	taskNotFound = "Task not found"
	malformedID  = "Invalid task_id format"
)

// add adds a task and returns its ID.
func (a *agent) add(title string) (id string) {
	a.Helper()
	return a.must("add_task", args{"title": title}).at("id").(string)
}

// titles returns the titles of a list, and checks that count is their number.
func (a *agent) titles(arguments any) (titles []string) {
	a.Helper()
	r := a.must("list_tasks", arguments)
	for _, listed := range r.at("tasks").([]any) {
		titles = append(titles, listed.(args)["title"].(string))
	}
	if r.at("count") != float64(len(titles)) {
		a.Errorf("count %v of %d tasks", r.at("count"), len(titles))
	}
	return titles
}

// lists checks the titles of a list, newest first.
func (a *agent) lists(arguments any, want ...string) {
	a.Helper()
	if diff := cmp.Diff(want, a.titles(arguments)); diff != "" {
		a.Errorf("%v (-want +got):\n%s", arguments, diff)
	}
}

// saysWord makes a call and checks that it fails with exactly a message on which programs rely.
func (a *agent) saysWord(tool string, arguments any, code, message string) {
	a.Helper()
	if r := a.refuses(tool, arguments, code, message); r.at("message") != message || r.at("retryable") != false {
		a.Errorf("%s %v: %s", tool, arguments, r.text)
	}
}

// oneTask is every tool that takes a task's id, with what else it needs.
var oneTask = map[string]args{"complete_task": {}, "reopen_task": {}, "delete_task": {}, "update_task": {"title": "Oil"}}

var taskRules = slices.Concat(taskShapes, taskDeeds, taskFaults)

var taskShapes = []rule{
	{"the tools have the names they are known by, which the Messages API takes", func(a *agent) {
		offered := a.offered()
		for _, name := range []string{"add_task", "list_tasks", "complete_task", "delete_task", "update_task"} {
			if input, _ := offered[name]["input"].(args); input["type"] != "object" || !toolName.MatchString(name) {
				a.Errorf("%s is offered as %v", name, offered[name])
			}
		}
	}},
	{"no argument names a user", func(a *agent) {
		offered := a.offered()
		priya := a.agentOf("priya", a.way)
		his := priya.add("his")
		for tool, arguments := range map[string]args{
			"list_tasks": {}, "add_task": {"title": "Oil"}, "complete_task": {"task_id": his}, "delete_task": {"task_id": his},
			"update_task": {"task_id": his, "title": "Oil"}, "reopen_task": {"task_id": his},
		} {
			if properties := offered[tool]["input"].(args)["properties"].(args); properties["user_id"] != nil || properties["owner_id"] != nil {
				a.Errorf("%s takes %v", tool, properties)
			}
			subject := fmt.Sprintf("37s:%d", a.person("priya").IdentityID)
			a.refuses(tool, merged(args{"user_id": subject}, arguments), "INVALID_INPUT", "user_id")
		}
		a.lists(nil)
		priya.lists(nil, "his")
	}},
	{"A-08 the tools say what they do to a person's own tasks, a closed world", func(a *agent) {
		for tool, hints := range map[string][3]bool{
			"list_tasks": {true, false, true}, "add_task": {false, false, false}, "complete_task": {false, false, true},
			"reopen_task": {false, false, true}, "update_task": {false, false, true}, "delete_task": {false, true, true},
		} {
			a.declared(tool, args{"readOnlyHint": hints[0], "destructiveHint": hints[1], "idempotentHint": hints[2], "openWorldHint": false})
		}
		if a.way != bridged && a.offered()["list_projects"]["annotations"].(args)["openWorldHint"] != true {
			a.Error("Basecamp is of the open world")
		}
	}},
}

var uuidForm = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

var taskDeeds = []rule{
	{"a task is told by four fields, its title trimmed", func(a *agent) {
		for description, kept := range map[string]any{"": nil, " Before noon ": " Before noon "} {
			r := a.must("add_task", args{"title": " \u3000Oil the chains\n", "description": description})
			id, _ := r.at("id").(string)
			want := any(args{"id": id, "title": "Oil the chains", "description": kept, "completed": false})
			if diff := cmp.Diff(want, any(r.said)); diff != "" || !uuidForm.MatchString(id) {
				a.Errorf("%s (-want +got):\n%s", r.text, diff)
			}
		}
	}},
	{"a list is of a status, the newest first, in pages that lose nothing, with times in UTC", func(a *agent) {
		var all, open, done []string
		for i := range 9 {
			title := fmt.Sprint("Task ", i)
			id := a.add(title)
			all = slices.Insert(all, 0, title)
			if i%3 == 0 {
				a.must("complete_task", args{"task_id": id})
				done = slices.Insert(done, 0, title)
			} else {
				open = slices.Insert(open, 0, title)
			}
		}
		a.lists(nil, all...)
		for status, want := range map[string][]string{"all": all, "pending": open, "completed": done} {
			a.lists(args{"status": status}, want...)
			a.pagesThrough(status, want)
		}
		for _, listed := range a.must("list_tasks", nil).at("tasks").([]any) {
			for _, field := range []string{"created_at", "updated_at"} {
				written, _ := listed.(args)[field].(string)
				if at, err := time.Parse(time.RFC3339, written); err != nil || !strings.HasSuffix(written, "Z") || time.Since(at).Abs() > time.Hour {
					a.Errorf("%s is %q", field, written)
				}
			}
		}
		a.refuses("list_tasks", args{"status": "done"}, "INVALID_INPUT", "status")
	}},
	{"there may be no tasks", func(a *agent) {
		a.answers("list_tasks", nil, args{"tasks": []args{}, "count": 0, "total": 0, "has_more": false, "next_cursor": nil})
	}},
	{"a task is completed once, however often it is said", func(a *agent) {
		id := a.add("Oil the chains")
		var before any
		for i := range 3 {
			a.answers("complete_task", args{"task_id": id}, args{"id": id, "title": "Oil the chains", "completed": true})
			listed := a.must("list_tasks", nil).at("tasks").([]any)[0].(args)
			if i > 0 && !cmp.Equal(before, any(listed)) || listed["completed_at"] == nil || listed["completed_at"] != listed["updated_at"] {
				a.Errorf("%v after %v", listed, before)
			}
			before = any(listed)
		}
		a.answers("reopen_task", args{"task_id": id}, args{"id": id, "title": "Oil the chains", "completed": false})
	}},
	{"a task is deleted for good", func(a *agent) {
		id := a.add("Oil the chains")
		a.add("Ring the courier")
		a.answers("delete_task", args{"task_id": id}, args{"deleted": true, "id": id, "title": "Oil the chains"})
		a.lists(nil, "Ring the courier")
		a.saysWord("delete_task", args{"task_id": id}, "NOT_FOUND", taskNotFound)
	}},
	{"an update changes what it names", func(a *agent) {
		id := a.must("add_task", args{"title": "Oil", "description": "All 40"}).at("id")
		created := a.must("list_tasks", nil).at("tasks").([]any)[0].(args)
		for _, c := range []struct{ change, want args }{
			{args{"title": " Oil the chains "}, args{"title": "Oil the chains", "description": "All 40"}},
			{args{"description": "All 41"}, args{"title": "Oil the chains", "description": "All 41"}},
			{args{"description": ""}, args{"title": "Oil the chains", "description": nil}},
			{args{"title": "Ring", "description": "Now"}, args{"title": "Ring", "description": "Now"}},
		} {
			a.answers("update_task", merged(args{"task_id": id}, c.change), merged(args{"id": id, "completed": false}, c.want))
		}
		updated := a.must("list_tasks", nil).at("tasks").([]any)[0].(args)
		if updated["updated_at"] == created["updated_at"] || updated["created_at"] != created["created_at"] {
			a.Errorf("%v after %v", updated, created)
		}
	}},
	{"what one way wrote the others read", func(a *agent) {
		id := a.add("Oil the chains")
		for _, w := range []way{handshake, stateless, bridged} {
			other := a.by(w)
			other.lists(nil, "Oil the chains")
			other.must("complete_task", args{"task_id": id})
			a.must("reopen_task", args{"task_id": id})
		}
	}},
	{"fifty added at once are fifty, and updates at once lose nothing", func(a *agent) {
		var all sync.WaitGroup
		for i := range 50 {
			all.Go(func() { a.call("add_task", args{"title": fmt.Sprint("Task ", i)}) })
		}
		all.Wait()
		titles := a.titles(args{"limit": 200})
		slices.Sort(titles)
		if distinct := slices.Compact(titles); len(distinct) != 50 {
			a.Errorf("%d tasks", len(distinct))
		}
		id := a.add("Oil")
		for _, change := range []args{{"title": "Oil the chains"}, {"description": "All 40"}} {
			all.Go(func() { a.call("update_task", merged(args{"task_id": id}, change)) })
		}
		all.Go(func() { a.call("complete_task", args{"task_id": id}) })
		all.Wait()
		listed := a.must("list_tasks", args{"limit": 1}).at("tasks").([]any)[0].(args)
		if listed["title"] != "Oil the chains" || listed["description"] != "All 40" || listed["completed"] != true {
			a.Errorf("%v", listed)
		}
	}},
}

// pagesThrough reads a list two at a time.
func (a *agent) pagesThrough(status string, want []string) {
	a.Helper()
	arguments, got := args{"status": status, "limit": 2}, []string(nil)
	for range want {
		r := a.must("list_tasks", arguments)
		for _, listed := range r.at("tasks").([]any) {
			got = append(got, listed.(args)["title"].(string))
		}
		if r.at("total") != float64(len(want)) || r.at("has_more") != (r.at("next_cursor") != nil) {
			a.Errorf("%s: %s", status, r.text)
		}
		if arguments["cursor"] = r.at("next_cursor"); arguments["cursor"] == nil {
			break
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		a.Errorf("%s (-want +got):\n%s", status, diff)
	}
}

var taskFaults = []rule{
	{"titles and descriptions are measured in characters, and told of word for word", func(a *agent) {
		const required, tooLong = "Task title is required", "Task title must be 255 characters or less"
		for _, blank := range []args{{}, {"title": ""}, {"title": " \t\u00a0\u3000\n"}, {"title": nil}, {"description": "x"}} {
			a.saysWord("add_task", blank, "INVALID_INPUT", required)
		}
		a.saysWord("add_task", nil, "INVALID_INPUT", required)
		a.saysWord("add_task", args{"title": strings.Repeat("🚲", 256)}, "INVALID_INPUT", tooLong)
		a.saysWord("add_task", args{"title": "Oil", "description": strings.Repeat("é", 2001)}, "INVALID_INPUT", "Task description must be 2000 characters or less")
		a.lists(nil)
		title, description := strings.Repeat("🚲", 255), strings.Repeat("🚲", 2000)
		id := a.must("add_task", args{"title": title, "description": description}).at("id")
		a.answers("update_task", args{"task_id": id, "title": "Oil"}, args{"id": id, "title": "Oil", "description": description, "completed": false})
	}},
	{"an invalid ID, an unknown ID, and another user's ID", func(a *agent) {
		priya := a.agentOf("priya", a.way)
		his := priya.add("his")
		for tool, more := range oneTask {
			for _, bad := range []any{"", "1", noTask[1:], "{" + noTask + "}", 12, nil, []string{noTask}} {
				a.saysWord(tool, merged(args{"task_id": bad}, more), "INVALID_INPUT", malformedID)
			}
			a.saysWord(tool, merged(args{}, more), "INVALID_INPUT", malformedID)
			unknown := a.call(tool, merged(args{"task_id": noTask}, more))
			theirs := a.call(tool, merged(args{"task_id": his}, more))
			if unknown.at("message") != taskNotFound || strings.ReplaceAll(theirs.text, his, noTask) != unknown.text {
				a.Errorf("%s: another user's %s, an unknown one %s", tool, theirs.text, unknown.text)
			}
		}
		priya.lists(args{"status": "pending"}, "his")
	}},
	{"what is wrong with an update is told in one order, and before anything is looked for", func(a *agent) {
		long := strings.Repeat("x", 2001)
		for _, c := range []struct {
			arguments args
			message   string
		}{
			{args{"task_id": "1"}, malformedID},
			{args{"task_id": "1", "title": long, "description": long}, malformedID},
			{args{"task_id": noTask}, "At least one of title or description must be provided"},
			{args{"task_id": noTask, "title": " ", "description": long}, "Title cannot be empty"},
			{args{"task_id": noTask, "title": "", "description": long}, "Title cannot be empty"},
			{args{"task_id": noTask, "title": strings.Repeat("🚲", 256), "description": long}, "Task title must be 255 characters or less"},
			{args{"task_id": noTask, "title": "Oil", "description": long}, "Task description must be 2000 characters or less"},
		} {
			a.saysWord("update_task", c.arguments, "INVALID_INPUT", c.message)
		}
		a.saysWord("update_task", args{"task_id": noTask, "title": "Oil"}, "NOT_FOUND", taskNotFound)
	}},
	{"an unknown tool, and arguments that are not an object", func(a *agent) {
		if a.way == bridged {
			status, _, body := ask(a.T, http.MethodPost, a.url+"/tools/drop_tasks", a.bearer, `{}`)
			if status != http.StatusNotFound || strings.TrimSpace(body) != `{"is_error":true,"error":"Unknown tool: drop_tasks"}` {
				a.Errorf("HTTP %d %s", status, body)
			}
			return
		}
		if _, _, body := a.request("tools/call", "drop_tasks", args{"name": "drop_tasks", "arguments": args{}}); !strings.Contains(body, `-32602`) {
			a.Error(body)
		}
		for _, bad := range []any{[]string{"x"}, "x", 1, true} {
			if status, _, body := a.request("tools/call", "add_task", args{"name": "add_task", "arguments": bad}); status >= 500 || !strings.Contains(body, "object") {
				a.Errorf("%v: HTTP %d %s", bad, status, body)
			}
		}
		a.lists(nil)
	}},
}
