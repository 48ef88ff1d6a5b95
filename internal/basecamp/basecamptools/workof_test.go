package basecamptools

import (
	"slices"
	"testing"

	"basecamp-mcp/internal/report/fault"
)

func TestUpdateWork_OfAPerson(t *testing.T) {
	with := func(in args, count any) args {
		in = clone(in)
		in["confirm_count"] = count
		return in
	}
	hanna := args{"of": args{"assignee": "Hanna Koivisto", "project": launch}, "add_assignees": "Priya", "remove_assignees": "Hanna Koivisto"}
	open := args{"assignee": "Hanna Koivisto", "project": launch, "limit": 100}
	mateusz := args{"of": args{"assignee": "Mateusz"}, "project": launch, "due_on": "2031-05-20"}
	labels := newTodos(launch, "Parking lot", slices.Repeat([]args{{"content": "Order labels", "assignees": "Mateusz"}}, 18)...)
	jonas := args{"of": args{"assignee": "Sam Lindqvist"}, "add_assignees": "Jonas"}
	cases(t, "update_work", nil,
		row{fact: "nothing changes until the count is confirmed", in: hanna, writes: []string{}, holds: holds{"count": 16, "first.#": 10, "first.*.title": some, "confirm": has("confirm_count 16")}, then: []row{
			{tool: "list_work", in: open, holds: holds{"items.#": 16}},
			{fact: "another count", in: with(hanna, 17), fails: fault.InvalidInput, says: says{"confirm_count", "selects 16 items now", "nothing was changed"}},
			{in: with(hanna, 16), holds: holds{"done": 16, "failed": 0}}, {tool: "list_work", in: open, holds: holds{"items.#": 0}},
			{in: hanna, writes: []string{}, holds: holds{"count": 0, "confirm": has("no such open work")}}}},
		row{fact: "much work goes on with the rest", tool: "create_todos", in: labels, each: []args{{}, {}, {}}, then: []row{
			{in: mateusz, holds: holds{"count": least(55), "first.#": 10, "confirm": has("list_work")}},
			{in: with(mateusz, "{3.count}"), holds: holds{"not_attempted": some, "how_to_go_on": has("items = ")}},
			{in: args{"items": "{4.not_attempted}", "due_on": "2031-05-20"}, holds: holds{"failed": 0, "results.*.changed": true}}}},
		row{fact: "the project that the new assignee is not on is named", in: jonas, then: []row{
			{in: with(jonas, "{0.count}"), fails: fault.InvalidInput, says: says{"Dealer Network", "Leasing Partners", "change_project"}, holds: holds{"data.nearest.*.name": []string{"Ines Albrecht", "Sam Okafor", "Aoife Brennan", "Sam Lindqvist"}}}}},
		invalid("a change is required", args{"of": args{"assignee": "Priya"}}, "nothing to change"),
		invalid("a person is required", args{"of": args{"project": launch}, "due_on": "today"}, "of.assignee"),
		row{fact: "the person must exist", in: args{"of": args{"assignee": "Zelda"}, "due_on": "today"}, fails: fault.NotFound, says: says{"of.assignee: found no"}},
		row{fact: "whom it removes must exist", in: args{"of": args{"assignee": "Hanna Koivisto", "project": launch}, "remove_assignees": "Zelda"}, fails: fault.NotFound, says: says{"remove_assignees[0]"}},
		row{fact: "whom it adds must exist", in: args{"of": args{"assignee": "Priya"}, "add_assignees": []string{"Jonas", "Zelda"}}, fails: fault.NotFound, says: says{"add_assignees[1]"}},
		invalid("and be on the project", args{"of": args{"assignee": "Priya", "project": launch}, "assignees": "Sam Lindqvist"}, "not on the project"),
		invalid("a date is one", args{"of": args{"assignee": "Priya"}, "due_on": "someday"}, "due_on"),
		row{fact: "the project must exist", in: args{"of": args{"assignee": "Priya", "project": "Zork"}, "due_on": "today"}, fails: fault.NotFound, says: says{"project: found no"}},
		invalid("the project is given once", args{"of": args{"assignee": "Priya", "project": launch}, "project": "Winter Kit", "due_on": "today"}, "give the project once"),
		invalid("items or a person are required", args{"due_on": "today"}, "must contain at least one item"),
	)
}
