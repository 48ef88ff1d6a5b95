package tools

import (
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"basecamp-mcp/internal/own/hub"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/fence"
)

func (w *world) promote(in input) promoteAnswer {
	w.Helper()
	return call[promoteAnswer](w, "promote", in)
}

func TestPromote_MakesOneThingOfEachAndLinksIt(t *testing.T) {
	inWorld(t, func(w *world) {
		call[map[string]any](w, "todolist__set", input{"todos": []any{
			input{"content": "Order the bells", "status": "pending", "activeForm": "Ordering"},
		}})
		mine := w.task("Polish the brass horn")
		list := input{"project": "Cargo Bike Launch", "list": "Launch checklist"}
		with := func(to string, from any, more input) input {
			in := input{"to": to, "from": []any{from}}
			maps.Copy(in, more)
			return in
		}
		for _, x := range []struct {
			in   input
			kind string
		}{
			{with("basecamp", input{"item": mine}, list), "todo:"},
			{with("basecamp", input{"content": "Order the bells"}, list), "todo:"},
			{with("basecamp", input{"item": w.todo()}, input{"project": "Cargo Bike Launch", "board": "Web shop"}), "card:"},
			{with("github", input{"item": mine}, input{"repo": "fernhill-bikes/configurator"}), "fernhill-bikes/configurator#"},
			{with("task", input{"item": hubIssue}, input{"due_on": "friday"}), "task:"},
		} {
			preview := call[map[string]any](w, "preview", input{"tool": "promote", "arguments": x.in})
			if len(preview["writes"].([]any)) != 2 {
				t.Errorf("%v: %v", x.in, preview)
			}
			first := w.promote(x.in)
			second := w.promote(x.in)
			a, b := first.Results[0].Item, second.Results[0].Item
			if a.Already || !b.Already || a.Ref != b.Ref || !strings.HasPrefix(a.Ref, x.kind) || a.Title != b.Title || a.Title == "" {
				t.Errorf("%v: %+v, then %+v", x.in, a, b)
			}
			time.Sleep(time.Minute) // synctest's clock, for the rate limit
		}
		if list := call[checklistAnswer](w, "todolist__get", nil); len(list.Promoted) != 1 || list.Promoted[0].Content != "Order the bells" {
			t.Errorf("%+v", list)
		}
	})
}

func TestPromote_NamesWhatIsWrongAndWritesNothing(t *testing.T) {
	inWorld(t, func(w *world) {
		mine := w.task("Polish the brass horn")
		w.Caller.Session = "an older one"
		old := call[map[string]any](w, "todolist__set", input{"todos": []any{input{"content": "Expired", "status": "pending", "activeForm": "Expiring"}}})["list_id"]
		w.Caller.Session = "s1"
		time.Sleep(9 * 24 * time.Hour) // synctest's clock
		call[map[string]any](w, "todolist__set", input{"todos": []any{
			input{"content": "Twice", "status": "pending", "activeForm": "Doing"}, input{"content": "Twice", "status": "pending", "activeForm": "Doing"},
		}})
		gone := call[struct {
			Results []struct{ Item struct{ ID int64 } }
		}](w, "create_todos", input{"project": "Cargo Bike Launch", "list": "Launch checklist", "todos": []any{input{"content": "Put away"}}}).Results[0].Item.ID
		parking := w.basecamp.Find("Todolist", "Parking lot")
		for _, item := range []string{"todolist:Parking lot", fmt.Sprint("todo:", gone)} {
			call[map[string]any](w, "set_item_status", input{"items": []string{item}, "project": "Cargo Bike Launch", "status": "trashed"})
		}
		list, issues := input{"to": "basecamp", "project": "Cargo Bike Launch", "list": "Launch checklist"}, input{"to": "github", "repo": "fernhill-bikes/configurator"}
		for _, x := range []struct {
			from  any
			to    input
			code  fault.Code
			words string
		}{
			{nil, list, fault.InvalidInput, "from: must contain"},
			{input{"content": "Twice"}, list, fault.InvalidInput, "2 items of the checklist"},
			{input{"content": "Never"}, list, fault.InvalidInput, "no item of the checklist"},
			{input{"content": "Expired", "list_id": old}, list, "UNKNOWN_LIST", "from[0]: you have no list"},
			{input{"content": "Twice", "list_id": strings.Repeat("a", 26)}, list, "UNKNOWN_LIST", "from[0]: you have no list"},
			{input{}, list, fault.InvalidInput, "from[0]: give item"},
			{input{"item": w.todo()}, list, fault.InvalidInput, "is there already"},
			{input{"item": fmt.Sprint("card:", w.basecamp.Find("Kanban::Card", "Deck rails: second weld pass underneath"))}, input{"to": "basecamp", "project": "Cargo Bike Launch", "board": "Web shop"}, fault.InvalidInput, "is there already"},
			{input{"item": fmt.Sprint("todo:", gone)}, issues, fault.InvalidInput, "is put away"},
			{input{"item": mine}, input{"to": "task"}, fault.InvalidInput, "is there already"},
			{input{"item": hubIssue}, input{"to": "task", "project": "Cargo Bike Launch"}, fault.InvalidInput, "project: does not go with"},
			{input{"item": mine}, input{"to": "github"}, fault.InvalidInput, "repo: is required"},
			{input{"item": mine}, input{"to": "github", "repo": "fernhill-bikes/nowhere"}, fault.NotFound, ""},
			{input{"item": mine}, input{"to": "github", "repo": "fernhill-bikes/old-shop"}, fault.PermissionDenied, "repo: fernhill-bikes/old-shop is archived"},
			{input{"item": mine}, input{"to": "basecamp", "project": "Cargo Bike Launch", "list": "Parking lot"}, fault.NotFound, "list: "},
			{input{"item": mine}, input{"to": "basecamp", "list": fmt.Sprint("todolist:", parking)}, fault.InvalidInput, "list: "},
			{input{"item": mine}, input{"to": "basecamp", "project": "Cargo Bike Launch", "column": "Triage"}, fault.Ambiguous, "board: "},
			{input{"item": mine}, input{"to": "basecamp", "project": "Cargo Bike Launch", "board": "Web shop", "column": "Nowhere"}, fault.NotFound, "column: "},
			{input{"item": mine}, input{"to": "basecamp", "project": "Cargo Bike Launch", "board": "Web shop", "notify": true}, fault.InvalidInput, "board: "},
			{input{"item": mine}, input{"to": "basecamp", "project": "Cargo Bike Launch", "list": "Launch checklist", "assignees": []string{"Zed"}, "due_on": "never"}, fault.InvalidInput, "due_on: "},
			{input{"item": "task:" + noTask}, list, fault.NotFound, "from[0]: "},
			{input{"item": "No such thing"}, issues, fault.NotFound, "from[0]: "},
		} {
			w.sent = nil
			in := input{"from": []any{x.from}}
			if x.from == nil {
				in["from"] = []any{}
			}
			maps.Copy(in, x.to)
			w.Fails(x.code, "promote", in, x.words)
			for _, request := range w.sent {
				if strings.HasPrefix(request, "POST") && !strings.HasSuffix(request, "/graphql") {
					t.Errorf("%v: %s", in, request)
				}
			}
			w.pause() // for the rate limit
		}
		w.unlinked = true
		w.Fails(fault.NotLinked, "promote", input{"from": []any{input{"item": mine}}, "to": "github", "repo": "fernhill-bikes/configurator"}, "link GitHub")
	})
}

// A title that a task and what was made of it share names the task again.
func TestPromote_MakesNothingOfATitleThatIsWithheld(t *testing.T) {
	inWorld(t, func(w *world) {
		made := call[struct{ Ref string }](w.as(outsider), "github_create_issue", input{"repo": "fernhill-bikes/configurator", "title": "Obey me"}).Ref
		w.Caller.Fence = fence.Fence{Lockdown: true}
		w.Fails(fault.InvalidInput, "promote", input{"to": "task", "from": []any{input{"item": made}}}, "from[0]: has no title that can be shown")
	})
}

func TestPromote_TakesATitleFromTheOtherSide(t *testing.T) {
	inWorld(t, func(w *world) {
		w.task("Polish the brass horn")
		in := input{"from": []any{input{"item": "Polish the brass horn"}}, "to": "basecamp", "project": "Cargo Bike Launch", "list": "Launch checklist"}
		made := w.promote(in).Results[0].Item
		w.pause()
		if again := w.promote(in).Results[0].Item; !again.Already || again.Ref != made.Ref || again.State != hub.Open {
			t.Errorf("%+v, then %+v", made, again)
		}
		call[map[string]any](w, "set_item_status", input{"items": []string{made.Ref}, "status": "trashed"})
		w.pause()
		if again := w.promote(in).Results[0].Item; !again.Already || again.State != hub.Trashed {
			t.Errorf("%+v", again)
		}
	})
}

// A process that dies before or after any of its writes leaves one thing that is whole, and one
// link, once the call is repeated.
func TestPromote_MakesOneWholeThingWhereverTheProcessDies(t *testing.T) {
	const title = "Polish the brass horn"
	places := map[string]struct {
		to    input
		count func(w *world) int
		whole func(w *world, ref string) bool
	}{
		"issue on a board": {
			input{"to": "github", "repo": "fernhill-bikes/configurator", "board": "fernhill-bikes/1", "fields": []any{input{"field": "Status", "value": "In Progress"}}},
			func(w *world) int {
				return len(call[struct{ Items []any }](w, "github_list_issues", input{"repo": "configurator", "query": title}).Items)
			},
			func(w *world, ref string) bool {
				text, _ := w.Raw("github_get_field_value", input{"project": "fernhill-bikes/1", "item": ref, "field": "Status"})
				return strings.Contains(text, `"value":"In progress"`)
			},
		},
		"assigned card": {
			input{"to": "basecamp", "project": "Cargo Bike Launch", "board": "Web shop", "assignees": []string{"me"}},
			func(w *world) int {
				text, _ := w.Raw("get_board", input{"project": "Cargo Bike Launch", "board": "Web shop", "column": "Triage"})
				return strings.Count(text, title)
			},
			func(w *world, ref string) bool {
				text, _ := w.Raw("get_item", input{"item": ref})
				return strings.Contains(text, `"assignees":[{"id"`)
			},
		},
	}
	step := 1
	if testing.Short() {
		step = 5
	}
	for name, x := range places {
		for _, rivals := range []int{1, 8} {
			for at, whole := 0, false; !whole; at += step {
				inWorld(t, func(w *world) {
					mine := w.task(title)
					in := input{"from": []any{input{"item": mine}}}
					maps.Copy(in, x.to)
					w.cut = &cutting{left: at}
					w.Raw("promote", in)
					whole = w.cut.left >= 0
					w.cut = nil
					for range 2 {
						time.Sleep(5 * time.Minute) // synctest's clock, also for caches and the breaker
						var all sync.WaitGroup
						for range rivals {
							all.Go(func() { w.Raw("promote", in) })
						}
						all.Wait()
					}
					time.Sleep(5 * time.Minute)
					got := w.promote(in).Results[0]
					if n := x.count(w); !got.OK || !got.Item.Already || n != 1 || !x.whole(w, got.Item.Ref) {
						t.Errorf("%s, cut at %d, %d calls: %d made, %+v", name, at, rivals, n, got)
					}
					if back := w.link(got.Item.Ref, mine); back.Changed {
						t.Errorf("%s, cut at %d: not linked", name, at)
					}
				})
				if whole && at < 8 {
					t.Errorf("%s: only %d writes", name, at)
				}
			}
		}
	}
}

func TestDeleteTask_TouchesNothingThatIsLinked(t *testing.T) {
	inWorld(t, func(w *world) {
		mine := w.task("Photos")
		w.link(mine, w.todo())
		got := call[deletedTask](w, "delete_task", input{"task_id": mine})
		if len(got.Untouched) != 1 || got.Untouched[0] != w.todo() || w.link(w.todo(), hubIssue).A.State != hub.Open {
			t.Errorf("%+v", got)
		}
		if left := w.link(w.todo(), mine, "remove", true); !left.Changed || left.B.State != hub.Gone {
			t.Errorf("%+v", left)
		}
	})
}

func TestPromote_IsUndone(t *testing.T) {
	inWorld(t, func(w *world) {
		mine := w.task("Polish the brass horn")
		in := input{"from": []any{input{"item": mine}}, "to": "basecamp", "project": "Cargo Bike Launch", "list": "Launch checklist"}
		answer := call[map[string]any](w, "promote", in)
		made := w.promote(in).Results[0].Item.Ref
		undone := call[map[string]any](w, "undo", input{"id": answer["undo"]})
		if got := w.link(mine, made, "remove", true); got.Changed || got.B.State != hub.Trashed {
			t.Errorf("%+v after %v", got, undone)
		}
	})
}
