package basecamptools

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/toolanswer"
)

// photographer is a to-do with a file, an assignee, a date and people to notify.
const photographer = "Book the photographer for the launch pictures"

// richTodo sets every field of the photographer's to-do, including a mention, unusual markup and
// a start date, and returns its id.
func richTodo(d *toolEnv) int64 {
	id := d.sandbox.Find("Todo", photographer)
	t := upstream[map[string]any](d, todoPath(id))
	hanna, ines, noemie := d.sandbox.Person("Hanna Koivisto").ID, d.sandbox.Person("Ines Albrecht").ID, d.sandbox.Person("Noémie Laurent").ID
	sgid := upstream[struct {
		SGID string `json:"attachable_sgid"`
	}](d, fmt.Sprintf("/people/%d.json", noemie)).SGID
	html := strings.ReplaceAll(t["description"].(string)+`<p>Ask <bc-attachment sgid="`+sgid+`"></bc-attachment>&nbsp;<u>twice</u></p>`, `"`, `\"`)
	d.meanwhile("PUT", todoPath(id), fmt.Sprintf(`{"content":%q,"description":"%s","due_on":"2031-05-20","starts_on":"2031-05-18","assignee_ids":[%d],"completion_subscriber_ids":[%d,%d]}`,
		photographer, html, hanna, ines, noemie))
	return id
}

// changed returns the names of the fields that a call changed in Basecamp, except for the time
// of the change.
func (d *toolEnv) changed(id int64, arguments args) []string {
	d.Helper()
	before := upstream[map[string]any](d, todoPath(id))
	arguments["todo"] = id
	call[todoItem](d, "update_todo", arguments)
	after := upstream[map[string]any](d, todoPath(id))
	var names []string
	for name := range before {
		if name != "updated_at" && !cmp.Equal(before[name], after[name]) {
			names = append(names, name)
		}
	}
	if len(after) != len(before) {
		d.Errorf("%v: fields %v became %v", arguments, slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(after)))
	}
	slices.Sort(names)
	return names
}

func TestUpdateTodo_ChangesOnlyNamedFields(t *testing.T) {
	for _, x := range []struct {
		in   args
		want []string
	}{
		{args{"content": "Book the photographer"}, []string{"content", "title"}},
		{args{"due_on": "2031-06-01"}, []string{"due_on"}},
		{args{"due_on": "none"}, []string{"due_on"}},
		{args{"due_on": ""}, []string{"due_on"}},
		{args{"starts_on": "none"}, []string{"starts_on"}},
		{args{"starts_on": "2031-05-19", "due_on": "2031-05-19"}, []string{"due_on", "starts_on"}},
		{args{"assignees": []any{}}, []string{"assignees"}},
		{args{"content": "Book the photographer", "assignees": nil, "notes": nil, "list": nil, "mentions": nil, "due_on": nil, "starts_on": nil}, []string{"content", "title"}},
		{args{"assignees": []string{"me", "Sam"}}, []string{"assignees"}},
		{args{"add_assignees": "Sam"}, []string{"assignees"}},
		{args{"add_assignees": "Hanna"}, nil},
		{args{"remove_assignees": "Hanna"}, []string{"assignees"}},
		{args{"remove_assignees": "Sam"}, nil},
		{args{"notes": ""}, []string{"description", "description_attachments"}},
		{args{"notes": "Only this"}, []string{"description"}},
		{args{"position": 1}, []string{"position"}},
		{args{"list": "Launch checklist"}, nil},
		{args{"list": "Parking lot"}, []string{"app_url", "parent", "position"}},
	} {
		at(t, func(d *toolEnv) {
			id := richTodo(d)
			got := slices.DeleteFunc(d.changed(id, x.in), func(name string) bool { return name == "app_url" })
			want := slices.DeleteFunc(x.want, func(name string) bool { return name == "app_url" })
			if !slices.Equal(got, want) {
				d.Errorf("%v changed %v, want %v", x.in, got, want)
			}
		})
	}
}

func TestUpdateTodo_ReturnsTheNewState(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := richTodo(d)
		got := call[todoItem](d, "update_todo", args{"todo": id, "content": " Book her ", "due_on": "2031-06-01", "add_assignees": []string{"me"}})
		var names []string
		for _, p := range got.Assignees {
			names = append(names, p.Name)
		}
		if got.Title != "Book her" || *got.DueOn != "2031-06-01" || *got.StartsOn != "2031-05-18" || got.List.Name != "Launch checklist" || got.Group != nil ||
			!slices.Equal(names, []string{"Hanna Koivisto", "Ines Albrecht"}) || got.URL == "" {
			d.Errorf("got %+v", got)
		}
	})
}

func TestUpdateTodo_NewNotesKeepTheFilesOfTheOld(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := richTodo(d)
		call[todoItem](d, "update_todo", args{"todo": id, "notes": "Same person, **new** fee. Ask @Priya", "mentions": []string{"Priya"}})
		now := upstream[struct {
			Description string
			Attachments []struct{ Filename string } `json:"description_attachments"`
		}](d, todoPath(id))
		if !strings.Contains(now.Description, "new") || strings.Contains(now.Description, "Budget is in") || !strings.Contains(now.Description, "application/vnd.basecamp.mention") ||
			len(now.Attachments) != 1 || now.Attachments[0].Filename != "launch-budget.csv" {
			d.Errorf("got %+v", now)
		}
	})
}

func TestUpdateTodo_IsFoundByIDURLAndTitle(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := d.sandbox.Find("Todo", photographer)
		url := fmt.Sprintf("https://3.basecamp.com/%d/buckets/%d/todos/%d", d.sandbox.Account(), d.sandbox.ProjectID(launch), id)
		for i, in := range []args{
			{"todo": id}, {"todo": fmt.Sprint(id)}, {"todo": url}, {"todo": fmt.Sprintf("todo:%d", id)}, {"todo": "book the PHOTOGRAPHER for the launch pictures", "project": launch},
			{"todo": url, "project": launch}, {"todo": photographer},
		} {
			in["due_on"] = fmt.Sprintf("2031-07-%02d", i+1)
			if got := call[todoItem](d, "update_todo", in); got.ID != id || *got.DueOn != in["due_on"] {
				d.Errorf("%v: got %+v", in, got)
			}
			time.Sleep(5 * time.Second) // synctest's clock, for the rate limit
		}
		d.refuses(fault.NotFound, "update_todo", args{"todo": "Book the brass band", "project": launch, "content": "x"}, "todo", "nearest")
		d.refuses(fault.NotFound, "update_todo", args{"todo": id, "project": "Winter Kit", "content": "x"}, "todo")
		d.refuses(fault.NotFound, "update_todo", args{"todo": 12345, "content": "x"})
		time.Sleep(10 * time.Second)
		f := d.refuses(fault.Ambiguous, "update_todo", args{"todo": "the", "project": launch, "content": "x"}, "todo")
		if len(f.Data.Candidates) < 2 {
			d.Errorf("candidates %+v", f.Data.Candidates)
		}
	})
}

func TestUpdateTodo_RefusesBadInputBeforeItWrites(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := richTodo(d)
		for _, x := range []struct {
			code  fault.Code
			in    args
			words []string
		}{
			{fault.InvalidInput, args{}, []string{"nothing to change", "add_assignees", "position"}},
			{fault.InvalidInput, args{"project": launch}, []string{"nothing to change"}},
			{fault.InvalidInput, args{"content": "  "}, []string{"content", "blank"}},
			{fault.InvalidInput, args{"content": nil}, []string{"content"}},
			{fault.InvalidInput, args{"due_on": "2031-02-30"}, []string{"due_on"}},
			{fault.InvalidInput, args{"due_on": "2031-05-17"}, []string{"due_on", "starts_on", "2031-05-18"}},
			{fault.InvalidInput, args{"starts_on": "2031-05-21"}, []string{"starts_on", "2031-05-20"}},
			{fault.InvalidInput, args{"starts_on": "whenever"}, []string{"starts_on"}},
			{fault.InvalidInput, args{"assignees": []string{"Hanna"}, "add_assignees": []string{"Sam"}}, []string{"assignees"}},
			{fault.InvalidInput, args{"assignees": []string{}, "remove_assignees": []string{"Hanna"}}, []string{"assignees"}},
			{fault.InvalidInput, args{"add_assignees": "Sam Lindqvist", "content": "x"}, []string{"add_assignees[0]", "not on the project"}},
			{fault.NotFound, args{"remove_assignees": "Zacharias Unknown"}, []string{"remove_assignees[0]"}},
			{fault.InvalidInput, args{"add_assignees": []string{"me", "Hanna"}, "remove_assignees": "Hanna"}, []string{"remove_assignees[0]"}},
			{fault.InvalidInput, args{"mentions": "Priya"}, []string{"mentions", "notes"}},
			{fault.InvalidInput, args{"notes": "for @[Someone](person:77)"}, []string{"notes"}},
			{fault.InvalidInput, args{"position": 0}, []string{"position"}},
			{fault.NotFound, args{"list": "Nowhere to be found", "content": "x"}, []string{"list"}},
			{fault.NotFound, args{"list": d.sandbox.TodolistID("Winter Kit", "What goes into the box"), "content": "x"}, []string{"list"}},
			{fault.InvalidInput, args{"list": d.sandbox.TodolistID(launch, "Ideas for later")}, []string{"list", "archived"}},
		} {
			x.in["todo"] = id
			d.refuses(x.code, "update_todo", x.in, x.words...)
			time.Sleep(2 * time.Second) // synctest's clock, for the rate limit
		}
	})
}

func TestUpdateTodo_RemovingOneOfTwoSamsMeansTheAssignedOne(t *testing.T) {
	at(t, func(d *toolEnv) {
		list := d.sandbox.TodolistID("Dealer Network", "Shops that asked us")
		made := call[createdTodos](d, "create_todos", newTodos(nil, list, args{"content": "Ring the bell", "assignees": []string{"Sam Okafor", "me", "Hanna"}}))
		id := made.Results[0].Item.ID
		got := call[todoItem](d, "update_todo", args{"todo": id, "remove_assignees": []string{"Sam", "me"}})
		if len(got.Assignees) != 1 || got.Assignees[0].Name != "Hanna Koivisto" {
			d.Errorf("left are %+v", got.Assignees)
		}
		d.refuses(fault.Ambiguous, "update_todo", args{"todo": id, "add_assignees": "Sam"}, "add_assignees[0]")
	})
}

func TestUpdateTodo_MovesWithinAListAndToAnother(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := d.sandbox.Find("Todo", photographer)
		order := func(list string) []int64 {
			return ids(all[todoItem](d, "list_todos", args{"project_id": launch, "todolist_id": list}), todoID)
		}
		call[todoItem](d, "update_todo", args{"todo": id, "position": 3})
		if got := order("Launch checklist"); got[2] != id {
			d.Errorf("order %v", got)
		}
		time.Sleep(10 * time.Second) // synctest's clock, for the rate limit
		got := call[todoItem](d, "update_todo", args{"todo": id, "list": "Electrics", "position": 2, "content": "Wire the flash"})
		if got.List.Name != "Supplier follow-ups" || got.Group == nil || got.Group.Name != "Electrics" || got.Title != "Wire the flash" {
			d.Errorf("got %+v", got)
		}
		if got := order("Electrics"); got[1] != id {
			d.Errorf("order %v", got)
		}
		time.Sleep(10 * time.Second)
		if got = call[todoItem](d, "update_todo", args{"todo": id, "list": "Test rides"}); got.List.Name != "Test rides" || got.Group != nil {
			d.Errorf("got %+v", got)
		}
		if got := order("Test rides"); got[0] != id {
			d.Errorf("order %v", got)
		}
	})
}

func TestUpdateTodo_ReadsAMovedToDoAgain(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := d.sandbox.Find("Todo", photographer)
		got := call[todoItem](d, "update_todo", args{"todo": id, "position": 1})
		now := upstream[struct {
			UpdatedAt time.Time `json:"updated_at"`
		}](d, todoPath(id))
		if !got.UpdatedAt.Equal(now.UpdatedAt) {
			d.Errorf("updated at %v, answer says %v", now.UpdatedAt, got.UpdatedAt)
		}
	})
}

func TestUpdateTodo_InNoListStaysThereUntilMoved(t *testing.T) {
	at(t, func(d *toolEnv) {
		set := d.sandbox.ToolID(launch, "todoset")
		d.meanwhile("POST", fmt.Sprintf("/buckets/%d/todosets/%d/todos.json", d.sandbox.ProjectID(launch), set), `{"content":"Find the spare key"}`)
		id := d.sandbox.Find("Todo", "Find the spare key")
		written := d.written(func() { call[todoItem](d, "update_todo", args{"todo": id, "due_on": "2031-05-20"}) })
		if len(written) != 1 {
			d.Errorf("wrote %v", written)
		}
		if got := call[todoItem](d, "update_todo", args{"todo": id, "list": "Parking lot"}); got.List.Name != "Parking lot" {
			d.Errorf("got %+v", got)
		}
	})
}

func TestUpdateTodo_TakesThreeRequestsAndFourToMove(t *testing.T) {
	at(t, func(d *toolEnv) {
		d.knowsLaunch()
		id, lot := d.sandbox.Find("Todo", photographer), d.sandbox.TodolistID(launch, "Parking lot")
		for _, x := range []struct {
			in   args
			want int
		}{
			{args{"content": "x"}, 3},         // the to-do, its list, the change
			{args{"add_assignees": "Sam"}, 4}, // and the people on the project
			{args{"list": lot}, 4},            // the to-do, the list, the move, the to-do
			{args{"list": lot}, 2},            // its current list
			{args{"list": lot, "due_on": "2031-01-01"}, 3},
		} {
			x.in["todo"] = id
			if got := d.asked(func() { call[todoItem](d, "update_todo", x.in) }); len(got) != x.want {
				d.Errorf("%v: %v", x.in, got)
			}
		}
	})
}

func TestUpdateTodo_SaysWhatWasDoneWhenTheMoveFails(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := d.sandbox.Find("Todo", photographer)
		path := fmt.Sprintf("/todos/%d/position", id)
		d.sandbox.Inject(sandbox.Fault{Method: "PUT", PathPrefix: path, Status: http.StatusForbidden})
		d.fails(fault.PermissionDenied, "update_todo", args{"todo": id, "content": "Book her", "position": 1}, "other changes were made", "moving the to-do failed")
		if title := upstream[struct{ Title string }](d, todoPath(id)).Title; title != "Book her" {
			d.Errorf("its title is %q", title)
		}
		if f := d.fails(fault.PermissionDenied, "update_todo", args{"todo": id, "position": 1}); strings.Contains(f.Message, "other changes") {
			d.Error(f.Message)
		}
	})
}

func TestUpdateTodo_AMoveSucceedsEvenIfReadingItBackFails(t *testing.T) {
	at(t, func(d *toolEnv) {
		id, lot := d.sandbox.Find("Todo", photographer), d.sandbox.TodolistID(launch, "Parking lot")
		d.sandbox.Inject(sandbox.Fault{Method: "GET", PathPrefix: fmt.Sprintf("/todos/%d", id), Delay: time.Millisecond, Times: 1})
		d.sandbox.Inject(sandbox.Fault{Method: "GET", PathPrefix: fmt.Sprintf("/todos/%d", id), Status: http.StatusForbidden})
		if got := call[todoItem](d, "update_todo", args{"todo": id, "list": lot}); got.List.ID != lot {
			d.Errorf("got %+v", got)
		}
	})
}

func TestUpdateTodo_MapsBasecampsFailures(t *testing.T) {
	for status, want := range map[int]fault.Code{
		http.StatusUnauthorized: fault.TokenExpired, http.StatusForbidden: fault.PermissionDenied, http.StatusNotFound: fault.NotFound,
		http.StatusUnprocessableEntity: fault.InvalidInput, http.StatusTooManyRequests: fault.RateLimited, http.StatusInternalServerError: fault.UpstreamError,
	} {
		for _, method := range []string{"GET", "PUT"} {
			synctest.Test(t, func(t *testing.T) {
				d := newToolEnv(t, sandbox.Options{})
				id := d.sandbox.Find("Todo", photographer)
				d.sandbox.Inject(sandbox.Fault{Method: method, Status: status, Header: http.Header{"Retry-After": {"60"}}})
				d.fails(want, "update_todo", args{"todo": id, "content": "Book her"})
				d.sandbox.ClearFaults()
				if title := upstream[struct{ Title string }](d, todoPath(id)).Title; title != photographer {
					d.Errorf("%s %d: its title is %q", method, status, title)
				}
			})
		}
	}
}

func TestUpdateTodo_WithoutAnAnswerIsReportedAsUncertain(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := d.sandbox.Find("Todo", photographer)
		d.sandbox.Inject(sandbox.Fault{Method: "PUT", Hang: true})
		text, isError := d.raw("update_todo", args{"todo": id, "content": "Book her"})
		if !isError || !strings.Contains(text, `"may_have_happened":true`) {
			d.Errorf("got %s", text)
		}
	})
	at(t, func(d *toolEnv) {
		id := d.sandbox.Find("Todo", photographer)
		d.sandbox.Inject(sandbox.Fault{Method: "PUT", Garbage: true})
		d.fails(fault.UpstreamError, "update_todo", args{"todo": id, "content": "Book her"})
	})
}

func TestShowTodo_EqualsGetTodo(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := d.sandbox.Find("Todo", "Sign off the final frame drawing, revision F")
		rs, ctx := d.resolver()
		shown, err := rs.showTodo(ctx, id, commentsInput{IncludeComments: true})
		got := call[todo](d, "get_todo", args{"todo_id": id})
		if err != nil || toolanswer.Size(shown) != toolanswer.Size(got) || shown.Title != got.Title || len(shown.Comments) == 0 || len(shown.Subtasks) != 3 || shown.List.Name != "Launch checklist" {
			d.Errorf("%v: shown %+v, got %+v", err, shown, got)
		}
		if _, err := rs.showTodo(ctx, 12345, commentsInput{}); !fault.Is(err, fault.NotFound) {
			d.Errorf("got %v", err)
		}
	})
}
