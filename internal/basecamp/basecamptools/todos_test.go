package basecamptools

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp/basecamptools/todos"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/tool/listing"
)

const (
	checklist = "Launch checklist"
	signOff   = "Sign off the final frame drawing, revision F"
	launchSet = "/buckets/{project:Cargo Bike Launch}/todosets/{tool:todoset@Cargo Bike Launch}/todos.json"
	spareKey  = "Find the spare key"
	looseTodo = "POST " + launchSet + ` {"content":"` + spareKey + `"}`
)

func TestListTodos_PagesThroughAListAndAProjectInAnyWay(t *testing.T) {
	at(t, func(d *toolEnv) {
		var byList []int64
		for _, list := range all[todos.TodolistItem](d, "list_todolists", args{"project_id": launch}) {
			byList = append(byList, ids(all[todos.TodoItem](d, "list_todos", args{"project_id": launch, "todolist_id": list.ID}), todoID)...)
		}
		for list, limits := range map[any][]int{checklist: {1, 5, 15, 16, 36, 37, 100}, "Supplier follow-ups": {4}, nil: {7, 100}} {
			in := args{"project_id": launch, "todolist_id": list}
			want := byList
			if list != nil {
				want = ids(all[todos.TodoItem](d, "list_todos", in), todoID)
			}
			for _, limit := range limits {
				in["limit"] = limit
				if got := ids(all[todos.TodoItem](d, "list_todos", in), todoID); !slices.Equal(got, want) || distinct(got) != len(want) {
					d.Errorf("%v by %d: %d to-dos, want %d", list, limit, len(got), len(want))
				}
			}
		}
		var byPage []int64
		for page := range 3 {
			byPage = append(byPage, ids(call[listing.Page[todos.TodoItem]](d, "list_todos", args{"project_id": launch, "todolist_id": checklist, "page": page + 1}).Items, todoID)...)
		}
		if len(byPage) != 37 || !slices.Equal(byPage, byList[:37]) {
			d.Errorf("by page: %d to-dos", len(byPage))
		}
	})
}

func todoID(t todos.TodoItem) int64 { return t.ID }

func TestListTodos(t *testing.T) {
	group := func(name string, n int) row {
		return row{fact: "a group by its name, " + name, in: args{"todolist_id": name}, holds: holds{"items.#": n, "items.*.group.name": name, "items.*.list.name": "Supplier follow-ups"}}
	}
	whole := args{"todolist_id": nil, "limit": 100}
	cases(t, "list_todos", args{"project_id": launch, "todolist_id": checklist},
		row{fact: "a page has the first ones, and counts all", holds: holds{"items.#": listing.DefaultLimit, "total": 37, "next_page": nil, "items.*.list.name": checklist, "items.*.group": nil, "items.*.todoset": nil, "items.*.completed": false,
			"items.0.title": signOff, "items.0.due_on": "1999-12-26", "items.0.comments_count": 2, "items.0.assignees.1": args{"id": "{person:Ines Albrecht}", "name": "Ines Albrecht", "email": "ines@fernhillbikes.example"}}},
		row{fact: "completed ones are others", in: args{"completed": true}, holds: holds{"items.#": 12, "items.*.completed": true, "items.*.completed_at": some}},
		row{fact: "a list includes its groups", in: args{"todolist_id": "Supplier follow-ups", "limit": 100}, holds: holds{"items.#": 15, "items.*.list.name": "Supplier follow-ups", "items.1.group": nil, "items.2.group.name": "Tubes and dropouts"}, then: []row{
			{fact: "the to-do says so too", tool: "get_todo", in: args{"todo_id": "{0.items.2.id}"}, holds: holds{"list": "{0.items.2.list}", "group": "{0.items.2.group}"}},
			{tool: "get_todo", in: args{"todo_id": "{0.items.1.id}"}, holds: holds{"list": "{0.items.1.list}", "group": nil}},
		}},
		group("Tubes and dropouts", 4), group("Brakes and wheels", 3), group("Electrics", 4), group("Paint and print", 2),
		row{fact: "a group's whole name beats a part of a list's name", before: []string{`POST /todosets/{tool:todoset@Cargo Bike Launch}/todolists.json {"name":"Electrics for later"}`},
			in: args{"todolist_id": "electrics"}, holds: holds{"items.*.group.name": "Electrics"}},
		row{fact: "an assignee can be named in any way", each: []args{{"assignee": "me"}, {"assignee": "{person:Ines Albrecht}"}, {"assignee": "Ines"}, {"assignee": "ines albrecht"}},
			in: whole, holds: holds{"items.#": 12, "items.*.assignees": has("Ines Albrecht")}},
		row{fact: "an assignee must be on the project", in: args{"assignee": "Sam Lindqvist"}, fails: fault.InvalidInput, says: says{"assignee", "not on the project"}},
		row{fact: "a name must fit one assignee", in: args{"project_id": "Dealer Network", "todolist_id": nil, "assignee": "sam"}, fails: fault.Ambiguous, says: says{"assignee"}, holds: holds{"data.candidates.#": 2}},
		row{fact: "the list must be in the project", in: args{"project_id": "Company HQ", "todolist_id": "{Todolist:Launch checklist}"}, fails: fault.NotFound, says: says{"todolist_id"}},
		row{fact: "the nearest names are told", in: args{"todolist_id": "Launch checklists"}, fails: fault.NotFound, says: says{"todolist_id", checklist}},
		row{fact: "a page after the last is empty", each: []args{{"page": 9999}, {"page": 10_000}, {"page": 10_001}}, holds: holds{"items.#": 0, "has_more": nil}},
		row{fact: "a project without lists has none", in: args{"project_id": "Prototype Two", "todolist_id": nil}, each: []args{{}, {"page": 1}, {"page": 7}, {"assignee": "me"}, {"limit": 5}}, holds: holds{"items.#": 0, "has_more": nil}},
		row{fact: "few of a project ask for the lists and those of the first", in: args{"project_id": "{project:Cargo Bike Launch}", "todolist_id": nil, "limit": 5}, requests: 3, then: []row{
			{fact: "all groups are read together", in: whole, requests: 17}}},
	)
}

func TestTodos_InNoList(t *testing.T) {
	inSet := func(at string) holds {
		return holds{at + "list": nil, at + "todoset.id": "{tool:todoset@Cargo Bike Launch}", at + "todoset.name": some}
	}
	const told = `"title":"Find the spare key","due_on":null,"todoset":{"id":{tool:todoset@Cargo Bike Launch}`
	cases(t, "list_todos", args{"project_id": launch, "limit": 100},
		row{fact: "they are the last of their project", before: []string{looseTodo}, misses: []string{spareKey}, then: []row{
			{in: args{"cursor": "{.next_cursor}"}, holds: holds{"items.#": 17, "items.16.title": spareKey, "items.16.list": nil, "items.16.todoset": args{"id": "{tool:todoset@Cargo Bike Launch}", "name": "To-dos"}}},
			{fact: "not of a list", in: args{"todolist_id": checklist}, holds: holds{"items.*.todoset": nil}, misses: []string{spareKey}},
			{tool: "get_todo", in: args{"todo_id": spareKey, "project_id": launch}, holds: inSet("")},
			{tool: "update_work", in: args{"items": []args{{"item": "todo:{.id}", "assignees": "me", "position": 1}}}, holds: holds{"done": 1}},
			{tool: "get_my_work", says: says{told}},
			{tool: "list_work", in: args{"kind": "todo", "project": launch, "assignee": "me"}, says: says{`"todoset":{"id":{tool:todoset@Cargo Bike Launch}`}},
			{tool: "get_item", in: args{"item": "todo:{3.id}"}, holds: holds{"type": "todo", "reply_to.id": "{3.id}"}},
			{tool: "set_completed", in: args{"item": "todo:{3.id}", "completed": true}, holds: inSet("")},
			{fact: "among the open ones", in: args{}, misses: []string{spareKey}},
			{fact: "among the completed ones", in: args{"completed": true}, says: says{spareKey}},
		}},
		row{fact: "they are left out where Basecamp has none", before: []string{looseTodo}, faults: faults{{PathPrefix: "/buckets/{project:Cargo Bike Launch}/todosets/", Status: 404}}, then: []row{
			{in: args{"cursor": "{.next_cursor}"}, holds: holds{"items.#": 16, "has_more": nil}}}},
	)
}

func TestListTodos_ACursorSurvivesNewAndRemovedLists(t *testing.T) {
	at(t, func(d *toolEnv) {
		in := args{"project_id": launch, "limit": 30}
		want := ids(all[todos.TodoItem](d, "list_todos", in), todoID)[30:]
		first := call[listing.Page[todos.TodoItem]](d, "list_todos", in)
		in["cursor"] = *first.NextCursor
		d.meanwhile("POST", fmt.Sprintf("/todosets/%d/todolists.json", d.sandbox.ToolID(launch, "todoset")), `{"name":"Last minute"}`)
		added := ids(all[todos.TodoItem](d, "list_todos", in), todoID)
		d.meanwhile("PUT", fmt.Sprintf("/recordings/%d/status/trashed.json", first.Items[29].List.ID), "")
		removed := ids(all[todos.TodoItem](d, "list_todos", in), todoID) // its page was read before
		if !slices.Equal(added, want) || !slices.Equal(removed, want) {
			d.Errorf("%d to-dos follow, then %d, want %d", len(added), len(removed), len(want))
		}
		time.Sleep(30 * time.Second)
		d.fails(fault.InvalidInput, "list_todos", in, "cursor", "no longer there")
	})
}

func TestGetTodo(t *testing.T) {
	cases(t, "get_todo", args{"todo_id": signOff, "project_id": launch},
		row{fact: "it has subtasks, comments, dates and people", holds: holds{"title": signOff, "subtasks.#": 3, "subtasks_total": 3, "comments.#": 2, "comments_count": 2, "due_on": "1999-12-26",
			"assignees.0.email": "noemie@fernhillbikes.example", "list.name": checklist}},
	)
}

func TestListTodolists(t *testing.T) {
	cases(t, "list_todolists", args{"project_id": launch},
		row{fact: "they count what is done, of groups too", holds: holds{"items.#": 7, "items.*.type": "todolist", "items.0.name": checklist, "items.0.done": 12, "items.0.total": 49, "items.0.groups": nil,
			"items.1.groups.*.name": []string{"Tubes and dropouts", "Brakes and wheels", "Electrics", "Paint and print"}, "items.1.groups.0.done": 2, "items.1.groups.0.total": 6}},
		row{fact: "archived ones are others", in: args{"status": "archived"}, holds: holds{"items.*.name": []string{"Ideas for later"}}},
	)
}
