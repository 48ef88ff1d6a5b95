package githubtools

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"basecamp-mcp/internal/github/githubtools/parts"
	"basecamp-mcp/internal/github/sandbox"
	"basecamp-mcp/internal/report/fault"
)

// foundBy counts what each qualifier finds in the configurator's repository, of issues and pull
// requests in every state; 0 is any number above. -1: nothing is there, as GitHub says.
var foundBy = map[string]int{
	"archived:false": 140, "assignee:jonas-brandt": 0, "author:jonas-brandt": 0, "base:main": -1, "blocked-by:fernhill-bikes/configurator#1": -1,
	"blocking:fernhill-bikes/configurator#1": -1, "closed:>=2020-01-01": 0, "commenter:noemie-laurent": 1, "comments:0": 138, "comments:100..200": 1,
	"comments:>=1": 2, "draft:true": 0, "has:milestone": 0, "head:main": -1, "in:title picker": 0, "interactions:>2000": -1, "involves:@me": 0,
	"involves:noemie-laurent": 0, "is:blocked": -1, "is:draft": 0, "is:locked": -1, "is:merged": 0, "is:open": 0, "is:public": 140, `label:"priority: high"`: 0,
	"label:bug,design": 0, "language:go": -1, "linked:pr": 0, "mentions:ines-albrecht": -1, "merged:2020-01-01..*": 0, `milestone:"Spring launch"`: 0,
	"no:assignee": 0, "org:fernhill-bikes": 0, "parent-issue:fernhill-bikes/configurator#1": -1, "project:fernhill-bikes/1": 0, "reactions:0": 140,
	"reason:not_planned": 0, "repo:fernhill-bikes/configurator": 140, "review-requested:noemie-laurent": 0, "review:required": 0,
	"reviewed-by:noemie-laurent": 0, "state:closed": 0, "status:failure": 0, "team-review-requested:fernhill-bikes/frames": 0,
	"team:fernhill-bikes/frames": -1, "type:issue": 0, "updated:>=2020-01-01": 140, "user:fernhill-bikes": 0, "user-review-requested:@me": -1,
	"created:<=2035-01-01": 140,
}

// What GitHub documents is passed on, and finds what GitHub finds, beside the defaults of the
// arguments too.
func TestQualifiers_ThatGitHubDocumentsArePassedOn(t *testing.T) {
	unused := maps.Clone(parts.Qualifiers)
	for query, want := range foundBy {
		d := newToolEnv(t) // with 30 searches a minute
		delete(unused, parts.QualifiersIn(query)[0].Name)
		got := call[parts.Page[issue]](d, "list_issues", args{"query": query, "repo": configurator, "state": "all", "type": "any", "limit": 1})
		if want < 0 && len(got.Items) != 0 || want == 0 && len(got.Items) == 0 || want > 0 && *got.Total != want {
			t.Errorf("%s: found %d, want %d", query, *got.Total, want)
		}
	}
	if len(unused) > 0 {
		t.Errorf("not tried: %v", slices.Sorted(maps.Keys(unused)))
	}
	d := newToolEnv(t)
	for _, query := range []string{"draft:true", "review:required", "status:success", "reason:not_planned", `reason:"not planned"`, "is:merged", "comments:0"} {
		if got := call[parts.Page[issue]](d, "list_issues", args{"query": query}); len(got.Items) == 0 {
			t.Errorf("%s finds nothing beside the defaults", query)
		}
	}
	for _, with := range []args{{"review_asked": "noemie-laurent"}, {"query": "review:approved"}} {
		if got := call[parts.Page[issue]](d, "list_issues", with); len(got.Items) == 0 || got.Items[0].PullRequest == nil || got.Meant["type"] != "pull_request" {
			t.Errorf("%v: %+v", with, got)
		}
	}
	if got := call[parts.Page[issue]](d, "list_issues", args{"query": "reason:not planned"}); got.Meant["query"] != `reason:"not planned"` || len(got.Items) == 0 {
		t.Errorf("%+v", got)
	}
}

// GitHub makes a word of a qualifier that it does not have, and finds nothing.
func TestQualifiers_ThatNothingWouldComeOfAreRefused(t *testing.T) {
	d := newToolEnv(t)
	for query, words := range map[string]string{
		"foo:bar": "in quotes", "lable:bug": `similar: "label"`, "-asignee:me": `similar: "assignee"`, "battery (authr:me)": `similar: "author"`,
		"status:Ready": "status of github_list_project_items", "is:opened": `got "opened"`, "review:maybe": `"approved"`, "draft:yes": `"true"`,
		"label: bug": "needs a value", "sort:updated-desc": "use sort and direction", "order:asc": "use direction", "since:yesterday": "use since",
		"creator:me": "use creator", "labels:bug": "use labels", "per_page:5": "use limit", "Sprint:@current": "fields of github_list_project_items",
		`field."target date":>2026-01-01`: "fields of github_list_project_items", "no:body": `"milestone"`,
	} {
		d.asksNothing(query, func() { d.fails(fault.InvalidInput, "list_issues", args{"query": query}, "query: ", words) })
	}
	for argument, use := range map[string]toolUse{
		"state": {"list_projects", args{"query": "is:closed"}}, "owner": {"list_projects", args{"query": "season org:fernhill-bikes"}},
		"repo": {"find", args{"query": "repo:configurator jonas", "kind": "person"}}, "query": {"find", args{"query": "is:private", "kind": "repo"}},
	} {
		d.asksNothing(argument, func() { d.fails(fault.InvalidInput, use.tool, use.with, "query: ", "use "+argument) })
	}
	for _, query := range []string{`"foo:bar"`, "panic: it stopped", "https://fernhill.example/a", "std::vector", "at 10:30", `"a lable:bug" battery`, `C:\bikes`} {
		call[parts.Page[issue]](d, "list_issues", args{"query": query})
	}
	call[foundThings](d, "find", args{"kind": "label", "repo": configurator, "query": "priority: high"})
}

// A search without a repository goes through all that github_find shows, or says what it leaves
// out.
func TestSearch_GoesThroughTheRepositoriesThatFindShows(t *testing.T) {
	d := newToolEnv(t)
	const outside = "rijnstad-couriers/depot-map"
	call[map[string]any](d, "create_issue", args{"repo": outside, "title": "Bikes on the map"})
	if all := call[foundThings](d, "find", args{"kind": "repo", "query": "depot"}); len(all.Items) != 1 || all.Items[0].Ref != outside {
		t.Fatalf("%+v", all)
	}
	if got := call[parts.Page[issue]](d, "list_issues", args{"query": "overlap"}); len(got.Items) != 1 || got.Items[0].Repo != outside || got.Unchecked != nil {
		t.Errorf("%+v", got)
	}
	var many []string
	for n := range 22 {
		many = append(many, fmt.Sprintf(`{"id": "R_%d", "nameWithOwner": "other/r%d"}`, n, n))
	}
	list := func(name, nodes string) string {
		return `"` + name + `": {"totalCount": 22, "pageInfo": {}, "nodes": [` + nodes + `]}`
	}
	scope := `{"data": {"viewer": {"id": "U_1", "login": "ines-albrecht", ` + list("organizations", "") + `, ` + list("repositories", "") + `, ` +
		list("repositoriesContributedTo", strings.Join(many, ",")) + `}}}`
	d.sandbox.Inject(sandbox.Fault{Document: "query Scope", Status: 200, Body: scope})
	d.sandbox.Inject(sandbox.Fault{PathPrefix: "/search/issues", Status: 200, Body: `{"total_count": 0, "incomplete_results": false, "items": []}`})
	if got := call[parts.Page[issue]](d, "list_issues", args{"query": "overlap"}); len(got.Unchecked) == 0 || !strings.Contains(got.Unchecked[0], "was not searched: other/r20, other/r21") {
		t.Errorf("%+v", got)
	}
}
