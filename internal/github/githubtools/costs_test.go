package githubtools

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"

	"basecamp-mcp/internal/proof/docstest"
)

// cost is what a call of a tool costs: requests to GitHub, and of these the ones that count against
// the limit of REST. Each of the others is a document, which costs points of the limit of GraphQL.
type cost struct{ requests, core int }

// costs has a call of every tool, in the cheapest way to name things, and a few dearer calls. most
// is what the call may cost.
var costs = []struct {
	tool, what string
	with       args
	most       cost
}{
	{"list_projects", "25 projects", args{"owner": "fernhill-bikes"}, cost{1, 0}},
	{"find", "", args{"kind": "repo"}, cost{1, 0}},
	{"find", "a person", args{"kind": "person", "query": "jonas"}, cost{1, 0}},
	{"get_project", "", onLaunch(nil), cost{2, 0}},
	{"get_project", "by title, of an owner", args{"project": "Public roadmap", "owner": "fernhill-bikes"}, cost{3, 0}},
	{"get_project", "by title", args{"project": "Public roadmap"}, cost{3, 0}},
	{"get_report", "of 130 items", onLaunch(nil), cost{3, 0}},
	{"get_report", "of a repository", args{"repo": configurator}, cost{4, 4}},
	{"list_project_items", "25 items", onLaunch(nil), cost{2, 0}},
	{"list_project_items", "25 items with a status, of 130", onLaunch(args{"status": "Done"}), cost{3, 0}},
	{"get_field_value", "", onLaunch(args{"item": second, "field": "Status"}), cost{2, 0}},
	{"get_field_value", "of the issue", onLaunch(args{"item": second, "field": "Labels"}), cost{3, 0}},
	{"create_project", "", args{"title": "Autumn"}, cost{2, 0}},
	{"update_project", "", onLaunch(args{"short_description": "Autumn"}), cost{2, 0}},
	{"update_project", "a status update", onLaunch(args{"status_update": args{"status": "on_track"}}), cost{2, 0}},
	{"add_project_item", "25 with three fields", onLaunch(args{"items": manyIssues(111, 25), "fields": threeFields}), cost{9, 0}},
	{"set_field_value", "two fields of 25", onLaunch(args{"items": manyIssues(2, 25), "fields": threeFields[:2]}), cost{6, 0}},
	{"add_project_item", "", onLaunch(args{"item": configurator + "#142"}), cost{3, 0}},
	{"remove_project_item", "", onLaunch(args{"item": second}), cost{3, 0}},
	{"set_field_value", "", onLaunch(args{"item": second, "field": "Notes", "value": "New"}), cost{2, 0}},
	{"set_field_value", "project and item by title", args{"project": "Season launch", "owner": "fernhill-bikes", "item": "Order demo bikes", "field": "Notes", "value": "New"}, cost{6, 0}},
	{"delete_project", "", args{"project": ines + "/1", "confirm_title": "Season launch"}, cost{2, 0}},
	{"list_issues", "25 issues", args{"repo": configurator}, cost{1, 1}},
	{"list_issues", "of a milestone by title", args{"repo": configurator, "milestone": "Spring launch"}, cost{2, 2}},
	{"get_issue", "with 100 comments", args{"issue": configurator + "#77"}, cost{2, 1}},
	{"list_issues", "by the search, which finds no such label", args{"labels": []string{"desing"}, "author": "me"}, cost{4, 1}},
	{"get_issue", "by title", args{"issue": "Range estimate is too hopeful", "repo": configurator}, cost{3, 2}},
	{"add_issue_comment", "by title", args{"issue": "Range estimate is too hopeful", "repo": configurator, "body": "New"}, cost{2, 2}},
	{"get_issue", "a pull request", args{"issue": configurator + "#3"}, cost{2, 1}},
	{"update_issue", "two issue fields", args{"issue": second, "issue_fields": []args{{"field": "Effort", "value": "1"}, {"field": "Priority", "value": "High"}}}, cost{3, 3}},
	{"update_issue", "an issue field of 25", args{"issues": manyIssues(2, 25), "issue_fields": twoOwn[:1]}, cost{52, 51}},
	{"list_issues", "by the search", args{"query": "battery"}, cost{2, 1}},
	{"create_issue", "25 with labels on a board", args{"repo": configurator, "issues": manyTitles(25), "labels": []string{"bug"}, "project": launch, "fields": threeFields[:1]}, cost{9, 1}},
	{"update_issue", "25", args{"issues": manyIssues(2, 25), "add_labels": []string{"hot"}, "add_assignees": []string{"me"}, "state": "closed"}, cost{7, 1}},
	{"update_issue", "a parent", args{"issue": second, "parent": configurator + "#1"}, cost{3, 3}},
	{"add_issue_comment", "to 25", args{"issues": manyIssues(2, 25), "body": "New"}, cost{3, 0}},
	{"create_issue", "with a label and a milestone", args{"repo": configurator, "title": "New", "labels": []string{"bug"}, "milestone": 1}, cost{3, 3}},
	{"update_issue", "", args{"issue": second, "state": "closed"}, cost{2, 2}},
	{"add_issue_comment", "", args{"issue": second, "body": "New"}, cost{1, 1}},
	{"create_milestone", "", args{"repo": configurator, "title": "New"}, cost{1, 1}},
}

// threeFields are fields of the launch board.
var threeFields = []args{{"field": "Status", "value": "Ready"}, {"field": "Sprint", "value": "@next"}, {"field": "Estimate", "value": "3"}}

// manyIssues returns n issues of the configurator from a number on, without pull requests and what
// was deleted or moved.
func manyIssues(from, n int) (refs []string) {
	for number := from; len(refs) < n; number++ {
		if number%7 != 3 && number != 97 && number != 58 {
			refs = append(refs, fmt.Sprintf("%s#%d", configurator, number))
		}
	}
	return refs
}

func manyTitles(n int) (issues []args) {
	for i := range n {
		issues = append(issues, args{"title": fmt.Sprintf("Part %d", i+1)})
	}
	return issues
}

const second = configurator + "#2"

// onLaunch returns arguments with the board of the launch in addition.
func onLaunch(more args) args {
	with := args{"project": launch}
	maps.Copy(with, more)
	return with
}

func TestDocument_ListsWhatCallsCost(t *testing.T) {
	var b strings.Builder
	b.WriteString("| call | requests | of the REST limit |\n|---|---|---|\n")
	called := map[string]bool{}
	for _, test := range costs {
		d := newToolEnv(t)
		requests, core := d.asked(func() { call[map[string]any](d, test.tool, test.with) })
		got := cost{len(requests), core}
		if got.requests > test.most.requests || got.core > test.most.core {
			t.Errorf("%s %s: cost %+v, want at most %+v", test.tool, test.what, got, test.most)
		}
		called["github_"+test.tool] = true
		what := strings.TrimSuffix(fmt.Sprintf("`github_%s`, %s", test.tool, test.what), ", ")
		fmt.Fprintf(&b, "| %s | %d | %d |\n", what, got.requests, got.core)
	}
	for _, tool := range Toolset(nil, nil).Tools {
		if !called[tool.Name] {
			t.Errorf("the table has no call of %s", tool.Name)
		}
	}
	docstest.Section(t, "internal/github/githubtools/testdata/requests.md", "github calls", b.String())
}

func TestReads_OfUnchangedIssuesCostNothing(t *testing.T) {
	for _, test := range []toolUse{
		{"list_issues", args{"repo": configurator}},
		{"list_issues", args{"repo": configurator, "milestone": "Spring launch", "state": "all", "limit": 100}},
	} {
		d := newToolEnv(t)
		read := func() { call[map[string]any](d, test.tool, test.with) }
		before, _ := d.asked(read)
		requests, core := d.asked(read)
		if len(requests) != len(before) || core != 0 {
			t.Errorf("%s %v: %d requests after %d cost %d", test.tool, test.with, len(requests), len(before), core)
		}
		for _, r := range requests {
			if r.Status != http.StatusNotModified {
				t.Errorf("%s %v: %s is answered with %d", test.tool, test.with, r.Path, r.Status)
			}
		}
	}
}
