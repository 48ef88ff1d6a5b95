package basecamptools

import (
	"fmt"
	"net/http"
	"testing"

	"basecamp-mcp/internal/report/fault"
)

const afterwards = `POST /buckets/{project:Cargo Bike Launch}/dock/tools.json {"tool_type":"Todoset","title":"Afterwards"}`

func TestCreateTodolist(t *testing.T) {
	const first, list = "{Todolist:Launch checklist}", "POST /todolists/{Todolist:Launch checklist}/groups.json"
	cases(t, "create_todolist", args{"project": launch, "name": "x"},
		row{fact: "it is made in the project", in: args{"name": " After the launch ", "description": "What we **learn**"}, writes: []string{"POST /todosets/{tool:todoset@Cargo Bike Launch}/todolists.json"},
			holds: holds{"name": "After the launch", "type": "todolist", "description": has("learn"), "project.name": launch, "url": some, "total": nil}, then: []row{
				{tool: "GET /todolists/{.id}.json", holds: holds{"name": "After the launch", "description": has("<strong>learn</strong>")}}, {in: args{"name": "Nothing more"}, holds: holds{"description": nil}}}},
		row{fact: "a group is made in a list", in: args{"name": "Evening", "group_of": checklist}, writes: []string{list}, holds: holds{"name": "Evening", "list.id": first}, then: []row{
			{tool: "list_todolists", in: args{"project_id": launch}, holds: holds{"items.0.groups.*.name": []string{"Evening"}}},
			{in: args{"group_of": "{0.id}"}, fails: fault.InvalidInput, says: says{`group_of: "Evening" is a group itself`}}}},
		invalid("a group has only a name", args{"group_of": first, "description": "Late"}, "only a name"), invalid("which is not blank", args{"group_of": first, "name": " "}, "name"),
		row{fact: "its list must exist", in: args{"group_of": "No such list"}, fails: fault.NotFound, says: says{"group_of: "}},
		row{fact: "of several sets one is named", before: []string{afterwards}, fails: fault.Ambiguous, says: says{"todoset_id", "2 to-do sets"}, holds: holds{"data.candidates.#": 2}, then: []row{
			{in: args{"todoset_id": "afterwards"}, writes: []string{"POST /todosets/{tool:todoset 1@Cargo Bike Launch}/todolists.json"}}}},
		invalid("a name is not blank", args{"name": "  "}, "name"), invalid("a name is required", args{"name": nil}, "name", "copy_of"), invalid("a project is required", args{"project": nil}, "project"),
		row{fact: "the project must exist", in: args{"project": "Cargo Boat"}, fails: fault.NotFound, says: says{"project"}},
		row{fact: "the project must have to-dos", in: args{"project": "Photo Library"}, fails: fault.ToolNotEnabled, says: says{"to-do set"}},
		invalid("whom it mentions must be on the project", args{"description": "for @[Someone](person:77)"}, "description"),
	)
	cases(t, "get_item", args{"item": "todolist:{Todolist:Supplier follow-ups}"},
		row{fact: "a list has groups, progress and comments", before: []string{`POST /recordings/{Todolist:Supplier follow-ups}/comments.json {"content":"<div>Half way</div>"}`},
			holds: holds{"item.name": "Supplier follow-ups", "item.groups.#": 4, "item.comments_count": 1, "item.total": 21, "item.status": "active", "item.list": nil}},
		row{fact: "a group names its list", in: args{"item": "todolist:{Todolist:Electrics}"}, holds: holds{"item.name": "Electrics", "item.list.id": "{Todolist:Supplier follow-ups}", "item.groups": nil, "item.total": 6}},
		row{fact: "a list must exist", in: args{"item": "todolist:12345"}, fails: fault.NotFound},
	)
}

func TestTodolists_OfSeveralSetsAndArchivedOnes(t *testing.T) {
	groups := []string{"Tubes and dropouts", "Brakes and wheels", "Electrics", "Paint and print"}
	away := func(group, status string) row {
		return row{fact: "a group that is " + status + " is shown with its list", before: []string{"PUT /recordings/{Todolist:" + group + "}/status/" + status + ".json"}, in: args{"status": status},
			says: says{`"name":"` + group + `"`, `"list":{"id":{Todolist:Supplier follow-ups},"name":"Supplier follow-ups"}`}, then: []row{
				{tool: "set_item_status", in: args{"items": []string{"todolist:" + group}, "project": launch, "status": "active"}, holds: holds{"changed": 1}}}}
	}
	cases(t, "list_todolists", args{"project_id": launch, "limit": 50},
		row{fact: "a list is found by its name in all sets", before: []string{afterwards, `POST /todosets/{tool:todoset 1@Cargo Bike Launch}/todolists.json {"name":"After sales"}`},
			tool: "list_todos", in: args{"project_id": launch, "todolist_id": "After sales"}, holds: holds{"items.#": 0}, then: []row{
				{tool: "list_todos", in: args{"project_id": launch}, fails: fault.Ambiguous, says: says{"todoset_id"}},
				{tool: "list_todos", in: args{"project_id": launch, "todolist_id": "After sales", "todoset_id": "{tool:todoset@Cargo Bike Launch}"}, fails: fault.NotFound, says: says{"todolist_id"}}}},
		row{fact: "groups are in order", holds: holds{"items.1.groups.*.name": groups}, then: []row{
			{fact: "those of an archived list too", before: []string{"PUT /recordings/{Todolist:Supplier follow-ups}/status/archived.json"}, in: args{"status": "archived"}, says: says{groups[0], groups[1], groups[2], groups[3]}}}},
		away("Brakes and wheels", "archived"), away("Brakes and wheels", "trashed"),
		row{fact: "a hundred lists take few requests", setup: func(d *toolEnv) {
			for i := range 93 {
				d.meanwhile(http.MethodPost, fmt.Sprintf("/todosets/%d/todolists.json", d.sandbox.ToolID(launch, "todoset")), fmt.Sprintf(`{"name":"List %d"}`, i))
			}
		}, in: args{"project_id": "{project:Cargo Bike Launch}", "limit": 100}, atMost: 10, holds: holds{"items.#": 100}},
	)
}
