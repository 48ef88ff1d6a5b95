package sandbox

import "testing"

func TestTodos(t *testing.T) {
	const (
		follow    = "{Todolist: Supplier follow-ups @ Cargo Bike Launch}"
		parking   = "/todolists/{Todolist: Parking lot @ Cargo Bike Launch}/todos"
		checklist = "/todolists/{Todolist: Launch checklist @ Cargo Bike Launch}"
		lists     = "/todosets/{todoset: Cargo Bike Launch}/todolists"
		ideas     = "/todolists/{Todolist: Ideas for later @ Cargo Bike Launch}/todos"
		rides     = "/todolists/{Todolist: Test rides @ Cargo Bike Launch}"
		demo      = "/todos/{Todo: Prepare twelve demo bikes for the test ride}"
		waiting   = "/todos/{Todo: Set up the waiting list for batch two}"
		night     = "/todos/{Todo: Night ride, lights only}"
		load      = "{Todo: Load test the checkout with 200 orders an hour}"
		loose     = "/buckets/{Project: Cargo Bike Launch}/todosets/{todoset: Cargo Bike Launch}/todos"
		grease    = `{"content": "Grease the gate", "description": "<div>Both <em>hinges</em></div>", "due_on": "2031-05-20", "starts_on": "2031-05-18",
			"assignee_ids": [{Person: Sam Okafor}, "{Person: Dele Adeyemi}", {Person: Sam Lindqvist}], "notify": true}`
	)
	stories{
		"the checklist has 37 open and 12 done": {
			{"", "ALL " + checklist + "/todos", "", 200, `"#37"`},
			{"", "ALL " + checklist + "/todos?completed=true", "", 200, `"#12"`},
			{"", "GET " + checklist + "/todos?completed=true", "", 200, `["...", {"completed": true, "completion": {"created_at": "~2031"}, "completed_at": null}]`},
			{"", "GET " + checklist, "", 200, `{"completed_ratio": "12/49"}`},
			{"", "ALL " + checklist + "/groups", "", 200, `[]`},
		},
		"a list excludes the to-dos of its groups": {
			{"", "ALL /todolists/" + follow + "/todos", "", 200, `["Ask all suppliers for their holiday closures", "Update the contact sheet in Docs & Files"]`},
			{"", "groups = ALL /todolists/" + follow + "/groups", "", 200,
				`[{"title": "Tubes and dropouts", "groups_url": null, "group_position_url": "~groups", "parent": {"type": "Todolist"}}, "Brakes and wheels", "Electrics", "Paint and print"]`},
			{"", "ALL /todolists/{groups.0.id}/todos", "", 200, `"#4"`},
			{"", "ALL " + lists + "?status=trashed", "", 200, `["Duplicate of the checklist"]`},
			{"", "ALL " + lists + "?status=archived", "", 200, `["Ideas for later"]`},
			{"", "ALL " + lists, "", 200, `"#7"`},
		},
		"lists are filtered by status": {
			{"", "ALL " + ideas, "", 200, `[]`},
			{"", "ALL " + ideas + "?status=archived", "", 200, `"#3"`},
			{"", "ALL " + ideas + "?status=archived&completed=true", "", 200, `"#1"`},
			{"", "ALL " + rides + "/todos?status=archived", "", 200, `["Ride with the old fork", "Ride with the old saddle"]`},
			{"", "ALL " + rides + "/todos?status=archived&completed=true", "", 200, `["Ride with the old saddle"]`},
			{"", "ALL " + rides + "/todos?status=trashed", "", 200, `["Ride with the round wheels"]`},
		},
		"an update clears what it does not have": {
			{"", "demo = GET " + demo, "", 200, `{"assignees": "#2", "due_on": "~2031", "starts_on": "~2031"}`},
			{"", "PUT /todos/{demo.id}", `{"content": "Prepare eleven demo bikes"}`, 200, `{"assignees": [], "due_on": null, "starts_on": null, "description": ""}`},
			{"", "PUT /todos/{demo.id}", `{"due_on": "2031-06-01"}`, 422, `{"content": ["can't be blank"]}`},
			{"", "rides = GET " + rides, "", 200, `{"description": "~div"}`},
			{"", "PUT /todolists/{rides.id}", `{"name": "Rides"}`, 200, `{"name": "Rides", "description": ""}`},
			{"", "PUT /todolists/{rides.id}", `{"description": "only"}`, 422, ""},
		},
		"a to-do is made with its fields": {
			{"", "POST " + parking, grease, 201, `{"content": "Grease the gate", "title": "Grease the gate", "due_on": "2031-05-20", "starts_on": "2031-05-18", "completed": false,
				"assignees": ["Sam Okafor", "Dele Adeyemi"], "creator": "Ines Albrecht", "bucket": "Cargo Bike Launch"}`},
			{"Sam O", "GET /my/readings", "", 200, `{"unreads": ["...", "Grease the gate"]}`},
			{"", "POST " + parking, `{"content": "x", "due_on": "tomorrow"}`, 422, ""},
			{"", "POST " + parking, `{"content": "x", "due_on": "2031-05-01", "starts_on": "2031-05-02"}`, 422, ""},
		},
		"completion is recorded once": {
			{"Jonas", "POST " + waiting + "/completion", "", 204, ""},
			{"Jonas", "POST " + waiting + "/completion", "", 204, ""},
			{"", "GET " + waiting, "", 200, `{"completed": true, "completion": {"creator": "Jonas Brandt"}, "position": null}`},
			{"Jonas", "DELETE " + waiting + "/completion", "", 204, ""},
			{"", "GET " + waiting, "", 200, `{"completed": false, "completion": null}`},
			{"", "GET /recordings/{Todo: Set up the waiting list for batch two}/events", "", 200,
				`[{"action": "uncompleted"}, {"action": "completed"}, {"action": "created"}]`},
		},
		"a to-do moves within and between lists": {
			{"", "todos = ALL " + checklist + "/todos", "", 200, ""},
			{"", "PUT /todos/{todos.2.id}/position", `{"position": 1}`, 204, ""},
			{"", "GET /todos/{todos.2.id}", "", 200, `{"position": 1}`},
			{"", "PUT /todos/{todos.2.id}/position", `{"position": 1, "parent_id": {Todolist: Parking lot @ Cargo Bike Launch}}`, 204, ""},
			{"", "ALL " + parking, "", 200, `[{"id": {todos.2.id}}]`},
			{"", "PUT /todos/{todos.2.id}/position", `{"position": 0}`, 400, ""},
			{"", "PUT /todos/{todos.2.id}/position", `{"position": 1, "parent_id": 77}`, 404, ""},
		},
		"lists and groups are made": {
			{"", "list = POST " + lists, `{"name": "After the launch"}`, 201, ""},
			{"", "group = POST /todolists/{list.id}/groups", `{"name": "Cleaning", "color": "pink"}`, 201, `{"color": "pink", "parent": {"id": {list.id}}}`},
			{"", "POST /todolists/{group.id}/todos", `{"content": "Sweep"}`, 201, ""},
			{"", "GET /todolists/{list.id}", "", 200, `{"completed_ratio": "0/1"}`},
			{"", "POST /todolists/{group.id}/groups", `{"name": "Deeper"}`, 404, ""},
			{"", "POST /todolists/{list.id}/groups", `{"name": "x", "color": "beige"}`, 422, ""},
		},
		"a to-do can be in a set": {
			{"", "POST /todosets/{todoset: Cargo Bike Launch}/todos", `{"content": "loose"}`, 404, ""},
			{"", "todo = POST " + loose, `{"content": "loose"}`, 201, `{"parent": {"type": "Todoset"}}`},
			{"", "ALL " + loose, "", 200, `["loose"]`},
			// not a list
			{"", "PUT /todos/{todo.id}/position", `{"position": 1, "parent_id": {todoset: Cargo Bike Launch}}`, 404, ""},
			{"", "PUT /todos/{todo.id}/position", `{"position": 1, "parent_id": {Todolist: Parking lot @ Cargo Bike Launch}}`, 204, ""},
		},
		"subtasks are made, changed and completed": {
			{"", "before = GET /todos/" + load, "", 200, `{"steps": "#2"}`},
			{"", "step = POST /recordings/" + load + "/subtasks", `{"title": "Read the log", "due_on": "2031-05-16", "assignee_ids": [{Person: Jonas Brandt}]}`, 201,
				`{"type": "Kanban::Step", "parent": {"id": {before.id}}}`},
			{"", "PUT /subtasks/{step.id}", `{"title": "Read the whole log"}`, 200, `{"due_on": "2031-05-16", "assignees": "#1"}`},
			{"", "PUT /subtasks/{step.id}", `{"due_on": null, "assignee_ids": []}`, 200, `{"due_on": null, "assignees": [], "title": "Read the whole log"}`},
			{"", "POST /subtasks/{step.id}/completion", "", 204, ""},
			{"", "GET /todos/" + load, "", 200, `{"steps": ["...", {"id": {step.id}, "completed": true}]}`},
			{"", "DELETE /subtasks/{step.id}", "", 204, ""},
			{"", "GET /recordings/" + load + "/subtasks", "", 200, `"#2"`},
		},
		"a list's status is that of its to-dos": {
			{"", "PUT /recordings/{Todolist: Test rides}/status/trashed", "", 204, ""},
			{"", "GET " + night, "", 200, `{"status": "trashed"}`},
			{"", "PUT /recordings/{Todolist: Test rides}/status/active", "", 204, ""},
			{"", "GET " + night, "", 200, `{"status": "active"}`},
			{"", "PUT /recordings/{Todolist: Test rides}/status/shredded", "", 404, ""},
		},
		"positions of lists and of groups have a route each": {
			{"", "PUT /todosets/todolists/{Todolist: Parking lot @ Cargo Bike Launch}/position", `{"position": 2}`, 204, ""},
			{"", "lists = ALL " + lists, "", 200, ""},
			{"", "GET /todolists/{lists.1.id}", "", 200, `{"name": "Parking lot"}`},
			{"", "groups = ALL /todolists/" + follow + "/groups", "", 200, ""},
			{"", "PUT /todolists/groups/{groups.1.id}/position", `{"position": 1}`, 204, ""},
			{"", "PUT /todosets/todolists/{groups.1.id}/position", `{"position": 1}`, 404, ""},
			{"", "PUT /todolists/groups/{lists.1.id}/position", `{"position": 1}`, 404, ""},
			{"", "PUT /todosets/todolists/{lists.1.id}/position", `{"position": 0}`, 400, ""},
		},
	}.run(t)
}
