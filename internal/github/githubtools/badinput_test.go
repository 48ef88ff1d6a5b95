package githubtools

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"basecamp-mcp/internal/github/githubtools/boards"
	"basecamp-mcp/internal/github/sandbox"
	"basecamp-mcp/internal/report/fault"
)

const (
	former   = "fernhill-bikes/shop-configurator"
	archived = "fernhill-bikes/old-shop"
	noIssues = "fernhill-bikes/brand-assets"
	moved    = configurator + "#58"
	aPull    = configurator + "#3"
	abroad   = "rijnstad-couriers/depot-map#1"
)

// badInput has what people send that GitHub does not take: each call, and what its answer says. One
// without a code succeeds.
var badInput = []struct {
	what, tool string
	with       args
	before     func(d *toolEnv)
	code       fault.Code
	words      []string
}{
	{"a repository renamed", "list_issues", args{"repo": former}, nil, "", []string{configurator + "#142"}},
	{"a repository renamed", "list_issues", args{"repo": former, "query": "photos"}, nil, "", []string{configurator + "#", `"repo":"` + configurator + `"`}},
	{"a repository renamed", "get_report", args{"repo": former}, nil, "", []string{`"of":"` + configurator + `"`}},
	{"a repository renamed", "update_issue", args{"issues": []string{former + "#2", former + "#4"}, "state": "closed"}, nil, "", []string{configurator + "#4"}},
	{"a repository renamed", "create_issue", args{"repo": former, "issues": manyTitles(2)}, nil, "", []string{configurator + "#144"}},
	{"a repository renamed", "find", args{"kind": "milestone", "repo": former}, nil, "", []string{"Someday"}},
	{"a repository that does not exist", "create_issue", args{"repo": "rijnstad-couriers/nothing", "title": "x", "issue_fields": twoOwn}, nil, fault.NotFound, []string{"nothing"}},
	{"a repository archived", "create_issue", args{"repo": archived, "title": "x"}, nil, fault.PermissionDenied, []string{"archived"}},
	{"a repository archived", "create_issue", args{"repo": archived, "issues": manyTitles(2)}, nil, fault.InvalidInput, []string{"archived", "repo"}},
	{"a repository archived", "update_issue", args{"issues": []string{archived + "#1", archived + "#2"}, "state": "closed"}, nil, fault.PermissionDenied, []string{"archived"}},
	{"a repository archived", "update_issue", args{"issue": archived + "#1", "parent": archived + "#2"}, nil, fault.PermissionDenied, []string{"archived"}},
	{"a repository archived", "add_issue_comment", args{"issues": []string{archived + "#1", archived + "#2"}, "body": "x"}, nil, fault.PermissionDenied, []string{"archived"}},
	{"a repository archived", "update_issue", args{"issues": []string{second, archived + "#1"}, "issue_fields": twoOwn}, nil, "", []string{`"done":1`, `"failed":1`, "archived"}},
	{"an issue transferred", "update_issue", args{"issue": moved, "add_labels": []string{"bug"}}, nil, fault.NotFound, []string{"add_labels"}},
	{"an issue transferred", "update_issue", args{"issue": moved, "issue_fields": twoOwn}, nil, "", []string{"fernhill-bikes/frame-drawings#9", `"Priority":"High"`}},
	{"an issue transferred", "add_issue_comment", args{"issue": moved, "body": "x"}, nil, "", []string{"frame-drawings"}},
	{"an issue transferred", "get_issue", args{"issue": moved}, nil, "", []string{"fernhill-bikes/frame-drawings#9"}},
	{"an issue transferred", "update_issue", args{"issues": []string{second, moved}, "state": "closed"}, nil, fault.InvalidInput, []string{"issues[1]", "fernhill-bikes/frame-drawings#9"}},
	{"an issue transferred", "add_project_item", args{"project": launch, "items": []string{second, moved}}, nil, fault.InvalidInput, []string{"items[1]", "fernhill-bikes/frame-drawings#9"}},
	{"an issue deleted", "update_issue", args{"issues": []string{second, configurator + "#97"}, "state": "closed"}, nil, fault.NotFound, []string{"issues[1]", "deleted"}},
	{"a repository without issues", "create_issue", args{"repo": noIssues, "title": "x"}, nil, fault.NotFound, []string{"switched off"}},
	{"a repository without issues", "list_issues", args{"repo": noIssues}, nil, fault.NotFound, []string{`"message":"the repository has its issues switched off`}},
	{"a repository without issues", "list_issues", args{"repo": noIssues, "query": "logo"}, nil, fault.NotFound, []string{"switched off"}},
	{"a repository without issues", "get_report", args{"repo": noIssues}, nil, fault.NotFound, []string{"switched off"}},
	{"a repository without issues", "create_issue", args{"repo": noIssues, "issues": manyTitles(2)}, nil, fault.InvalidInput, []string{"switched off"}},
	{"a parent cycle", "update_issue", args{"issue": second, "add_sub_issues": []string{configurator + "#1"}}, nested2, fault.InvalidInput, []string{"add_sub_issues", "nested in"}},
	{"a parent cycle", "update_issue", args{"issue": configurator + "#1", "parent": configurator + "#4"}, nested2, fault.InvalidInput, []string{"parent", "nested in"}},
	{"a parent cycle made meanwhile", "update_issue", args{"issue": configurator + "#4", "parent": configurator + "#9"}, refusing("POST", 422, "The sub-issue was not added. Sub issue may not create a circular dependency"), fault.InvalidInput, []string{"parent", "circular"}},
	{"a hundred sub-issues", "update_issue", args{"issue": configurator + "#1", "add_sub_issues": []string{configurator + "#140"}}, hundred, fault.InvalidInput, []string{"100 sub-issues"}},
	{"a hundred sub-issues", "create_issue", args{"repo": configurator, "issues": manyTitles(1), "parent": configurator + "#1"}, hundred, fault.InvalidInput, []string{"100 sub-issues"}},
	{"a hundred sub-issues", "get_issue", args{"issue": configurator + "#1"}, hundred, "", []string{`"total":100`, manyIssues(2, 100)[99]}},
	{"a parent of another owner", "update_issue", args{"issue": second, "parent": abroad}, nil, fault.InvalidInput, []string{"parent", "same owner"}},
	{"a parent of another owner", "create_issue", args{"repo": configurator, "title": "x", "parent": abroad}, nil, fault.InvalidInput, []string{"parent", "same owner"}},
	{"a pull request", "update_issue", args{"issue": aPull, "title": "x"}, nil, fault.InvalidInput, []string{"pull request", "labels and assignees"}},
	{"a pull request", "update_issue", args{"issue": aPull, "state": "closed"}, nil, fault.InvalidInput, []string{"pull request"}},
	{"a pull request", "update_issue", args{"issue": aPull, "milestone": "Someday", "add_labels": []string{"bug"}}, nil, fault.InvalidInput, []string{"pull request"}},
	{"a pull request", "update_issue", args{"issue": aPull, "add_labels": []string{"bug"}, "add_assignees": []string{"me"}}, nil, "", []string{"bug", ines}},
	{"a field of another board", "set_field_value", args{"project": "fernhill-bikes/3", "item": configurator + "#101", "field": "Sprint", "value": "@next"}, nil, fault.NotFound, []string{"Sprint", `there are \"Status\", \"Title\"`}},
	{"a field of another board", "add_project_item", args{"project": "fernhill-bikes/3", "items": []string{second}, "fields": threeFields}, nil, fault.NotFound, []string{"fields[1]", "fields[2]"}},
	{"an option that was deleted", "set_field_value", onLaunch(args{"item": second, "field": "Status", "value": "Done"}), without5, fault.NotFound, []string{"Done", "In review"}},
	{"an option that was deleted", "add_project_item", onLaunch(args{"items": []string{second}, "fields": []args{{"field": "Status", "value": "Done"}}}), without5, fault.NotFound, []string{"fields[0]", "In review"}},
	{"an option deleted meanwhile", "add_project_item", onLaunch(args{"items": []string{configurator + "#142"}, "fields": threeFields[:1]}), func(d *toolEnv) {
		d.sandbox.Inject(says("SetValues", 200, complaint("UNPROCESSABLE", "The single select option Id does not belong to the field")))
	}, "", []string{"is on the project", "Status", `"failed":1`}},
	{"a long body", "create_issue", args{"repo": configurator, "title": "A", "body": strings.Repeat("ä", 65_536)}, nil, "", []string{`"truncated":true`}},
	{"a comment with marks", "add_issue_comment", args{"issue": "frame colour picker forgets the choice", "repo": configurator, "body": "Fixed in **2.1** & later"}, nil, "", []string{`"author":"` + ines, configurator + "#12", `"body":"Fixed in **2.1** & later"`}},
	{"a comment of nothing that shows", "add_issue_comment", args{"issue": configurator + "#12", "body": " \u200b"}, nil, fault.InvalidInput, []string{"blank"}},
	{"a comment on no issue", "add_issue_comment", args{"issue": configurator + "#999", "body": "Hello"}, nil, fault.NotFound, nil},
	{"a milestone with a date", "create_milestone", args{"repo": configurator, "title": "Autumn", "due_on": "2027-10-01", "description": "Leaves"}, nil, "", []string{`"due_on":"2027-10-01"`, `"state":"open"`, `"description":"Leaves"`}},
	{"a label of 60 characters", "list_issues", args{"labels": []string{strings.Repeat("l", 60)}, "repo": configurator}, nil, fault.NotFound, []string{"labels"}},
	{"a label of 60 characters", "list_issues", args{"labels": []string{strings.Repeat("l", 60)}, "query": "org:fernhill-bikes"}, nil, fault.NotFound, []string{"labels[0]"}},
	{"an option deleted meanwhile", "update_issue", args{"issues": []string{second}, "issue_fields": twoOwn}, refusing("POST", 422, "Validation Failed"), fault.InvalidInput, []string{"issue_fields"}},
	{"a label of 60 characters", "create_issue", args{"repo": configurator, "title": "x", "labels": []string{strings.Repeat("l", 60)}}, nil, fault.NotFound, []string{"labels"}},
	{"a label of 60 characters", "create_issue", args{"repo": configurator, "issues": manyTitles(2), "labels": []string{strings.Repeat("l", 60)}}, nil, fault.NotFound, []string{"labels"}},
	{"a label of 60 characters", "update_issue", args{"issues": []string{second}, "add_labels": []string{strings.Repeat("l", 60)}}, nil, fault.NotFound, []string{"add_labels"}},
	{"a query that GitHub refuses", "list_issues", args{"query": strings.Repeat("x", 300)}, nil, fault.InvalidInput, []string{"query", "256"}},
	{"a query that GitHub refuses", "list_issues", args{"query": "created:>=soon"}, nil, fault.InvalidInput, []string{"query", "date"}},
	{"an organization behind single sign-on", "find", args{"kind": "team"}, func(d *toolEnv) {
		f := answers(200, `{"data": {"viewer": {"id": "U_1", "login": "x", "organizations": {"nodes": []}}}}`, "X-GitHub-SSO", "partial-results; organizations=58120044")
		f.Document = "query Organizations"
		d.sandbox.Inject(f)
	}, "", []string{`"reason":"sso","organizations":[58120044]`}},
	{"an organization behind single sign-on", "update_issue", args{"issues": []string{second}, "state": "closed"}, func(d *toolEnv) {
		d.sandbox.Inject(says("Contents", 200, complaint("FORBIDDEN", "Resource protected by organization SAML enforcement.")))
	}, fault.PermissionDenied, []string{"issues[0]", "single sign-on"}},
	{"points used up in the middle", "update_issue", args{"issue": configurator + "#1", "add_sub_issues": []string{configurator + "#4", configurator + "#5", configurator + "#12"}}, limited("POST", 2), "",
		[]string{"add_sub_issues: " + configurator + "#5: GitHub limited", "add_sub_issues: " + configurator + "#12: not tried", `"changed":["sub_issues"]`}},
	{"points used up in the middle", "update_issue", args{"issue": second, "state": "closed", "parent": configurator + "#1"}, limited("POST", 1), "", []string{"parent: " + configurator + "#1: GitHub limited", `"changed":["state","state_reason"]`}},
	{"points used up in the middle", "update_issue", args{"issues": manyIssues(4, 5), "issue_fields": twoOwn}, limited("POST", 3), "", []string{`"done":2`, `"not_attempted":["fernhill-bikes/configurator#6"`, "limited"}},
	{"points used up in the middle", "update_issue", args{"issues": manyIssues(4, 5), "issue_fields": twoOwn, "add_labels": []string{"hot"}}, limited("POST", 3), "", []string{`"done":2`, `"failed":2`, `"not_attempted":["fernhill-bikes/configurator#6"]`, "the rest is changed, but its issue fields are not all set: GitHub limited"}},
	{"points used up in the middle", "create_issue", args{"repo": configurator, "issues": manyTitles(3), "issue_fields": twoOwn}, limited("POST", 2), "", []string{`"done":3`, `"not_applied":["issue_fields: GitHub limited`}},
	{"points used up in the middle", "create_issue", args{"repo": configurator, "title": "x", "project": launch}, func(d *toolEnv) {
		d.sandbox.Inject(says("AddItems", 200, complaint("RATE_LIMITED", "x")))
	}, "", []string{"project: GitHub limited", `"number":143`}},
	{"points used up in the middle", "get_issue", args{"issue": configurator + "#77"}, func(d *toolEnv) {
		d.sandbox.Inject(says("Thread", 200, complaint("RATE_LIMITED", "x")))
	}, fault.RateLimited, []string{"limited"}},
}

// nested2 nests 2 in 1, and 4 in 2.
func nested2(d *toolEnv) {
	call[map[string]any](d, "update_issue", args{"issue": second, "parent": configurator + "#1"})
	call[map[string]any](d, "update_issue", args{"issue": configurator + "#4", "parent": second})
}

// hundred nests a hundred issues in the first one.
func hundred(d *toolEnv) {
	for _, some := range slices.Collect(slices.Chunk(manyIssues(2, 100), 25)) {
		call[map[string]any](d, "update_issue", args{"issue": configurator + "#1", "add_sub_issues": some})
	}
}

// without5 deletes the last option of the board's status, which a call has read before.
func without5(d *toolEnv) {
	call[boards.SetValue](d, "set_field_value", onLaunch(args{"item": second, "field": "Status", "value": "Ready"}))
	d.sandbox.DeleteOption("fernhill-bikes", 1, "Status", "Done")
}

func refusing(method string, status int, message string) func(d *toolEnv) {
	return func(d *toolEnv) {
		refused := answers(status, fmt.Sprintf(`{"message": %q}`, message))
		refused.Method, refused.PathPrefix = method, "/repos"
		d.sandbox.Inject(refused)
	}
}

// limited lets requests of a method pass until the nth, which a rate limit refuses.
func limited(method string, nth int) func(d *toolEnv) {
	return func(d *toolEnv) {
		if nth > 1 {
			d.sandbox.Inject(sandbox.Fault{Method: method, PathPrefix: "/repos", Delay: 1, Times: nth - 1})
		}
		refused := answers(429, `{}`)
		refused.Method, refused.PathPrefix = method, "/repos"
		d.sandbox.Inject(refused)
	}
}

func TestBadInput_IsAnsweredClearly(t *testing.T) {
	for _, x := range badInput {
		d := newToolEnv(t)
		if x.before != nil {
			x.before(d)
		}
		var text string
		var isError bool
		requests, _ := d.asked(func() { text, isError = d.caller().Raw("github_"+x.tool, x.with) })
		var f failed
		_ = json.Unmarshal([]byte(text), &f)
		if isError != (x.code != "") || f.ErrorCode != x.code || f.Data.MayHaveHappened {
			t.Errorf("%s: %s %v: want %q, got %s %.500s", x.what, x.tool, x.with, x.code, operations(requests), text)
		}
		for _, word := range x.words {
			if !strings.Contains(text, word) {
				t.Errorf("%s: %s %v does not say %q: %.700s", x.what, x.tool, x.with, word, text)
			}
		}
	}
}

func TestComplete_RefusesAPullRequest(t *testing.T) {
	d := newToolEnv(t)
	d.writesNothing("a pull request", func() {
		if _, err := New(d.client(), nil, nil).Complete(t.Context(), configurator+"#59"); !fault.Is(err, fault.InvalidInput) {
			t.Errorf("%v", err)
		}
	})
}

// The 20th entry is one that GitHub refuses when it is written: it is in an archived repository. In
// another batch, an organization asks for single sign-on after 20 entries.
func TestBadInput_ABatchOfWhichThe20thIsRefusedWritesTheOthers(t *testing.T) {
	refs := slices.Insert(openIssues(22), 19, archived+"#1")
	for tool, with := range map[string]args{
		"update_issue": {"issues": refs, "state": "closed"}, "add_issue_comment": {"issues": refs, "body": "Seen in a batch."},
	} {
		got := call[anyBatch](newToolEnv(t), tool, with)
		if got.Done != 22 || got.Failed != 1 || got.Results[19].OK || got.Results[19].Error == nil || !strings.Contains(got.Results[19].Error.Message, "archived") || len(got.NotAttempted) != 0 {
			t.Errorf("%s: %d done, %d failed, %+v", tool, got.Done, got.Failed, got.Results[19])
		}
	}
	for _, w := range manyWrites {
		d := newToolEnv(t)
		d.sandbox.Inject(sandbox.Fault{
			Document: "mutation " + w.mutation + "($input0: " + inputType(w.field) + ", $input1: " + inputType(w.field) + ", $input2: " + inputType(w.field) + ") {",
			Status:   200, Body: complaint("FORBIDDEN", samlWords), Header: map[string][]string{"X-GitHub-SSO": {"required; url=" + sandbox.URL + "/orgs/fernhill-bikes/sso?x"}},
		})
		got := call[anyBatch](d, w.tool, w.with())
		said, _ := json.Marshal(got)
		if left := got.Failed + len(got.NotAttempted); got.Done != 20 || left != 3 || !strings.Contains(string(said), "single sign-on") {
			t.Errorf("%s: %d done, %d failed, not attempted %v: %s", w.mutation, got.Done, got.Failed, got.NotAttempted, got.HowToGoOn)
		}
	}
}

const samlWords = "Resource protected by organization SAML enforcement. You must grant your OAuth token access to this organization."
