package githubtools

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/docstest"
	"basecamp-mcp/internal/github/sandbox"
	"basecamp-mcp/internal/mcptool"
)

const issueTitle = "Range estimate is too hopeful"

// chainUnit is how long GitHub takes for each request.
const chainUnit = 10 * time.Millisecond

// chain measures a call: how many requests it sends to GitHub, and the longest chain of them that
// wait for each other.
type chain struct{ requests, length int }

// chain makes a call on a GitHub that takes exactly one unit of time for each request. The time
// that the call takes is then the length of its longest chain.
func (d *toolEnv) chain(tool string, in args) chain {
	d.Helper()
	d.sandbox.Inject(sandbox.Fault{Delay: chainUnit})
	start := time.Now()
	requests, _ := d.asked(func() { call[map[string]any](d, tool, in) })
	return chain{len(requests), int(time.Since(start) / chainUnit)}
}

// The wayCount in which a call names its project, its item or its repository.
const (
	wayNumber = iota
	wayName
	wayKnown // one that an earlier call has used
	wayURL
	wayCount
)

var wayNames = [wayCount]string{"by number", "by name", "by known name", "by URL"}

// lengths are the lengths of a tool's chains by way; 0 if the tool takes no such reference.
type lengths [wayCount]int

// chainOf is a tool's row of the table. Why says what makes a chain longer than its target.
type chainOf struct {
	tool    string
	project bool // the call names a project
	item    bool // the call names an item of it
	issue   bool // the call names an issue
	repo    bool // the call names a repository
	more    args // the other arguments
	want    lengths
	why     string
}

// chains are the rows of the table: first the tools that read, then those that write.
var chains = []chainOf{
	{tool: "list_projects", more: args{"owner": "fernhill-bikes"}, want: lengths{1}},
	{tool: "find", more: args{"kind": "repo"}, want: lengths{1}},
	{tool: "get_report", project: true, want: lengths{3, 4, 4, 3}, why: "project, pages"},
	{tool: "get_project", project: true, want: lengths{2, 3, 3, 2}, why: "turn"},
	{tool: "list_project_items", project: true, want: lengths{2, 3, 3, 2}, why: "project"},
	{tool: "get_field_value", project: true, item: true, more: args{"field": "Status"}, want: lengths{2, 5, 5, 2}, why: "project, pages"},
	{tool: "list_issues", repo: true, want: lengths{1, 0, 0, 1}},
	{tool: "get_issue", issue: true, want: lengths{2, 3, 3, 2}, why: "turn"},

	{tool: "create_project", more: args{"title": "Autumn"}, want: lengths{2}},
	{tool: "update_project", project: true, more: args{"short_description": "Autumn"}, want: lengths{2, 3, 3, 2}},
	{tool: "delete_project", project: true, more: args{"confirm_title": "Season launch"}, want: lengths{2, 3, 3, 2}},
	{tool: "add_project_item", project: true, more: args{"item": configurator + "#142"}, want: lengths{3, 4, 4, 3}, why: "turn"},
	{tool: "remove_project_item", project: true, item: true, more: args{"confirm_title": "Order demo bikes"}, want: lengths{3, 5, 5, 3}, why: "turn, pages"},
	{tool: "set_field_value", project: true, item: true, more: args{"field": "Notes", "value": "New"}, want: lengths{2, 6, 6, 2}, why: "turn, pages"},
	{tool: "create_issue", repo: true, more: args{"title": "New"}, want: lengths{1, 0, 0, 1}},
	{tool: "update_issue", issue: true, more: args{"state": "closed"}, want: lengths{2, 3, 3, 2}},
	{tool: "add_issue_comment", issue: true, more: args{"body": "New"}, want: lengths{1, 2, 2, 1}},
	{tool: "create_milestone", repo: true, more: args{"title": "New"}, want: lengths{1, 0, 0, 1}},
}

// call returns the row's call for a way; nil if the tool takes no such reference.
func (c chainOf) call(way int) args {
	named := map[string][wayCount]args{
		"project": {{"project": launch}, {"project": "Season launch", "owner": "fernhill-bikes"}, {"project": "Season launch", "owner": "fernhill-bikes"}, {"project": sandbox.URL + "/orgs/fernhill-bikes/projects/1"}},
		"item":    {{"item": second}, {"item": "Order demo bikes"}, {"item": "Order demo bikes"}, {"item": sandbox.URL + "/fernhill-bikes/configurator/issues/2"}},
		"issue":   {{"issue": configurator + "#77"}, {"issue": issueTitle, "repo": configurator}, {"issue": issueTitle, "repo": configurator}, {"issue": sandbox.URL + "/fernhill-bikes/configurator/issues/77"}},
		"repo":    {{"repo": configurator}, nil, nil, {"repo": sandbox.URL + "/fernhill-bikes/configurator"}},
	}
	in := args{}
	maps.Copy(in, c.more)
	takes := false
	for name, used := range map[string]bool{"project": c.project, "item": c.item, "issue": c.issue, "repo": c.repo} {
		if !used {
			continue
		}
		if takes = true; named[name][way] == nil {
			return nil
		}
		maps.Copy(in, named[name][way])
	}
	if !takes && way != wayNumber {
		return nil
	}
	return in
}

// target returns the longest chain that needs no reason: one for the request itself, one more for
// each name, because GitHub's names are always looked up, and one more for the read that a write
// merges with.
func (c chainOf) target(way int, writes bool) int {
	length := 1
	if way == wayName || way == wayKnown {
		length++
		if c.item {
			length++
		}
	}
	if writes {
		length++
	}
	return length
}

// line measures the row and returns it as a line of the table in testdata/requests.md.
func (c chainOf) line(t *testing.T, tool mcptool.Tool) string {
	cells := make([]string, wayCount)
	for way := range wayCount {
		cells[way] = "–"
		synctest.Test(t, func(t *testing.T) {
			d := newToolEnv(t)
			in := c.call(way)
			if in == nil {
				return
			}
			if way == wayKnown && tool.Effect == mcptool.Reads {
				call[map[string]any](d, c.tool, in)
			}
			made := d.chain(c.tool, in)
			if made.length != c.want[way] {
				t.Errorf("%s %s: a chain of %d requests, the table says %d", c.tool, wayNames[way], made.length, c.want[way])
			}
			if made.length > c.target(way, tool.Effect != mcptool.Reads) && c.why == "" {
				t.Errorf("%s %s: a chain of %d requests has no reason", c.tool, wayNames[way], made.length)
			}
			if made.length != made.requests {
				t.Errorf("%s %s: %d requests in a chain of %d: GitHub wants those of a user one after the other", c.tool, wayNames[way], made.requests, made.length)
			}
			cells[way] = fmt.Sprint(made.length)
		})
	}
	return fmt.Sprintf("| `github_%s` | %s | %s |\n", c.tool, strings.Join(cells, " | "), c.why)
}

// A longer chain fails, and so does a shorter one until it is in the table.
func TestChains_AreAsLongAsTheTableSays(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	var table strings.Builder
	table.WriteString("| tool | " + strings.Join(wayNames[:], " | ") + " | why longer than the target |\n|---|---|---|---|---|---|\n")
	rows := map[string]chainOf{}
	for _, c := range chains {
		rows["github_"+c.tool] = c
	}
	for _, tool := range Toolset(nil, nil).Tools {
		c, ok := rows[tool.Name]
		if !ok {
			t.Errorf("%s has no row in chains of chains_test.go", tool.Name)
			continue
		}
		table.WriteString(c.line(t, tool))
	}
	docstest.Section(t, "internal/github/githubtools/testdata/requests.md", "github chains", table.String())
}
