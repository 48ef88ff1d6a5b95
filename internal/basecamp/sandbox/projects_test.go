package sandbox

import "testing"

func TestProjects(t *testing.T) {
	const steerer = "GET /todos/{Todo: Straighten the steerer}"
	stories{
		"projects are active and the newest first, unless another status is asked for": {
			{"", "all = ALL /projects", "", 200, `["...", "Company HQ"]`},
			{"", "GET /projects/{all.0.id}", "", 200, `{"name": "Newsletter Refresh", "creator": null}`},
			{"", "ALL /projects?status=unknown", "", 200, `"#17"`},
			{"", "ALL /projects?status=archived", "", 200, `["Summer Open Day", "Prototype Two", "Old Web Shop"]`},
			{"", "ALL /projects?status=trashed", "", 200, `["Newsletter Trial", "Tandem Experiment"]`},
		},
		"only members see a project": {
			{"Sam L", "GET /projects/{Project: Cargo Bike Launch}", "", 404, ""},
			{"Sam L", "GET /todolists/{Todolist: Launch checklist @ Cargo Bike Launch}", "", 404, ""},
			{"Sam L", "ALL /projects", "", 200, `"#6"`},
		},
		"docks differ": {
			{"", "GET /projects/{Project: Cargo Bike Launch}", "", 200, `{"dock": ["Message Board", "To-dos", "Docs & Files", "Schedule", "Chat", "Frame design", "Automatic Check-ins", "Email Forwards", "Web shop"]}`},
			{"", "GET /projects/{Project: Cargo Bike Launch}", "", 200, `{"dock": ["...", {"name": "message_board",
				"app_url": "https://3.basecamp.com/5094412/buckets/{Project: Cargo Bike Launch}/message_boards/{message_board: Cargo Bike Launch}"}]}`},
			{"", "GET /projects/{Project: Quiet Ideas}", "", 200, `{"dock": []}`},
			{"", "GET /projects/{Project: Frame Testing Lab}", "", 200, `{"dock": ["...", {"name": "todoset", "enabled": true, "position": 1}, {"name": "chat", "enabled": false, "position": null}]}`},
			{"", "GET /projects/{Project: Spring Trade Fair}", "", 200, `{"description": null}`},
		},
		"a project changes its status": {
			{"", "made = POST /projects", `{"name": "Bell that is heard", "description": "Louder."}`, 201, ""},
			{"", "PUT /projects/{made.id}", `{"name": "Bells", "status": "archived"}`, 200, `{"status": "active", "name": "Bells", "description": "Louder."}`},
			{"", "PUT /projects/{made.id}/status/archived", "", 204, ""},
			{"", "GET /projects/{made.id}", "", 200, `{"status": "archived"}`},
			{"", "PUT /projects/{made.id}/status/active", "", 204, ""},
			{"", "DELETE /projects/{made.id}", "", 204, ""},
			{"", "GET /projects/{made.id}", "", 200, `{"status": "trashed"}`},
			{"", "POST /projects", `{"name": " "}`, 422, `{"error": "Name can't be blank"}`},
		},
		"what is in an archived project is archived": {
			{"", steerer, "", 200, `{"status": "archived"}`},
			{"", "PUT /projects/{Project: Prototype Two}/status/active", "", 204, ""},
			{"", steerer, "", 200, `{"status": "active"}`},
		},
		"a tool is added, renamed and removed from the dock": {
			{"", "tool = POST /buckets/{Project: Winter Kit}/dock/tools", `{"tool_type": "Kanban::Board", "title": "Samples"}`, 201, ""},
			{"", "GET /card_tables/{tool.id}", "", 200, `{"lists": "#3"}`},
			{"", "PUT /dock/tools/{tool.id}", `{"title": "Sample box"}`, 200, `{"title": "Sample box"}`},
			{"", "DELETE /buckets/{Project: Winter Kit}/recordings/{tool.id}/position", "", 204, ""},
			{"", "GET /projects/{Project: Winter Kit}", "", 200, `{"dock": ["...", {"title": "Sample box", "enabled": false}]}`},
			{"", "POST /dock/tools", `{"tool_type": "Inbox"}`, 404, ""},
		},
	}.run(t)
}
