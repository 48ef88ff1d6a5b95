package sandbox

import "testing"

func TestAssignments(t *testing.T) {
	const (
		proof    = "{Todo: Proofread the German product page}"
		mine     = "GET /my/assignments"
		insurer  = `"Call the insurer about demo rides", "Get the declaration of conformity signed"`
		thanks   = "{Todo: Thank the neighbours for the noise}"
		watching = "/recordings/{Todo: Night ride, lights only}/subscription"
		bookmark = "/recordings/{Message: We have a date}/bookmark"
		gas      = "/recordings/{Todo: Order welding gas for the whole batch}/bubble_up"
		records  = "/projects/recordings"
	)
	stories{
		"priorities are added, moved and removed": {
			{"", mine, "", 200, `{"priorities": [` + insurer + `]}`},
			{"", "GET /my/assignments/completed", "", 200, `["...", {"completed": true}]`},
			{"", "POST /my/priorities", `{"id": ` + proof + `}`, 204, ""},
			{"", "POST /my/priority_moves", `{"source_id": ` + proof + `, "position": 1}`, 204, ""},
			{"", mine, "", 200, `{"priorities": ["Proofread the German product page", ` + insurer + `]}`},
			{"", "POST /my/priority_moves", `{"source_id": ` + proof + `, "position": 9}`, 422, ""},
			{"", "POST /my/priority_moves", `{"source_id": ` + proof + `}`, 400, ""},
			{"", "DELETE /my/priorities/" + proof, "", 204, ""},
			{"", mine, "", 200, `{"priorities": [` + insurer + `]}`},
		},
		"a subtask is listed under its card": {
			{"Mateusz", mine, "", 200, `{"non_priorities": ["...", {"content": "Kickstand plate, 8 mm back", "children": [{"content": "Cut two plates to try", "type": "step"}]}]}`},
		},
		"the reports agree": {
			{"", "late = GET /reports/todos/overdue", "", 200, `{"over_a_month_late": "#>0", "over_a_week_late": "#>0", "over_three_months_late": "#>0", "under_a_week_late": "#>0"}`},
			{"", "flat = GET /todos/overdue", "", 200, `["...", {"id": {late.over_three_months_late.0.id}}, {"id": {late.under_a_week_late.0.id}}]`},
			{"", "GET /reports/todos/assigned/{Person: Jonas Brandt}?group_by=date", "", 200, `{"todos": "#33", "grouped_by": "date"}`},
			{"", "ALL /todos/open?assignee_ids[]={Person: Jonas Brandt}", "", 200, `["...", {"bucket": "Cargo Bike Launch", "todos": "#>5"}]`},
		},
		"lists of everything count projects, and omit tools that are not in use": {
			{"", "GET /todos/open", "", 200, `"#15"`},
			{"", "ALL /todos/open", "", 200, `["...", {"bucket": "Winter Kit", "todos": "#>1"}]`},
			{"", "DELETE /buckets/{Project: Winter Kit}/recordings/{todoset: Winter Kit}/position", "", 204, ""},
			{"", "ALL /todos/open", "", 200, `["...", {"bucket": "Winter Kit", "todos": []}]`},
		},
		"the timeline has every kind of event": {
			{"", "ALL /projects/{Project: Cargo Bike Launch}/timeline", "", 200, `["...", {"kind": "message_created"}, {"kind": "comment_created"}, {"kind": "todo_created"},
				{"kind": "todo_completed"}, {"kind": "document_created"}, {"kind": "upload_created"}, {"kind": "kanban_card_completed"}, {"kind": "question_answer_created"},
				{"kind": "schedule_entry_created"}, {"kind": "chat_transcript_rollup"}, {"kind": "inbox_forward_created"}]`},
			{"", "GET /reports/progress", "", 200, `["...", {"bucket": "Workshop & Tools"}]`},
			{"", "GET /reports/users/progress/{Person: Sam Okafor}", "", 200, `{"person": "Sam Okafor", "events": ["...", {"creator": "Sam Okafor"}]}`},
		},
		"unread items are complete, and read ones paged": {
			{"", "menu = GET /my/readings", "", 200, `{"unreads": ["...", {"section": "inbox"}], "reads": "#50"}`},
			{"", "PUT /my/unreads", `{"readables": ["{menu.unreads.0.readable_sgid}"]}`, 200, ""},
			{"", "GET /my/readings", "", 200, `{"reads": ["...", {"id": {menu.unreads.0.id}}]}`},
		},
		"mentions are in the menu": {
			{"", "hanna = GET /people/{Person: Hanna Koivisto}", "", 200, ""},
			{"Sam O", "POST /recordings/" + thanks + "/comments", `{"content": "<div>With cake, <bc-attachment sgid=\"{hanna.attachable_sgid}\"></bc-attachment>?</div>"}`, 201, ""},
			{"Hanna", "GET /my/readings", "", 200, `{"unreads": ["...", {"section": "mentions", "title": "Thank the neighbours for the noise", "creator": "Sam Okafor"}]}`},
		},
		"a person subscribes, and others too": {
			{"", "DELETE " + watching, "", 204, ""},
			{"", "GET " + watching, "", 200, `{"subscribed": false}`},
			{"", "POST " + watching, "", 200, `{"subscribed": true}`},
			{"", "PUT " + watching, `{"subscriptions": [{Person: Hanna Koivisto}], "unsubscriptions": [{Person: Ines Albrecht}]}`, 200, `{"subscribed": false, "subscribers": ["...", "Hanna Koivisto"]}`},
			{"", "PUT " + watching, `{}`, 400, ""},
		},
		"recordings of one type are listed": {
			{"", "GET " + records, "", 400, ""},
			{"", "GET " + records + "?type=Person", "", 400, ""},
			{"", "ALL " + records + "?type=Todo", "", 200, `"#>330"`},
			{"", "old = ALL " + records + "?type=Document&bucket={Project: Cargo Bike Launch},{Project: Company HQ}&sort=updated_at&direction=asc", "", 200, `["...", {"type": "Document"}]`},
			{"", "new = ALL " + records + "?type=Document&bucket={Project: Cargo Bike Launch},{Project: Company HQ}&sort=updated_at", "", 200, ""},
			{"", "ALL " + records + "?type=Message&status=trashed", "", 200, `["...", "Old announcement with the wrong date"]`},
		},
		"a bookmark is one person's": {
			{"", "first = POST " + bookmark, "", 201, ""},
			{"", "POST " + bookmark, "", 201, `{"id": {first.id}}`},
			{"", "ALL /my/bookmarks", "", 200, `[{"recording": "We have a date"}, {}, {}]`},
			{"Hanna", "GET " + bookmark, "", 200, `{"bookmarked": false}`},
			{"", "DELETE " + bookmark, "", 204, ""},
			{"", "ALL /my/bookmarks", "", 200, `"#2"`},
		},
		"an item bubbles up now or later": {
			{"", "POST /recordings/{Message: We have a date}/bubble_up", `{"at": "now"}`, 204, ""},
			{"", "POST /recordings/" + thanks + "/bubble_up", `{"at": "now"}`, 204, ""},
			{"", "POST " + gas, `{"at": "2031-05-15"}`, 204, ""},
			{"", "POST " + gas, `{"at": "tomorrow"}`, 204, ""}, // replaces the one before
			{"", "POST " + gas, `{"at": "2031-05-15T09:00"}`, 500, ""},
			{"", "GET /my/readings", "", 200, `{"bubble_ups_count": 2, "bubble_ups": "#2", "scheduled_bubble_ups": [{"bubble_up_at": "~2031-05-15"}]}`},
			{"", "GET /my/readings?limit_bubble_ups=true", "", 200, `{"scheduled_bubble_ups": null, "scheduled_bubble_ups_count": 1}`},
			{"", "ALL /my/readings/bubble_ups", "", 200, `[{"bubble_up_at": null}, {"bubble_up_at": null}, {"bubble_up_at": "~2031-05-15"}]`},
			{"Sam O", "ALL /my/readings/bubble_ups", "", 200, `[]`},
			{"", "DELETE " + gas, "", 204, ""},
			{"", "DELETE " + gas, "", 204, ""},
			{"", "ALL /my/readings/bubble_ups", "", 200, `"#2"`},
		},
	}.run(t)
}
