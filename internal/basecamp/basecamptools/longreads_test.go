package basecamptools

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/proof/docstest"
)

// longRead is a row of the table: a list that is read to its end, following the cursors.
type longRead struct {
	tool, what string
	limit      int // 0 for the default
	with       func(d *toolEnv) args
	seed       func(d *toolEnv) // makes the list long
	pages      string           // what the path of the list's own pages ends with
	before     int              // requests before cursors carried anything and answers ended with pages
	twice      string           // why something is asked for twice; "" if no page is
}

// post returns a function that creates a number of items in Basecamp.
func post(n int, path func(d *toolEnv) string, body string) func(d *toolEnv) {
	return func(d *toolEnv) {
		at := path(d)
		for i := range n {
			d.meanwhile("POST", at, fmt.Sprintf(body, i))
		}
	}
}

func onTool(project, tool, path string) func(d *toolEnv) string {
	return func(d *toolEnv) string { return fmt.Sprintf(path, d.sandbox.ToolID(project, tool)) }
}

func onItem(kind, title, path string) func(d *toolEnv) string {
	return func(d *toolEnv) string { return fmt.Sprintf(path, d.sandbox.FindIn(launchProject, kind, title)) }
}

const longTodo = `{"content": "Measure frame %d", "description": "<div>Against the drawing.</div>"}`

var inLaunch = func(d *toolEnv) args { return args{"project_id": d.sandbox.ProjectID(launchProject)} }

func inLaunchWith(name string, of func(d *toolEnv) any) func(d *toolEnv) args {
	return func(d *toolEnv) args {
		in := inLaunch(d)
		in[name] = of(d)
		return in
	}
}

func named(kind, title string) func(d *toolEnv) any {
	return func(d *toolEnv) any { return d.sandbox.FindIn(launchProject, kind, title) }
}

func longLists(lists, todos int) func(d *toolEnv) {
	return func(d *toolEnv) {
		for i := range lists {
			name := fmt.Sprintf("Batch %d", i)
			d.meanwhile("POST", fmt.Sprintf("/todosets/%d/todolists.json", d.sandbox.ToolID(launchProject, "todoset")), `{"name": "`+name+`"}`)
			post(todos, onItem("Todolist", name, "/todolists/%d/todos.json"), longTodo)(d)
		}
	}
}

func longGroups(groups, todos int) func(d *toolEnv) {
	return func(d *toolEnv) {
		for i := range groups {
			name := fmt.Sprintf("Batch %d", i)
			d.meanwhile("POST", onItem("Todolist", "Launch checklist", "/todolists/%d/groups.json")(d), `{"name": "`+name+`"}`)
			post(todos, onItem("Todolist", name, "/todolists/%d/todos.json"), longTodo)(d)
		}
	}
}

var longTodos = post(963, onItem("Todolist", "Launch checklist", "/todolists/%d/todos.json"), longTodo)

func triage(d *toolEnv) string {
	text, _ := d.raw("get_board", args{"project": launchProject, "board": "Frame design"})
	var b struct {
		Columns []struct{ ID int64 }
	}
	if err := json.Unmarshal([]byte(text), &b); err != nil || len(b.Columns) == 0 {
		d.Fatal(text, err)
	}
	return fmt.Sprintf("/card_tables/lists/%d/cards.json", b.Columns[0].ID)
}

// longReads are the rows of the table.
var longReads = []longRead{
	{tool: "list_todos", what: "one list", limit: 100, with: inLaunchWith("todolist_id", named("Todolist", "Launch checklist")), seed: longTodos, pages: "/todos.json", before: 40},
	{tool: "list_todos", what: "one list", with: inLaunchWith("todolist_id", named("Todolist", "Launch checklist")), seed: longTodos, pages: "/todos.json", before: 94},
	{tool: "list_todos", what: "one list with 12 groups", limit: 100, with: inLaunchWith("todolist_id", named("Todolist", "Launch checklist")), seed: longGroups(12, 50), pages: "/todos.json", before: 86},
	{tool: "list_todos", what: "a project with 10 more lists", limit: 100, with: inLaunch, seed: longLists(10, 70), pages: "/todos.json", before: 115},
	{tool: "list_messages", limit: 100, with: inLaunch, seed: post(480, onTool(launchProject, "message_board", "/message_boards/%d/messages.json"), `{"subject": "Ride %d", "content": "<div>Dry.</div>", "status": "active"}`), pages: "/messages.json", before: 14},
	{tool: "list_comments", limit: 100, with: func(d *toolEnv) args { return args{"item": fmt.Sprintf("message:%d", named("Message", colourVote)(d))} }, seed: post(480, onItem("Message", colourVote, "/recordings/%d/comments.json"), `{"content": "<div>Vote %d: moss.</div>"}`), pages: "/comments.json", before: 13},
	{tool: "list_documents", limit: 100, with: inLaunch, seed: post(480, onTool(launchProject, "vault", "/vaults/%d/documents.json"), `{"title": "Note %d", "content": "<div>Short.</div>", "status": "active"}`), pages: "/documents.json", before: 13},
	{tool: "list_campfire_lines", limit: 100, with: inLaunch, seed: post(480, onTool(launchProject, "chat", "/chats/%d/lines.json"), `{"content": "Bell %d"}`), pages: "/lines.json", before: 16},
	{tool: "get_board", what: "one column", limit: 50, with: func(d *toolEnv) args {
		return args{"project": d.sandbox.ProjectID(launchProject), "board": "Frame design", "column": "Triage"}
	}, seed: post(480, triage, `{"title": "Rail %d"}`), pages: "/cards.json", before: 27, twice: "board"},
	{tool: "list_projects", limit: 100, with: func(*toolEnv) args { return args{} }, seed: post(480, func(*toolEnv) string { return "/projects.json" }, `{"name": "Ride %d"}`), pages: "/projects.json", before: 12},
	{tool: "search", limit: 100, with: func(*toolEnv) args { return args{"query": "Velodrome"} }, seed: post(480, onTool(launchProject, "message_board", "/message_boards/%d/messages.json"), `{"subject": "Velodrome %d", "content": "<div>Dry.</div>", "status": "active"}`), pages: "/search.json", before: 18},
	{tool: "get_activity", limit: 100, with: func(d *toolEnv) args {
		return args{"project": d.sandbox.ProjectID(launchProject), "detail": "full"}
	}, seed: longTodos, pages: "/timeline.json", before: 25},
	{tool: "read_basecamp", limit: 100, with: func(d *toolEnv) args {
		return operation("get_history", args{"item": fmt.Sprintf("todo:%d", named("Todo", "Print the serial number plates")(d))})
	}, seed: func(d *toolEnv) {
		todo := named("Todo", "Print the serial number plates")(d)
		for i := range 240 {
			d.meanwhile([]string{"POST", "DELETE"}[i%2], fmt.Sprintf("/todos/%d/completion.json", todo), "")
		}
	}, pages: "/events.json", before: 10, twice: "item"},
	{tool: "list_work", limit: 100, with: func(*toolEnv) args { return args{"kind": "todo"} }, seed: longTodos, pages: "/open.json", before: 14},
}

// longAnswer is what a whole read needs of any list's answer.
type longAnswer struct {
	Items   []json.RawMessage `json:"items"`
	Next    string            `json:"next_cursor"`
	Columns []struct {
		Cards []json.RawMessage `json:"cards"`
		Next  string            `json:"next_cursor"`
	} `json:"columns"`
}

// read reads a list to its end. It returns the number of answers and of items, and all requests to
// Basecamp.
func (r longRead) read(d *toolEnv) (answers, items int, requests []string) {
	in := r.with(d)
	switch {
	case r.limit > 0 && r.tool == "get_board":
		in["per_column"] = r.limit
	case r.limit > 0:
		in["limit"] = r.limit
	}
	for range 100 {
		var a longAnswer
		requests = append(requests, d.asked(func() {
			text, isError := d.raw(r.tool, in)
			if err := json.Unmarshal([]byte(text), &a); isError || err != nil {
				d.Fatalf("%s: %s, %v", r.tool, text, err)
			}
		})...)
		answers++
		items += len(a.Items)
		next := a.Next
		for _, c := range a.Columns {
			items, next = items+len(c.Cards), c.Next
		}
		if next == "" {
			return answers, items, requests
		}
		in["cursor"] = next
		time.Sleep(time.Second)
	}
	d.Fatalf("%s: no end after %d answers", r.tool, answers)
	return 0, 0, nil
}

// measured reads the list in a fresh environment, and returns the row's line.
func (r longRead) measured(t *testing.T) (line string) {
	unlimited(t, func(d *toolEnv) {
		d.short = true
		r.seed(d)
		answers, items, requests := r.read(d)
		own := lookup.Matching(requests, func(request string) bool {
			path, _, _ := strings.Cut(request, "?")
			return strings.HasSuffix(path, r.pages)
		})
		slices.Sort(own)
		pages := len(slices.Compact(slices.Clone(own)))
		if len(own) > pages && r.twice == "" {
			t.Errorf("%s %s: asked for %d pages, some of them twice:\n%s", r.tool, r.what, pages, strings.Join(requests, "\n"))
		}
		limit := "default"
		if r.limit > 0 {
			limit = fmt.Sprint(r.limit)
		}
		line = fmt.Sprintf("| %s | %s | %d | %s | %d | %d | %d | %d | %s |\n", r.tool, r.what, items, limit, answers, pages, len(requests), r.before, r.twice)
	})
	return line
}

func TestLongReads_TakeAsManyRequestsAsTheTableSays(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	if underRace {
		t.Skip("the race detector slows this test down too much")
	}
	var table strings.Builder
	table.WriteString("| tool | list | items | limit | answers | upstream pages | requests | before | what is asked for again |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, r := range longReads {
		table.WriteString(r.measured(t))
	}
	docstest.Section(t, "docs/performance.md", "long reads", table.String())
}
