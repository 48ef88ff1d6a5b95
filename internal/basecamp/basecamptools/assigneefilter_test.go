package basecamptools

import (
	"testing"

	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fault"
)

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
		for _, t := range call[workList](d, tool, in).Items {
			all = append(all, len(t.Assignees) > 0)
		}
	case "list_todos":
		for _, t := range call[todoPage](d, tool, in).Items {
			all = append(all, len(t.Assignees) > 0)
		}
	case "get_board":
		for _, column := range call[board](d, tool, in).Columns {
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
