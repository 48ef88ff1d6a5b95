package basecamptools

import (
	"fmt"
	"net/http"
	"testing"

	"basecamp-mcp/internal/basecamp/basecamptools/projects"
	"basecamp-mcp/internal/report/fault"
)

// winterKit is a project with few people.
const winterKit = "Winter Kit"

func TestListProjects(t *testing.T) {
	cases(t, "list_projects", args{"limit": 100},
		row{fact: "active ones come with their enabled tools", holds: holds{"items.*.status": "active", "items.*.type": "project", "items.*.id": some, "items.*.url": some, "items.*.created_at": some}},
		row{fact: "a dock has enabled tools", in: args{"query": "Frame Testing Lab"}, holds: holds{"items.0.tools": []string{"todoset", "vault"}}},
		row{fact: "or none", in: args{"query": "Quiet Ideas"}, holds: holds{"items.#": 1, "items.0.tools": nil}},
		row{fact: "a description may be missing", in: args{"query": "Spring Trade Fair"}, holds: holds{"items.#": 1, "items.0.description": nil}},
		row{fact: "archived ones", in: args{"status": "archived"}, holds: holds{"items.#": 3, "items": has("Prototype Two")}},
		row{fact: "trashed ones", in: args{"status": "trashed"}, holds: holds{"items.#": 2}},
		row{fact: "all are the active and the archived", in: args{"status": "all"}, says: says{`"status":"archived"`, `"status":"active"`}, misses: []string{`"status":"trashed"`}},
		row{fact: "a part of a name in any case", in: args{"query": "web SHOP", "status": "all"}, holds: holds{"items.*.name": []string{"Web Shop Rebuild", "Old Web Shop"}}},
		row{fact: "none has such a name", in: args{"query": "zeppelin"}, holds: holds{"items.#": 0, "has_more": nil}},
		row{fact: "a cursor is valid only for its arguments", in: args{"limit": 2}, then: []row{
			{in: args{"limit": 2, "status": "archived", "cursor": "{0.next_cursor}"}, fails: fault.InvalidInput, says: says{"cursor", "other arguments"}},
			{in: args{"limit": 2, "page": 2, "cursor": "{0.next_cursor}"}, fails: fault.InvalidInput, says: says{"page"}}}},
		row{fact: "a cursor is one of ours", each: []args{{"cursor": "x"}, {"cursor": "e30"}, {"cursor": "eyJwIjotMX0"}, {"cursor": "////"}}, fails: fault.InvalidInput, says: says{"cursor"}},
	)
}

func TestGetProjectTools(t *testing.T) {
	const id, url = "{project:Cargo Bike Launch}", "3.basecamp.com/{account}/projects/{project:Cargo Bike Launch}"
	cases(t, "get_project_tools", args{"project_id": "cargo bike launch"},
		row{fact: "the tools of the dock are named", holds: holds{"project_id": id, "people_count": 12, "todoset_id": "{tool:todoset@Cargo Bike Launch}", "tools.kanban_board.#": 2, "tools.message_board.enabled": true, "tools.message_board.url": some}},
		row{fact: "disabled ones have no ID", in: args{"project_id": "Frame Testing Lab"}, holds: holds{"message_board_id": nil, "chat_id": nil, "vault_id": some, "tools.chat.enabled": nil}},
		row{fact: "a project is found by its ID, its name, a part of it and any URL in it", each: []args{{"project_id": id}, {"project_id": " " + id}, {"project_id": launch}, {"project_id": " CARGO bike  launch"}, {"project_id": "bike launch"},
			{"project_id": "https://" + url}, {"project_id": launchURL + "/messages/{Message:" + colourVote + "}"}, {"project_id": url}, {"project_id": " app.basecamp.com/{account}/projects/{project:Cargo Bike Launch}"}},
			holds: holds{"project_id": id}},
		invalid("an ID is positive", args{"project_id": 0}, "project_id: must be a positive integer, a name or a Basecamp URL, got 0"),
		invalid("a URL is one of the account", args{"project_id": "https://3.basecamp.com/1/projects/2"}, "another Basecamp account"),
		invalid("a URL is one of Basecamp", args{"project_id": "https://evil.example/1/projects/2"}, "must be the URL"),
		row{fact: "a name must fit one project", in: args{"project_id": "web shop"}, fails: fault.Ambiguous, says: says{"project_id"}, holds: holds{"data.candidates.*.id": some, "data.candidates.*.where": some}},
		row{fact: "a name of numbers is a name", before: []string{`POST /projects.json {"name":"2024-2025"}`, `POST /projects.json {"name":"2025-2026"}`}, in: args{"project_id": "2024-2025"}, holds: holds{"project_name": "2024-2025"}},
		row{fact: "a project is found by the name that is shown", before: []string{`POST /projects.json {"name":"Evil \u202egnp.exe\u200b one"}`}, tool: "list_projects", in: args{"query": "gnp"}, holds: holds{"items.#": 1}, misses: []string{"\u202e", "\u200b"}, then: []row{
			{in: args{"project_id": "{0.items.0.name}"}, holds: holds{"project_id": "{0.items.0.id}"}},
			{in: args{"project_id": "Evil twin"}, fails: fault.NotFound, says: says{"Evil"}, misses: []string{"\u202e", "\u200b"}}}},
	)
}

func TestCreateProject(t *testing.T) {
	cases(t, "change_basecamp", args{"operation": "create_project"},
		row{fact: "the next call finds it", tool: "get_project_tools", in: args{"project_id": "Rain test"}, fails: fault.NotFound, then: []row{
			{in: args{"name": " Rain test ", "description": "A week of it"}, writes: []string{"POST /projects.json"}, holds: holds{"result.name": "Rain test", "result.description": "A week of it", "result.status": "active", "result.url": some}},
			{tool: "get_project_tools", in: args{"project_id": "Rain test"}, holds: holds{"project_id": "{1.result.id}", "description": "A week of it"}}}},
		row{fact: "a name is required", each: []args{{"name": ""}, {"name": "  "}, {"name": "\u200b"}}, fails: fault.InvalidInput, says: says{"name"}},
		row{fact: "Basecamp's limit is told", faults: faults{{Method: "POST", PathPrefix: "/projects.json", Status: 507, Body: `{"error":"The project limit for this account has been reached."}`}}, in: args{"name": "One more"}, fails: fault.LimitReached, says: says{"limit"}, writes: []string{"POST /projects.json"}},
	)
}

func TestChangeProject(t *testing.T) {
	const before = "Studded tyres, rain cover, bar mitts: one box, before the first frost."
	const kit, put = "{project:Winter Kit}", "PUT /projects/{project:Winter Kit}.json"
	cases(t, "change_project", args{"project": winterKit},
		row{fact: "what is not named stays", in: args{"dates": args{"starts_on": "2031-01-06", "ends_on": "January 31 2031"}}, writes: []string{put}, holds: holds{"name": winterKit, "starts_on": "2031-01-06", "ends_on": "2031-01-31", "description": before,
			"previous": args{"starts_on": nil, "ends_on": nil}}, then: []row{
			{in: args{"project": "{0.id}", "dates": args{"ends_on": "2031-02-28"}, "description": "Gloves and lights."}, holds: holds{"starts_on": "2031-01-06", "description": "Gloves and lights.", "previous": args{"starts_on": "2031-01-06", "ends_on": "2031-01-31", "description": before}}},
			{in: args{"project": "{0.id}", "name": "Winter Kit 2031"}, holds: holds{"name": "Winter Kit 2031", "ends_on": "2031-02-28", "description": "Gloves and lights.", "previous": args{"name": winterKit}}},
			{tool: "get_project_tools", in: args{"project_id": "Winter Kit 2031"}},
			{in: args{"project": "{0.id}", "name": "Winter Kit 2031"}, writes: []string{}, holds: holds{"unchanged": true, "previous": nil}}}},
		row{fact: "people of the account are added", in: args{"add_people": []string{"Aoife Brennan", "Priya Raman", "me"}}, holds: holds{"added.*.name": []string{"Aoife Brennan"}, "people_count": 6, "previous": args{"people_count": 5}, "name": winterKit}, then: []row{
			{fact: "and removed", in: args{"remove_people": "Aoife Brennan"}, holds: holds{"removed.*.name": []string{"Aoife Brennan"}, "people_count": 5}},
			{tool: "GET /projects/" + kit + "/people.json", says: says{"Priya Raman"}, misses: []string{"Aoife Brennan"}},
			{in: args{"remove_people": "Aoife Brennan"}, fails: fault.InvalidInput, says: says{"remove_people[0]", "not on the project"}}}},
		row{fact: "people must exist", in: args{"name": "x", "add_people": "Zebulon"}, fails: fault.NotFound, says: says{"add_people[0]"}},
		invalid("one stays on it", args{"remove_people": "me"}, "is you"), invalid("a person stays or goes", args{"add_people": "Priya", "remove_people": "Priya"}, "names"), invalid("clients are not added", args{"add_people": lieke}, "client"),
		invalid("a change is required", args{}, "nothing to change"), invalid("a name is not blank", args{"name": " \u200b"}, "name"), invalid("dates have both ends", args{"dates": args{"starts_on": "2031-01-06"}}, "dates", "both"),
		invalid("dates have one at least", args{"dates": args{}}, "dates"), invalid("they do not end before they start", args{"dates": args{"starts_on": "2031-01-06", "ends_on": "2031-01-05"}}, "ends_on", "before"),
		invalid("both are days", args{"name": "x", "dates": args{"starts_on": "soon", "ends_on": "later"}}, "starts_on", "ends_on"),
		invalid("an archived project stays as it is", args{"project": "{project:Prototype Two}", "name": "x"}, "archived"),
		row{fact: "it says what is done if only the people fail", faults: faults{{Method: http.MethodPut, PathPrefix: "/projects/" + kit + "/people", Status: http.StatusForbidden}}, in: args{"description": "Gloves.", "add_people": "Aoife Brennan"},
			fails: fault.PermissionDenied, says: says{"people are not changed"}, writes: []string{put, "PUT /projects/" + kit + "/people/users.json"}},
	)
}

// peopleIn returns the names of the people on a project.
func peopleIn(d *toolEnv, project string) (names []string) {
	for _, p := range upstream[[]struct{ Name string }](d, fmt.Sprintf("/projects/%d/people.json", d.sandbox.ProjectID(project))) {
		names = append(names, p.Name)
	}
	return names
}

func names(projects []projects.ProjectItem) (names []string) {
	for _, p := range projects {
		names = append(names, p.Name)
	}
	return names
}
