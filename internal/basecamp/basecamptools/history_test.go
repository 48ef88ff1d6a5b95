package basecamptools

import (
	"testing"

	"basecamp-mcp/internal/basecamp/basecamptools/operationtools"
)

func TestGetHistory(t *testing.T) {
	const card, column = "/card_tables/cards/" + kickstandID, "/card_tables/columns/{Kanban::Column:In progress@Cargo Bike Launch}"
	cases(t, "read_basecamp", operation("get_history", args{"item": "card:" + kickstandID}),
		row{fact: "changes are told in words, the newest first", tool: "get_board", in: args{"project": launch, "board": frame}, then: []row{{before: says{
			"PUT " + card + `.json {"assignee_ids":[{person:Noémie Laurent},{person:Mateusz Wójcik}]}`,
			"PUT " + card + `.json {"assignee_ids":[{person:Ines Albrecht}]}`,
			"PUT " + card + `.json {"due_on":"2000-02-01"}`,
			"PUT " + card + `.json {"content":"<div>9 mm.</div>"}`,
			"POST " + card + `/moves.json {"column_id":{0.columns.6.id}}`,
			"PUT /recordings/" + kickstandID + "/status/archived.json",
			"PUT /recordings/" + kickstandID + "/status/active.json",
		}, holds: holds{"items.0.author.name": "Ines Albrecht", "items.*.id": some, "items.*.created_at": some, "items.*.what": says{
			"restored it", "archived it", `moved it from "In progress" to "Done"`, "completed it", "changed the text", "changed the dates",
			"assigned Ines Albrecht, unassigned Noémie Laurent and Mateusz Wójcik", "assigned Mateusz Wójcik", `moved it from "Triage" to "In progress"`, "created it",
		}}}}},
		row{fact: "a column may be deleted", tool: "update_work", in: args{"items": []args{{"item": "card:" + kickstandID, "column": "Done"}}}, then: []row{
			{faults: faults{{Method: "GET", PathPrefix: column, Status: 404}}, holds: holds{"items.*.what": says{`moved it to "Done"`, "completed it", "moved it", "created it"}}},
			{tool: "get_item", in: args{"item": "card:" + kickstandID}, holds: holds{"item.last_move.to": "Done", "item.last_move.from": nil}},
		}},
	)
}

func TestGetHistory_ShowsTheIDOfAPersonWhoHasLeft(t *testing.T) {
	if got := operationtools.AllNames([]int64{5, 6}, map[int64]string{5: "Dele Adeyemi"}); got != "Dele Adeyemi and a person (id 6)" {
		t.Errorf("got %q", got)
	}
}
