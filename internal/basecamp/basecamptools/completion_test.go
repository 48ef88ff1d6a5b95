package basecamptools

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/basecamp/basecamptools/projects"
	"basecamp-mcp/internal/basecamp/basecamptools/work"
	"basecamp-mcp/internal/basecamp/sandbox"
)

// completed reports whether an item is completed at Basecamp.
func completed(d *toolEnv, path string) bool { return upstream[record](d, path)["completed"].(bool) }

func TestSetCompleted_CompletesAndReopensATodo(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := d.sandbox.FindIn(launch, "Todo", photographer)
		before := upstream[record](d, todoPath(id))
		for _, x := range []struct {
			completed, changed bool
			requests           int // the first change also reads who the caller is, and the clients
		}{{true, true, 6}, {true, false, 1}, {false, true, 3}, {false, false, 1}} {
			got, asked := costing[work.Completion](d, "set_completed", args{"item": fmt.Sprintf("todo:%d", id), "completed": x.completed})
			if got.ID != id || got.Type != "todo" || got.Title != photographer || got.Completed != x.completed || got.Changed != x.changed || (got.CompletedAt != nil) != x.completed || got.List == nil {
				d.Errorf("%+v: got %+v", x, got)
			}
			if len(asked) != x.requests || completed(d, todoPath(id)) != x.completed {
				d.Errorf("%+v: asked %v", x, asked)
			}
		}
		after := upstream[record](d, todoPath(id))
		for _, field := range []string{"updated_at", "position"} {
			delete(before, field)
			delete(after, field)
		}
		if diff := cmp.Diff(before, after); diff != "" {
			d.Error(diff)
		}
	})
}

func TestSetCompleted_CompletesOnlyTheSubtask(t *testing.T) {
	at(t, func(d *toolEnv) {
		step, parent := d.sandbox.Find("Kanban::Step", "Drawing"), d.sandbox.Find("Kanban::Card", kickstand)
		path := fmt.Sprintf("/subtasks/%d.json", step)
		anchor := upstream[record](d, path)["app_url"]
		if !strings.Contains(anchor.(string), "#__recording_") {
			d.Fatal(anchor)
		}
		for i, in := range []args{
			{"item": fmt.Sprintf("subtask:%d", step), "completed": true},
			{"item": anchor, "completed": false},
			{"item": "subtask:Drawing", "project": launch, "completed": true},
		} {
			got := call[work.Completion](d, "set_completed", in)
			if got.ID != step || got.Type != "subtask" || !got.Changed || got.Parent.ID != parent || got.Parent.Type != "card" || got.Column != nil {
				d.Errorf("%v: %+v", in, got)
			}
			if completed(d, path) != (i%2 == 0) || completed(d, cardPath(parent)) {
				d.Errorf("%v: subtask %v, card %v", in, completed(d, path), completed(d, cardPath(parent)))
			}
		}
		if again := call[work.Completion](d, "set_completed", args{"item": anchor, "completed": true}); again.Changed || again.CompletedAt == nil {
			d.Errorf("got %+v", again)
		}
		todo := d.sandbox.FindIn(launch, "Todo", "Sign off the final frame drawing, revision F")
		first := upstream[record](d, todoPath(todo))["steps"].([]any)[0].(record)
		got := call[work.Completion](d, "set_completed", args{"item": first["app_url"], "completed": !first["completed"].(bool)})
		if got.Type != "subtask" || got.Parent.ID != todo || got.Parent.Type != "todo" || completed(d, todoPath(todo)) {
			d.Errorf("got %+v", got)
		}
	})
}

func TestSetCompleted_MovesACardToDoneAndBackToItsColumn(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := d.sandbox.Find("Kanban::Card", kickstand)
		item := fmt.Sprintf("card:%d", id)
		set := func(completed bool) work.Completion {
			return call[work.Completion](d, "set_completed", args{"item": item, "completed": completed})
		}
		if got := set(true); !got.Changed || !got.Completed || got.CompletedAt == nil || got.Column.Name != "Done" || !completed(d, cardPath(id)) {
			d.Errorf("got %+v", got)
		}
		if again := d.written(func() { set(true) }); len(again) != 0 {
			d.Errorf("wrote %v", again)
		}
		if got := set(false); !got.Changed || got.Completed || got.CompletedAt != nil || got.Column.Name != "In progress" || completed(d, cardPath(id)) {
			d.Errorf("got %+v", got)
		}
		if got := set(false); got.Changed || got.Column.Name != "In progress" {
			d.Errorf("got %+v", got)
		}
	})
}

func TestSetCompleted_ReopensACardOfUnknownOriginIntoTriage(t *testing.T) {
	at(t, func(d *toolEnv) {
		table := columnsOf(d, frame)
		made := call[work.WrittenCard](d, "create_card", args{"project": launch, "board": frame, "column": "Done", "title": "Bell bracket"})
		if got := call[work.Completion](d, "set_completed", args{"item": fmt.Sprintf("card:%d", made.ID), "completed": false}); got.Column.Name != "Triage" {
			d.Errorf("created in Done: %+v", got)
		}
		d.meanwhile("POST", fmt.Sprintf("/card_tables/%d/columns.json", table.ID), `{"title":"Paint"}`)
		paint := columnNamed(columnsOf(d, frame), "Paint")
		item := fmt.Sprintf("card:%d", made.ID)
		for _, column := range []any{paint.ID, "Done"} {
			d.update(item, args{"column": column})
		}
		d.meanwhile("PUT", fmt.Sprintf("/recordings/%d/status/trashed.json", paint.ID), "")
		if got := call[work.Completion](d, "set_completed", args{"item": item, "completed": false}); got.Column.Name != "Triage" {
			d.Errorf("after its column was deleted: %+v", got)
		}
	})
}

func TestSetCompleted_ReturnsACardOnHoldToItsColumn(t *testing.T) {
	at(t, func(d *toolEnv) {
		doing := columnNamed(columnsOf(d, frame), "In progress")
		hold(d, doing.ID, kickstand)
		item := fmt.Sprintf("card:%d", d.sandbox.Find("Kanban::Card", kickstand))
		for _, done := range []bool{true, false} {
			got := call[work.Completion](d, "set_completed", args{"item": item, "completed": done})
			if want := map[bool]string{true: "Done", false: "In progress"}[done]; got.Column.Name != want {
				d.Errorf("completed %v: %+v", done, got)
			}
		}
	})
}

func TestSetCompleted_FindsANewCardTable(t *testing.T) {
	at(t, func(d *toolEnv) {
		call[projects.ProjectTools](d, "get_project_tools", args{"project_id": launch})
		d.meanwhile("POST", fmt.Sprintf("/buckets/%d/dock/tools.json", d.sandbox.ProjectID(launch)), `{"tool_type":"Kanban::Board","title":"Paint shop"}`)
		ids := d.sandbox.ToolIDs(launch, "kanban_board")
		lists := upstream[record](d, fmt.Sprintf("/card_tables/%d.json", ids[len(ids)-1]))["lists"].([]any)
		d.meanwhile("POST", fmt.Sprintf("/card_tables/lists/%.0f/cards.json", lists[0].(record)["id"]), `{"title":"Bell in blue"}`)
		item := fmt.Sprintf("card:%d", d.sandbox.Find("Kanban::Card", "Bell in blue"))
		if got := call[work.Completion](d, "set_completed", args{"item": item, "completed": true}); got.Column.Name != "Done" {
			d.Errorf("got %+v", got)
		}
	})
}

func TestSetCompleted_IgnoresADeletedCardTable(t *testing.T) {
	at(t, func(d *toolEnv) {
		call[projects.ProjectTools](d, "get_project_tools", args{"project_id": launch})
		table := fmt.Sprintf("/card_tables/%d", columnsOf(d, "Web shop").ID)
		d.sandbox.Inject(sandbox.Fault{PathPrefix: table, Status: http.StatusNotFound})
		item := fmt.Sprintf("card:%d", d.sandbox.Find("Kanban::Card", kickstand))
		if got := call[work.Completion](d, "set_completed", args{"item": item, "completed": true}); got.Column.Name != "Done" {
			d.Errorf("got %+v", got)
		}
		items := []string{kickstand, "Rear light where the lift button is", "Front light bracket, one size for both lights"}
		asked := strings.Join(d.asked(func() {
			call[map[string]any](d, "set_completed", args{"items": items, "project": launch, "completed": false})
		}), " ")
		if strings.Count(asked, table) != 1 {
			d.Errorf("asked %s", asked)
		}
	})
}

func TestSetCompleted_SendsFewRequests(t *testing.T) {
	at(t, func(d *toolEnv) {
		item := args{"item": fmt.Sprintf("card:%d", d.sandbox.Find("Kanban::Card", kickstand)), "completed": true}
		// card, project, two card tables, move, card
		if cold := d.asked(func() { call[work.Completion](d, "set_completed", item) }); len(cold) != 6 {
			d.Errorf("cold: %v", cold)
		}
		item["completed"] = false
		// card, two card tables, events, move, card
		if warm := d.asked(func() { call[work.Completion](d, "set_completed", item) }); len(warm) != 6 {
			d.Errorf("warm: %v", warm)
		}
	})
}

func TestSetCompleted_SucceedsIfTheItemCannotBeReadAgain(t *testing.T) {
	at(t, func(d *toolEnv) {
		for kind, path := range map[string]string{"todo": "/todos/", "subtask": "/subtasks/", "card": "/card_tables/cards/"} {
			id := map[string]int64{"todo": d.sandbox.FindIn(launch, "Todo", photographer), "card": d.sandbox.Find("Kanban::Card", kickstand), "subtask": d.sandbox.Find("Kanban::Step", "Drawing")}[kind]
			// The first read is slow but succeeds, the second fails.
			d.sandbox.Inject(sandbox.Fault{Method: "GET", PathPrefix: fmt.Sprintf("%s%d", path, id), Times: 1, Delay: 1})
			d.sandbox.Inject(sandbox.Fault{Method: "GET", PathPrefix: fmt.Sprintf("%s%d", path, id), Status: http.StatusForbidden, Times: 1})
			got := call[work.Completion](d, "set_completed", args{"item": fmt.Sprintf("%s:%d", kind, id), "completed": true})
			if !got.Completed || !got.Changed || kind == "card" && got.Column.Name != "Done" {
				d.Errorf("%s: %+v", kind, got)
			}
			d.sandbox.ClearFaults()
		}
	})
}
