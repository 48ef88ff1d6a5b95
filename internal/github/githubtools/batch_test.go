package githubtools

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"basecamp-mcp/internal/github/githubtools/boards"
	"basecamp-mcp/internal/github/githubtools/parts"
	"basecamp-mcp/internal/github/sandbox"
	"basecamp-mcp/internal/tool/listing"
)

// manyWrites has a batch of each tool that takes several things: 23 of them, so that the mutation
// takes two documents. count returns how many of them GitHub has.
var manyWrites = []struct {
	tool, mutation, field string
	with                  func() args
	again                 bool // a document can be sent twice
	count                 func(d *toolEnv) int
}{
	{
		"create_issue", "CreateIssues", "createIssue",
		func() args { return args{"repo": configurator, "issues": manyTitles(23)} }, false,
		func(d *toolEnv) int {
			return len(call[parts.Page[issue]](d, "list_issues", args{"repo": configurator, "creator": "me", "since": "yesterday", "limit": 100, "query": "Part"}).Items)
		},
	},
	{
		"update_issue", "UpdateIssues", "updateIssue",
		func() args {
			return args{"issues": openIssues(23), "add_labels": []string{"needs dealer input", "hot"}}
		}, true,
		func(d *toolEnv) int { return labelled(d, openIssues(23)) },
	},
	{
		"update_issue", "CloseIssues", "closeIssue",
		func() args { return args{"issues": openIssues(23), "state_reason": "not_planned"} }, true,
		func(d *toolEnv) int { return closed(d, openIssues(23)) },
	},
	{
		"add_issue_comment", "AddComments", "addComment",
		func() args { return args{"issues": openIssues(23), "body": "Seen in a batch."} }, false,
		func(d *toolEnv) int { return commented(d, openIssues(23)) },
	},
	{
		"add_project_item", "AddItems", "addProjectV2ItemById",
		func() args { return args{"project": ines + "/1", "items": openIssues(23)} }, true,
		func(d *toolEnv) int { return len(allItems(d, args{"project": ines + "/1", "limit": 100})) - 4 },
	},
	{
		"set_field_value", "SetValues", "updateProjectV2ItemFieldValue",
		func() args {
			return args{"project": launch, "items": manyIssues(32, 23), "fields": []args{{"field": "Notes", "value": "Batch"}}}
		}, true,
		noted,
	},
}

// openIssues returns issues of the configurator that are open, and not on Ines's own board.
func openIssues(n int) (refs []string) {
	for _, ref := range manyIssues(14, 140-n) {
		var number int
		_, _ = fmt.Sscanf(strings.TrimPrefix(ref, configurator+"#"), "%d", &number)
		if number*5%11 >= 5 && len(refs) < n {
			refs = append(refs, ref)
		}
	}
	return refs
}

func counted23(d *toolEnv, refs []string, is func(issueDetails) bool) (n int) {
	for _, ref := range refs {
		if is(call[issueDetails](d, "get_issue", args{"issue": ref})) {
			n++
		}
	}
	return n
}

func labelled(d *toolEnv, refs []string) int {
	return counted23(d, refs, func(i issueDetails) bool { return parts.HasName(i.Labels, "needs dealer input") })
}

func closed(d *toolEnv, refs []string) int {
	return counted23(d, refs, func(i issueDetails) bool { return i.State == "closed" })
}

// commented counts the comments, so that one that was made twice shows.
func commented(d *toolEnv, refs []string) (n int) {
	for _, ref := range refs {
		for _, c := range call[issueDetails](d, "get_issue", args{"issue": ref}).Comments {
			if c.Body == "Seen in a batch." {
				n++
			}
		}
	}
	return n
}

func noted(d *toolEnv) (n int) {
	for _, i := range allItems(d, args{"project": launch, "limit": 100}) {
		if slices.ContainsFunc(i.Fields, func(f boards.FieldValue) bool { return f.Name == "Notes" && f.Value == "Batch" }) {
			n++
		}
	}
	return n
}

type anyBatch = listing.Applied[map[string]any]

// A second document is refused: the first 20 are done, the others are not attempted, and a second
// call with these does the rest. Nothing is done twice.
func TestBatches_ALimitInTheMiddleLeavesTheRestNotAttempted(t *testing.T) {
	for name, refused := range map[string]sandbox.Fault{
		"secondary limit":      {Status: 403, Body: `{"message": "You have exceeded a secondary rate limit."}`, Header: map[string][]string{"Retry-After": {"1"}}},
		"429":                  {Status: 429, Body: `{}`, Header: map[string][]string{"Retry-After": {"1"}}},
		"RATE_LIMITED":         {Status: 200, Body: complaint("RATE_LIMITED", "x")},
		"a secondary of words": {Status: 200, Body: complaint("", "You have exceeded a secondary rate limit.")},
	} {
		for _, w := range manyWrites {
			d := newToolEnv(t)
			before := w.count(d)
			refused.Document = "mutation " + w.mutation + "($input0: " + inputType(w.field) + ", $input1: " + inputType(w.field) + ", $input2: " + inputType(w.field) + ") {"
			d.sandbox.Inject(refused)
			got := call[anyBatch](d, w.tool, w.with())
			if got.Done != 20 || got.Failed != 0 || len(got.NotAttempted) != 3 || got.HowToGoOn == "" {
				t.Errorf("%s of %s: %d done, %d failed, not attempted %v", name, w.mutation, got.Done, got.Failed, got.NotAttempted)
			}
			other := d.as(ines, "repo project read:org") // its limits are forgotten
			d.sandbox.ClearFaults()
			if after := w.count(other); after > before+20 {
				t.Errorf("%s of %s: %d after %d", name, w.mutation, after, before)
			}
		}
	}
}

func inputType(field string) string {
	return strings.ToUpper(field[:1]) + field[1:] + "Input!"
}

// The answer to the first document is lost after it was carried out. What can be sent twice is;
// what creates is looked for. Everything is done, and once.
func TestBatches_ALostAnswerLosesNothingAndRepeatsNothing(t *testing.T) {
	for name, lost := range map[string]sandbox.Fault{
		"dropped": {Drop: true, AfterEffect: true}, "502": {Status: 502, AfterEffect: true}, "garbage": {Garbage: true, AfterEffect: true},
	} {
		for _, w := range manyWrites {
			synctest.Test(t, func(t *testing.T) {
				d := newToolEnv(t)
				before := w.count(d)
				lost.Document, lost.Times = "mutation "+w.mutation+"(", 1
				d.sandbox.Inject(lost)
				text, isError := d.caller().Raw("github_"+w.tool, w.with())
				after := w.count(d.as(ines, "repo project read:org"))
				switch {
				case after-before > 23 || after < before:
					t.Errorf("%s of %s: %d after %d", name, w.mutation, after, before)
				case isError && !strings.Contains(text, `"may_have_happened":true`):
					t.Errorf("%s of %s: %.300s", name, w.mutation, text)
				case !isError && !w.again && strings.Contains(text, `"not_attempted"`) == strings.Contains(text, `"done":23`):
					t.Errorf("%s of %s: %.300s", name, w.mutation, text)
				}
			})
		}
	}
}

func TestBatches_NameEveryBadEntryAndWriteNothing(t *testing.T) {
	for _, x := range []struct {
		tool  string
		with  args
		paths []string
	}{
		{"update_issue", args{"issues": []string{configurator + "#2", configurator + "#97", "nowhere", configurator + "#999"}, "repo": configurator, "state": "closed"}, []string{"issues[2]"}},
		{"update_issue", args{"issues": []string{configurator + "#2", configurator + "#999", configurator + "#10"}, "state": "closed"}, []string{"issues[1]"}},
		{"update_issue", args{"issues": []string{configurator + "#2", configurator + "#10"}, "state": "closed"}, []string{"issues[1]"}},
		{"update_issue", args{"issues": []string{configurator + "#2"}, "title": "x"}, []string{"issues"}},
		{"update_issue", args{"issues": []string{configurator + "#2", configurator + "#2"}, "state": "closed"}, []string{"issues[1]"}},
		{"update_issue", args{"issues": []string{configurator + "#2"}, "issue": configurator + "#2", "state": "closed"}, []string{"issue"}},
		{"update_issue", args{"issues": []string{configurator + "#2"}, "add_assignees": []string{"no-such-login"}}, []string{"add_assignees"}},
		{"add_issue_comment", args{"issues": []string{configurator + "#2"}, "body": " "}, []string{"body"}},
		{"add_project_item", args{"project": launch, "items": []string{"#2", configurator + "#2"}}, []string{"items[0]"}},
		{"add_project_item", args{"project": launch, "items": []string{configurator + "#2"}, "fields": []args{{"field": "Nope", "value": "x"}, {"field": "Status", "value": "Nope"}}}, []string{"fields[0]", "fields[1]"}},
		{"set_field_value", args{"project": launch, "items": []string{configurator + "#142", configurator + "#2"}, "fields": []args{{"field": "Notes", "value": "x"}}}, []string{"items[0]"}},
		{"set_field_value", args{"project": launch, "items": []string{configurator + "#2"}, "fields": []args{{"field": "Notes", "value": "x"}, {"field": "notes", "value": "y"}}}, []string{"fields[1]"}},
		{"set_field_value", args{"project": launch, "items": []string{"Order demo bikes", "Nothing such"}, "field": "Notes", "value": "x"}, []string{"items[1]"}},
		{"create_issue", args{"repo": configurator, "issues": []args{{"title": "a"}, {"title": " "}, {"title": strings.Repeat("a", 257)}}}, []string{"issues[1].title", "issues[2].title"}},
		{"create_issue", args{"repo": configurator, "issues": []args{{"title": "a", "assignees": []string{"no-such-login"}}}}, []string{"assignees"}},
		{"create_issue", args{"repo": configurator, "title": "a", "fields": []args{{"field": "Notes", "value": "x"}}}, []string{"fields"}},
		{"create_issue", args{"repo": configurator, "title": "a", "issues": []args{{"title": "a"}}}, []string{"issues"}},
		{"create_issue", args{"repo": configurator, "issues": []args{{"title": "a"}}, "labels": []string{strings.Repeat("l", 60)}}, []string{"labels"}},
	} {
		d := newToolEnv(t)
		var text string
		var isError bool
		requests, _ := d.asked(func() { text, isError = d.caller().Raw("github_"+x.tool, x.with) })
		for _, path := range x.paths {
			if !strings.Contains(text, path) {
				t.Errorf("%s %v does not name %s: %.500s", x.tool, x.with, path, text)
			}
		}
		if w := writes(requests); !isError || len(w) != 0 {
			t.Errorf("%s %v: %v %.200s", x.tool, x.with, w, text)
		}
	}
}

// The document of a batch has the first 20 projects of an issue.
func TestBatches_KnowWhatIsOnManyProjects(t *testing.T) {
	d := newToolEnv(t)
	issue := []string{call[writtenIssue](d, "create_issue", args{"repo": configurator, "title": "Bell"}).Ref}
	for n := range 22 {
		board := args{"project": call[boards.Project](d, "create_project", args{"title": fmt.Sprint("Board ", n)}).URL, "items": issue}
		for _, added := range []bool{true, false} {
			if got := call[listing.Applied[boards.AddedEntry]](d, "add_project_item", board); got.Results[0].Item == nil || got.Results[0].Item.Added != added {
				t.Fatalf("board %d: %+v", n, got.Results[0])
			}
		}
		board["field"], board["value"] = "Status", "Done"
		for _, changed := range []bool{true, false} {
			if got := call[listing.Applied[boards.SetFields]](d, "set_field_value", board); got.Failed > 0 || got.Results[0].Item.Fields[0].Changed != changed {
				t.Fatalf("board %d: %+v", n, got.Results[0])
			}
		}
	}
}
