package githubtools

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"basecamp-mcp/internal/github/githubtools/boards"
	"basecamp-mcp/internal/github/githubtools/parts"
	"basecamp-mcp/internal/github/sandbox"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/tool/listing"
)

func refsIn[T any](items []T, ref func(T) string) (refs []string) {
	for _, i := range items {
		refs = append(refs, ref(i))
	}
	return refs
}

func TestFind_ListsWhatTheUserReaches(t *testing.T) {
	d := newToolEnv(t)
	for _, x := range []struct {
		with args
		want []string // among the references
	}{
		{args{"kind": "repo"}, []string{configurator, "fernhill-bikes/frame-drawings", "fernhill-bikes/old-shop"}},
		{args{"kind": "repo", "query": "DRAWINGS"}, []string{"fernhill-bikes/frame-drawings"}},
		{args{"kind": "repo", "owner": "rijnstad-couriers"}, []string{"rijnstad-couriers/depot-map"}},
		{args{"kind": "repo", "owner": "fernhill"}, []string{configurator}},
		{args{"kind": "project", "query": "roadmap"}, []string{"fernhill-bikes/3"}},
		{args{"kind": "person", "query": "noemie"}, []string{"noemie-laurent"}},
		{args{"kind": "person", "query": "Wójcik"}, []string{"mateusz-wojcik"}},
		{args{"kind": "person", "repo": "frame-drawings"}, []string{"noemie-laurent", ines}},
		{args{"kind": "label", "repo": "configurator", "query": "priority"}, []string{"priority: high", "priority: low"}},
		{args{"kind": "milestone", "repo": "configurator", "query": "spring"}, []string{"Spring launch", "Spring launch: dealers"}},
		{args{"kind": "team"}, []string{"fernhill-bikes/frames"}},
	} {
		got := call[foundThings](d, "find", x.with)
		refs := refsIn(got.Items, func(f found) string { return f.Ref })
		for _, want := range x.want {
			if !slices.Contains(refs, want) {
				t.Errorf("%v: %v lacks %s", x.with, refs, want)
			}
		}
	}
	spring := call[foundThings](d, "find", args{"kind": "milestone", "repo": configurator, "query": "first sketch"}).Items[0]
	if spring.DueOn == nil || spring.State != "closed" || spring.Open == nil || spring.Closed == nil {
		t.Errorf("%+v", spring)
	}
	d.fails(fault.InvalidInput, "find", args{"kind": "label"}, "repo")
	if f := d.fails(fault.NotFound, "find", args{"kind": "person", "query": "jonass"}); !slices.ContainsFunc(f.Data.Nearest, func(c fault.Candidate) bool { return c.Ref == "jonas-brandt" }) {
		t.Errorf("%+v", f.Data.Nearest)
	}
}

func TestNames_ARepositoryOrAnOwnerIsFoundByAPartOfItsName(t *testing.T) {
	d := newToolEnv(t)
	for _, x := range []toolUse{
		{"list_issues", args{"repo": "configurator"}}, {"list_issues", args{"repo": "drawings"}}, {"list_issues", args{"repo": "d"}}, {"get_issue", args{"issue": "configurator#77", "include_comments": false}},
		{"create_issue", args{"repo": "Configurator", "title": "Bell"}}, {"create_milestone", args{"repo": "configurator", "title": "Bell"}},
		{"list_projects", args{"owner": "fernhill"}}, {"get_project", args{"owner": "Fernhill Bikes", "project": "Season launch"}},
		{"get_project", args{"owner": "fernhill", "project": 1}}, {"create_project", args{"owner": "fernhill", "title": "Bells"}},
		{"set_field_value", args{"project": launch, "item": "configurator#2", "field": "Notes", "value": "x"}}, {"get_report", args{"repo": "configurator"}},
	} {
		call[map[string]any](d, x.tool, x.with)
	}
	f := d.fails(fault.NotFound, "list_issues", args{"repo": "configuratr"}, "repo")
	if !slices.ContainsFunc(f.Data.Nearest, func(c fault.Candidate) bool { return c.Ref == configurator }) {
		t.Errorf("%+v", f.Data.Nearest)
	}
	d.fails(fault.NotFound, "list_issues", args{"repo": "w"}, "repo") // a letter inside a word
}

func TestNesting_OfAnIssueIsReadAndChanged(t *testing.T) {
	d := newToolEnv(t)
	ref := func(n string) string { return configurator + "#" + n }
	for _, x := range []struct {
		with     args
		previous map[string]any
	}{
		{args{"issue": ref("2"), "parent": ref("1")}, map[string]any{"parent": nil}},
		{args{"issue": ref("1"), "add_sub_issues": []string{ref("4"), ref("5")}}, map[string]any{"sub_issues": []any{ref("2")}}},
		{args{"issue": ref("5"), "after": ref("2")}, map[string]any{"after": ref("4")}},
		{args{"issue": ref("1"), "remove_sub_issues": []string{ref("4")}}, map[string]any{"sub_issues": []any{ref("2"), ref("5"), ref("4")}}},
		{args{"issue": ref("1"), "blocked_by": []string{ref("12"), ref("77")}}, map[string]any{"blocked_by": []any{}}},
		{args{"issue": ref("1"), "blocked_by": []string{ref("12")}}, map[string]any{"blocked_by": []any{ref("12"), ref("77")}}},
		{args{"issue": ref("1"), "type": "bug"}, map[string]any{"type": ""}},
		{args{"issue": ref("46"), "duplicate_of": ref("45")}, map[string]any{"state": "open"}},
	} {
		got := call[map[string]any](d, "update_issue", x.with)
		want, _ := json.Marshal(x.previous)
		if has, _ := json.Marshal(got["previous"]); !bytes.Equal(has, want) || len(got["not_applied"].([]any)) != 0 {
			t.Errorf("%v: previous %s, want %s; %v", x.with, has, want, got["not_applied"])
		}
	}
	i := call[issueDetails](d, "get_issue", args{"issue": ref("1")})
	if i.SubIssues == nil || !slices.Equal(refsIn(i.SubIssues.Items, func(r relative) string { return r.Ref }), []string{ref("2"), ref("5")}) ||
		len(i.BlockedBy) != 1 || i.IssueType != "Bug" {
		t.Errorf("%+v", i.nested)
	}
	if i := call[issueDetails](d, "get_issue", args{"issue": ref("12")}); len(i.Blocking) != 1 {
		t.Errorf("%+v", i.nested)
	}
	if i := call[issueDetails](d, "get_issue", args{"issue": ref("46")}); i.State != "closed" || *i.StateReason != "duplicate" {
		t.Errorf("%+v", i)
	}
	for _, with := range []args{{"repo": configurator}, {"query": "repo:" + configurator}} {
		with["state"], with["limit"], with["sort"], with["direction"] = "all", 12, "created", "asc"
		got := call[parts.Page[issue]](d, "list_issues", with)
		for _, i := range got.Items {
			if (i.Number == 1) != (i.OpenBlockers == 1) || (i.Number == 12) != (i.OpenBlocked == 1) {
				t.Errorf("%v: %+v", with, i)
			}
		}
	}
	for _, x := range []struct {
		with args
		path string
	}{
		{args{"issue": ref("1"), "parent": ref("2")}, "parent"}, {args{"issue": ref("1"), "parent": ref("1")}, "parent"},
		{args{"issue": ref("2"), "add_sub_issues": []string{ref("1")}}, "add_sub_issues"},
		{args{"issue": ref("1"), "add_sub_issues": []string{ref("10"), ref("97")}}, "add_sub_issues[1]"},
		{args{"issue": ref("1"), "parent": "rijnstad-couriers/depot-map#1"}, "parent"},
		{args{"issue": ref("1"), "after": ref("2")}, "after"}, {args{"issue": ref("10"), "parent": ref("1")}, "issue"},
		{args{"issue": ref("1"), "type": "Story"}, "type"}, {args{"issue": ref("1"), "blocked_by": []string{ref("1")}}, "blocked_by[0]"},
		{args{"issue": ref("1"), "duplicate_of": ref("2"), "state": "open"}, "duplicate_of"},
	} {
		var text string
		requests, _ := d.asked(func() { text, _ = d.caller().Raw("github_update_issue", x.with) })
		if w := writes(requests); len(w) != 0 || !strings.Contains(text, `"`+x.path) && !strings.Contains(text, x.path+":") {
			t.Errorf("%v: %v %.300s", x.with, w, text)
		}
	}
}

// A write to the nesting whose answer is lost is looked for, and never sent twice.
func TestNesting_ALostAnswerIsLookedFor(t *testing.T) {
	ref := func(n string) string { return configurator + "#" + n }
	for name, with := range map[string]args{
		"POST": {"issue": ref("2"), "parent": ref("1")}, "POST blocked_by": {"issue": ref("2"), "blocked_by": []string{ref("1")}},
		"DELETE": {"issue": ref("4"), "parent": "none"}, "PATCH": {"issue": ref("5"), "after": ref("4")},
	} {
		for kind, lost := range map[string]sandbox.Fault{"dropped": {Drop: true, AfterEffect: true}, "502": {Status: 502, AfterEffect: true}, "not done": {Status: 502}} {
			d := newToolEnv(t)
			call[map[string]any](d, "update_issue", args{"issue": ref("1"), "add_sub_issues": []string{ref("4"), ref("5")}})
			lost.Method, lost.Times, lost.PathPrefix = strings.Fields(name)[0], 1, "/repos"
			d.sandbox.Inject(lost)
			requests, _ := d.asked(func() {
				text, isError := d.caller().Raw("github_update_issue", with)
				if isError != (kind == "not done" && lost.Method != "PATCH") {
					t.Errorf("%s %s: %.300s", name, kind, text)
				}
			})
			if w := writes(requests); len(w) > 2 || len(w) == 2 && lost.Method != "PATCH" {
				t.Errorf("%s %s: %v", name, kind, w)
			}
		}
	}
}

func TestCreateIssue_PutsItUnderAParentAndOnABoard(t *testing.T) {
	d := newToolEnv(t)
	one := call[createdIssue](d, "create_issue", args{"repo": "configurator", "title": "Bell", "parent": "#1", "project": launch, "fields": threeFields, "type": "Task"})
	if len(one.NotApplied) != 0 || one.Item == nil || !one.Item.Added || len(one.Item.Fields) != 3 {
		t.Errorf("%+v", one)
	}
	many := call[listing.Applied[madeIssue]](d, "create_issue", args{
		"repo": configurator, "issues": []args{{"title": "a"}, {"title": "b", "assignees": []string{"jonas-brandt"}}}, "parent": configurator + "#1",
		"project": launch, "fields": threeFields, "labels": []string{"bug"}, "assignees": []string{"me"}, "milestone": "Someday",
	})
	for _, made := range many.Results {
		i := call[issueDetails](d, "get_issue", args{"issue": made.Item.Ref})
		if i.Parent == nil || i.Parent.Ref != configurator+"#1" || !slices.Equal(i.Labels, []string{"bug"}) || *i.Milestone != "Someday" || len(made.Item.NotApplied) != 0 {
			t.Errorf("%+v", i)
		}
	}
	if i := call[issueDetails](d, "get_issue", args{"issue": many.Results[1].Item.Ref}); !slices.Equal(i.Assignees, []string{"jonas-brandt"}) {
		t.Errorf("%v", i.Assignees)
	}
	// The issue is made although the board refuses it, and the answer says so.
	d.sandbox.Inject(says("AddItems", 200, complaint("FORBIDDEN", "x")))
	half := call[createdIssue](d, "create_issue", args{"repo": configurator, "title": "Half", "project": launch})
	if half.Ref == "" || len(half.NotApplied) != 1 || !strings.HasPrefix(half.NotApplied[0], "project: ") {
		t.Errorf("%+v", half)
	}
}

func TestStatusUpdate_IsPostedAndShown(t *testing.T) {
	d := newToolEnv(t)
	posted := call[boards.ChangedProject](d, "update_project", onLaunch(args{"title": "Spring", "status_update": args{"status": "at_risk", "body": "Brakes are late.", "target_date": "2027-03-01"}}))
	if posted.Status == nil || posted.Previous["title"] != "Season launch" {
		t.Errorf("%+v", posted)
	}
	if p := call[boards.ProjectDetails](d, "get_project", onLaunch(nil)); p.Status == nil || p.Status.Status != "at_risk" || p.Status.Author != ines || p.Status.TargetDate != "2027-03-01" {
		t.Errorf("%+v", p.Status)
	}
	d.fails(fault.InvalidInput, "update_project", onLaunch(args{"status_update": args{"start_date": "2027-03-01"}}), "status_update")
	d.fails(fault.InvalidInput, "update_project", onLaunch(args{"status_update": args{"status": "on_track", "start_date": "2027-03-02", "target_date": "2027-03-01"}}), "target_date")
	d.sandbox.Inject(sandbox.Fault{Document: "CreateStatus(", Drop: true, AfterEffect: true, Times: 1})
	requests, _ := d.asked(func() {
		f := d.refusal("update_project", onLaunch(args{"status_update": args{"status": "complete"}}))
		if !f.Doubt || f.Retryable || !strings.Contains(f.Message, "github_get_project") {
			t.Errorf("%+v", f)
		}
	})
	if len(writes(requests)) != 1 {
		t.Errorf("%v", writes(requests))
	}
}

func TestEnterprise_WhatAnOlderServerLacksIsSaidInOneSentence(t *testing.T) {
	d := (&toolEnv{TB: t, sandbox: sandbox.New(sandbox.Options{Enterprise: true, Undocumented: func(request string) { t.Errorf("undocumented: %s", request) }})}).as(ines, "repo project read:org")
	if p := call[boards.ProjectDetails](d, "get_project", onLaunch(nil)); p.Lacks != boards.NoStatus {
		t.Errorf("%+v", p)
	}
	requests, _ := d.asked(func() { call[boards.ProjectDetails](d, "get_project", onLaunch(nil)) })
	if len(requests) != 1 { // found out once
		t.Errorf("%s", operations(requests))
	}
	if i := call[issueDetails](d, "get_issue", args{"issue": configurator + "#9"}); i.Unknown != noClosing || i.Closing != nil {
		t.Errorf("%+v", i.linked)
	}
	requests, _ = d.asked(func() { call[issueDetails](d, "get_issue", args{"issue": configurator + "#77"}) })
	if len(requests) != 2 { // found out once
		t.Errorf("%s", operations(requests))
	}
	d.fails(fault.InvalidInput, "update_project", onLaunch(args{"status_update": args{"status": "on_track"}}), "no status updates")
	d.fails(fault.InvalidInput, "update_issue", args{"issue": second, "parent": configurator + "#1"}, "no sub-issues")
	d.fails(fault.InvalidInput, "create_issue", args{"repo": configurator, "title": "x", "parent": configurator + "#1"}, "no sub-issues")
	d.fails(fault.InvalidInput, "update_issue", args{"issue": second, "type": "Bug"}, "issue types")
	call[issueDetails](d, "get_issue", args{"issue": second})
}

func TestOutsiders_AreTold(t *testing.T) {
	d := newToolEnv(t)
	outside := d.as("lieke-vdmeer", "repo project read:org")
	made := call[writtenIssue](outside, "create_issue", args{"repo": configurator, "title": "From outside"})
	call[comment](outside, "add_issue_comment", args{"issue": configurator + "#77", "body": "Me too"})
	if i := call[issueDetails](d, "get_issue", args{"issue": made.Ref}); !i.Outsider || i.Public == nil || !*i.Public {
		t.Errorf("%+v", i)
	}
	if i := call[issueDetails](d, "get_issue", args{"issue": second}); i.Outsider || i.Public != nil {
		t.Errorf("%+v", i)
	}
	if p := call[parts.Page[issue]](d, "list_issues", args{"repo": configurator, "limit": 1}); !p.Items[0].Outsider {
		t.Errorf("%+v", p.Items)
	}
}

func TestReport_CountsExactlyAndStaysShort(t *testing.T) {
	d := newToolEnv(t)
	call[map[string]any](d, "set_field_value", args{"project": launch, "items": manyIssues(32, 3), "fields": []args{{"field": "Status", "value": "Done"}, {"field": "Sprint", "value": "@current"}}})
	text, isError := d.caller().Raw("github_get_report", args{"project": launch})
	r := call[report](d, "get_report", args{"project": launch})
	sum := 0
	for _, c := range r.ByStatus {
		sum += c.Count
	}
	if isError || sum != r.Total || r.Done.Count < 2 || r.Scope.Count < 1 || r.Stuck.Count < 10 || len(r.Stuck.Items) > maxReported || len(text) > 8000 {
		t.Errorf("%d bytes, %+v", len(text), r)
	}
	if r := call[report](d, "get_report", args{"repo": configurator, "since": "last_30_days"}); r.New.Count == 0 || r.Done.Count == 0 || r.Total == 0 {
		t.Errorf("%+v", r)
	}
	before := call[report](d, "get_report", args{"repo": configurator})
	call[map[string]any](d, "update_issue", args{"issues": manyIssues(4, 2), "state_reason": "not_planned"})
	if after := call[report](d, "get_report", args{"repo": configurator}); after.Done.Count != before.Done.Count || after.Total >= before.Total {
		t.Errorf("%+v, before %+v", after, before)
	}
	d.fails(fault.InvalidInput, "get_report", args{}, "project")
}

func TestNames_AWrongOneIsAnsweredWithTheNearest(t *testing.T) {
	d := newToolEnv(t)
	issues := []string{"fernhil-bikes/configurator#2", configurator + "#4"}
	for _, x := range []struct {
		tool string
		with args
		near string
	}{
		{"list_issues", args{"repo": "fernhill-bikes/configuratr"}, configurator}, {"list_issues", args{"repo": "jonas-brandt/configurator"}, configurator},
		{"list_issues", args{"repo": "fernhill-bikes/configuratr", "query": "photos"}, configurator},
		{"get_issue", args{"issue": "fernhil-bikes/configurator#2"}, configurator}, {"update_issue", args{"issue": "fernhil-bikes/configurator#2", "state": "closed"}, configurator},
		{"update_issue", args{"issues": issues, "state": "closed"}, configurator}, {"add_issue_comment", args{"issues": issues, "body": "x"}, configurator},
		{"add_issue_comment", args{"issue": "fernhill-bikes/frame-drawing#2", "body": "x"}, "fernhill-bikes/frame-drawings"},
		{"create_issue", args{"repo": "fernhil-bikes/configurator", "title": "x"}, configurator},
		{"create_issue", args{"repo": "fernhil-bikes/configurator", "issues": manyTitles(2)}, configurator},
		{"create_milestone", args{"repo": "fernhil-bikes/configurator", "title": "x"}, configurator},
		{"find", args{"kind": "label", "repo": "fernhil-bikes/configurator"}, configurator}, {"get_report", args{"repo": "fernhil-bikes/configurator"}, configurator},
		{"add_project_item", args{"project": launch, "item": "fernhil-bikes/configurator#2"}, configurator},
		{"get_project", args{"project": "fernhil-bikes/1"}, launch}, {"list_project_items", args{"project": "fernhill-bikes/11"}, launch},
		{"list_projects", args{"owner": "fernhil-bikes"}, "fernhill-bikes"}, {"create_project", args{"title": "x", "owner": "ines-albrecht-x"}, ines},
		{"find", args{"kind": "repo", "owner": "fernhil-bikes"}, "fernhill-bikes"}, {"find", args{"kind": "team", "owner": "fernhil-bikes"}, "fernhill-bikes"},
	} {
		var f failed
		requests, _ := d.asked(func() { f = d.fails(fault.NotFound, x.tool, x.with, x.near) })
		if len(requests) > 5 || len(writes(requests)) > 1 || !slices.ContainsFunc(f.Data.Nearest, func(c fault.Candidate) bool { return c.Ref == x.near }) {
			t.Errorf("%s %v: %s, %+v", x.tool, x.with, operations(requests), f.Data.Nearest)
		}
	}
}
