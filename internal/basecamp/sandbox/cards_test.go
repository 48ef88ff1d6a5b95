package sandbox

import "testing"

func TestCards(t *testing.T) {
	const (
		board    = "frame = GET /card_tables/{kanban_board: Cargo Bike Launch}"
		bell     = `{"title": "Bell bracket", "content": "<div>Left</div>", "due_on": "2031-05-30", "assignee_ids": [{Person: Noémie Laurent}]}`
		move     = "POST /card_tables/cards/{Kanban::Card: Suspension fork}/moves"
		light    = "/card_tables/cards/{Kanban::Card: Rear light where the lift button is}"
		section  = "/card_tables/columns/{frame.lists.3.id}/on_hold"
		inColumn = "ALL /card_tables/lists/{frame.lists.3.id}/cards"
	)
	stories{
		"the team's columns lie between Basecamp's": {
			{"", board, "", 200, `{"title": "Frame design", "lists": [
				{"type": "Kanban::Triage", "title": "Triage"}, {"type": "Kanban::NotNowColumn", "title": "Not now"}, {"type": "Kanban::Column", "title": "Next"},
				"In progress", "In review", "Waiting for others", {"type": "Kanban::DoneColumn", "title": "Done"}]}`},
			{"", inColumn, "", 200, "\"#4\""},
			{"", board, "", 200, `{"lists": ["Triage", "Not now", "Next", {"cards_count": 4}, "In review", "Waiting for others", "Done"]}`},
		},
		"a card is completed in Done, and reopened outside": {
			{"", board, "", 200, ""},
			{"Noémie", "POST " + light + "/moves", `{"column_id": {frame.lists.6.id}}`, 204, ""},
			{"", "GET " + light, "", 200, `{"completed": true, "parent": "Done", "completer": "Noémie Laurent", "completed_at": "~2031", "completion": null, "position": null}`},
			{"", "done = ALL /card_tables/lists/{frame.lists.6.id}/cards", "", 200, `["...", "Rear light where the lift button is"]`},
			{"Noémie", "POST " + light + "/moves", `{"column_id": {frame.lists.3.id}, "position": 2}`, 204, ""},
			{"", "GET " + light, "", 200, `{"completed": false, "position": 2}`},
			{"", "ALL /recordings/{Kanban::Card: Rear light where the lift button is}/events", "", 200,
				`["...", {"action": "adopted", "details": {"parent_id_was": {frame.lists.6.id}, "new_parent_id": {frame.lists.3.id}}}]`},
		},
		"a move needs a column of the same table": {
			{"", board, "", 200, ""},
			{"", "shop = GET /card_tables/{Kanban::Board: Web shop}", "", 200, ""},
			{"", move, `{"column_id": {shop.lists.2.id}}`, 404, ""},
			{"", move, `{"column_id": {frame.lists.2.id}, "position": 0}`, 400, ""},
			{"", move, `{"column_id": {frame.lists.2.id}, "position": "first"}`, 400, ""},
			{"", move, `{}`, 404, ""},
		},
		"a card is made without assignees, and changed in part": {
			{"", board, "", 200, ""},
			{"", "made = POST /card_tables/lists/{frame.lists.2.id}/cards", bell, 201, `{"assignees": [], "content": "<div>Left</div>", "description": "<div>Left</div>"}`},
			{"", "PUT /card_tables/cards/{made.id}", `{"assignee_ids": [{Person: Noémie Laurent}]}`, 200,
				`{"assignees": "#1", "due_on": "2031-05-30", "title": "Bell bracket", "content": "<div>Left</div>"}`},
			{"", "PUT /card_tables/cards/{made.id}", `{"due_on": null, "assignee_ids": []}`, 200, `{"assignees": [], "due_on": null}`},
			{"", "POST /recordings/{made.id}/subtasks", `{"title": "Draw", "assignee_ids": [{Person: Noémie Laurent}]}`, 201, `{"assignees": "#1"}`},
			{"", "POST /card_tables/lists/{frame.lists.2.id}/cards", `{"content": "no title"}`, 422, ""},
		},
		"a column is added, changed and moved": {
			{"", board, "", 200, ""},
			{"", "made = POST /card_tables/{frame.id}/columns", `{"title": "Printing", "description": "in 3D"}`, 201, ""},
			{"", "PUT /card_tables/columns/{made.id}", `{"title": "Printed"}`, 200, ""},
			{"", "PUT /card_tables/columns/{made.id}/color", `{"color": "pink"}`, 200, ""},
			{"", "PUT /card_tables/columns/{made.id}/color", `{"color": "beige"}`, 422, ""},
			{"", "POST /card_tables/{frame.id}/moves", `{"source_id": {made.id}, "target_id": {frame.id}, "position": 1}`, 204, ""},
			{"", board, "", 200, `{"lists": ["Triage", "Not now", {"title": "Printed", "color": "pink", "description": "in 3D"}, "Next", "In progress", "In review", "Waiting for others", "Done"]}`},
		},
		"a column separates cards on hold": {
			{"", board, "", 200, ""},
			{"", "POST " + section, "", 200, ""},
			{"", "held = POST " + section, "", 200, `{"on_hold": {"cards_count": 0}}`},
			{"", "POST /card_tables/cards/{Kanban::Card: Seat for a rider of 1.52 m}/moves", `{"column_id": {held.on_hold.id}}`, 204, ""},
			{"", "GET /card_tables/columns/{held.id}", "", 200, `{"cards_count": 3, "on_hold": {"cards_count": 1}}`},
			{"", "ALL /card_tables/lists/{held.on_hold.id}/cards", "", 200, `["Seat for a rider of 1.52 m"]`},
			{"", "DELETE " + section, "", 200, `{"on_hold": null, "cards_count": 4}`},
			{"", "GET /card_tables/lists/{held.on_hold.id}/cards", "", 404, ""},
		},
		"cards of all projects are grouped by project": {
			{"", "ALL /cards/open", "", 200, `"#17"`},
			{"", "ALL /cards/completed", "", 200, `["...", {"bucket": "Cargo Bike Launch", "cards": "#>3"}]`},
			{"", "ALL /cards/unassigned", "", 200, `["...", {"bucket": "Cargo Bike Launch", "cards": "#>3"}]`},
			{"", "ALL /cards/no_due_date", "", 200, `["...", {"bucket": "Cargo Bike Launch", "cards": "#>3"}]`},
			{"", "ALL /cards/not_now", "", 200, `["...", {"bucket": "Cargo Bike Launch", "cards": "#>0"}]`},
			{"", "GET /cards/overdue", "", 200, `"#>2"`},
		},
	}.run(t)
}
