package basecamptools

import (
	"fmt"
	"slices"
	"testing"

	"basecamp-mcp/internal/report/fault"
)

func TestUpdateWork_FindsItems(t *testing.T) {
	const id, url = "{Todo:Book the photographer for the launch pictures}", launchURL + "/todos/{Todo:Book the photographer for the launch pictures}"
	lost := func(fact string, code fault.Code, words []string, in args) row {
		return row{fact: fact, in: in, fails: code, says: words}
	}
	cases(t, "update_work", nil,
		row{fact: "an item can be an ID, a URL, a type with an ID or a title", in: args{"due_on": "2031-07-01"}, each: []args{
			{"items": []any{id}}, {"items": []any{args{"item": id}}}, {"items": []any{richItem}}, {"items": url}, {"item": " " + id}, {"todo": id}, {"todo_id": id},
			{"items": []any{"book the PHOTOGRAPHER for the launch pictures"}, "project": launch}, {"items": []any{url}, "project": launch}, {"items": []any{photographer}},
			{"todos": []any{id}}, {"items": `[{"item":"` + richItem + `"}]`}, {"items": args{"item": url}},
		}, holds: holds{"done": 1, "results.0.item.id": id}},
		lost("the nearest titles are told", fault.NotFound, says{"items[0]", "nearest"}, one("todo:Book the brass band", args{"title": "x"})),
		lost("it must be in the project", fault.NotFound, says{"items[0]"}, args{"items": []args{{"item": richItem, "title": "x"}}, "project": "Winter Kit"}),
		lost("it must exist", fault.NotFound, nil, one("todo:12345", args{"title": "x"})),
		row{fact: "a title must fit one item", in: args{"items": []args{{"item": "todo:the", "title": "x"}}, "project": launch}, fails: fault.Ambiguous, says: says{"items[0]"}, holds: holds{"data.candidates": least(2)}},
		row{fact: "a title means an item that the arguments fit", before: []string{`POST /todolists/{Todolist:Parking lot}/todos.json {"content":"` + kickstand + `"}`},
			in: args{"items": []string{kickstand}, "project": launch, "column": "In review"}, holds: holds{"results.0.item.type": "card", "results.0.item.column.name": "In review"}, then: []row{
				{in: args{"items": []string{kickstand}, "project": launch, "due_on": "today"}, fails: fault.Ambiguous, says: says{"items[0]"}}}},
	)
}

func TestUpdateWork_RefusesBadInputBeforeItWrites(t *testing.T) {
	var rows []row
	refused := func(code fault.Code, item string, in args, words ...string) {
		r := row{fact: fmt.Sprint(in), in: one(item, in), fails: code, says: words}
		if item == richItem {
			r.setup = func(d *toolEnv) { _ = richTodo(d) }
		}
		rows = append(rows, r)
	}
	bad := func(item string, in args, words ...string) { refused(fault.InvalidInput, item, in, words...) }
	bad(richItem, args{}, "nothing to change", "add_assignees", "position")
	bad(richItem, args{"title": "  "}, "title", "blank")
	bad(richItem, args{"title": nil}, "nothing to change")
	bad(richItem, args{"due_on": "2031-02-30"}, "due_on")
	bad(richItem, args{"due_on": "2031-05-17"}, "due_on", "starts_on", "2031-05-18")
	bad(richItem, args{"starts_on": "2031-05-21"}, "starts_on", "2031-05-20")
	bad(richItem, args{"starts_on": "whenever"}, "starts_on")
	bad(richItem, args{"assignees": []string{"Hanna"}, "add_assignees": []string{"Sam"}}, "assignees", "do not combine")
	bad(richItem, args{"assignees": []string{}, "remove_assignees": []string{"Hanna"}}, "assignees")
	bad(richItem, args{"add_assignees": "Sam Lindqvist", "title": "x"}, "items[0].add_assignees[0]", "not on the project")
	refused(fault.NotFound, richItem, args{"remove_assignees": "Zacharias Unknown"}, "remove_assignees[0]")
	bad(richItem, args{"add_assignees": []string{"me", "Hanna"}, "remove_assignees": "Hanna"}, "remove_assignees[0]")
	bad(richItem, args{"title": "x", "mentions": "Priya"}, "mentions", "notes")
	bad(richItem, args{"notes": "for @[Someone](person:77)"}, "notes")
	bad(richItem, args{"notes": "x", "edits": []args{{"find": "a", "replace": "b"}}}, "edits", "not both")
	bad(richItem, args{"edits": []args{{"find": "not a word of it", "replace": "b"}}}, "items[0].edits[0].find", "not in the text")
	bad(richItem, args{"position": 0}, "position")
	bad(richItem, args{"position": 6.4e9}, "position", "between 1 and 10000")
	refused(fault.NotFound, richItem, args{"list": "Nowhere to be found", "title": "x"}, "items[0].list")
	refused(fault.NotFound, richItem, args{"list": "{Todolist:What goes into the box}", "title": "x"}, "list")
	bad(richItem, args{"list": "{Todolist:Ideas for later}"}, "list", "archived")
	bad(richItem, args{"column": "Done"}, "items[0].column", "which is a to-do; it fits card")
	bad(richItem, args{"folder": "Contracts"}, "items[0].folder", "document, upload or folder")
	bad(kickItem, args{"list": "Parking lot"}, "items[0].list", "which is a card; it fits todo")
	bad(kickItem, args{"starts_on": "today"}, "items[0].starts_on")
	bad(kickItem, args{"column": "Next", "completed": true}, "completed", "moving it to Done")
	refused(fault.NotFound, kickItem, args{"column": "Nowhere"}, "items[0].column")
	refused(fault.NotFound, kickItem, args{"column": "{Kanban::Column:Doing}"}, "column")
	bad(kickItem, args{"column": launchURL + "/card_tables/{Kanban::Board:Frame design}"}, "must be the URL of a column")
	bad(stepItem, args{"notes": "x"}, "items[0].notes", "which is a subtask")
	bad(stepItem, args{"list": "Parking lot"}, "items[0].list")
	bad("todolist:{Todolist:Electrics}", args{"list": "Parking lot"}, "items[0].list", "a group, which stays in its list")
	bad(listItem, args{"due_on": "today", "completed": true}, "items[0].due_on", "which is a to-do list")
	bad(documentItem, args{"notes": "x"}, "items[0].notes", "which is a document")
	bad("message:{Message:"+colourVote+"}", args{"title": "x"}, "items[0].title", "which is a message")
	bad("comment:17", args{"title": "x"}, "items[0]", "must be of type todo, card")
	bad(launchURL+"/card_tables/{Kanban::Board:Frame design}", args{"title": "x"}, "items[0]")
	bad("folder:{tool:vault@Cargo Bike Launch}", args{"title": "x"}, "top folder")
	whole := func(words []string, in args) {
		rows = append(rows, row{fact: words[0], in: in, fails: fault.InvalidInput, says: words})
	}
	for _, entry := range []args{{"item": richItem, "title": " "}, {"item": richItem, "column": "Done"}, {"item": "todo:7", "title": "x"}} {
		whole(says{"items[0]", "due_on: "}, args{"items": []args{entry}, "project": launch, "due_on": "2031-02-30"})
	}
	whole(says{"at least one item"}, args{"items": []any{}, "due_on": "today"})
	whole(says{"not both"}, args{"items": thoseItems(richItem), "of": args{"assignee": "Sam"}, "due_on": "today"})
	whole(says{"each item its own"}, args{"items": thoseItems(richItem, kickItem), "title": "x"})
	whole(says{"confirms a call with of"}, args{"items": thoseItems(richItem), "due_on": "today", "confirm_count": 3})
	whole(says{"at most 50"}, args{"items": slices.Repeat(thoseItems(richItem), 51), "due_on": "today"})
	cases(t, "update_work", nil, rows...)
}
