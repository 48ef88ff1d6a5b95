package githubtools

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/github/githubtools/parts"
	"basecamp-mcp/internal/github/sandbox"
	"basecamp-mcp/internal/report/fault"
)

// invalid calls a tool with an argument that must be refused before GitHub is asked, with this
// message about this path.
func (d *toolEnv) invalid(tool string, arguments args, path, message string) {
	d.Helper()
	requests, _ := d.asked(func() {
		f := d.refusal(tool, arguments)
		if f.Code != fault.InvalidInput || f.Message != path+": "+message || len(f.Validation) != 1 || f.Validation[0].Path != path || f.Validation[0].Message != message ||
			f.Validation[0].Code == "" || f.Retryable {
			d.Errorf("%s %.200v: %+v", tool, arguments, f)
		}
	})
	if len(requests) != 0 {
		d.Errorf("%s %.200v: %+v", tool, arguments, requests)
	}
}

func TestRESTInput_EveryMalformedRepositoryIsRefusedHere(t *testing.T) {
	d := newToolEnv(t)
	const form = "must be owner/name or the URL of a repository"
	for text, message := range map[string]string{
		"":  "must not be empty",
		" ": form + `, got ""`,
		"/": form + `, got "/"`, "a/b/c": form + `, got "a/b/c"`, "a/..": form + `, got "a/.."`,
		"a/b?x": form + `, got "a/b?x"`, "a b/c": form + `, got "a b/c"`, "-a/b": form + `, got "-a/b"`, "a/b#12": form + `, got "a/b#12"`,
		"git@github.com:a/b.git":                        form + `, got "git@github.com:a/b.git"`,
		"https://gitlab.com/a/b":                        form + " on GitHub",
		"http://github.sandbox/a/b":                     form + " on GitHub",
		"https://nora@github.sandbox/a/b":               form + " on GitHub",
		"https://github.sandbox.evil.example/a/b":       form + " on GitHub",
		sandbox.URL + "/fernhill-bikes":                 form + " on GitHub",
		sandbox.URL + "/orgs/fernhill-bikes/projects/1": form + " on GitHub",
		sandbox.URL + "/users/ines-albrecht/projects/1": form + " on GitHub",
		strings.Repeat("a", 1001):                       "must be at most 1000 characters, got 1001",
		strings.Repeat("a", 40) + "/b":                  form + `, got "` + strings.Repeat("a", 40) + `/b"`,
		"fernhill-bikes/" + strings.Repeat("n", 101):    form + `, got "fernhill-bikes/` + strings.Repeat("n", 85) + `…"`,
	} {
		if strings.TrimSpace(text) != "" {
			d.invalid("list_issues", args{"repo": text}, "repo", message)
		}
		d.invalid("create_issue", args{"repo": text, "title": "Bell"}, "repo", message)
		d.invalid("create_milestone", args{"repo": text, "title": "Autumn"}, "repo", message)
		if strings.TrimSpace(text) != "" {
			d.invalid("get_issue", args{"repo": text, "issue": 12}, "repo", message)
		}
	}
	d.invalid("create_issue", args{"repo": nil, "title": "Bell"}, "repo", "is required")
	d.invalid("list_issues", args{"repo": []string{configurator}}, "repo", "must be a string, got a list")
	d.invalid("list_issues", args{"repo": true}, "repo", "must be a string, got true")
}

func TestRESTInput_EveryMalformedIssueIsRefusedHere(t *testing.T) {
	d := newToolEnv(t)
	const (
		form    = "must be a positive integer, a name or a GitHub URL, got "
		needs   = "must be owner/repo#12 or the URL of an issue; a number or a title needs repo"
		address = "must be the URL of an issue or a pull request on GitHub, such as https://github.com/owner/repo/issues/12"
		number  = "must name an issue by its number, got "
	)
	at := sandbox.URL + "/" + configurator
	for _, x := range []struct {
		issue   any
		message string // the same with and without repo
	}{
		{nil, "is required"}, {0, form + "0"}, {-1, form + "-1"}, {1.5, form + "1.5"}, {"0", form + `"0"`}, {true, form + "true"},
		{map[string]any{"number": 77}, form + "an object"}, {[]int{77, 78}, form + "a list"}, {strings.Repeat("a", 1001), form + "1001 bytes"},
		{"#0", number + `"0"`}, {configurator + "#0", number + `"0"`}, {configurator + "#9999999999", number + `"9999999999"`},
		{12345678901, number + `"12345678901"`}, {"#99999999999999999999", number + `"99999999999999999999"`},
		{strings.Repeat("b", 257), "must be a number, owner/repo#12, a URL or a title of at most 256 characters"},
		{"https://gitlab.com/fernhill-bikes/configurator/issues/77", address}, {"http://github.sandbox/" + configurator + "/issues/77", address},
		{at, address}, {at + "/milestone/3", address}, {at + "/issues", address}, {sandbox.URL + "/orgs/fernhill-bikes/projects/1", address},
		{sandbox.APIURL + "/repos/" + configurator + "/issues/77", address},
		{at + "/issues/abc", number + `"abc"`}, {at + "/issues/0", number + `"0"`}, {at + "/pull/-3", number + `"-3"`}, {at + "/issues/new", number + `"new"`},
	} {
		for _, tool := range []struct {
			name string
			more args
		}{{"get_issue", args{}}, {"update_issue", args{"title": "Bell"}}, {"add_issue_comment", args{"body": "Bell"}}} {
			with := maps.Clone(tool.more)
			with["issue"] = x.issue
			if _, several := x.issue.([]int); several && tool.name != "get_issue" {
				continue // they take several as issues
			}
			message := x.message
			if x.issue == nil && tool.name != "get_issue" {
				message += "; for several, give issues"
			}
			d.invalid(tool.name, with, "issue", message)
			with["repo"] = configurator
			d.invalid(tool.name, with, "issue", message)
		}
	}
	for _, issue := range []any{77, "77", "#77", "Frame colour picker forgets the choice", configurator, configurator + "/77"} {
		d.invalid("get_issue", args{"issue": issue}, "issue", needs)
	}
	d.invalid("get_issue", args{"issue": configurator + "#77", "repo": "fernhill-bikes/old-shop"}, "repo",
		"is fernhill-bikes/old-shop, but issue is in "+configurator+"; leave repo out")
	d.invalid("get_issue", args{"issue": configurator + "#77", "repo": "None"}, "repo", "is None, but issue is in "+configurator+"; leave repo out")
	d.invalid("get_issue", args{"issue": configurator + "#77", "offset": -1}, "offset", "must be at least 0, got -1")
	for _, x := range []args{{"issue": "configurator#77"}, {"issue": "configurator#77", "repo": configurator}, {"issue": configurator + "#77", "repo": "configurator"}} {
		x["include_comments"] = false
		if i := call[issueDetails](d, "get_issue", x); i.Ref != configurator+"#77" {
			t.Errorf("%s", i.Ref)
		}
	}
}

func TestRESTInput_ATitleOfSeveralIssuesListsThem(t *testing.T) {
	d := newToolEnv(t)
	want := told{
		Code: fault.Ambiguous, Message: `issue: "prices  DIFFER from the shop" matches 2 open issues; send the ref of one`,
		Candidates: []fault.Candidate{
			{Ref: configurator + "#46", Name: "Prices differ from the shop", Where: "jonas-brandt"},
			{Ref: configurator + "#45", Name: "Prices differ from the shop", Where: "ines-albrecht"},
		},
	}
	for tool, more := range map[string]args{"get_issue": {}, "update_issue": {"state": "closed"}, "add_issue_comment": {"body": "Same here"}} {
		more["issue"], more["repo"] = "prices  DIFFER from the shop", configurator
		d.writesNothing(tool, func() {
			if diff := cmp.Diff(want, d.refusal(tool, more)); diff != "" {
				t.Errorf("%s: %s", tool, diff)
			}
		})
	}
	if i := call[issueDetails](d, "get_issue", args{"issue": want.Candidates[1].Ref}); i.Number != 45 {
		t.Errorf("%s", i.Ref)
	}
}

func TestRESTInput_AnUnknownLabelOrMilestoneListsWhatThereIs(t *testing.T) {
	d := newToolEnv(t)
	const labels = `"bug", "enhancement", "documentation", "question", "good first issue", "design", "🔥 hot", "priority: high", "priority: low", "needs dealer input"`
	const milestones = `"First sketch", "Spring launch", "Spring launch: dealers", "Summer fleet", "Someday"`
	for _, x := range []struct {
		tool, argument string
		with           args
		message        string
		refs           []string
	}{
		{"list_issues", "labels", args{"repo": configurator, "labels": []string{"bug", "nice"}}, `"nice" is not one of the labels; there are ` + labels, nil},
		{"create_issue", "labels", args{"repo": configurator, "title": "Bell", "labels": []string{"nice", "bug", "nicer"}}, `"nice", "nicer" are not among the labels; there are ` + labels, nil},
		{"update_issue", "add_labels", args{"issue": configurator + "#12", "add_labels": []string{"nice"}}, `"nice" is not one of the labels; there are ` + labels, nil},
		{"update_issue", "remove_labels", args{"issue": configurator + "#12", "remove_labels": []string{"nice"}}, `"nice" is not one of the labels; there are ` + labels, nil},
		{"list_issues", "milestone", args{"repo": configurator, "milestone": "Winter"}, `"Winter" is not one of the milestones; there are ` + milestones, []string{"5", "1", "2", "3", "4"}},
		{"list_issues", "milestone", args{"repo": configurator, "milestone": 99}, `"99" is not one of the milestones; there are ` + milestones, []string{"5", "1", "2", "3", "4"}},
		{"create_issue", "milestone", args{"repo": configurator, "title": "Bell", "milestone": 99}, `"99" is not one of the milestones; there are ` + milestones, []string{"5", "1", "2", "3", "4"}},
		{"update_issue", "milestone", args{"issue": configurator + "#12", "milestone": "Winter"}, `"Winter" is not one of the milestones; there are ` + milestones, []string{"5", "1", "2", "3", "4"}},
		{"list_issues", "labels", args{"repo": "fernhill-bikes/old-shop", "labels": []string{"bug"}}, `"bug" is not one of the labels; there are none`, []string{}},
		{"create_issue", "milestone", args{"repo": "fernhill-bikes/frame-drawings", "title": "Bell", "milestone": "Spring"}, `"Spring" is not one of the milestones; there are none`, []string{}},
	} {
		d.writesNothing(x.tool, func() {
			f := d.refusal(x.tool, x.with)
			refs := []string{}
			for _, c := range f.Nearest {
				refs = append(refs, c.Ref)
			}
			if x.refs == nil {
				x.refs = strings.Split(strings.Trim(labels, `"`), `", "`)
			}
			if f.Code != fault.NotFound || f.Message != x.argument+": "+x.message || f.Candidates != nil || !slices.Equal(x.refs, refs) {
				t.Errorf("%s %v: %+v", x.tool, x.with, f)
			}
		})
	}
}

func TestRESTInput_ListsSimilarNamesOrTenOfMany(t *testing.T) {
	d := newToolEnv(t)
	var all []string
	for i := range 60 {
		all = append(all, fmt.Sprintf(`{"id": %d, "name": "label %02d"}`, i+1, i))
	}
	d.sandbox.Inject(sandbox.Fault{PathPrefix: "/repos/" + configurator + "/labels", Status: 200, Body: "[" + strings.Join(all, ",") + "]"})
	f := d.refusal("create_issue", args{"repo": configurator, "title": "Bell", "labels": []string{"nice"}})
	if len(f.Nearest) != 10 || !strings.HasSuffix(f.Message, `"label 09" and 50 more`) {
		t.Errorf("%d are listed, %s", len(f.Nearest), f.Message)
	}
	d.sandbox.Inject(sandbox.Fault{PathPrefix: "/repos/" + configurator + "/labels", Status: 200, Body: "[" + strings.Join(all, ",") + "]"})
	f = d.refusal("create_issue", args{"repo": configurator, "title": "Bell", "labels": []string{"lable 42"}})
	if len(f.Nearest) != 1 || f.Nearest[0].Ref != "label 42" || !strings.Contains(f.Message, `; similar: "label 42"`) {
		t.Errorf("%s", f.Message)
	}
}

func TestRESTInput_APartOfOneNameIsEnoughForALabelOrAMilestone(t *testing.T) {
	d := newToolEnv(t)
	made := call[writtenIssue](d, "create_issue", args{"repo": configurator, "title": "Bell", "labels": []string{"dealer", "hot"}, "milestone": "summer"})
	if diff := cmp.Diff([]string{"needs dealer input", "🔥 hot"}, made.Labels); diff != "" || *made.Milestone != "Summer fleet" {
		t.Errorf("%+v %s", made, diff)
	}
	d.fails(fault.Ambiguous, "create_issue", args{"repo": configurator, "title": "Bell", "labels": []string{"priority"}}, "2 labels")
	f := d.fails(fault.Ambiguous, "list_issues", args{"repo": configurator, "milestone": "Spring"}, "2 milestones")
	if diff := cmp.Diff([]fault.Candidate{{Ref: "1", Name: "Spring launch", Where: "open"}, {Ref: "2", Name: "Spring launch: dealers", Where: "open"}}, f.Data.Candidates); diff != "" {
		t.Error(diff)
	}
	if p := call[parts.Page[issue]](d, "list_issues", args{"repo": configurator, "milestone": "Spring launch"}); len(p.Items) == 0 || *p.Items[0].Milestone != "Spring launch" {
		t.Errorf("%+v", p)
	}
	call[milestone](d, "create_milestone", args{"repo": configurator, "title": "Model 2099"})
	// A number is never a part of a title.
	d.fails(fault.NotFound, "create_issue", args{"repo": configurator, "title": "Bell", "milestone": 99}, "not one of the milestones")
	if made := call[writtenIssue](d, "create_issue", args{"repo": configurator, "title": "Bell", "milestone": "none"}); made.Milestone != nil {
		t.Errorf("%s", *made.Milestone)
	}
}

func TestListIssues_ReadsALabelAsTheCallerMeansItAndPagesOn(t *testing.T) {
	d := newToolEnv(t)
	exact := call[parts.Page[issue]](d, "list_issues", args{"repo": configurator, "labels": []string{"🔥 hot"}, "state": "all", "limit": 100})
	var numbers, want []int
	for _, i := range exact.Items {
		want = append(want, i.Number)
	}
	with := args{"repo": configurator, "labels": []string{"Hot"}, "state": "all", "limit": 4}
	for range 10 {
		p := call[parts.Page[issue]](d, "list_issues", with)
		for _, i := range p.Items {
			numbers = append(numbers, i.Number)
		}
		if !p.HasMore {
			break
		}
		with["cursor"] = *p.NextCursor
	}
	if diff := cmp.Diff(want, numbers); diff != "" || len(want) < 8 {
		t.Errorf("%d issues %s", len(want), diff)
	}
	requests, core := d.asked(func() {
		if p := call[parts.Page[issue]](d, "list_issues", args{"repo": configurator, "labels": []string{"bug"}, "since": "now"}); len(p.Items) != 0 || p.HasMore {
			t.Errorf("%+v", p)
		}
	})
	if len(requests) != 2 || core > 2 {
		t.Errorf("an empty list: %+v", requests)
	}
	call[milestone](d, "create_milestone", args{"repo": configurator, "title": "2099"})
	// A title can consist of digits.
	if p := call[parts.Page[issue]](d, "list_issues", args{"repo": configurator, "milestone": 2099}); len(p.Items) != 0 {
		t.Errorf("%+v", p)
	}
}

func TestRESTInput_AMilestonesTitleIsTakenOnce(t *testing.T) {
	d := newToolEnv(t)
	u := upstreamOf(422, "Validation Failed")
	u.DocumentationURL = "https://docs.github.com/rest/issues/milestones"
	want := told{
		Code: fault.InvalidInput, Message: "GitHub did not accept title; data.validation says why", Upstream: u,
		About:      fault.Resource{Type: "repository", ID: configurator},
		Validation: []fault.Violation{{Path: "title", Message: "already exists on GitHub; choose another", Code: "already_exists"}},
	}
	requests, _ := d.asked(func() {
		if diff := cmp.Diff(want, d.refusal("create_milestone", args{"repo": configurator, "title": "spring LAUNCH"})); diff != "" {
			t.Error(diff)
		}
	})
	if len(requests) != 1 {
		t.Errorf("%+v", requests)
	}
	for due, message := range map[string]string{
		"2026-02-30": `there is no day 30 in February 2026, which has 28 days; got "2026-02-30"`,
		"soon":       `must be a date such as 2026-11-22, tomorrow, friday, "in 2 weeks" or "December 7"; got "soon"`,
	} {
		d.invalid("create_milestone", args{"repo": configurator, "title": "Autumn", "due_on": due}, "due_on", message)
	}
	for _, none := range []any{"", "none", nil} {
		if m := call[milestone](d, "create_milestone", args{"repo": configurator, "title": fmt.Sprintf("Autumn %v", none), "due_on": none}); m.DueOn != nil {
			t.Errorf("%v: %s", none, *m.DueOn)
		}
	}
}

func TestRESTInput_AWrongWordOrTypeNamesTheRightOnes(t *testing.T) {
	d := newToolEnv(t)
	for _, x := range []struct {
		tool, path string
		value      any
		message    string
	}{
		{"list_issues", "state", "merged", `must be one of open, closed, all, got "merged"`},
		{"list_issues", "sort", "newest", `must be one of created, updated, comments, got "newest"`},
		{"list_issues", "direction", "down", `must be one of desc, asc, got "down"`},
		{"list_issues", "state", 1, `must be a string, got 1`},
		{"list_issues", "limit", 0, "must be between 1 and 100, got 0"},
		{"list_issues", "limit", "ten", `must be an integer, got "ten"`},
		{"list_issues", "since", "soon", `must be a date such as 2026-11-22, yesterday or "3 days ago", a time such as 2026-11-22T09:00:00Z, or a span such as last_7_days; got "soon"`},
		{"list_issues", "since", "2199-01-01", `must not be in the future, got "2199-01-01"`},
		{"list_issues", "since", "2026-02-30", `there is no day 30 in February 2026, which has 28 days; got "2026-02-30"`},
		{"list_issues", "labels", args{}, "must be a list, got an object"},
		{"list_issues", "labels", []string{" "}, "must be names of at most 100 characters"},
		{"list_issues", "milestone", -1, "must be a positive integer, a name or a GitHub URL, got -1"},
		{"list_issues", "page", 2, "is not an argument; there are repo, state, labels, assignee, creator, author, milestone, since, sort, direction, query, in, type, mentions, involves, review_asked, project, limit, cursor"},
		{"create_issue", "title", nil, "is required"},
		{"create_issue", "title", " \u200b", "must not be blank"},
		{"create_issue", "body", []string{"a", "b"}, "must be a string, got a list"},
		{"create_issue", "state", "closed", "is not an argument; there are repo, title, body, issues, labels, assignees, milestone, type, parent, project, fields, issue_fields, idempotency_key"},
		{"create_milestone", "state", "done", `must be one of open, closed, got "done"`},
		{"update_issue", "state", "done", `must be one of open, closed, got "done"`},
		{"update_issue", "state_reason", "wontfix", `must be one of completed, not_planned, reopened, got "wontfix"`},
		{"get_issue", "include_comments", "maybe", `must be true or false, got "maybe"`},
		{"get_issue", "offset", 1.5, "must be an integer, got 1.5"},
		{"list_project_items", "type", "draft", `must be one of issue, pull_request, draft_issue, got "draft"`},
		{"list_project_items", "archived", "maybe", `must be true or false, got "maybe"`},
		{"list_project_items", "limit", 0, "must be between 1 and 100, got 0"},
		{"list_project_items", "assignee", "no such", `must be a login of at most 39 letters, digits and hyphens, got "no such"`},
		{"update_project", "arguments", nil, "nothing to change; give title, short_description, readme, public, closed or status_update"},
		{"update_project", "title", " ", "must not be blank"},
		{"update_project", "closed", "maybe", `must be true or false, got "maybe"`},
		{"set_field_value", "value", nil, "is required"},
		{"get_field_value", "field", "", "must not be empty"},
		{"delete_project", "colour", "red", "is not an argument; there are project, owner, confirm_title"},
	} {
		with := args{"repo": configurator}
		switch {
		case x.tool == "get_issue", x.tool == "update_issue":
			with = args{"issue": configurator + "#12"}
		case x.tool == "create_issue", x.tool == "create_milestone":
			with["title"] = "Bell"
		case strings.HasSuffix(x.tool, "_field_value"):
			with = onLaunch(args{"item": second, "field": "Status"})
		case strings.Contains(x.tool, "_project"):
			with = onLaunch(nil)
		}
		if x.value == nil && x.path != "title" {
			d.invalid(x.tool, with, x.path, x.message)
			continue
		}
		with[x.path] = x.value
		d.invalid(x.tool, with, x.path, x.message)
	}
}

func TestRESTInput_NullIsAnArgumentLeftOut(t *testing.T) {
	d := newToolEnv(t)
	before := stored(d, 83)
	requests, _ := d.asked(func() {
		call[parts.Page[issue]](d, "list_issues", args{
			"repo": configurator, "state": nil, "labels": nil, "assignee": nil, "creator": nil, "milestone": nil, "since": nil, "sort": nil, "direction": nil, "limit": nil, "cursor": nil,
		})
		made := call[writtenIssue](d, "create_issue", args{"repo": configurator, "title": "Bell", "body": nil, "labels": nil, "assignees": nil, "milestone": nil, "idempotency_key": nil})
		if made.Body != "" || made.Milestone != nil || len(made.Labels)+len(made.Assignees) != 0 {
			t.Errorf("%+v", made)
		}
		got := call[updatedIssue](d, "update_issue", args{
			"issue": configurator + "#83", "repo": nil, "title": "Checklist", "body": nil, "append": nil, "find": nil, "replace": nil, "state": nil, "state_reason": nil,
			"labels": nil, "add_labels": nil, "remove_labels": nil, "assignees": nil, "add_assignees": nil, "remove_assignees": nil, "milestone": nil,
		})
		if !slices.Equal(got.Changed, []string{"title"}) || got.Milestone == nil && len(got.Labels) == 0 {
			t.Errorf("%+v", got)
		}
	})
	if w := writes(requests); len(w) != 2 || stored(d, 83) != before {
		t.Errorf("%v", w)
	}
	d.invalid("update_issue", args{"issue": configurator + "#83", "milestone": nil, "labels": nil, "body": nil}, "arguments",
		"nothing to change; give title, body, append, find with replace, state, labels, assignees or milestone")
}
