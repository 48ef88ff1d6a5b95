package basecamptools

import (
	"fmt"
	"testing"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/tool/toolargs"
)

func TestTitle(t *testing.T) {
	const matt, spares, weekly = "Matt clear coat", "Stock count of the spares", "Weekly stock count"
	add := func(content string) string {
		return "POST /todolists/{Todolist:Launch checklist}/todos.json " + asJSON(args{"content": content})
	}
	status := func(item, status string) args {
		return args{"items": []string{item}, "project": launch, "status": status}
	}
	puts := func(item string) row {
		return row{fact: item + " is restored by its title", in: status(item, "trashed"), holds: holds{"changed": 1}, then: []row{
			{fact: "again", in: status(item, "trashed"), fails: fault.NotFound}, {in: status(item, "active"), holds: holds{"changed": 1, "results.0.item.status": "active"}}}}
	}
	away := func(is, later string) row {
		return row{fact: "the title of an item that is " + is + " is no part of another", before: []string{add("Stock count"), add(spares)}, in: status("todo:Stock count", is), holds: holds{"results.0.item.title": "Stock count"}, then: []row{
			{in: status("todo:Stock count", later), fails: fault.NotFound, says: says{"has this title, and is " + is}},
			{tool: "set_completed", in: args{"item": "stock count", "project": launch, "completed": true}, fails: fault.NotFound, says: says{"has this title, and is " + is}, holds: holds{"data.nearest.*.name": []string{spares}}},
			{fact: "but of one that is read", tool: "get_todo", in: args{"todo_id": "stock count", "project_id": launch}, holds: holds{"title": spares}}}}
	}
	lost := func(tool string, in args, words string) row {
		return row{fact: "a letter or two name nothing", tool: tool, in: in, fails: fault.NotFound, says: says{words}}
	}
	const quoted = `Print "Ride on" in 2.5 cm, don't bend. Fin.`
	kit := puts("project:Winter Kit")
	kit.in["confirm_title"] = "Winter Kit"
	cases(t, "set_item_status", nil,
		row{fact: "a part of exactly one is enough to change it", tool: "update_work", in: args{"items": thoseItems("card:matt CLEAR"), "project": launch, "column": "Done"}, holds: holds{"results.0.item.title": matt}, then: []row{
			{tool: "set_completed", in: args{"item": "card:clear coat", "project": launch, "completed": false}, says: says{matt}},
			{tool: "create_comment", in: args{"item": "clear coat", "project": launch, "body": "Seen."}, says: says{matt}},
			{in: status("card:Matt", "archived"), holds: holds{"changed": 1, "results.0.item.title": matt}}}},
		row{fact: "a part of several is not", tool: "update_work", in: args{"items": thoseItems("light"), "project": launch, "column": "Done"}, fails: fault.Ambiguous, says: says{"items[0]"}, holds: holds{"data.candidates.*.type": "card", "data.candidates.*.where": some}},
		row{fact: "a part of a project's name is not", in: args{"items": []string{"project:Winter"}, "status": "trashed"}, fails: fault.Ambiguous, says: says{"only part of a name"}},
		lost("create_todos", args{"project": launch, "list": "x", "todos": []args{{"content": "Bell"}}}, "list"), lost("list_todos", args{"project_id": launch, "todolist_id": "ea"}, "todolist_id"), lost("list_messages", args{"project_id": "go"}, "project_id"),
		lost("get_todo", args{"todo_id": "…", "project_id": launch}, "todo_id"),
		row{fact: "quotes and dots may be left out", before: []string{add(quoted)}, tool: "get_todo", each: []args{
			{"todo_id": "print ride on in 25 cm, dont bend fin"}, {"todo_id": "Print “Ride on” in 2.5 cm, don’t bend… Fin"}, {"todo_id": "Print “Ride on” in 2.5 cm, don’t bend… Fin", "project_id": launch}}, holds: holds{"title": quoted}, then: []row{
			{tool: "set_completed", in: args{"item": "print ride on in 25 cm, dont bend fin", "project": launch, "completed": true}}}},
		away("trashed", "trashed"), away("archived", "trashed"),
		puts("card:"+matt), puts("todo:Name the bike's colours properly"), kit,
		invalid("only whole projects are confirmed", args{"items": []string{"card:" + matt}, "project": launch, "status": "trashed", "confirm_title": "Bell"}, "confirm_title: is for whole projects"),
		row{fact: "of two items a read means the open one", tool: "create_todos", in: newTodos(launch, checklist, args{"content": weekly}, args{"content": weekly}), then: []row{
			{tool: "set_completed", in: args{"item": "todo:{0.results.0.item.id}", "completed": true}},
			{tool: "get_todo", in: args{"todo_id": "weekly stock count", "project_id": launch}, holds: holds{"id": "{0.results.1.item.id}"}},
			{fact: "and a write asks", tool: "set_completed", in: args{"item": "todo:" + weekly, "project": launch, "completed": false}, fails: fault.Ambiguous, says: says{weekly}, holds: holds{"data.candidates.#": 2, "data.candidates": has(", completed")}}}},
		row{fact: "titles are looked up once for many, by three pages that three calls read", in: args{"project": launch, "status": "archived", "items": []string{"card:" + matt, "card:Folding handlebar", "card:Suspension fork"}}, atMost: 17, then: []row{
			{fact: "and again for new items", tool: "create_card", in: args{"project": launch, "board": frame, "title": "Bell bracket"}}, {tool: "get_item", in: args{"item": "card:Bell bracket", "project": launch}, holds: holds{"item.id": "{1.id}"}}}},
		row{fact: "an archived project takes nothing new", tool: "create_message", in: args{"project": "Prototype Two", "subject": "Hello", "body": "Hello?"}, fails: fault.InvalidInput, says: says{"archived"}},
		row{fact: "no line either", tool: "post_chat_line", in: args{"to": "Prototype Two", "text": "Hello"}, fails: fault.InvalidInput, says: says{"archived"}},
		row{fact: "but is read", tool: "list_messages", in: args{"project_id": "Prototype Two"}},
	)
}

func TestPerson_IsFoundSoonAfterBeingAdded(t *testing.T) {
	at(t, func(d *toolEnv) {
		rs, ctx := d.resolver()
		id := d.sandbox.ProjectID(launch)
		lindqvist := toolargs.Ref{Name: "Sam Lindqvist"}
		if _, err := rs.Person(ctx, "mentions", lindqvist, id); !fault.Is(err, fault.InvalidInput) {
			t.Fatal(err)
		}
		d.meanwhile("PUT", fmt.Sprintf("/projects/%d/people/users.json", id), `{"grant":[3140027751]}`)
		for range 15 {
			d.meanwhile("PUT", fmt.Sprintf("/projects/%d/people/users.json", id), `{"grant":[3140027751]}`) // takes a second
		}
		if p, err := rs.Person(ctx, "mentions", lindqvist, id); err != nil || p.ID != 3140027751 {
			t.Errorf("%v, %v", p.Name, err)
		}
		if _, err := rs.Person(ctx, "mentions", toolargs.Ref{Name: "Sam"}, id); !fault.Is(err, fault.Ambiguous) {
			t.Errorf("with two people called Sam: %v", err)
		}
	})
}
