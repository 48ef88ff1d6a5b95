package basecamptools

import (
	"slices"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp/basecamptools/work"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/report/fault"
)

func taskID(t work.TaskItem) int64 { return t.ID }

// That the pages of any limit are the same items, TestEveryTool_EndsEachWalk shows.
func TestListWork(t *testing.T) {
	state := func(state string, completed, due, assignees any) row {
		return row{fact: state, in: args{"state": state, "project": launch}, holds: holds{
			"items.*.completed": completed, "items.*.due_on": due, "items.*.assignees": assignees, "items.*.title": some, "items.*.url": some, "items.*.author.name": some, "items.*.project.name": launch,
		}}
	}
	open, overdue, unassigned, undated := state("open", nil, nil, nil), state("overdue", nil, has("1999-"), nil), state("unassigned", nil, nil, nil), state("no_due_date", nil, nil, nil)
	for _, r := range []row{open, unassigned} {
		delete(r.holds, "items.*.due_on")
	}
	for _, r := range []row{open, overdue, undated} {
		delete(r.holds, "items.*.assignees")
	}
	done := row{fact: "completed", in: args{"state": "completed", "project": "{project:Cargo Bike Launch}"}, holds: holds{"items.*.completed": true, "items.*.completed_at": some, "items.*.project.name": launch}}
	cases(t, "list_work", args{"limit": 100}, open, overdue, unassigned, undated, done,
		row{fact: "a to-do has its list", in: args{"kind": "todo"}, holds: holds{"items": least(90), "items.*.type": "todo", "items.*.list.name": some, "items.*.column": nil}},
		row{fact: "a card has its column", in: args{"kind": "card"}, holds: holds{"items": least(20), "items.*.type": "card", "items.*.column.name": some, "items.*.list": nil}},
		row{fact: "a card has its subtasks and comments", in: args{"kind": "card", "project": launch, "assignee": "Noémie", "state": "overdue"}, says: says{`"title":"` + kickstand + `"`, `"subtasks_done":1,"subtasks_total":3`, `"due_on":"1999-12-31"`}},
		row{fact: "the caller's own", in: args{"assignee": "me"}, holds: holds{"items.*.assignees": has(`"name":"Ines Albrecht"`)}},
		row{fact: "those of the one Sam on the project", in: args{"assignee": "Sam", "project": launch}, holds: holds{"items.*.assignees": has(`"name":"Sam Okafor"`)}},
		row{fact: "there are two Sams", in: args{"assignee": "Sam"}, fails: fault.Ambiguous, says: says{"assignee"}},
		row{fact: "an assignee must exist", in: args{"assignee": "Santa"}, fails: fault.NotFound, says: says{"assignee"}},
		row{fact: "what is unassigned has no assignee", in: args{"assignee": "me", "state": "unassigned"}, fails: fault.InvalidInput, says: says{"assignee", "unassigned"}},
		row{fact: "there are five states", in: args{"state": "done"}, fails: fault.InvalidInput, says: says{"state", "completed"}},
		row{fact: "there are two kinds", in: args{"kind": "message"}, fails: fault.InvalidInput, says: says{"kind", "todo"}},
		row{fact: "a period is told", in: args{"state": "completed", "since": "1999-12-27", "until": "1999-12-29"}, holds: holds{"since": "1999-12-27T00:00:00+01:00", "until": "1999-12-30T00:00:00+01:00"}},
		row{fact: "without a period the answer has no dates", holds: holds{"since": nil, "until": nil}},
		row{fact: "a period is of what is completed", each: []args{{"since": "yesterday"}, {"state": "overdue", "until": "yesterday"}}, fails: fault.InvalidInput, says: says{"state", "completed"}},
		row{fact: "its beginning must be understood", in: args{"state": "completed", "since": "soon"}, fails: fault.InvalidInput, says: says{"since"}},
		row{fact: "it is read only as far as the project", in: args{"kind": "todo", "limit": 1}, setup: func(*toolEnv) {}, then: []row{
			{in: args{"kind": "todo", "project": "{0.items.0.project.id}"}, then: []row{{in: args{"kind": "todo", "project": "{0.items.0.project.id}"}, requests: 1}}}}},
	)
}

func TestListWork_IsInOrderOfKindAndOfDate(t *testing.T) {
	at(t, func(d *toolEnv) {
		both := ids(all[work.TaskItem](d, "list_work", args{}), taskID)
		todos, cards := all[work.TaskItem](d, "list_work", args{"kind": "todo"}), all[work.TaskItem](d, "list_work", args{"kind": "card"})
		if !slices.Equal(both, slices.Concat(ids(todos, taskID), ids(cards, taskID))) || distinct(both) != len(both) {
			d.Errorf("%d in all, %d to-dos, %d cards", len(both), len(todos), len(cards))
		}
		late := all[work.TaskItem](d, "list_work", args{"state": "overdue", "limit": 100})
		if !slices.IsSortedFunc(late, func(a, b work.TaskItem) int { return strings.Compare(*a.DueOn, *b.DueOn) }) {
			d.Error("what is overdue is not in order of date")
		}
	})
}

func TestListWork_ListsCompletedItemsOfAPeriodNewestFirst(t *testing.T) {
	at(t, func(d *toolEnv) {
		begin := time.Date(1999, 12, 27, 0, 0, 0, 0, time.UTC).Add(-time.Hour) // in Berlin
		want := lookup.Matching(all[work.TaskItem](d, "list_work", args{"state": "completed"}), func(t work.TaskItem) bool {
			return !t.CompletedAt.Before(begin) && t.CompletedAt.Before(begin.AddDate(0, 0, 3))
		})
		slices.SortStableFunc(want, func(a, b work.TaskItem) int { return b.CompletedAt.Compare(*a.CompletedAt) })
		got := call[work.List](d, "list_work", args{"state": "completed", "since": "1999-12-27", "until": "1999-12-29", "limit": 100})
		if len(want) < 5 || !slices.Equal(ids(got.Items, taskID), ids(want, taskID)) || *got.Total != len(want) {
			d.Errorf("%d, want %d", len(got.Items), len(want))
		}
	})
}

func TestAssigneeFilters_NoneAndAnyMeanTheSameInEveryList(t *testing.T) {
	for tool, in := range map[string]args{"list_work": {"project": launch, "limit": 100}, "list_todos": {"project_id": launch, "limit": 100}, "get_board": {"project": launch, "board": frame, "per_column": 50}} {
		assignees := "items.*.assignees"
		if tool == "get_board" {
			assignees = "columns.*.cards.*.assignees"
		}
		cases(t, tool, in,
			row{fact: "none", in: args{"assignee": "none"}, holds: holds{assignees: nil}},
			row{fact: "any", each: []args{{"assignee": "any"}, {"assignee": "ANY"}}, holds: holds{assignees: some}},
			row{fact: "the nearest are told", in: args{"assignee": "Zelda"}, fails: fault.NotFound, says: says{"assignee"}, holds: holds{"data.nearest": some}},
		)
	}
}

func TestPersonFilters_TakeAPersonAndNotNoneOrAny(t *testing.T) {
	d := newToolEnv(t, sandbox.Options{})
	for tool, argument := range map[string]string{"get_activity": "person", "search": "creator", "get_report": "person"} {
		for _, word := range []string{"none", "ANY"} {
			in := args{argument: word, "project": launch}
			if tool == "search" {
				in["query"] = "photo"
			}
			d.fails(fault.InvalidInput, tool, in, argument+": must be a person (an id, a name or me)")
		}
	}
}
