package basecamptools

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp/basecamptools/todos"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/tool/listing"
)

// withGroups runs a test on a list of 37 to-dos that has groups of 20 more. It passes the arguments
// of a call for that list, and what the call lists in all.
func withGroups(t *testing.T, groups int, work func(d *toolEnv, in args, want []todos.TodoItem)) {
	t.Helper()
	unlimited(t, func(d *toolEnv) {
		longGroups(groups, 20)(d)
		in := inLaunchWith("todolist_id", named("Todolist", "Launch checklist"))(d)
		in["limit"] = 100
		want := all[todos.TodoItem](d, "list_todos", in)
		if len(want) != 37+20*groups {
			t.Fatalf("%d to-dos", len(want))
		}
		work(d, in, want)
	})
}

// next returns the arguments of the next call.
func next(in args, p listing.Page[todos.TodoItem]) args {
	in = clone(in)
	in["cursor"] = *p.NextCursor
	return in
}

func titlesOfTodos(items []todos.TodoItem) []string {
	titles := make([]string, len(items))
	for i, item := range items {
		group := ""
		if item.Group != nil {
			group = item.Group.Name
		}
		titles[i] = item.List.Name + "/" + group + "/" + item.Title
	}
	return titles
}

func TestListTodos_ACursorCarriesTheListAndItsGroups(t *testing.T) {
	withGroups(t, 5, func(d *toolEnv, in args, want []todos.TodoItem) {
		in["limit"] = 56 // ends in the first group
		first := call[listing.Page[todos.TodoItem]](d, "list_todos", in)
		in = next(in, first)
		var second listing.Page[todos.TodoItem]
		for _, request := range d.asked(func() { second = call[listing.Page[todos.TodoItem]](d, "list_todos", in) }) {
			if !strings.Contains(request, "/todos.json") {
				d.Errorf("the second call asked for %s", request)
			}
		}
		got := slices.Concat(titlesOfTodos(first.Items), titlesOfTodos(second.Items))
		if len(*first.NextCursor) > 700 || !slices.Equal(got, titlesOfTodos(want[:len(got)])) || second.Items[0].Group == nil {
			d.Errorf("cursor of %d characters, got %v", len(*first.NextCursor), got)
		}
	})
}

func TestListTodos_ACursorIntoManyGroupsStaysSmall(t *testing.T) {
	withGroups(t, todos.MaxCarriedGroups+5, func(d *toolEnv, in args, want []todos.TodoItem) {
		in["limit"] = 56
		first := call[listing.Page[todos.TodoItem]](d, "list_todos", in)
		in = next(in, first)
		second, asked := costing[listing.Page[todos.TodoItem]](d, "list_todos", in)
		if !slices.ContainsFunc(asked, func(r string) bool { return strings.Contains(r, "/groups.json") }) {
			d.Errorf("asked only for %v", asked)
		}
		got := slices.Concat(titlesOfTodos(first.Items), titlesOfTodos(second.Items))
		if len(*first.NextCursor) > 450 || !slices.Equal(got, titlesOfTodos(want[:len(got)])) {
			d.Errorf("cursor of %d characters, got %v", len(*first.NextCursor), got)
		}
		gone := d.sandbox.FindIn(launchProject, "Todolist", "Batch 0") // in which the first cursor is
		d.meanwhile("PUT", fmt.Sprintf("/recordings/%d/status/trashed.json", gone), "")
		in["limit"] = 100
		if rest := titlesOfTodos(all[todos.TodoItem](d, "list_todos", in)); !slices.Equal(rest, titlesOfTodos(want[37+20:])) {
			d.Errorf("after the deleted group: %d to-dos, the first %v", len(rest), rest[:1])
		}
	})
}

func TestListTodos_ACursorSkipsAGroupThatWasDeletedAndFindsNewOnes(t *testing.T) {
	withGroups(t, 3, func(d *toolEnv, in args, want []todos.TodoItem) {
		in["limit"] = 56
		first := call[listing.Page[todos.TodoItem]](d, "list_todos", in)
		if group := first.Items[len(first.Items)-1].Group; group == nil || group.Name != "Batch 0" {
			d.Fatalf("the first answer ends in %v", group)
		}
		gone := d.sandbox.FindIn(launchProject, "Todolist", "Batch 0")
		d.meanwhile("PUT", fmt.Sprintf("/recordings/%d/status/trashed.json", gone), "")
		d.meanwhile("POST", onItem("Todolist", "Launch checklist", "/todolists/%d/groups.json")(d), `{"name": "Late"}`)
		post(2, onItem("Todolist", "Late", "/todolists/%d/todos.json"), longTodo)(d)
		time.Sleep(31 * time.Second) // until then, the rest of the page that was read follows
		rest := all[todos.TodoItem](d, "list_todos", next(in, first))
		n := len(rest) - 2
		if n < 0 || !slices.Equal(titlesOfTodos(rest[:n]), titlesOfTodos(want[37+20:])) || rest[n].Group.Name != "Late" {
			d.Errorf("%d to-dos follow: %v", len(rest), titlesOfTodos(rest))
		}
	})
}

func TestListTodos_ACursorOfAProjectFindsItsGroupAfterOthersWereDeleted(t *testing.T) {
	for name, deleted := range map[string][]int{
		"the group before": {0}, "the group itself": {1}, "a group after": {2}, "the group and one before the last": {1, 0},
	} {
		withGroups(t, 4, func(d *toolEnv, in args, _ []todos.TodoItem) {
			in = args{"project_id": in["project_id"], "limit": 7}
			kept := func(items []todos.TodoItem) (titles []string) {
				for _, title := range titlesOfTodos(items) {
					if !slices.ContainsFunc(deleted, func(i int) bool { return strings.Contains(title, fmt.Sprintf("/Batch %d/", i)) }) {
						titles = append(titles, title)
					}
				}
				return titles
			}
			want := kept(all[todos.TodoItem](d, "list_todos", args{"project_id": in["project_id"], "limit": 100}))
			var seen []todos.TodoItem
			for group := (*lookup.Ref)(nil); group == nil || group.Name != "Batch 1"; { // ends behind one of its to-dos
				page := call[listing.Page[todos.TodoItem]](d, "list_todos", in)
				seen, in, group = append(seen, page.Items...), next(in, page), page.Items[len(page.Items)-1].Group
			}
			for _, i := range deleted {
				d.meanwhile("PUT", fmt.Sprintf("/recordings/%d/status/trashed.json", d.sandbox.FindIn(launchProject, "Todolist", fmt.Sprint("Batch ", i))), "")
			}
			in["limit"] = 100
			got := kept(append(seen, all[todos.TodoItem](d, "list_todos", in)...))
			for _, title := range want {
				if !slices.Contains(got, title) {
					d.Errorf("%s is gone: %s is missing", name, title)
				}
			}
			if len(deleted) == 1 && len(got) != len(want) {
				d.Errorf("%s is gone: %d to-dos, want %d", name, len(got), len(want))
			}
		})
	}
}

func TestListTodos_ACursorCarriesNothingToOtherArguments(t *testing.T) {
	withGroups(t, 1, func(d *toolEnv, in args, want []todos.TodoItem) {
		in["limit"] = 30
		first := call[listing.Page[todos.TodoItem]](d, "list_todos", in)
		other := next(in, first)
		other["todolist_id"] = d.sandbox.FindIn(launchProject, "Todolist", "Supplier follow-ups")
		d.fails(fault.InvalidInput, "list_todos", other, "cursor", "other arguments")
		done := next(in, first)
		done["completed"] = true
		d.fails(fault.InvalidInput, "list_todos", done, "cursor", "other arguments")
		named := next(in, first)
		named["todolist_id"] = "launch checklist"
		if rest := all[todos.TodoItem](d, "list_todos", named); len(first.Items)+len(rest) != len(want) {
			d.Errorf("by name: %d and %d to-dos", len(first.Items), len(rest))
		}
	})
}

func TestListTodos_ACursorThatCarriesNothingGoesOn(t *testing.T) {
	withGroups(t, 2, func(d *toolEnv, in args, want []todos.TodoItem) {
		in["limit"] = 20
		shown := 0
		for range 20 {
			p := call[listing.Page[todos.TodoItem]](d, "list_todos", in)
			if !slices.Equal(titlesOfTodos(p.Items), titlesOfTodos(want[shown:shown+len(p.Items)])) {
				d.Fatalf("after %d: %v", shown, titlesOfTodos(p.Items))
			}
			if shown += len(p.Items); p.NextCursor == nil {
				break
			}
			var cursor map[string]json.RawMessage
			if !listing.DecodeCursor(*p.NextCursor, &cursor) {
				d.Fatal(*p.NextCursor)
			}
			for _, field := range []string{"t", "m", "c"} {
				delete(cursor, field)
			}
			in["cursor"] = listing.EncodeCursor(cursor)
		}
		if shown != len(want) {
			d.Errorf("%d of %d to-dos", shown, len(want))
		}
	})
}

func TestListTodos_OfADeletedListAnswersAsWithoutACarriedList(t *testing.T) {
	withGroups(t, 1, func(d *toolEnv, in args, _ []todos.TodoItem) {
		in["limit"] = 30
		carrying := next(in, call[listing.Page[todos.TodoItem]](d, "list_todos", in))
		d.meanwhile("PUT", fmt.Sprintf("/recordings/%d/status/trashed.json", in["todolist_id"]), "")
		time.Sleep(31 * time.Second) // until then, the rest of the page that was read follows
		now := call[listing.Page[todos.TodoItem]](d, "list_todos", carrying)
		time.Sleep(10 * time.Minute)
		later := call[listing.Page[todos.TodoItem]](d, "list_todos", carrying)
		if len(now.Items) > 0 || now.HasMore || len(later.Items) > 0 || later.HasMore {
			d.Errorf("at once: %+v\nlater: %+v", now, later)
		}
	})
}

func TestListTodos_OfAProjectFindsAListThatIsNewAtTheEnd(t *testing.T) {
	unlimited(t, func(d *toolEnv) {
		longLists(2, 30)(d)
		in := inLaunch(d)
		in["limit"] = 60
		want := all[todos.TodoItem](d, "list_todos", in)
		first := call[listing.Page[todos.TodoItem]](d, "list_todos", in)
		d.meanwhile("POST", fmt.Sprintf("/todosets/%d/todolists.json", d.sandbox.ToolID(launchProject, "todoset")), `{"name": "Late"}`)
		post(2, onItem("Todolist", "Late", "/todolists/%d/todos.json"), longTodo)(d)
		rest := all[todos.TodoItem](d, "list_todos", next(in, first))
		if len(first.Items)+len(rest) != len(want)+2 {
			t.Errorf("%d and %d to-dos of %d and 2", len(first.Items), len(rest), len(want))
		}
	})
}

func TestListTodos_AWriteOfTheCallerForgetsTheListsOfTheCallBefore(t *testing.T) {
	at(t, func(d *toolEnv) {
		in := args{"project_id": launch, "limit": 30}
		first := call[listing.Page[todos.TodoItem]](d, "list_todos", in)
		in["cursor"] = *first.NextCursor
		list := *first.Items[len(first.Items)-1].List
		d.meanwhile("PUT", fmt.Sprintf("/recordings/%d/status/trashed.json", list.ID), "")
		call[todos.TodolistItem](d, "create_todolist", args{"project": launch, "name": "Last minute"})
		d.fails(fault.InvalidInput, "list_todos", in, "cursor", "no longer there")
	})
}

func TestListTodos_ACursorReusesAPageForAMomentAndUntilTheUserWrites(t *testing.T) {
	unlimited(t, func(d *toolEnv) {
		text := strings.Repeat("Tighten the axle. ", 22) // so that the first answer ends in a page
		post(963, onItem("Todolist", "Launch checklist", "/todolists/%d/todos.json"), `{"content":"Rack %d","description":"<div>`+text+`</div>"}`)(d)
		in := inLaunchWith("todolist_id", named("Todolist", "Launch checklist"))(d)
		in["limit"], in["detail"] = 100, "full"
		first := next(in, call[listing.Page[todos.TodoItem]](d, "list_todos", in))
		reads := func(d *toolEnv) int {
			return len(d.asked(func() { call[listing.Page[todos.TodoItem]](d, "list_todos", first) }))
		}
		again := reads(d)
		if other := reads(d.as("Tomás Herrera")); other <= again {
			t.Errorf("another user's call sends %d requests, the user's %d", other, again)
		}
		time.Sleep(time.Second)
		call[any](d, "create_comment", args{"item": fmt.Sprintf("todolist:%d", in["todolist_id"]), "body": "Half of them are done."})
		time.Sleep(time.Second)
		if wrote := reads(d); wrote <= again {
			t.Errorf("after a write, the call sends %d requests, before it %d", wrote, again)
		}
		time.Sleep(31 * time.Second)
		if later := reads(d); later <= again {
			t.Errorf("after 31 s, the call sends %d requests, before it %d", later, again)
		}
	})
}
