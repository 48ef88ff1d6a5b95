package basecamptools

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"basecamp-mcp/internal/basecamp/basecamptools/anyitem"
	"basecamp-mcp/internal/basecamp/basecamptools/todos"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
)

func TestCreateTodolist_CreatesAListInTheProject(t *testing.T) {
	at(t, func(d *toolEnv) {
		got := call[todos.TodolistItem](d, "create_todolist", args{"project": launch, "name": " After the launch ", "description": "What we **learn**"})
		if got.Name != "After the launch" || got.Type != "todolist" || !strings.Contains(got.Description, "learn") || got.Project.Name != launch || got.URL == "" || got.Total != 0 {
			d.Errorf("got %+v", got)
		}
		made := upstream[struct{ Name, Description string }](d, fmt.Sprintf("/todolists/%d.json", got.ID))
		if made.Name != "After the launch" || !strings.HasPrefix(made.Description, "<") {
			d.Errorf("upstream %+v", made)
		}
		bare := call[todos.TodolistItem](d, "create_todolist", args{"project": d.sandbox.ProjectID(launch), "name": "Nothing more"})
		if bare.Description != "" {
			d.Errorf("got %+v", bare)
		}
	})
}

func TestCreateTodolist_MakesAGroupInAList(t *testing.T) {
	at(t, func(d *toolEnv) {
		list := d.sandbox.TodolistID(launch, "Launch checklist")
		got := call[todos.CreatedTodolist](d, "create_todolist", args{"project": launch, "name": "Evening", "group_of": "Launch checklist"})
		if got.Name != "Evening" || got.List == nil || got.List.ID != list {
			d.Errorf("got %+v", got)
		}
		if parent := upstream[struct{ Parent struct{ ID int64 } }](d, fmt.Sprintf("/todolists/%d.json", got.ID)).Parent.ID; parent != list {
			d.Errorf("in list %d", parent)
		}
		shown := call[listing.Page[todos.TodolistItem]](d, "list_todolists", args{"project_id": launch})
		if i := slices.IndexFunc(shown.Items, func(l todos.TodolistItem) bool { return l.ID == list }); i < 0 || len(shown.Items[i].Groups) != 1 {
			d.Errorf("list_todolists shows %+v", shown.Items)
		}
		d.refusesAll("create_todolist", args{"project": launch, "name": "x"}, []refusedCall{
			{args{"group_of": got.ID}, fault.InvalidInput, `group_of: "Evening" is a group itself`},
			{args{"group_of": list, "description": "Late"}, fault.InvalidInput, "only a name"},
			{args{"group_of": "No such list"}, fault.NotFound, "group_of: "},
			{args{"group_of": list, "name": " "}, fault.InvalidInput, "name"},
		})
	})
}

func TestCreateTodolist_NeedsANamedSetIfThereAreSeveral(t *testing.T) {
	at(t, func(d *toolEnv) {
		second := secondTodoset(d)
		f := d.refuses(fault.Ambiguous, "create_todolist", args{"project": launch, "name": "x"}, "todoset_id", "2 to-do sets")
		if len(f.Data.Candidates) != 2 {
			d.Errorf("candidates %+v", f.Data.Candidates)
		}
		got := call[todos.TodolistItem](d, "create_todolist", args{"project": launch, "name": "Later", "todoset_id": "afterwards"})
		if parent := upstream[struct{ Parent struct{ ID int64 } }](d, fmt.Sprintf("/todolists/%d.json", got.ID)).Parent.ID; parent != second {
			d.Errorf("in set %d", parent)
		}
	})
}

func TestCreateTodolist_RefusesBadInput(t *testing.T) {
	at(t, func(d *toolEnv) {
		d.refuses(fault.InvalidInput, "create_todolist", args{"project": launch, "name": "  "}, "name")
		d.refuses(fault.InvalidInput, "create_todolist", args{"project": launch}, "name", "copy_of")
		d.refuses(fault.InvalidInput, "create_todolist", args{"name": "x"}, "project")
		d.refuses(fault.NotFound, "create_todolist", args{"project": "Cargo Boat", "name": "x"}, "project")
		d.refuses(fault.ToolNotEnabled, "create_todolist", args{"project": "Photo Library", "name": "x"}, "to-do set")
		d.refuses(fault.InvalidInput, "create_todolist", args{"project": launch, "name": "x", "description": "for @[Someone](person:77)"}, "description")
	})
}

func TestShowTodolist_ReturnsGroupsProgressAndComments(t *testing.T) {
	at(t, func(d *toolEnv) {
		list, group := d.sandbox.TodolistID(launch, "Supplier follow-ups"), d.sandbox.TodolistID(launch, "Electrics")
		d.meanwhile("POST", fmt.Sprintf("/recordings/%d/comments.json", list), `{"content":"<div>Half way</div>"}`)
		rs, ctx := d.resolver()
		got, err := rs.Todos.ShowTodolist(ctx, list)
		if err != nil || got.Name != "Supplier follow-ups" || len(got.Groups) != 4 || got.CommentsCount != 1 || got.Total == 0 || got.Status != "active" || got.List != nil {
			d.Errorf("%v: got %+v", err, got)
		}
		got, err = rs.Todos.ShowTodolist(ctx, group)
		if err != nil || got.Name != "Electrics" || got.List.ID != list || len(got.Groups) != 0 || got.Total == 0 {
			d.Errorf("%v: got %+v", err, got)
		}
		if _, err := rs.Todos.ShowTodolist(ctx, 12345); !fault.Is(err, fault.NotFound) {
			d.Errorf("got %v", err)
		}
	})
}

func TestListTodos_FindsAListByNameInAllSets(t *testing.T) {
	at(t, func(d *toolEnv) {
		d.meanwhile("POST", fmt.Sprintf("/todosets/%d/todolists.json", secondTodoset(d)), `{"name":"After sales"}`)
		if got := call[listing.Page[todos.TodoItem]](d, "list_todos", args{"project_id": launch, "todolist_id": "After sales"}); len(got.Items) != 0 {
			d.Errorf("got %+v", got)
		}
		d.fails(fault.Ambiguous, "list_todos", args{"project_id": launch}, "todoset_id")
		d.fails(fault.NotFound, "list_todos", args{"project_id": launch, "todolist_id": "After sales", "todoset_id": d.sandbox.ToolID(launch, "todoset")}, "todolist_id")
	})
}

func TestListTodolists_OfAHundredListsTakesFewRequests(t *testing.T) {
	unlimited(t, func(d *toolEnv) {
		set := d.sandbox.ToolID(launch, "todoset")
		for i := range 100 - len(all[todos.TodolistItem](d, "list_todolists", args{"project_id": launch})) {
			d.meanwhile("POST", fmt.Sprintf("/todosets/%d/todolists.json", set), fmt.Sprintf(`{"name":"List %d"}`, i))
		}
		got, asked := costing[listing.Page[todos.TodolistItem]](d, "list_todolists", args{"project_id": d.sandbox.ProjectID(launch), "limit": 100})
		if len(asked) > 10 || len(got.Items) != 100 {
			d.Errorf("%d lists by %v", len(got.Items), asked)
		}
	})
}

func TestListTodolists_ReturnsGroupsInOrderEvenOfAnArchivedList(t *testing.T) {
	at(t, func(d *toolEnv) {
		list := d.sandbox.TodolistID(launch, "Supplier follow-ups")
		groups := func(status string) []string {
			var names []string
			for _, l := range call[listing.Page[todos.TodolistItem]](d, "list_todolists", args{"project_id": launch, "status": status, "limit": 50}).Items {
				for _, g := range l.Groups {
					if l.ID == list {
						names = append(names, g.Name)
					}
				}
			}
			return names
		}
		want := []string{}
		for _, g := range upstream[[]address](d, fmt.Sprintf("/todolists/%d/groups.json", list)) {
			want = append(want, g.Name)
		}
		if got := groups("active"); len(got) != 4 || !slices.Equal(got, want) {
			d.Errorf("got %v, want %v", got, want)
		}
		d.meanwhile("PUT", fmt.Sprintf("/recordings/%d/status/archived.json", list), "")
		if got := groups("archived"); !slices.Equal(got, want) {
			d.Errorf("got %v", got)
		}
	})
}

func TestListTodolists_ReturnsArchivedGroupsOfActiveLists(t *testing.T) {
	at(t, func(d *toolEnv) {
		list := d.sandbox.TodolistID(launch, "Supplier follow-ups")
		group := upstream[[]address](d, fmt.Sprintf("/todolists/%d/groups.json", list))[1]
		for _, status := range []string{lookup.Archived, lookup.Trashed} {
			d.meanwhile("PUT", fmt.Sprintf("/recordings/%d/status/%s.json", group.ID, status), "")
			for _, limit := range []int{1, 50} {
				shown := lookup.Matching(all[todos.TodolistItem](d, "list_todolists", args{"project_id": launch, "status": status, "limit": limit}), func(l todos.TodolistItem) bool { return l.ID == group.ID })
				if len(shown) != 1 || shown[0].List == nil || shown[0].List.Name != "Supplier follow-ups" || shown[0].Name != group.Name {
					d.Errorf("%s, limit %d: %+v", status, limit, shown)
				}
			}
		}
		item := fmt.Sprintf("todolist:%s", group.Name)
		if got := call[anyitem.StatusResults](d, "set_item_status", args{"items": []string{item}, "project": launch, "status": lookup.Active}); got.Changed != 1 {
			d.Errorf("restored %+v", got)
		}
	})
}
