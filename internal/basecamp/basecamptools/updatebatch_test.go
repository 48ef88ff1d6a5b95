package basecamptools

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fault"
)

// refNames returns the names of references.
func refNames(refs []lookup.Ref) []string {
	all := make([]string, len(refs))
	for i, r := range refs {
		all[i] = r.Name
	}
	return all
}

func TestUpdateTodos_ChangesOnlyNamedFields(t *testing.T) {
	for _, x := range []struct {
		in   args
		want []string
	}{
		{args{"due_on": "2031-06-01"}, []string{"due_on"}},
		{args{"due_on": "none"}, []string{"due_on"}},
		{args{"due_on": "", "starts_on": "none"}, []string{"due_on", "starts_on"}},
		{args{"due_on": nil, "starts_on": "2031-05-19", "assignees": nil, "list": nil}, []string{"starts_on"}},
		{args{"assignees": []any{}}, []string{"assignees"}},
		{args{"assignees": []string{"me", "Sam"}}, []string{"assignees"}},
		{args{"add_assignees": "Sam"}, []string{"assignees"}},
		{args{"add_assignees": "Hanna"}, nil},
		{args{"remove_assignees": "Hanna"}, []string{"assignees"}},
		{args{"list": "Launch checklist"}, nil},
		{args{"list": "Parking lot"}, []string{"parent", "position"}},
	} {
		at(t, func(d *toolEnv) {
			id := richTodo(d)
			before := upstream[map[string]any](d, todoPath(id))
			x.in["todos"] = []any{id}
			var got updatedTodos
			written := d.written(func() { got = call[updatedTodos](d, "update_todos", x.in) })
			after := upstream[map[string]any](d, todoPath(id))
			var changed []string
			for name := range before {
				if name != "updated_at" && name != "app_url" && !cmp.Equal(before[name], after[name]) {
					changed = append(changed, name)
				}
			}
			slices.Sort(changed)
			if !slices.Equal(changed, x.want) || got.Done != 1 || got.Results[0].Item.Changed != (x.want != nil) || len(written) != min(1, len(x.want)) {
				d.Errorf("%v changed %v, wrote %v, answered %+v", x.in, changed, written, got.Results[0].Item)
			}
			if again := d.written(func() { call[updatedTodos](d, "update_todos", x.in) }); len(again) > 0 {
				d.Errorf("%v: repeated, it wrote %v", x.in, again)
			}
		})
	}
}

func TestUpdateTodos_MergesAssigneesIntoWhatEachHas(t *testing.T) {
	at(t, func(d *toolEnv) {
		made := call[createdTodos](d, "create_todos", newTodos(launch, "Parking lot",
			args{"content": "a", "assignees": []string{"Hanna", "Dele"}}, args{"content": "b", "assignees": "Hanna"}, args{"content": "c"}))
		got := call[updatedTodos](d, "update_todos", args{
			"todos":   []any{made.Results[0].Item.ID, fmt.Sprintf("todo:%d", made.Results[1].Item.ID), d.url("todos", made.Results[2].Item.ID), "Order cartons"},
			"project": launch, "add_assignees": []string{"Jonas"}, "remove_assignees": "Hanna", "due_on": "2031-05-20",
		})
		if got.Done != 4 || got.Failed != 0 {
			d.Fatalf("got %+v", got)
		}
		for i, want := range [][]string{{"Dele Adeyemi", "Jonas Brandt"}, {"Jonas Brandt"}, {"Jonas Brandt"}} {
			item := got.Results[i].Item
			if !slices.Equal(refNames(item.Assignees), want) || *item.DueOn != "2031-05-20" || !item.Changed || item.List.Name != "Parking lot" {
				d.Errorf("got %+v", item)
			}
			if kept := upstream[struct{ Assignees []struct{ Name string } }](d, todoPath(item.ID)).Assignees; len(kept) != len(want) {
				d.Errorf("Basecamp has %+v", kept)
			}
		}
	})
}

func TestUpdateTodos_MovesThemInOrder(t *testing.T) {
	at(t, func(d *toolEnv) {
		items := openTodos(d, 3)
		list := d.sandbox.TodolistID(launch, "Test rides")
		got := call[updatedTodos](d, "update_todos", args{"todos": items, "list": "Test rides", "add_assignees": "me"})
		if got.Done != 3 || got.Results[2].Item.List.ID != list {
			d.Fatalf("got %+v", got)
		}
		held := ids(all[todoItem](d, "list_todos", args{"project_id": launch, "todolist_id": list}), todoID)
		for i, item := range items {
			if held[i] != idIn(d, item) {
				d.Errorf("number %d is %d instead of %s", i, held[i], item)
			}
		}
	})
}

func TestUpdateTodos_OneProblemMeansThatNoneIsChanged(t *testing.T) {
	at(t, func(d *toolEnv) {
		good := d.sandbox.Find("Todo", photographer)
		dealer := call[createdTodos](d, "create_todos", newTodos("Dealer Network", "Shops that asked us", args{"content": "a", "starts_on": "2031-05-20", "due_on": "2031-05-21"})).Results[0].Item.ID
		away := d.sandbox.Find("Todo", "Call the insurer about demo rides")
		d.meanwhile("PUT", fmt.Sprintf("/recordings/%d/status/archived.json", away), "")
		d.meanwhile("PUT", todoPath(good), fmt.Sprintf(`{"content":%q,"starts_on":"2031-05-20","due_on":"2031-05-21"}`, photographer))
		for _, x := range []struct {
			code  fault.Code
			in    args
			paths []string
		}{
			{fault.InvalidInput, args{"todos": []any{good, 17, away, "No such title"}, "project": launch, "due_on": "today"}, []string{"todos[1]", "todos[2]", "todos[3]", "todos[0].due_on"}},
			{fault.InvalidInput, args{"todos": []any{good, fmt.Sprintf("todo:%d", good)}, "due_on": "today"}, []string{"todos[1]", "todos[0].due_on", "todos[1].due_on"}},
			{fault.InvalidInput, args{"todos": []any{good, dealer}, "due_on": "2031-05-19"}, []string{"todos[0].due_on", "todos[1].due_on"}},
			{fault.InvalidInput, args{"todos": []any{good, dealer}, "add_assignees": []string{"Zelda", "Sam"}}, []string{"todos[0].add_assignees[0]", "todos[1].add_assignees[0]", "todos[1].add_assignees[1]"}},
			{fault.NotFound, args{"todos": []any{good, "Order cartons"}, "project": launch, "add_assignees": []string{"Zelda", "Zora"}}, []string{"add_assignees[0]", "add_assignees[1]"}},
			{fault.NotFound, args{"todos": []any{good, "Order cartons"}, "project": launch, "list": "Nowhere to be found"}, nil},
			{fault.InvalidInput, args{"todos": []any{good}, "due_on": "soon", "starts_on": "later"}, []string{"due_on", "starts_on"}},
			{fault.InvalidInput, args{"todos": []any{good}, "assignees": []any{}, "add_assignees": "me"}, []string{"assignees"}},
			{fault.InvalidInput, args{"todos": []any{good}}, []string{"arguments"}},
			{fault.InvalidInput, args{"todos": []any{}, "due_on": "today"}, []string{"todos"}},
			{fault.InvalidInput, args{"todos": slices.Repeat([]any{good}, 51), "due_on": "today"}, []string{"todos"}},
		} {
			f := d.refuses(x.code, "update_todos", x.in)
			if x.paths != nil {
				d.problems(f, x.paths...)
			}
			if n := len(x.in["todos"].([]any)); n > 1 && n < 51 && !strings.Contains(f.Message, "nothing was written") {
				d.Error(f.Message)
			}
			time.Sleep(10 * time.Second) // synctest's clock, for the rate limit
		}
	})
}

func TestUpdateTodos_ListsWhatTheTimeDidNotReach(t *testing.T) {
	at(t, func(d *toolEnv) {
		items := openTodos(d, 12)
		d.sandbox.Inject(sandbox.Fault{Method: "PUT", Delay: 3 * time.Second})
		var got updatedTodos
		written := d.written(func() { got = call[updatedTodos](d, "update_todos", args{"todos": items, "due_on": "2031-05-20"}) })
		done := len(got.Results)
		if done == 0 || done == len(items) || got.Done != done || !slices.Equal(got.NotAttempted, items[done:]) || !strings.Contains(got.HowToGoOn, "todos = not_attempted") {
			d.Fatalf("got %+v", got)
		}
		d.sandbox.ClearFaults()
		time.Sleep(time.Minute) // synctest's clock, for the rate limit
		written = append(written, d.written(func() {
			call[updatedTodos](d, "update_todos", args{"todos": got.NotAttempted, "due_on": "2031-05-20"})
		})...)
		slices.Sort(written)
		if len(written) != len(items) || len(slices.Compact(written)) != len(items) {
			d.Errorf("wrote %v", written)
		}
	})
}

func TestUpdateTodos_KeepsWhatOthersChangedMeanwhile(t *testing.T) {
	at(t, func(d *toolEnv) {
		items := openTodos(d, 3)
		last := idIn(d, items[2])
		title := upstream[struct{ Content string }](d, todoPath(last)).Content
		d.sandbox.Inject(sandbox.Fault{Method: "PUT", PathPrefix: fmt.Sprintf("/todos/%d", idIn(d, items[0])), Delay: 10 * time.Second})
		go func() {
			time.Sleep(5 * time.Second)
			d.meanwhile("PUT", todoPath(last), fmt.Sprintf(`{"content":%q,"description":"<div>Just added</div>"}`, title))
		}()
		call[updatedTodos](d, "update_todos", args{"todos": items, "due_on": "2031-05-20"})
		now := upstream[map[string]any](d, todoPath(last))
		if now["due_on"] != "2031-05-20" || !strings.Contains(now["description"].(string), "Just added") {
			d.Errorf("got %v", now)
		}
	})
}

func TestUpdateTodos_KeepsWhatOthersChangedWhileTheOtherToDosWereRead(t *testing.T) {
	at(t, func(d *toolEnv) {
		items := openTodos(d, 3)
		first := idIn(d, items[0])
		title := upstream[struct{ Content string }](d, todoPath(first)).Content
		d.sandbox.Inject(sandbox.Fault{Method: "GET", PathPrefix: fmt.Sprintf("/todos/%d", idIn(d, items[2])), Delay: 6 * time.Second})
		go func() {
			time.Sleep(3 * time.Second)
			d.meanwhile("PUT", todoPath(first), fmt.Sprintf(`{"content":%q,"description":"<div>Just added</div>"}`, title))
		}()
		call[updatedTodos](d, "update_todos", args{"todos": items, "due_on": "2031-05-20"})
		now := upstream[map[string]any](d, todoPath(first))
		if now["due_on"] != "2031-05-20" || !strings.Contains(now["description"].(string), "Just added") {
			d.Errorf("got %v", now)
		}
	})
}

func TestUpdateTodos_ReportsWhatBasecampRefusesByToDo(t *testing.T) {
	for name, x := range map[string]struct {
		fault     sandbox.Fault
		want      fault.Code
		attempted int
		doubt     bool // whether the to-do may have been changed
	}{
		"403": {sandbox.Fault{Status: http.StatusForbidden}, fault.PermissionDenied, 3, false},
		"404": {sandbox.Fault{Status: http.StatusNotFound}, fault.NotFound, 3, false},
		"422": {sandbox.Fault{Status: http.StatusUnprocessableEntity}, fault.InvalidInput, 3, false},
		"500": {sandbox.Fault{Status: http.StatusInternalServerError}, fault.UpstreamError, 3, true},
		"429": {sandbox.Fault{Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"60"}}}, fault.RateLimited, 2, false},
		"401": {sandbox.Fault{Status: http.StatusUnauthorized}, fault.TokenExpired, 2, false},

		"lost":    {sandbox.Fault{Drop: true, AfterEffect: true}, fault.UpstreamError, 3, true},
		"garbage": {sandbox.Fault{Garbage: true}, fault.UpstreamError, 3, true},
		"hangs":   {sandbox.Fault{Hang: true}, fault.UpstreamError, 2, true},
	} {
		at(t, func(d *toolEnv) {
			items := openTodos(d, 3)
			broken := x.fault
			broken.Method, broken.PathPrefix = "PUT", fmt.Sprintf("/todos/%d", idIn(d, items[1]))
			d.sandbox.Inject(broken)
			got := call[updatedTodos](d, "update_todos", args{"todos": items, "due_on": "2031-05-20"})
			if got.Failed != 1 || got.Done != x.attempted-1 || got.Results[1].Error.Code != x.want || got.Results[1].Error.MayHaveHappened != x.doubt || len(got.NotAttempted) != 3-x.attempted {
				d.Errorf("%s: %+v, %+v", name, got, got.Results[1].Error)
			}
			if (len(got.NotAttempted) > 0) != (got.HowToGoOn != "") {
				d.Errorf("%s: %q with %v", name, got.HowToGoOn, got.NotAttempted)
			}
		})
	}
}
