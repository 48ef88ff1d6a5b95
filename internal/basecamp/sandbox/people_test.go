package sandbox

import "testing"

func TestPeople(t *testing.T) {
	const (
		hanna  = "GET /people/{Person: Hanna Koivisto}"
		hidden = `{"email_address": "h••••@•••••••••••••.•••••••"}`
		shown  = `{"email_address": "hanna@fernhillbikes.example"}`
		plate  = "{Kanban::Card: Kickstand plate, 8 mm back}"
		keys   = "{Todo: Hand over the key list @ Rijnstad Couriers Fleet}"
		flat   = "{Kanban::Card: RC-04: second flat this month @ Rijnstad Couriers Fleet}"
		list   = "{Todolist: Delivery of forty bikes @ Rijnstad Couriers Fleet}"
	)
	stories{
		"only administrators and the person see an address": {
			{"", hanna, "", 200, shown},
			{"Aoife", hanna, "", 200, shown},
			{"Hanna", hanna, "", 200, shown},
			{"Sam O", hanna, "", 200, hidden},
			{"Sam O", "GET /todos/{Todo: Book the photographer for the launch pictures}", "", 200, `{"assignees": ["...", ` + hidden + `]}`},
		},
		"one of the two Sams is on the launch": {
			{"", "ALL /people", "", 200, `["...", "Sam Okafor", "Sam Lindqvist", "Noémie Laurent", "Mateusz Wójcik", "Parcel Relay"]`},
			{"", "ALL /projects/{Project: Cargo Bike Launch}/people", "", 200, `["...", "Sam Okafor"]`},
		},
		"a client sees what is shared": {
			{"Lieke", "ALL /projects", "", 200, `["Rijnstad Couriers Fleet"]`},
			{"Lieke", "ALL /message_boards/{message_board: Rijnstad Couriers Fleet}/messages", "", 200, `["Delivery of bikes 21 to 30", "Service report, last month"]`},
			{"Lieke", "GET /messages/{Message: Internal: price of the second year}", "", 404, ""},
			{"Lieke", "GET /todolists/{Todolist: Service contract @ Rijnstad Couriers Fleet}", "", 404, ""},
			{"Lieke", "POST /todolists/" + list + "/todos", `{"content": "Move the bollard"}`, 201, `{"visible_to_clients": true}`},
		},
		"what inherits its visibility has its holder's, and cannot be set": {
			{"Lieke", "GET /todos/" + keys, "", 200, ""},
			{"", "PUT /recordings/" + keys + "/client_visibility", `{"visible_to_clients": true}`, 403, ""},
			{"", "PUT /recordings/" + flat + "/client_visibility", `{"visible_to_clients": true}`, 403, ""},
			{"", "PUT /recordings/" + list + "/client_visibility", `{"visible_to_clients": false}`, 200, ""},
			{"Lieke", "GET /todos/" + keys, "", 404, ""},
			{"", "PUT /recordings/" + list + "/client_visibility", `{"visible_to_clients": true}`, 200, ""},
			{"Lieke", "GET /todos/" + keys, "", 200, ""},
			{"", "PUT /recordings/{kanban_board: Rijnstad Couriers Fleet}/client_visibility", `{"visible_to_clients": false}`, 200, ""},
			{"Lieke", "GET /card_tables/cards/" + flat, "", 404, ""},
			{"", "PUT /recordings/{kanban_board: Rijnstad Couriers Fleet}/client_visibility", `{"visible_to_clients": true}`, 200, ""},
			{"Lieke", "GET /card_tables/cards/" + flat, "", 200, ""},
			{"", "GET /card_tables/cards/" + flat, "", 200, ""},
		},
		"access is granted and revoked": {
			{"", "PUT /projects/{Project: Cargo Bike Launch}/people/users", `{"grant": [{Person: Sam Lindqvist}], "revoke": [{Person: Dele Adeyemi}]}`, 200,
				`{"granted": ["Sam Lindqvist"], "revoked": ["Dele Adeyemi"]}`},
			{"Sam L", "GET /projects/{Project: Cargo Bike Launch}", "", 200, ""},
			{"Dele", "GET /projects/{Project: Cargo Bike Launch}", "", 404, ""},
		},
		"a profile is changed": {
			{"Hanna", "PUT /my/profile", `{"title": "Marketing, mostly", "time_zone_name": "Asia/Tokyo"}`, 204, ""},
			{"Hanna", "GET /my/profile", "", 200, `{"title": "Marketing, mostly", "time_zone": "Asia/Tokyo", "name": "Hanna Koivisto"}`},
			{"Hanna", "PUT /my/profile", `{"time_zone_name": "Nowhere/Land"}`, 422, ""},
		},
		"an account has a name and an owner": {
			{"Sam O", "GET /account", "", 200, `{"id": 5094412, "name": "Fernhill Bikes", "owner_name": "Ines Albrecht"}`},
		},
		"events list who was added and removed": {
			{"", "PUT /card_tables/cards/" + plate, `{"assignee_ids": [{Person: Mateusz Wójcik}]}`, 200, ""},
			{"", "PUT /card_tables/cards/" + plate, `{"due_on": "2031-05-14"}`, 200, ""},
			{"", "PUT /card_tables/cards/" + plate, `{"title": "Kickstand plate, 9 mm back"}`, 200, ""},
			{"", "ALL /recordings/{Kanban::Card: Kickstand plate, 9 mm back}/events", "", 200, `["...", {"action": "content_changed"}, {"action": "due_date_changed"}, {"action": "assignment_changed",
				"details": {"added_person_ids": [{Person: Mateusz Wójcik}], "removed_person_ids": [{Person: Noémie Laurent}]}}]`},
		},
	}.run(t)
}
