package app

import (
	"fmt"
	"maps"
	"sync"
	"sync/atomic"

	"github.com/google/go-cmp/cmp"
)

const noTask = "0190d0b2-0000-7000-8000-000000000000"

// rulebook has a journey through each of the things that are stored. The packages checklist, task
// and idempotency and their tools hold their rules, and storetest those of the stores.
var rulebook = []rule{
	{"a checklist is read as it was set, and a mistake changes nothing", func(a *agent) {
		steps := []args{step("Run build", "completed", "Running build"), step("Fix errors", "in_progress", "Fixing errors"), step("Run tests", "pending", "Running tests")}
		summary := args{"total": 3, "pending": 1, "in_progress": 1, "completed": 1}
		id := a.set(steps)
		a.answers("todolist__get", args{"list_id": id}, args{"todos": steps, "summary": summary, "list_id": id, "revision": 1})
		r := a.refuses("todolist__set", args{"todos": []args{steps[1], steps[0], steps[1]}}, "MULTIPLE_IN_PROGRESS", "todos[2]")
		want := any(args{"code": "multiple_in_progress", "message": r.at("message")})
		if a.way == bridged { // the bridge returns the error as the message
			want = r.at("message")
		}
		if diff := cmp.Diff(want, r.at("error")); diff != "" {
			a.Errorf("%s (-want +got):\n%s", r.text, diff)
		}
		a.holds(steps, nil)
	}},
	{"a checklist is found by its ID in every session, and without one", func(a *agent) {
		id := a.set(pending("a"))
		for i := range 3 {
			steps := pending("a", fmt.Sprint(i))
			a.reopened().set(steps, args{"list_id": id})
			a.reopened().holds(steps, args{"list_id": id})
		}
		none := *a
		none.session = ""
		none.holds(pending("a", "2"), nil) // the latest list of this connection
		if other := none.set(pending("b")); other == id {
			a.Error("outside a session, a list was set without its ID")
		}
		none.holds(pending("b"), nil)
		if a.way == handshake {
			a.holds(pending("a", "2"), nil)
			a.reopened().holds([]args{}, nil)
		}
	}},
	{"each way reads what the others wrote, and no other user does", func(a *agent) {
		priya := a.agentOf("priya", a.way)
		list, task := a.set(pending("hers")), a.add("Oil the chains")
		for _, w := range []way{handshake, stateless, bridged} {
			other := a.by(w)
			other.holds(pending("hers"), args{"list_id": list})
			other.lists(nil, "Oil the chains")
			other.must("complete_task", args{"task_id": task})
			a.must("reopen_task", args{"task_id": task})
		}
		priya.holds([]args{}, nil)
		priya.refuses("todolist__get", args{"list_id": list}, "UNKNOWN_LIST", "")
		priya.lists(nil)
		priya.refuses("delete_task", args{"task_id": task}, "NOT_FOUND", "Task not found")
	}},
	{"calls with the same key create one task, and return the same answer byte for byte", func(a *agent) {
		arguments := args{"title": "Oil the chains", "idempotency_key": "k-1"}
		var all sync.WaitGroup
		var answered atomic.Pointer[string]
		for range 20 {
			all.Go(func() {
				r := a.call("add_task", arguments)
				switch {
				case r.failed && r.at("error_code") == "CONFLICT" && r.at("retryable") == true && r.at("retry_after_seconds") == 2.0:
				case r.failed:
					a.Error(r.text)
				case !answered.CompareAndSwap(nil, &r.text) && *answered.Load() != r.text:
					a.Errorf("%s and %s", *answered.Load(), r.text)
				}
			})
		}
		all.Wait()
		for _, w := range []way{handshake, stateless, bridged} {
			if again := a.by(w).must("add_task", arguments); answered.Load() == nil || again.text != *answered.Load() {
				a.Errorf("%s: then %s", w, again.text)
			}
		}
		a.lists(nil, "Oil the chains")
	}},
}

// step returns an item of a checklist.
func step(content string, status any, activeForm string) args {
	return args{"content": content, "status": status, "activeForm": activeForm}
}

func pending(contents ...string) []args {
	steps := make([]args, len(contents))
	for i, content := range contents {
		steps[i] = step(content, "pending", content+"...")
	}
	return steps
}

// set replaces a checklist and returns its ID.
func (a *agent) set(steps []args, more ...args) (id string) {
	a.Helper()
	return a.must("todolist__set", merged(args{"todos": steps}, more...)).at("list_id").(string)
}

func merged(arguments args, more ...args) args {
	for _, m := range more {
		maps.Copy(arguments, m)
	}
	return arguments
}

// holds reads a checklist and compares it. Without an ID in the arguments, it reads the latest one.
func (a *agent) holds(steps []args, arguments any) {
	a.Helper()
	got := a.must("todolist__get", arguments)
	if diff := cmp.Diff(decoded([]byte(a.encoded(steps))), got.at("todos")); diff != "" {
		a.Errorf("(-want +got):\n%s", diff)
	}
}

// add adds a task and returns its ID.
func (a *agent) add(title string) (id string) {
	a.Helper()
	return a.must("add_task", args{"title": title}).at("id").(string)
}

// titles returns the titles of a list of tasks.
func (a *agent) titles(arguments any) (titles []string) {
	a.Helper()
	for _, listed := range a.must("list_tasks", arguments).at("tasks").([]any) {
		titles = append(titles, listed.(args)["title"].(string))
	}
	return titles
}

// lists checks the titles of a list of tasks, newest first.
func (a *agent) lists(arguments any, want ...string) {
	a.Helper()
	if diff := cmp.Diff(want, a.titles(arguments)); diff != "" {
		a.Errorf("%v (-want +got):\n%s", arguments, diff)
	}
}
