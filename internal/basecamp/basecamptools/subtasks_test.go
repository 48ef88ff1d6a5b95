package basecamptools

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"basecamp-mcp/internal/report/fault"
)

func stepTitles(d *toolEnv, path string) (titles []string) {
	d.Helper()
	for _, step := range upstream[record](d, path)["steps"].([]any) {
		titles = append(titles, step.(record)["title"].(string))
	}
	return titles
}

func TestAddSubtasks(t *testing.T) {
	price := []args{{"title": " Ask for a price ", "assignees": []string{"Noémie", "me"}, "due_on": "2031-05-30"}, {"title": "Order"}, {"title": "Fit"}}
	three := args{"steps": []args{{"title": "Ask"}, {"title": "Order"}, {"title": "Ride"}}}
	two := []args{{"title": "Check", "assignees": "me"}, {"title": "Sign"}}
	add := func(item, kind, path string, steps ...string) row {
		return row{fact: "a " + kind + " gets them at its end, in order", in: args{"item": item, "steps": price}, holds: holds{"created": 3, "failed": 0, "results.#": 3, "item.type": kind, "item.title": some, "item.url": some,
			"results.0.item.title": "Ask for a price", "results.0.item.due_on": "2031-05-30", "results.0.item.assignees.#": 2, "results.0.item.completed": nil, "results.1.item.due_on": nil},
			then: []row{{tool: "GET " + path, holds: holds{"steps.*.title": append(steps, "Ask for a price", "Order", "Fit")}}}}
	}
	cases(t, "add_subtasks", args{"item": "card:" + kickstand, "project": launch, "steps": two},
		add("todo:"+signOff, "todo", "/todos/{Todo:Sign off the final frame drawing, revision F}.json", "Check the kickstand plate against the deck", "Send the STEP file to the tube supplier", "Get initials from Mateusz"),
		add("card:"+kickstand, "card", "/card_tables/cards/{Kanban::Card:Kickstand plate, 8 mm back}.json", "Drawing", "Cut two plates to try", "Measure the heel"),
		row{fact: "several items get the same", in: args{"item": nil, "items": []string{richItem, kickItem, "todo:{Todo:Add a whistle}"}, "project": nil}, before: []string{`POST /todolists/{Todolist:What goes into the box}/todos.json {"content":"Add a whistle"}`},
			holds: holds{"created": 6, "item": nil, "results.*.item.title": []string{"Check", "Sign", "Check", "Sign", "Check", "Sign"}, "results.*.item.on.type": []string{"todo", "todo", "card", "card", "todo", "todo"},
				"results.0.item.assignees.#": 1, "results.5.item.on.id": "{Todo:Add a whistle}"},
			then: []row{{tool: "GET /todos/{Todo:Add a whistle}.json", holds: holds{"steps.*.title": []string{"Check", "Sign"}}}}},
		row{fact: "one invalid step means that none is added", fails: fault.InvalidInput, says: says{"nothing was written"}, holds: holds{"data.validation.*.path": []string{"steps[1].title", "steps[2].assignees[0]", "steps[3].due_on"}},
			in: args{"steps": []args{{"title": "Ask"}, {"title": " "}, {"title": "Order", "assignees": "Zelda"}, {"title": "Fit", "due_on": "soon"}, {"title": "Ride"}}}},
		row{fact: "items and steps are named together", fails: fault.InvalidInput, holds: holds{"data.validation.*.path": []string{"items[1]", "steps[0].due_on"}},
			in: args{"item": nil, "items": []string{richItem, "message:1"}, "steps": []args{{"title": "Ask", "due_on": "soon"}}}},
		row{fact: "one failure of Basecamp does not stop the others", in: three, faults: faults{{Method: "POST", Delay: time.Millisecond, Times: 1}, {Method: "POST", Status: http.StatusForbidden, Times: 1}},
			holds: holds{"created": 2, "failed": 1, "results.*.ok": []bool{true, false, true}, "results.1.error.error_code": fault.PermissionDenied}},
		row{fact: "any number is read for once: the card, the people on the project and in the account", in: args{"item": kickItem, "project": nil, "steps": []args{{"title": "a", "assignees": "Noémie"}, {"title": "b", "assignees": "Priya"}, {"title": "c", "assignees": "Noémie"}}},
			requests: 1 + 2 + 3},
		invalid("an item is named once", args{"item": nil, "items": []string{richItem, richItem}}, "items[1]: "),
		invalid("one item or several are given", args{"items": []string{richItem}}, "not both"),
		invalid("there are at most 50 in all", args{"item": nil, "items": []string{richItem, kickItem, listItem}, "steps": slices.Repeat(two, 9)}, "50 subtasks"),
		invalid("a message has none", args{"item": "message:1"}, "todo or card"),
		invalid("a step is required", args{"steps": []args{}}, "steps"), invalid("steps are required", args{"steps": nil}, "steps"), invalid("twenty steps are most", args{"steps": make([]args, 21)}, "steps"),
		row{fact: "part of a title is not enough", in: args{"item": "card:Kickstand", "project": nil}, fails: fault.Ambiguous, says: says{"only part of a title"}},
		row{fact: "the item must exist", each: []args{{"item": "todo:12345"}, {"item": "card:12345"}}, fails: fault.NotFound, says: says{"12345"}},
		row{fact: "the item must be in the project", each: []args{{"item": richItem}, {"item": kickItem}}, in: args{"project": "Company HQ"}, fails: fault.NotFound, says: says{"project"}},
	)
	cases(t, "get_item", args{"item": "subtask:{Kanban::Step:Measure the heel}"},
		row{fact: "a subtask names its parent", holds: holds{"item.type": "subtask", "item.title": "Measure the heel", "item.completed": true, "item.completed_at": some, "item.parent.title": kickstand, "item.parent.type": "card",
			"item.assignees.#": 1, "item.project.name": launch, "item.url": some}},
		row{fact: "a subtask must exist", in: args{"item": "subtask:12345"}, fails: fault.NotFound},
	)
}
