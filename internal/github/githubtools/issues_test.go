package githubtools

import (
	"strings"
	"testing"

	"basecamp-mcp/internal/github/githubtools/parts"
	"basecamp-mcp/internal/github/sandbox"
	"basecamp-mcp/internal/report/fault"
)

func TestListIssues_PagesThroughAllIssuesWithoutPullRequests(t *testing.T) {
	d := newToolEnv(t)
	seen := map[int]bool{}
	arguments := args{"repo": configurator, "state": "all", "limit": 30}
	for range 10 {
		p := call[parts.Page[issue]](d, "list_issues", arguments)
		for _, i := range p.Items {
			if seen[i.Number] {
				t.Errorf("#%d twice", i.Number)
			}
			seen[i.Number] = true
		}
		if !p.HasMore {
			break
		}
		arguments["cursor"] = *p.NextCursor
	}
	if len(seen) < 115 || len(seen) >= 140 {
		t.Errorf("%d issues", len(seen))
	}
	pull := call[issueDetails](d, "get_issue", args{"issue": configurator + "#3"})
	if pull.Type != "pull_request" || seen[3] {
		t.Errorf("#3 is a %s, listed %v", pull.Type, seen[3])
	}
}

func TestListIssues_Filters(t *testing.T) {
	d := newToolEnv(t)
	for name, test := range map[string]struct {
		with args
		ok   func(issue) bool
	}{
		"milestone by title":  {args{"milestone": "Summer fleet"}, func(i issue) bool { return *i.Milestone == "Summer fleet" }},
		"milestone by number": {args{"milestone": 3}, func(i issue) bool { return *i.Milestone == "Summer fleet" }},
		"no milestone":        {args{"milestone": "none"}, func(i issue) bool { return i.Milestone == nil }},
		"any milestone":       {args{"milestone": "any"}, func(i issue) bool { return i.Milestone != nil }},
		"me":                  {args{"assignee": "me"}, func(i issue) bool { return parts.HasName(i.Assignees, ines) }},
		"no assignee":         {args{"assignee": "none"}, func(i issue) bool { return len(i.Assignees) == 0 }},
		"creator":             {args{"creator": "@sam-okafor"}, func(i issue) bool { return i.Author == "sam-okafor" }},
		"labels":              {args{"labels": []string{"bug"}}, func(i issue) bool { return parts.HasName(i.Labels, "bug") }},
		"open":                {args{"state": "open"}, func(i issue) bool { return i.State == "open" && i.ClosedAt == nil && i.StateReason == nil }},
		"closed":              {args{"state": "closed"}, func(i issue) bool { return i.State == "closed" && i.ClosedAt != nil && i.StateReason != nil }},
		"the URL":             {args{"repo": sandbox.URL + "/fernhill-bikes/configurator/issues"}, func(i issue) bool { return i.Repo == configurator }},
	} {
		if test.with["repo"] == nil {
			test.with["repo"] = configurator
		}
		only(d, "list_issues", name, test.with, test.ok)
	}
}

func TestGetIssue_ShowsNoTextThatOnlyAModelWouldSee(t *testing.T) {
	d := newToolEnv(t)
	i := call[issueDetails](d, "get_issue", args{"issue": 12, "repo": configurator})
	if strings.ContainsAny(i.Body, "\u200b\u202e\u202c") || strings.Contains(i.Body, "Assistant") || !strings.Contains(i.Body, parts.HiddenComment) ||
		!strings.Contains(i.Body, "<!-- picker -->") {
		t.Errorf("%q", i.Body)
	}
	if len(i.Comments) != 1 || i.Comments[0].Body != "I see it too. [hidden comment] Since the last release." || i.Comments[0].Author != "sam-okafor" {
		t.Errorf("%+v", i.Comments)
	}
	if without := call[issueDetails](d, "get_issue", args{"issue": 12, "repo": configurator, "include_comments": false}); len(without.Comments) != 0 || !without.MoreComments {
		t.Errorf("%+v, more: %v", without.Comments, without.MoreComments)
	}
	if silent := call[issueDetails](d, "get_issue", args{"issue": configurator + "#1", "include_comments": false}); silent.MoreComments {
		t.Error("an issue without comments has more of them")
	}
}

func TestGetIssue_ReadsLongBodiesInParts(t *testing.T) {
	d := newToolEnv(t)
	first := call[issueDetails](d, "get_issue", args{"issue": configurator + "#31"})
	if !first.Truncated || first.NextOffset == 0 {
		t.Fatalf("%d characters, next %d", len(first.Body), first.NextOffset)
	}
	second := call[issueDetails](d, "get_issue", args{"issue": configurator + "#31", "offset": first.NextOffset})
	if whole := strings.Repeat("One dealer asked for longer test rides, another for shorter ones. ", 900); first.Body+second.Body != whole || second.NextOffset != 0 {
		t.Errorf("%d and %d characters of %d", len(first.Body), len(second.Body), len(whole))
	}
	d.fails(fault.InvalidInput, "get_issue", args{"issue": configurator + "#31", "offset": 70_000}, "offset")
}

func TestGetIssue_PagesThroughItsComments(t *testing.T) {
	d := newToolEnv(t)
	arguments, seen := args{"issue": configurator + "#77"}, 0
	for range 5 {
		i := call[issueDetails](d, "get_issue", arguments)
		seen += len(i.Comments)
		if !i.MoreComments {
			break
		}
		arguments["cursor"] = *i.NextCursor
	}
	if seen != 130 {
		t.Errorf("%d comments", seen)
	}
}

func TestGetIssue_FindsItByEveryReference(t *testing.T) {
	d := newToolEnv(t)
	for _, with := range []args{
		{"issue": configurator + "#77"}, {"issue": 77, "repo": configurator}, {"issue": "#77", "repo": configurator},
		{"issue": sandbox.URL + "/" + configurator + "/issues/77#issuecomment-1"}, {"issue": "range estimate is TOO hopeful", "repo": configurator},
		{"issue": sandbox.URL + "/" + configurator + "/pull/77", "repo": configurator},
	} {
		if i := call[issueDetails](d, "get_issue", with); i.Ref != configurator+"#77" {
			t.Errorf("%v: %s", with, i.Ref)
		}
	}
	pull := call[issueDetails](d, "get_issue", args{"issue": configurator + "#59"})
	if pull.Type != "pull_request" || pull.State != "open" {
		t.Fatalf("#59 is a %s %s", pull.State, pull.Type)
	}
	d.fails(fault.NotFound, "get_issue", args{"issue": pull.Title, "repo": configurator}, "open issue")
	d.fails(fault.NotFound, "get_issue", args{"issue": "No such title", "repo": configurator}, "list_issues")
	d.fails(fault.NotFound, "get_issue", args{"issue": "ange estimate is too hopeful!", "repo": configurator}, `; similar: "Range estimate is too hopeful" (`+configurator+"#77)")
	d.fails(fault.NotFound, "get_issue", args{"issue": configurator + "#999"})
	if moved := call[issueDetails](d, "get_issue", args{"issue": configurator + "#58"}); moved.Repo != "fernhill-bikes/frame-drawings" {
		t.Errorf("moved to %s", moved.Repo)
	}
}
