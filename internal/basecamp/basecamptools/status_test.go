package basecamptools

import (
	"net/http"
	"testing"

	"basecamp-mcp/internal/report/fault"
)

// recordings is the list of the launch's items of a type.
const recordings = "GET /projects/recordings.json?bucket={project:Cargo Bike Launch}&type="

func TestSetItemStatus_OfEveryKind(t *testing.T) {
	var rows []row
	for kind, x := range map[string]struct{ upstream, path string }{
		"message": {"Message", "messages"}, "comment": {"Comment", "comments"}, "todolist": {"Todolist", "todolists"}, "todo": {"Todo", "todos"}, "subtask": {"Kanban::Step", "subtasks"}, "document": {"Document", "documents"},
		"folder": {"Vault", "vaults"}, "upload": {"Upload", "uploads"}, "answer": {"Question::Answer", "question_answers"}, "schedule_entry": {"Schedule::Entry", "schedule_entries"}, "card": {"Kanban::Card", "card_tables/cards"},
	} {
		is := func(status string, items ...string) []row {
			return []row{{in: args{"items": items, "status": status}, holds: holds{"changed": 1, "failed": 0, "results.#": 1, "results.0.ok": true, "results.0.index": 0, "results.0.item.id": "{0.1.id}", "results.0.item.type": kind,
				"results.0.item.title": some, "results.0.item.status": status, "results.0.item.changed": true, "results.0.item.url": some, "results.0.item.project.name": launch}},
				{tool: "GET /" + x.path + "/{0.1.id}.json", holds: holds{"status": status}}}
		}
		rows = append(rows, row{fact: kind + " is trashed and restored", tool: recordings + x.upstream, then: append(is("trashed", kind+":{0.1.id}"), is("active", kind+":{0.1.id}")...)})
		if kind == "comment" || kind == "subtask" {
			rows = append(rows, row{fact: "a URL that scrolls to a " + kind + " means the " + kind, tool: recordings + x.upstream, then: append(is("trashed", "{0.1.app_url}"),
				row{tool: recordings + x.upstream, misses: []string{`"id":{0.1.id},`}}, row{tool: "get_item", in: args{"url": "{0.1.parent.app_url}"}, holds: holds{"item.status": "active"}})})
		}
	}
	cases(t, "set_item_status", nil, rows...)
}

func TestSetItemStatus(t *testing.T) {
	const insurer, insurerURL = "todo:{Todo:Call the insurer about demo rides}", launchURL + "/todos/{Todo:Call the insurer about demo rides}"
	const kit, kitURL = "project:{project:Winter Kit}", "https://app.basecamp.com/{account}/projects/{project:Winter Kit}"
	const chatLines = "GET /chats/{tool:chat@Cargo Bike Launch}/lines.json"
	of := func(items ...string) args { return args{"items": items} }
	kits := numbered(3, "project:{0.items.%d.id}")
	puts := func(status string) []string {
		return []string{"PUT /projects/{project:Winter Kit}/status/" + status + ".json"}
	}
	is := func(status string) row {
		return row{tool: "GET /projects/{project:Winter Kit}.json", holds: holds{"status": status}}
	}
	cases(t, "set_item_status", args{"status": "trashed"},
		row{fact: "items of many kinds are named in any way, at once", in: args{"items": []string{insurerURL, "card:Matt clear coat", "upload:torque-values.md"}, "project": launch}, holds: holds{"changed": 3}, then: []row{
			{tool: "GET /todos/{Todo:Call the insurer about demo rides}.json", holds: holds{"status": "trashed"}},
			{tool: "GET /card_tables/cards/{Kanban::Card:Matt clear coat}.json", holds: holds{"status": "trashed"}}}},
		row{fact: "a URL of a reply means the reply", tool: "GET /inbox_forwards/{Inbox::Forward:Offer: rims with a wider bed}/replies.json", then: []row{
			{in: of("{0.0.app_url}"), holds: holds{"results.0.item.type": "reply"}},
			{tool: "GET /inbox_forwards/{Inbox::Forward:Offer: rims with a wider bed}.json", holds: holds{"status": "active"}}}},
		row{fact: "a chat line is trashed by its URL", tool: chatLines, then: []row{
			{in: args{"items": []string{"{0.0.app_url}"}, "status": "archived"}, fails: fault.InvalidInput, says: says{"cannot be archived"}},
			{in: of("{0.0.app_url}"), holds: holds{"results.0.item.type": "chat_line", "results.0.item.id": "{0.0.id}", "results.0.item.status": "trashed"}},
			{tool: chatLines, holds: holds{"0.id": "{0.1.id}"}},
			{in: of("chat_line:{0.0.id}"), fails: fault.InvalidInput, says: says{"no chat line", "give the url"}},
			{in: of("chat_line:{0.1.id}"), holds: holds{"results.0.item.status": "trashed"}}}},
		row{fact: "the next call knows a project's status", tool: "list_messages", in: args{"project_id": "Winter Kit"}, then: []row{
			{in: args{"items": []string{"project:Winter Kit"}, "status": "archived", "confirm_title": "Winter Kit"}, writes: puts("archived"), holds: holds{"results.0.item.type": "project", "results.0.item.title": "Winter Kit"}}, is("archived"),
			{in: args{"items": []string{kitURL}, "status": "active"}, writes: puts("active")}, is("active"),
			{in: args{"items": []string{kit}, "confirm_title": "Winter Kit"}, writes: []string{"DELETE /projects/{project:Winter Kit}.json"}}, is("trashed"),
			{tool: "list_messages", in: args{"project_id": "Winter Kit"}, fails: fault.NotFound},
			{tool: "list_messages", in: args{"project_id": "{project:Winter Kit}"}, requests: 2},
			{in: args{"items": []string{kitURL}, "status": "active"}},
			{tool: "list_messages", in: args{"project_id": "Winter Kit"}}}},
		row{fact: "a project is found by its name alone", in: args{"items": []string{"winter kit"}, "confirm_title": "Winter Kit"}, holds: holds{"results.0.item.id": "{project:Winter Kit}"}, then: []row{
			{in: args{"items": []string{"winter kit"}, "status": "active"}, holds: holds{"changed": 1}}, is("active"),
			{before: []string{`POST /todolists/{Todolist:Launch checklist}/todos.json {"content":"Winter Kit"}`}, in: args{"items": []string{"winter kit"}, "status": "archived", "confirm_title": "Winter Kit"}, fails: fault.Ambiguous,
				says: says{"the name of a project and the title of an item"}, holds: holds{"data.candidates.*.type": []string{"project", "todo"}}}}},
		row{fact: "a project is put away only with its name as confirmation", in: of("Winter Kit"), each: []args{{}, {"confirm_title": ""}, {"confirm_title": "winter kit"}, {"confirm_title": launch}, {"confirm_title": "", "status": "archived"}},
			fails: fault.InvalidInput, says: says{"confirm_title: ", `"Winter Kit" with 9 to-dos, 1 message, 1 document`}},
		row{fact: "what cannot be counted is left out of that", faults: faults{{PathPrefix: "/projects/recordings", Status: 403}}, in: of("Winter Kit"), fails: fault.InvalidInput, says: says{`the whole project "Winter Kit", send`}},
		row{fact: "several projects are put away if each is confirmed", before: []string{`POST /projects.json {"name":"Winter Kit"}`, `POST /projects.json {"name":"Old Kit"}`}, tool: "list_projects", in: args{"query": "Kit"}, holds: holds{"items.#": 3}, then: []row{
			{in: of(kits...), each: []args{{}, {"status": "archived"}}, fails: fault.InvalidInput, says: says{`"Winter Kit" with 9 to-dos`, `the name of each in confirm_title: [`}},
			{in: of(kits...), each: []args{{"confirm_title": []string{"Winter Kit"}}, {"confirm_title": []string{"Winter Kit", "Old Kit", "Other"}}}, fails: fault.InvalidInput, says: says{"confirm_title", `"Winter Kit"`}},
			{in: args{"items": []string{kit}, "status": "archived", "confirm_title": "Winter Kit"}},
			{fact: "those that are put away already need none", in: args{"items": kits, "status": "archived", "confirm_title": []string{"Old Kit", "Winter Kit"}}, holds: holds{"changed": 2}}, is("archived")}},
		row{fact: "a project whose name shows nothing is confirmed by its ID", setup: func(d *toolEnv) { d.make("/projects.json", `{"name":"\u200b\u2060"}`) }, tool: "list_projects", in: args{"limit": 1}, then: []row{
			{in: of("project:{0.items.0.id}"), each: []args{{}, {"confirm_title": ""}, {"confirm_title": "\u200b\u2060"}, {"confirm_title": " "}}, fails: fault.InvalidInput, says: says{`send its name as confirm_title: "project:{0.items.0.id}"`}},
			{in: args{"items": []string{"project:{0.items.0.id}"}, "confirm_title": "project:{0.items.0.id}"}}}},
		row{fact: "one invalid item means that none is changed", in: of(insurer, "todo:17", "card:{Todo:Call the insurer about demo rides}", "neither type nor URL", "todo:Call the insurer", "https://evil.example/1/todos/2", "",
			"https://3.basecamp.com/{account}/buckets/{project:Company HQ}/todos/{Todo:Call the insurer about demo rides}"), fails: fault.InvalidInput, says: says{"nothing was written"},
			holds: holds{"data.validation.*.path": []string{"items[1]", "items[2]", "items[3]", "items[4]", "items[5]", "items[6]", "items[7]"}}},
		row{fact: "one failure of Basecamp does not stop the others", faults: faults{{Method: "PUT", Status: http.StatusForbidden, Times: 1}}, in: of(insurer, richItem),
			holds: holds{"failed": 1, "changed": 1, "results.0.error.error_code": fault.PermissionDenied, "results.1.ok": true}},
		row{fact: "items that have the status are only read", in: args{"items": []string{insurer}, "status": "active"}, requests: 1, holds: holds{"changed": 0, "results.0.item.changed": false, "results.0.item.status": "active"}},
		row{fact: "a draft is neither published nor archived", before: []string{`POST /message_boards/{tool:message_board@Cargo Bike Launch}/messages.json {"subject":"Not yet","content":"<div>Wait</div>"}`},
			in: of("message:{Message:Not yet}"), each: []args{{"status": "active"}, {"status": "archived"}}, fails: fault.InvalidInput, says: says{"draft", "edit_text"}, then: []row{
				{fact: "but trashed", in: of("message:{Message:Not yet}"), holds: holds{"changed": 1}}}},
		row{fact: "fifteen take two requests each", tool: recordings + "Todo", then: []row{{in: args{"items": numbered(15, "todo:{0.%d.id}"), "status": "archived"}, atMost: 32}}},
		row{fact: "a comment cannot be archived", tool: recordings + "Comment", then: []row{{in: args{"items": []string{"comment:{.0.id}"}, "status": "archived"}, fails: fault.InvalidInput, says: says{"a comment cannot be archived"}}}},
		invalid("an item is named once", of(insurer, insurerURL), "same item as items[0]"),
		invalid("a to-do's URL is no project", of("project:"+insurerURL), "the project's own URL"),
		invalid("an item is required", args{"items": []string{}}, "items"),
		invalid("twenty items are most", of(make([]string, 21)...), "at most 20"),
		invalid("there are three statuses", args{"items": []string{insurer}, "status": "deleted"}, "status"), invalid("a status is required", args{"items": []string{insurer}, "status": nil}, "status"),
		row{fact: "the project must exist", in: args{"items": []string{insurer}, "project": "No such project"}, fails: fault.NotFound, says: says{"project"}},
		row{fact: "the item must be in the project", in: args{"items": []string{insurer}, "project": "Company HQ"}, fails: fault.NotFound, says: says{"there is no to-do"}},
	)
}
