package app

import (
	"fmt"
	"maps"
	"net/http"

	"basecamp-mcp/internal/proof/mcptest"

	"github.com/google/go-cmp/cmp"
)

// rulebook has a journey through each of the things that are stored. The packages checklist, task
// and idempotency and their tools hold their rules, and storetest those of the stores.
var rulebook = []rule{
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
			a.must("complete_task", args{"task_id": task, "completed": false})
		}
		priya.holds([]args{}, nil)
		priya.refuses("todolist__get", args{"list_id": list}, "UNKNOWN_LIST", "")
		priya.lists(nil)
		priya.refuses("delete_task", args{"task_id": task}, "NOT_FOUND", "Task not found")
	}},
	{"the end of a session deletes its checklist and no other", func(a *agent) {
		if a.way != handshake {
			return
		}
		id := a.set(pending("dropped"))
		other := a.reopened()
		kept := other.set(pending("kept"))
		for _, tried := range []struct {
			session string
			status  int
		}{{a.agentOf("priya", handshake).session, http.StatusNotFound}, {"", http.StatusBadRequest}, {a.session, http.StatusNoContent}, {a.session, http.StatusNotFound}} {
			status, _, body := mcptest.Ask(a, http.MethodDelete, a.URL+"/mcp", a.bearer, "", "Mcp-Session-Id", tried.session)
			if status != tried.status {
				a.Errorf("ending %q: HTTP %d %s", tried.session, status, body)
			}
		}
		if status, _, body := a.request("tools/call", "todolist__get", args{"name": "todolist__get"}); status != http.StatusNotFound {
			a.Errorf("in the ended session: HTTP %d %s", status, body)
		}
		other.refuses("todolist__get", args{"list_id": id}, "UNKNOWN_LIST", "")
		other.holds(pending("kept"), nil)
		other.holds(pending("kept"), args{"list_id": kept})
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
