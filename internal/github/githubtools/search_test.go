package githubtools

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/github/githubtools/parts"
	"basecamp-mcp/internal/github/sandbox"
	"basecamp-mcp/internal/report/fault"
)

func TestSearch_FindsIssuesInAllRepositories(t *testing.T) {
	d := newToolEnv(t)
	for name, x := range map[string]struct {
		with args
		is   func(issue) bool
	}{
		"an author":             {args{"author": "jonas-brandt", "type": "any", "state": "all"}, func(i issue) bool { return i.Author == "jonas-brandt" }},
		"me":                    {args{"involves": "me"}, func(i issue) bool { return i.PullRequest == nil }},
		"words":                 {args{"query": "battery", "state": "all"}, func(i issue) bool { return strings.Contains(strings.ToLower(i.Title), "battery") }},
		"pull requests":         {args{"repo": configurator, "type": "pull_request"}, func(i issue) bool { return i.PullRequest != nil && i.PullRequest.Checks != "" }},
		"of a project":          {args{"project": launch, "state": "open"}, func(i issue) bool { return i.State == "open" }},
		"asked for a review":    {args{"review_asked": "noemie-laurent", "type": "pull_request"}, func(i issue) bool { return i.PullRequest != nil }},
		"unassigned, by search": {args{"repo": configurator, "assignee": "none", "query": "photos"}, func(i issue) bool { return len(i.Assignees) == 0 }},
		"a milestone's title":   {args{"milestone": "Summer fleet", "query": "org:fernhill-bikes"}, func(i issue) bool { return i.Milestone != nil && *i.Milestone == "Summer fleet" }},
		"what the query says":   {args{"query": "is:pr is:closed author:@me repo:" + configurator}, func(i issue) bool { return i.PullRequest != nil && i.State == "closed" && i.Author == ines }},
		"closed lately":         {args{"query": "closed:>=2020-01-01", "author": "me"}, func(i issue) bool { return i.PullRequest == nil && i.State == "closed" }},
		"words of comments":     {args{"query": "charge", "in": "comments"}, func(i issue) bool { return i.Number == 77 }},
		"a label":               {args{"repo": configurator, "labels": []string{"priority: high"}, "in": "title", "query": "the"}, func(i issue) bool { return slices.Contains(i.Labels, "priority: high") }},
	} {
		only(d, "list_issues", name, x.with, x.is)
	}
	all := call[parts.Page[issue]](d, "list_issues", args{"author": "lieke-vdmeer", "limit": 2})
	if !all.HasMore || all.Total == nil || !all.Items[0].Outsider && all.Items[0].Repo == configurator {
		t.Errorf("%+v", all)
	}
	next := call[parts.Page[issue]](d, "list_issues", args{"author": "lieke-vdmeer", "limit": 2, "cursor": *all.NextCursor})
	if next.Items[0].Ref == all.Items[0].Ref {
		t.Errorf("%+v", next.Items)
	}
	if f := d.fails(fault.NotFound, "list_issues", args{"author": "jonas-brandd"}, "creator", "jonas-brandt"); len(f.Data.Nearest) == 0 {
		t.Errorf("%+v", f)
	}
	d.fails(fault.NotFound, "list_issues", args{"repo": configurator, "type": "Buggy"}, "issue types", "Bug")
	d.fails(fault.InvalidInput, "list_issues", args{"query": strings.Repeat("x", 300)}, "query")
	d.sandbox.Inject(sandbox.Fault{PathPrefix: "/search", Status: 200, Body: `{"total_count": 2000, "incomplete_results": true, "items": []}`, Times: 1})
	if got := call[parts.Page[issue]](d, "list_issues", args{"author": "me"}); got.Incomplete == nil || got.Incomplete.Reason != github.Timeout {
		t.Errorf("%+v", got)
	}
}

// GitHub finds nothing for a label, a milestone or a type that does not exist, and says nothing.
func TestSearch_ANameThatDoesNotExistIsNoEmptyList(t *testing.T) {
	d := newToolEnv(t)
	for _, x := range []struct {
		with args
		code fault.Code // empty: a list
		path string     // of the error, or of what was not checked
		near string
	}{
		{args{"labels": []string{"bug", "desing"}}, fault.NotFound, "labels[1]", "design"}, {args{"labels": []string{"nothing like it"}, "author": "me"}, "", "labels[0]", ""},
		{args{"labels": []string{"desing"}, "query": "org:fernhill-bikes"}, fault.NotFound, "labels[0]", "design"},
		{args{"labels": []string{"desing"}, "repo": "configurator", "query": "the"}, fault.NotFound, "labels[0]", "design"},
		{args{"query": `repo:fernhill-bikes/configurator label:"priority: hig"`}, fault.NotFound, "query", "priority: high"},
		{args{"query": "project:fernhill-bikes/1 label:desing"}, "", "query", ""},
		{args{"milestone": "Sprng launch"}, fault.NotFound, "milestone", "Spring launch"}, {args{"milestone": 3}, fault.InvalidInput, "milestone", ""},
		{args{"milestone": "launch", "query": "nothing"}, fault.Ambiguous, "milestone", ""},
		{args{"milestone": 99, "query": "the", "repo": configurator}, fault.NotFound, "milestone", ""},
		{args{"type": "Bugg"}, fault.NotFound, "type", "Bug"}, {args{"query": "type:Bugg org:fernhill-bikes"}, fault.NotFound, "query", "Bug"},
		{args{"type": "Bug", "query": "org:rijnstad-couriers"}, "", "type", ""},
		{args{"involves": "jonas-brandd"}, fault.NotFound, "involves", "jonas-brandt"}, {args{"query": "commenter:jonas-brandd"}, fault.NotFound, "query", "jonas-brandt"},
		{args{"query": "the project:fernhill-bikes/9"}, fault.NotFound, "fernhill-bikes/9", launch},
		{args{"query": "the repo:fernhil-bikes/configurator"}, fault.NotFound, "fernhil-bikes", configurator},
	} {
		var text string
		var isError bool
		requests, _ := d.asked(func() { text, isError = d.caller().Raw("github_list_issues", x.with) })
		var got struct {
			ErrorCode fault.Code `json:"error_code"`
			Unchecked []string
			Data      struct{ Nearest []fault.Candidate }
		}
		_ = json.Unmarshal([]byte(text), &got)
		listed := x.code == "" && !isError && len(got.Unchecked) == 1 && strings.HasPrefix(got.Unchecked[0], x.path+": ")
		refused := x.code != "" && isError && got.ErrorCode == x.code && strings.Contains(text, x.path)
		near := x.near == "" || slices.ContainsFunc(got.Data.Nearest, func(c fault.Candidate) bool { return c.Name == x.near || c.Ref == x.near })
		if !listed && !refused || !near || len(requests) > 7 {
			t.Errorf("%v: %s %.600s", x.with, operations(requests), text)
		}
	}
	// A part of a name is enough, as in one repository.
	if got := call[parts.Page[issue]](d, "list_issues", args{"labels": []string{"hot", "dealer"}, "state": "all", "milestone": "summer"}); got.Meant["labels[0]"] != "🔥 hot" || got.Meant["milestone"] != "Summer fleet" {
		t.Errorf("%+v", got)
	}
	// What exists and has no issues is an empty list, without a word.
	for _, with := range []args{{"labels": []string{"bug"}, "query": "nothing-like-it"}, {"milestone": "Someday", "author": "tomas-herrera"}, {"type": "Bug", "query": "nothing-like-it"}} {
		if got := call[parts.Page[issue]](d, "list_issues", with); len(got.Items) != 0 || got.Unchecked != nil {
			t.Errorf("%v: %+v", with, got)
		}
	}
	// A check that GitHub refuses is said.
	d.sandbox.Inject(says("Vocabulary", 200, complaint("RATE_LIMITED", "x")))
	if got := call[parts.Page[issue]](d, "list_issues", args{"labels": []string{"bug"}, "query": "nothing-like-it"}); len(got.Unchecked) != 1 {
		t.Errorf("%+v", got)
	}
}
