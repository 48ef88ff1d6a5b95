package basecamptools

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp/basecamptools/anyitem"
	"basecamp-mcp/internal/basecamp/basecamptools/overview"
	"basecamp-mcp/internal/basecamp/basecamptools/projects"
	"basecamp-mcp/internal/basecamp/basecamptools/todos"
	"basecamp-mcp/internal/basecamp/basecamptools/work"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
)

func TestListTodos_PagesThroughThirtySevenInAnyWay(t *testing.T) {
	at(t, func(d *toolEnv) {
		want := ids(all[todos.TodoItem](d, "list_todos", args{"project_id": launch, "todolist_id": "Launch checklist"}), todoID)
		if len(want) != 37 || distinct(want) != 37 {
			d.Fatalf("got %d to-dos", len(want))
		}
		first := call[listing.Page[todos.TodoItem]](d, "list_todos", args{"project_id": launch, "todolist_id": "Launch checklist"})
		if len(first.Items) != listing.DefaultLimit || *first.Total != 37 || first.NextPage != nil {
			d.Errorf("first answer: %d items of %d, next page %v", len(first.Items), *first.Total, first.NextPage)
		}
		var byPage []int64
		for number, more := 1, true; more; number++ {
			if number > len(want) {
				d.Fatalf("no end after page %d", number-1)
			}
			p := call[listing.Page[todos.TodoItem]](d, "list_todos", args{"project_id": launch, "todolist_id": "Launch checklist", "page": number})
			byPage = append(byPage, ids(p.Items, todoID)...)
			more = p.HasMore
		}
		if !slices.Equal(byPage, want) {
			d.Errorf("by page: %d to-dos", len(byPage))
		}
		for _, limit := range []int{1, 5, 15, 16, 36, 37, 100} {
			if got := ids(all[todos.TodoItem](d, "list_todos", args{"project_id": launch, "todolist_id": "Launch checklist", "limit": limit}), todoID); !slices.Equal(got, want) {
				d.Errorf("limit %d: %d to-dos", limit, len(got))
			}
		}
	})
}

func todoID(t todos.TodoItem) int64 { return t.ID }

func TestListTodos_AsksBasecampForOpenOrCompletedTodos(t *testing.T) {
	at(t, func(d *toolEnv) {
		for _, done := range []bool{false, true} {
			todos := all[todos.TodoItem](d, "list_todos", args{"project_id": launch, "todolist_id": "Launch checklist", "completed": done})
			if done && len(todos) != 12 {
				d.Errorf("%d completed", len(todos))
			}
			for _, todo := range todos {
				if todo.Completed != done || (todo.CompletedAt != nil) != done {
					d.Errorf("completed %v: %+v", done, todo)
				}
			}
		}
	})
}

func TestListTodos_ReturnsAssigneesDatesAndCounts(t *testing.T) {
	at(t, func(d *toolEnv) {
		todos := all[todos.TodoItem](d, "list_todos", args{"project_id": launch, "todolist_id": "Launch checklist"})
		var assigned, dated, discussed int
		for _, todo := range todos {
			if todo.Title == "" || todo.List == nil || todo.List.Name != "Launch checklist" || todo.Group != nil {
				d.Errorf("got %+v", todo)
			}
			for _, person := range todo.Assignees {
				if person.ID == 0 || person.Name == "" || person.Email == "" {
					d.Errorf("assignee %+v", person)
				}
				assigned++
			}
			if todo.DueOn != nil {
				dated++
			}
			discussed += todo.CommentsCount
		}
		if assigned == 0 || dated == 0 || discussed == 0 {
			d.Errorf("%d assigned, %d dated, %d comments", assigned, dated, discussed)
		}
	})
}

func TestListTodos_OfAListIncludesItsGroups(t *testing.T) {
	at(t, func(d *toolEnv) {
		lists := all[todos.TodolistItem](d, "list_todolists", args{"project_id": launch})
		grouped := lists[slices.IndexFunc(lists, func(l todos.TodolistItem) bool { return l.Name == "Supplier follow-ups" })]
		if len(grouped.Groups) < 2 {
			d.Fatalf("groups %+v", grouped.Groups)
		}
		made := all[todos.TodoItem](d, "list_todos", args{"project_id": launch, "todolist_id": grouped.ID, "limit": 4})
		inGroups := map[int64]int{}
		for _, todo := range made {
			if todo.List.ID != grouped.ID {
				d.Errorf("list %+v of %s", todo.List, todo.Title)
			}
			if todo.Group != nil {
				inGroups[todo.Group.ID]++
			}
		}
		for _, group := range grouped.Groups {
			if inGroups[group.ID] != group.Total-group.Done {
				d.Errorf("%s: %d of %d open to-dos", group.Name, inGroups[group.ID], group.Total-group.Done)
			}
			one := all[todos.TodoItem](d, "list_todos", args{"project_id": launch, "todolist_id": group.Name})
			if len(one) != inGroups[group.ID] {
				d.Errorf("%s by name: %d", group.Name, len(one))
			}
		}
	})
}

func TestListTodos_OfAWholeProjectSkipsNone(t *testing.T) {
	at(t, func(d *toolEnv) {
		var want []int64
		for _, list := range all[todos.TodolistItem](d, "list_todolists", args{"project_id": launch}) {
			want = append(want, ids(all[todos.TodoItem](d, "list_todos", args{"project_id": launch, "todolist_id": list.ID}), todoID)...)
		}
		for _, limit := range []int{7, 100} {
			got := ids(all[todos.TodoItem](d, "list_todos", args{"project_id": launch, "limit": limit}), todoID)
			if !slices.Equal(got, want) {
				d.Errorf("limit %d: %d to-dos, want %d", limit, len(got), len(want))
			}
		}
	})
}

// loose creates a to-do that is in a to-do set but in no list. It returns its id.
func (d *toolEnv) loose(set int64, content string) int64 {
	d.Helper()
	d.meanwhile("POST", fmt.Sprintf("/buckets/%d/todosets/%d/todos.json", d.sandbox.ProjectID(launch), set), fmt.Sprintf(`{"content":%q}`, content))
	return d.sandbox.Find("Todo", content)
}

func TestListTodos_OfAProjectIncludesThoseInNoList(t *testing.T) {
	at(t, func(d *toolEnv) {
		set := d.sandbox.ToolID(launch, "todoset")
		before := all[todos.TodoItem](d, "list_todos", args{"project_id": launch})
		open, done := d.loose(set, "Find the spare key"), d.loose(set, "Oil the lock")
		d.meanwhile("POST", fmt.Sprintf("/todos/%d/completion.json", done), "")
		for _, limit := range []int{7, 100} {
			got := all[todos.TodoItem](d, "list_todos", args{"project_id": launch, "limit": limit})
			if want := append(ids(before, todoID), open); !slices.Equal(ids(got, todoID), want) {
				d.Errorf("limit %d: %d to-dos, want %d", limit, len(got), len(want))
			}
			if last := got[len(got)-1]; last.List != nil || last.Todoset == nil || last.Todoset.ID != set || last.Todoset.Name == "" {
				d.Errorf("got %+v", last)
			}
		}
		completed := all[todos.TodoItem](d, "list_todos", args{"project_id": launch, "completed": true})
		if !slices.Contains(ids(completed, todoID), done) || slices.Contains(ids(completed, todoID), open) {
			d.Error("the completed one is not among the completed")
		}
		for _, item := range all[todos.TodoItem](d, "list_todos", args{"project_id": launch, "todolist_id": "Launch checklist"}) {
			if item.ID == open || item.Todoset != nil {
				d.Errorf("in a list: %+v", item)
			}
		}
		d.sandbox.Inject(sandbox.Fault{PathPrefix: fmt.Sprintf("/buckets/%d/todosets/%d/todos", d.sandbox.ProjectID(launch), set), Status: 404})
		if got := all[todos.TodoItem](d, "list_todos", args{"project_id": launch}); !slices.Equal(ids(got, todoID), ids(before, todoID)) {
			d.Errorf("without such to-dos: %d to-dos, want %d", len(got), len(before))
		}
	})
}

func TestTodos_InNoListNameTheirToDoSet(t *testing.T) {
	at(t, func(d *toolEnv) {
		set := d.sandbox.ToolID(launch, "todoset")
		id := d.loose(set, "Find the spare key")
		item := fmt.Sprintf("todo:%d", id)
		in := func(what string, list, got *lookup.Ref) {
			if list != nil || got == nil || got.ID != set {
				d.Errorf("%s: in %v, %v", what, list, got)
			}
		}
		read := call[todos.Todo](d, "get_todo", args{"todo_id": "Find the spare key", "project_id": launch})
		in("get_todo", read.List, read.Todoset)
		d.update(item, args{"assignees": "me", "position": 1})
		seen := 0
		for _, group := range call[overview.MyWork](d, "get_my_work", args{}).Groups {
			for _, item := range group.Items {
				if item.ID == id {
					seen++
					in("get_my_work", item.List, item.Todoset)
				}
			}
		}
		for _, task := range all[work.TaskItem](d, "list_work", args{"kind": "todo", "project": launch}) {
			if task.ID == id {
				seen++
				in("list_work", task.List, task.Todoset)
			} else if task.List == nil || task.Todoset != nil {
				d.Errorf("list_work: %+v", task)
			}
		}
		if seen != 2 {
			d.Errorf("seen %d times", seen)
		}
		done := call[work.Completion](d, "set_completed", args{"item": item, "completed": true})
		in("set_completed", done.List, done.Todoset)
		opened := call[anyitem.PageShown](d, "get_item", args{"url": read.URL})
		if opened.Type != "todo" || opened.ReplyTo == nil || opened.ReplyTo.ID != id {
			d.Errorf("get_item: %+v", opened)
		}
	})
}

func TestListTodos_ACursorSurvivesNewAndRemovedLists(t *testing.T) {
	at(t, func(d *toolEnv) {
		in := args{"project_id": launch, "limit": 30}
		want := ids(all[todos.TodoItem](d, "list_todos", in), todoID)
		first := call[listing.Page[todos.TodoItem]](d, "list_todos", in)
		d.meanwhile("POST", fmt.Sprintf("/todosets/%d/todolists.json", d.sandbox.ToolID(launch, "todoset")), `{"name":"Last minute"}`)
		in["cursor"] = *first.NextCursor
		got := append(ids(first.Items, todoID), ids(all[todos.TodoItem](d, "list_todos", in), todoID)...)
		if !slices.Equal(got, want) {
			d.Errorf("%d to-dos, want %d", len(got), len(want))
		}
		list := *first.Items[len(first.Items)-1].List
		d.meanwhile("PUT", fmt.Sprintf("/recordings/%d/status/trashed.json", list.ID), "")
		rest := ids(all[todos.TodoItem](d, "list_todos", in), todoID)
		if !slices.Equal(rest, want[30:]) {
			d.Errorf("%d to-dos follow, want the %d of which the page was read before the list was deleted", len(rest), len(want)-30)
		}
		time.Sleep(30 * time.Second)
		d.fails(fault.InvalidInput, "list_todos", in, "cursor", "no longer there")
	})
}

func TestListTodos_AGroupsWholeNameBeatsAPartOfAListsName(t *testing.T) {
	at(t, func(d *toolEnv) {
		group := d.sandbox.TodolistID(launch, "Electrics")
		d.meanwhile("POST", fmt.Sprintf("/todosets/%d/todolists.json", d.sandbox.ToolID(launch, "todoset")), `{"name":"Electrics for later"}`)
		for _, item := range all[todos.TodoItem](d, "list_todos", args{"project_id": launch, "todolist_id": "electrics"}) {
			if item.Group == nil || item.Group.ID != group {
				d.Errorf("got %s of %v", item.Title, item.List)
			}
		}
	})
}

func TestListTodos_CountsPages(t *testing.T) {
	at(t, func(d *toolEnv) {
		for _, number := range []int{9999, 10_000, 10_001} {
			p := call[listing.Page[todos.TodoItem]](d, "list_todos", args{"project_id": launch, "todolist_id": "Supplier follow-ups", "page": number})
			if len(p.Items) != 0 || p.HasMore {
				d.Errorf("page %d: %d to-dos", number, len(p.Items))
			}
		}
	})
}

func TestListTodos_OfAProjectWithoutListsIsEmpty(t *testing.T) {
	at(t, func(d *toolEnv) {
		for _, in := range []args{{}, {"page": 1}, {"page": 7}, {"assignee": "me"}, {"limit": 5}} {
			in["project_id"] = "Prototype Two"
			if p := call[listing.Page[todos.TodoItem]](d, "list_todos", in); len(p.Items) != 0 || p.HasMore {
				d.Errorf("%v: got %+v", in, p)
			}
		}
	})
}

func TestListTodos_OfAProjectReadsOnlyTheListsItShowsAndAllGroupsTogether(t *testing.T) {
	at(t, func(d *toolEnv) {
		in := args{"project_id": d.sandbox.ProjectID(launch), "limit": 5}
		_, few := costing[listing.Page[todos.TodoItem]](d, "list_todos", in)
		in["limit"] = 100
		whole := strings.Join(d.asked(func() { all[todos.TodoItem](d, "list_todos", in) }), "\n")
		if len(few) > 3 || strings.Contains(whole, "/groups.json") { // the project, its lists, the first list's to-dos
			d.Errorf("requests: %v\n%s", few, whole)
		}
	})
}

func TestGetTodo_DistinguishesAGroupFromAList(t *testing.T) {
	at(t, func(d *toolEnv) {
		for _, listed := range all[todos.TodoItem](d, "list_todos", args{"project_id": launch, "todolist_id": "Supplier follow-ups"}) {
			got := call[todos.Todo](d, "get_todo", args{"todo_id": listed.ID})
			if *got.List != *listed.List || (got.Group == nil) != (listed.Group == nil) || got.Group != nil && *got.Group != *listed.Group {
				d.Errorf("%s: list %v, group %v; listed under %v, %v", got.Title, got.List, got.Group, listed.List, listed.Group)
			}
		}
	})
}

func TestListTodos_FiltersByAssignee(t *testing.T) {
	at(t, func(d *toolEnv) {
		ines := call[projects.Me](d, "get_me", args{})
		whole := all[todos.TodoItem](d, "list_todos", args{"project_id": launch})
		want := 0
		for _, todo := range whole {
			if slices.ContainsFunc(todo.Assignees, func(p lookup.Person) bool { return p.ID == ines.ID }) {
				want++
			}
		}
		for _, who := range []any{"me", ines.ID, "Ines", "ines albrecht"} {
			got := all[todos.TodoItem](d, "list_todos", args{"project_id": launch, "assignee": who, "limit": 5})
			if len(got) != want || want == 0 {
				d.Errorf("%v: %d to-dos, want %d", who, len(got), want)
			}
		}
		d.fails(fault.InvalidInput, "list_todos", args{"project_id": launch, "assignee": "Sam Lindqvist"}, "assignee", "not on the project")
		f := d.fails(fault.Ambiguous, "list_todos", args{"project_id": "Dealer Network", "assignee": "sam"}, "assignee")
		if len(f.Data.Candidates) != 2 {
			d.Errorf("candidates %+v", f.Data.Candidates)
		}
	})
}

func TestListTodos_OfAListInAnotherProjectIsNotFound(t *testing.T) {
	at(t, func(d *toolEnv) {
		list := d.sandbox.TodolistID(launch, "Launch checklist")
		d.fails(fault.NotFound, "list_todos", args{"project_id": "Company HQ", "todolist_id": list}, "todolist_id")
		d.fails(fault.NotFound, "list_todos", args{"project_id": launch, "todolist_id": "Launch checklists"}, "todolist_id", "Launch checklist")
	})
}

func TestGetTodo_ReturnsSubtasksCommentsAndDates(t *testing.T) {
	at(t, func(d *toolEnv) {
		const title = "Sign off the final frame drawing, revision F"
		got := call[todos.Todo](d, "get_todo", args{"todo_id": title, "project_id": launch})
		if got.Title != title || len(got.Subtasks) != 3 || len(got.Comments) != got.CommentsCount || got.CommentsCount == 0 || got.DueOn == nil {
			d.Errorf("got %+v", got)
		}
		if got.SubtasksTotal != 3 || got.Assignees[0].Email == "" || got.List.Name != "Launch checklist" {
			d.Errorf("got %+v", got.TodoItem)
		}
	})
}

func TestListTodolists_CountsFromTheRatioAndShowsGroups(t *testing.T) {
	at(t, func(d *toolEnv) {
		lists := all[todos.TodolistItem](d, "list_todolists", args{"project_id": launch})
		checklist := lists[slices.IndexFunc(lists, func(l todos.TodolistItem) bool { return l.Name == "Launch checklist" })]
		if checklist.Done != 12 || checklist.Total != 49 || checklist.Type != "todolist" || len(checklist.Groups) != 0 {
			d.Errorf("got %+v", checklist)
		}
		if active, archived := len(lists), len(all[todos.TodolistItem](d, "list_todolists", args{"project_id": launch, "status": "archived"})); active == 0 || archived == active {
			d.Errorf("%d active, %d archived", active, archived)
		}
	})
}
