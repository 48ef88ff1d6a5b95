package tools

import (
	"maps"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/hub"
)

func (w *world) promote(in input) promoteAnswer {
	w.Helper()
	return call[promoteAnswer](w, "promote", in)
}

func TestPromote_MakesOneThingOfEachAndLinksIt(t *testing.T) {
	inWorld(t, func(w *world) {
		call[map[string]any](w, "todolist__set", input{"todos": []any{
			input{"content": "Order the bells", "status": "pending", "activeForm": "Ordering"},
			input{"content": "Twice", "status": "pending", "activeForm": "Doing"}, input{"content": "Twice", "status": "pending", "activeForm": "Doing"},
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
		for _, x := range []struct {
			in    input
			code  fault.Code
			words string
		}{
			{with("basecamp", input{"content": "Twice"}, list), fault.InvalidInput, "2 items of the checklist"},
			{with("basecamp", input{"content": "Never"}, list), fault.InvalidInput, "no item of the checklist"},
			{with("basecamp", input{"content": "Order the bells", "list_id": strings.Repeat("a", 26)}, list), "", ""},
			{with("basecamp", input{}, list), fault.InvalidInput, "from[0]: give item"},
			{with("basecamp", input{"item": w.todo()}, list), fault.InvalidInput, "is there already"},
			{with("task", input{"item": mine}, nil), fault.InvalidInput, "is there already"},
			{with("task", input{"item": hubIssue}, list), fault.InvalidInput, "does not go with"},
			{with("github", input{"item": mine}, nil), fault.InvalidInput, "repo: is required"},
			{with("github", input{"item": mine}, input{"repo": "fernhill-bikes/nowhere"}), fault.NotFound, ""},
			{with("basecamp", input{"item": "task:" + noTask}, list), fault.NotFound, ""},
		} {
			w.mu.Lock()
			w.sent = nil
			w.mu.Unlock()
			if x.code == "" {
				if text, failed := w.Raw("promote", x.in); !failed {
					t.Errorf("%v: %s", x.in, text)
				}
			} else {
				w.Fails(x.code, "promote", x.in, x.words)
			}
			for _, request := range w.sent {
				if strings.HasPrefix(request, "POST") && !strings.HasSuffix(request, "/graphql") {
					t.Errorf("%v: %s", x.in, request)
				}
			}
			time.Sleep(time.Minute) // synctest's clock, for the rate limit
		}
	})
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
