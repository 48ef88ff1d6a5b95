package basecamptools

import (
	"slices"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp/basecamptools/todos"
	"basecamp-mcp/internal/basecamp/basecamptools/work"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
)

func taskID(t work.TaskItem) int64 { return t.ID }

func TestListWork_FiltersByState(t *testing.T) {
	at(t, func(d *toolEnv) {
		for state, holds := range map[string]func(work.TaskItem) bool{
			"open":        func(t work.TaskItem) bool { return !t.Completed && t.CompletedAt == nil },
			"completed":   func(t work.TaskItem) bool { return t.Completed && t.CompletedAt != nil },
			"overdue":     func(t work.TaskItem) bool { return !t.Completed && *t.DueOn < "2000-01-01" },
			"unassigned":  func(t work.TaskItem) bool { return !t.Completed && len(t.Assignees) == 0 },
			"no_due_date": func(t work.TaskItem) bool { return !t.Completed && t.DueOn == nil },
		} {
			counts := map[string]int{}
			projects := map[string]bool{}
			found := all[work.TaskItem](d, "list_work", args{"state": state, "limit": 100})
			for _, task := range found {
				counts[task.Type]++
				projects[task.Project.Name] = true
				if !holds(task) || task.Title == "" || task.URL == "" || task.Author.Name == "" || (task.List == nil) == (task.Type == "todo") ||
					(task.Column == nil) == (task.Type == "card") {
					d.Errorf("%s: %+v", state, task)
				}
			}
			if state == "overdue" && !slices.IsSortedFunc(found, func(a, b work.TaskItem) int { return strings.Compare(*a.DueOn, *b.DueOn) }) {
				d.Error("what is overdue is not in order of date")
			}
			if counts["todo"] == 0 || counts["card"] == 0 || len(counts) != 2 || len(projects) < 2 || distinct(ids(found, taskID)) != len(found) {
				d.Errorf("%s: %v of %d projects", state, counts, len(projects))
			}
		}
	})
}

func TestListWork_FiltersByKind(t *testing.T) {
	at(t, func(d *toolEnv) {
		both := ids(all[work.TaskItem](d, "list_work", args{}), taskID)
		todos := ids(all[work.TaskItem](d, "list_work", args{"kind": "todo"}), taskID)
		cards := ids(all[work.TaskItem](d, "list_work", args{"kind": "card"}), taskID)
		if !slices.Equal(both, slices.Concat(todos, cards)) || len(todos) < 100 || len(cards) < 20 {
			d.Errorf("%d in all, %d to-dos, %d cards", len(both), len(todos), len(cards))
		}
		for _, limit := range []int{7, 100} {
			if got := ids(all[work.TaskItem](d, "list_work", args{"limit": limit}), taskID); !slices.Equal(got, both) {
				d.Errorf("limit %d: %d, want %d", limit, len(got), len(both))
			}
		}
	})
}

func TestListWork_FiltersByProject(t *testing.T) {
	at(t, func(d *toolEnv) {
		for _, state := range []string{"open", "completed", "overdue", "unassigned", "no_due_date"} {
			for _, project := range []string{"Cargo Bike Launch", "Company HQ", "Workshop & Tools"} {
				want := lookup.Matching(all[work.TaskItem](d, "list_work", args{"state": state}), func(t work.TaskItem) bool { return t.Project.Name == project })
				for _, reference := range []any{project, d.sandbox.ProjectID(project)} {
					got := all[work.TaskItem](d, "list_work", args{"state": state, "project": reference})
					if !slices.Equal(ids(got, taskID), ids(want, taskID)) {
						d.Errorf("%s of %s: %d, want %d", state, project, len(got), len(want))
					}
				}
			}
		}
	})
}

func TestListWork_FiltersByAssignee(t *testing.T) {
	at(t, func(d *toolEnv) {
		mine := all[work.TaskItem](d, "list_work", args{"assignee": "me"})
		for _, task := range mine {
			if !slices.Contains(task.Assignees, lookup.Ref{ID: d.sandbox.Person("Ines Albrecht").ID, Name: "Ines Albrecht"}) {
				d.Errorf("got %+v", task)
			}
		}
		everybodys := all[work.TaskItem](d, "list_work", args{})
		if len(mine) == 0 || len(mine) >= len(everybodys) {
			d.Errorf("%d of %d", len(mine), len(everybodys))
		}
		if sams := all[work.TaskItem](d, "list_work", args{"assignee": "Sam", "project": launch}); len(sams) == 0 {
			d.Error("the project has only one Sam")
		}
		d.fails(fault.Ambiguous, "list_work", args{"assignee": "Sam"}, "assignee")
		d.fails(fault.NotFound, "list_work", args{"assignee": "Santa"}, "assignee")
		d.fails(fault.InvalidInput, "list_work", args{"assignee": "me", "state": "unassigned"}, "assignee", "unassigned")
		d.fails(fault.InvalidInput, "list_work", args{"state": "done"}, "state", "completed")
		d.fails(fault.InvalidInput, "list_work", args{"kind": "message"}, "kind", "todo")
	})
}

func TestListWork_ListsCompletedItemsOfAPeriodNewestFirst(t *testing.T) {
	at(t, func(d *toolEnv) {
		begin := time.Date(1999, 12, 27, 0, 0, 0, 0, time.UTC).Add(-time.Hour) // in Berlin
		end := begin.AddDate(0, 0, 3)
		want := lookup.Matching(all[work.TaskItem](d, "list_work", args{"state": "completed"}), func(t work.TaskItem) bool {
			return !t.CompletedAt.Before(begin) && t.CompletedAt.Before(end)
		})
		slices.SortStableFunc(want, func(a, b work.TaskItem) int { return b.CompletedAt.Compare(*a.CompletedAt) })
		for _, limit := range []int{3, 100} {
			in := args{"state": "completed", "since": "1999-12-27", "until": "1999-12-29", "limit": limit}
			got := all[work.TaskItem](d, "list_work", in)
			if len(want) < 5 || !slices.Equal(ids(got, taskID), ids(want, taskID)) {
				d.Errorf("limit %d: %d, want %d", limit, len(got), len(want))
			}
			if first := call[listing.Scroll[work.TaskItem]](d, "list_work", in); first.Total == nil || *first.Total != len(want) {
				d.Errorf("total %v of %d", first.Total, len(want))
			}
		}
		got := call[work.List](d, "list_work", args{"state": "completed", "since": "1999-12-27", "until": "1999-12-29"})
		if got.Since != "1999-12-27T00:00:00+01:00" || got.Until != "1999-12-30T00:00:00+01:00" {
			d.Errorf("understood %q until %q", got.Since, got.Until)
		}
		if open := call[work.List](d, "list_work", args{}); open.Since != "" || open.Until != "" {
			d.Errorf("without a period, understood %q until %q", open.Since, open.Until)
		}
		d.fails(fault.InvalidInput, "list_work", args{"since": "yesterday"}, "state", "completed")
		d.fails(fault.InvalidInput, "list_work", args{"state": "overdue", "until": "yesterday"}, "state", "completed")
		d.fails(fault.InvalidInput, "list_work", args{"state": "completed", "since": "soon"}, "since")
	})
}

func TestAssigneeFilters_NoneAndAnyMeanTheSameInEveryList(t *testing.T) {
	at(t, func(d *toolEnv) {
		for tool, in := range map[string]args{
			"list_work": {"project": launch, "limit": 100}, "list_todos": {"project_id": launch, "limit": 100},
			"get_board": {"project": launch, "board": "Frame design", "per_column": 50},
		} {
			count := map[string]int{}
			for _, word := range []string{"", "none", "any", "ANY"} {
				if in["assignee"] = word; word == "" {
					delete(in, "assignee")
				}
				for _, assigned := range assignments(d, tool, in) {
					count[word]++
					if word == "none" && assigned || word == "any" && !assigned {
						t.Errorf("%s %s: an item with assignees: %v", tool, word, assigned)
					}
				}
			}
			if count["none"] == 0 || count["any"] == 0 || count["ANY"] != count["any"] {
				t.Errorf("%s: %v", tool, count)
			}
			in["assignee"] = "Zelda"
			if f := d.fails(fault.NotFound, tool, in, "assignee"); len(f.Data.Nearest) == 0 {
				t.Errorf("%s: %+v", tool, f)
			}
		}
	})
}

// assignments reports for each item of a list whether it has assignees.
func assignments(d *toolEnv, tool string, in args) (all []bool) {
	switch tool {
	case "list_work":
		for _, t := range call[work.List](d, tool, in).Items {
			all = append(all, len(t.Assignees) > 0)
		}
	case "list_todos":
		for _, t := range call[todos.TodoPage](d, tool, in).Items {
			all = append(all, len(t.Assignees) > 0)
		}
	case "get_board":
		for _, column := range call[work.Board](d, tool, in).Columns {
			for _, card := range column.Cards {
				all = append(all, len(card.Assignees) > 0)
			}
		}
	}
	return all
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

func TestListWork_StopsReadingAtTheProject(t *testing.T) {
	at(t, func(d *toolEnv) {
		first := call[listing.Scroll[work.TaskItem]](d, "list_work", args{"kind": "todo", "limit": 1}).Items[0].Project.ID
		in := args{"kind": "todo", "limit": 100, "project": first}
		call[listing.Scroll[work.TaskItem]](d, "list_work", in)
		if asked := d.asked(func() { call[listing.Scroll[work.TaskItem]](d, "list_work", in) }); len(asked) != 1 {
			d.Errorf("asked %v", asked)
		}
	})
}

func TestViewWork_CountsSubtasksAndDates(t *testing.T) {
	at(t, func(d *toolEnv) {
		var got work.TaskItem
		for _, task := range all[work.TaskItem](d, "list_work", args{"kind": "card", "project": launch}) {
			if task.Title == "Kickstand plate, 8 mm back" {
				got = task
			}
		}
		if got.SubtasksTotal != 3 || got.SubtasksDone != 1 || *got.DueOn != "1999-12-31" || got.CommentsCount != 1 || got.Column.Name != "In progress" ||
			got.CreatedAt.Location() != time.UTC || got.Author.Email != "" {
			d.Errorf("got %+v", got)
		}
	})
}
