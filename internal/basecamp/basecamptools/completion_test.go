package basecamptools

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	photoID  = "{Todo:" + photographer + inTheLaunch
	photoNow = "GET /todos/" + photoID + ".json"
)

// completed reports whether an item is completed at Basecamp.
func completed(d *toolEnv, path string) bool { return upstream[record](d, path)["completed"].(bool) }

// completes is a case that completes an item or reopens it.
func completes(item any, completed, changed bool, column any) row {
	return row{fact: fmt.Sprint(completed), in: args{"item": item, "completed": completed}, holds: holds{"completed": completed, "changed": changed, "column.name": column}}
}

func TestSetCompleted(t *testing.T) {
	const step, card, board = "{Kanban::Step:Drawing}", "card:" + kickstandID, "/card_tables/{Kanban::Board:Frame design}"
	const revision, bell = "{Todo:Sign off the final frame drawing, revision F}", "card:{Kanban::Card:Bell bracket}"
	counted := func(completed, changed bool, requests int) row {
		r := completes("todo:"+photoID, completed, changed, nil)
		r.requests, r.holds["id"], r.holds["type"], r.holds["title"], r.holds["list"] = requests, photoID, "todo", photographer, some
		r.then = []row{{tool: photoNow, holds: holds{"completed": completed}}}
		return r
	}
	subtask := func(item any, completed bool, parent, kind string) row {
		return row{fact: kind, in: args{"item": item, "completed": completed}, holds: holds{"type": "subtask", "changed": true, "parent.id": parent, "parent.type": kind, "column": nil, "completed": completed}}
	}
	lost := func(kind, path, id string, column any) row {
		r := completes(kind+":"+id, true, true, column)
		// The first read is slow but succeeds, the second fails.
		r.fact, r.faults = "a "+kind+" that cannot be read again", faults{{Method: "GET", PathPrefix: path + id, Times: 1, Delay: 1}, {Method: "GET", PathPrefix: path + id, Status: http.StatusForbidden, Times: 1}}
		return r
	}
	cold, warm := completes(card, true, true, "Done"), completes(card, false, true, "In progress")
	cold.fact, cold.requests, warm.requests = "a card goes to Done and back to its column", 6, 6
	cold.then = []row{completes(card, true, false, "Done"), {tool: "GET /card_tables/cards/" + kickstandID + ".json", holds: holds{"completed": true}}, warm, completes(card, false, false, "In progress")}
	held := completes(card, true, true, "Done")
	held.fact, held.setup = "a card on hold comes back to its column", func(d *toolEnv) { hold(d, columnNamed(columnsOf(d, frame), "In progress").ID, kickstand) }
	held.then = []row{completes(card, false, true, "In progress")}
	cases(t, "set_completed", nil,
		// The first change also reads who the caller is, and the clients.
		row{fact: "a to-do", in: args{"item": "todo:" + photoID, "completed": true}, requests: 6, holds: holds{"changed": true, "completed_at": some}, then: []row{counted(true, false, 1), counted(false, true, 3), counted(false, false, 1)}},
		row{fact: "a subtask without its card", tool: "GET /subtasks/" + step + ".json", holds: holds{"app_url": has("#__recording_")}, then: []row{
			subtask("subtask:"+step, true, kickstandID, "card"), subtask("{0.app_url}", false, kickstandID, "card"),
			{in: args{"item": "subtask:Drawing", "project": launch, "completed": true}, holds: holds{"id": step}},
			{in: args{"item": "{0.app_url}", "completed": true}, holds: holds{"changed": false, "completed_at": some}},
			{tool: "GET /card_tables/cards/" + kickstandID + ".json", holds: holds{"completed": false, "steps.0.completed": true}},
		}},
		row{fact: "a subtask without its to-do", tool: "GET /todos/" + revision + ".json", then: []row{
			{in: args{"item": "{0.steps.0.app_url}", "completed": true}, holds: holds{"type": "subtask", "parent.id": revision, "parent.type": "todo"}},
			{tool: "GET /todos/" + revision + ".json", holds: holds{"completed": false}}}},
		cold, held,
		row{fact: "a card that was made in Done is reopened into Triage", tool: "create_card", in: args{"project": launch, "board": frame, "column": "Done", "title": "Bell bracket"}, then: []row{completes(bell, false, true, "Triage"),
			{fact: "so is one whose column was deleted", before: says{"POST " + board + `/columns.json {"title":"Paint"}`}, tool: "update_work", in: args{"items": []args{{"item": bell, "column": "{Kanban::Column:Paint}"}}}, then: []row{
				completes(bell, true, true, "Done"),
				{before: says{"PUT /recordings/{Kanban::Column:Paint}/status/trashed.json"}, in: args{"item": bell, "completed": false}, holds: holds{"column.name": "Triage"}},
			}}}},
		row{fact: "a new card table is found", tool: "get_project_tools", in: args{"project_id": launch}, then: []row{
			{before: says{`POST /buckets/{project:Cargo Bike Launch}/dock/tools.json {"tool_type":"Kanban::Board","title":"Paint shop"}`}, tool: "GET /card_tables/{tool:kanban_board 2@Cargo Bike Launch}.json", then: []row{
				{before: says{`POST /card_tables/lists/{.lists.0.id}/cards.json {"title":"Bell in blue"}`}, in: args{"item": "card:{Kanban::Card:Bell in blue}", "completed": true}, holds: holds{"column.name": "Done"}}}}}},
		row{fact: "a card table that is deleted is no problem", faults: faults{{PathPrefix: "/card_tables/{Kanban::Board:Web shop}", Status: http.StatusNotFound}}, in: args{"item": card, "completed": true}, holds: holds{"column.name": "Done"}, then: []row{
			{fact: "and is asked for once by several", in: args{"items": says{kickstand, "Rear light where the lift button is", "Front light bracket, one size for both lights"}, "project": launch, "completed": false}, requests: 17}}},
		lost("todo", "/todos/", photoID, nil), lost("subtask", "/subtasks/", step, nil), lost("card", "/card_tables/cards/", kickstandID, "Done"),
	)
}

func TestSetCompleted_ChangesNothingElse(t *testing.T) {
	at(t, func(d *toolEnv) {
		path := todoPath(d.sandbox.FindIn(launch, "Todo", photographer))
		before := upstream[record](d, path)
		for _, completed := range []bool{true, false} {
			call[any](d, "set_completed", args{"item": "todo:" + strings.TrimSuffix(strings.TrimPrefix(path, "/todos/"), ".json"), "completed": completed})
		}
		after := upstream[record](d, path)
		for _, field := range []string{"updated_at", "position"} {
			delete(before, field)
			delete(after, field)
		}
		if diff := cmp.Diff(before, after); diff != "" {
			d.Error(diff)
		}
	})
}
