package githubtools

import (
	"maps"
	"testing"
)

// A point is GitHub's unit of the limit of GraphQL; a request counts against the limit of REST.
func TestTools_CostNoMoreThanTheirCallsNeed(t *testing.T) {
	board, issue := args{"project": launch}, configurator+"#2"
	on := func(more args) args {
		maps.Copy(more, board)
		return more
	}
	for _, test := range []struct {
		tool         string
		with         args
		core, points int
	}{
		{"list_projects", args{"owner": "fernhill-bikes"}, 0, 1},
		{"get_project", board, 0, 1},
		{"list_project_items", board, 0, 2},
		{"get_field_value", on(args{"item": issue, "field": "Status"}), 0, 3},
		{"create_project", args{"title": "Autumn"}, 0, 2},
		{"update_project", on(args{"short_description": "Autumn"}), 0, 2},
		{"add_project_item", on(args{"item": configurator + "#142"}), 0, 3},
		{"remove_project_item", on(args{"item": issue}), 0, 3},
		{"set_field_value", on(args{"item": issue, "field": "Notes", "value": "New"}), 0, 3},
		{"delete_project", args{"project": ines + "/1", "confirm_title": "Season launch"}, 0, 2},
		{"list_issues", args{"repo": configurator}, 1, 0},
		{"get_issue", args{"issue": configurator + "#77"}, 2, 0},
		{"create_issue", args{"repo": configurator, "title": "New", "labels": []string{"bug"}, "milestone": 1}, 3, 0},
		{"update_issue", args{"issue": issue, "state": "closed"}, 2, 0},
		{"add_issue_comment", args{"issue": issue, "body": "New"}, 1, 0},
		{"create_milestone", args{"repo": configurator, "title": "New"}, 1, 0},
	} {
		d := newToolEnv(t)
		requests, core, points := d.asked(func() { call[map[string]any](d, test.tool, test.with) })
		if core > test.core || points > test.points || len(requests) > test.core+test.points {
			t.Errorf("%s: %d requests cost %d of REST and %d points, want at most %d and %d", test.tool, len(requests), core, points, test.core, test.points)
		}
	}
}
