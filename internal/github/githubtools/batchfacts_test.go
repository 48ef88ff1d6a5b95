package githubtools

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/github/githubtools/boards"
	"basecamp-mcp/internal/github/githubtools/parts"
	"basecamp-mcp/internal/github/sandbox"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/tool/listing"
)

// What is the same as what was written half a minute before is not what a lost write made.
func TestBatches_ALostWriteIsNotWhatWasWrittenBefore(t *testing.T) {
	for mutation, use := range map[string]toolUse{
		"AddComments":  {"add_issue_comment", args{"issues": manyIssues(2, 2), "body": "Same words"}},
		"CreateIssues": {"create_issue", args{"repo": configurator, "issues": manyTitles(2)}},
	} {
		synctest.Test(t, func(t *testing.T) {
			d := newToolEnv(t)
			call[anyBatch](d, use.tool, use.with)
			time.Sleep(30 * time.Second)
			d.sandbox.Inject(sandbox.Fault{Document: "mutation " + mutation, Drop: true, Times: 1})
			if f := d.fails(fault.UpstreamError, use.tool, use.with, "look for it"); !f.Data.MayHaveHappened {
				t.Errorf("%s: %+v", mutation, f)
			}
			time.Sleep(30 * time.Second)
			d.sandbox.Inject(sandbox.Fault{Document: "mutation " + mutation, Drop: true, Times: 1, AfterEffect: true})
			if got := call[anyBatch](d, use.tool, use.with); got.Done != 2 {
				t.Errorf("%s: %+v", mutation, got)
			}
		})
	}
}

// One entry that the client may not use says so; nothing false is said of the others.
func TestBatches_TellNothingFalseOfTheGoodEntries(t *testing.T) {
	d := newToolEnv(t)
	d.fence = fence.Fence{Read: &fence.Places{Repos: []string{configurator}, Boards: []string{launch}}}
	for at := range 2 {
		issues := slices.Insert([]string{second}, at, "fernhill-bikes/frame-drawings#1")
		for _, use := range []toolUse{
			{"update_issue", args{"issues": issues, "state": "closed"}}, {"add_issue_comment", args{"issues": issues, "body": "New"}},
			{"add_project_item", args{"items": issues, "project": launch}}, {"set_field_value", args{"items": issues, "project": launch, "field": "Notes", "value": "x"}},
		} {
			d.writesNothing(use.tool, func() {
				text, isError := d.caller().Raw("github_"+use.tool, use.with)
				if bad := parts.Entry("s", at); !isError || !strings.Contains(text, fence.Code) || !strings.Contains(text, bad) || strings.Contains(text, parts.Entry("s", 1-at)) || strings.Contains(text, "transferred") {
					t.Errorf("%s: %s", use.tool, text)
				}
			})
		}
	}
}

func TestUpdateIssue_NothingIsAddedAndRemoved(t *testing.T) {
	d := newToolEnv(t)
	for argument, with := range map[string]args{
		"remove_sub_issues[0]": {"add_sub_issues": []string{"#4", "#5"}, "remove_sub_issues": []string{configurator + "#5"}},
		"remove_labels":        {"add_labels": []string{"bug"}, "remove_labels": []string{"Bug"}},
		"remove_assignees":     {"add_assignees": []string{"me"}, "remove_assignees": []string{ines}},
	} {
		with["issue"] = second
		d.writesNothing(argument, func() { d.fails(fault.InvalidInput, "update_issue", with, argument+": ", " too") })
		if argument != "remove_sub_issues[0]" {
			delete(with, "issue")
			with["issues"] = []string{second}
			d.writesNothing(argument, func() { d.fails(fault.InvalidInput, "update_issue", with, argument+": ", " too") })
		}
	}
}

// Adding an item again sets what it lacks, and overwrites nothing.
func TestAddProjectItem_OverwritesNothingOfWhatIsThere(t *testing.T) {
	d := newToolEnv(t)
	read := func(field string) any {
		return call[boards.Value](d, "get_field_value", onLaunch(args{"item": second, "field": field})).Value
	}
	was := read("Status")
	with := onLaunch(args{"items": []string{second, configurator + "#142"}, "fields": []args{{"field": "Status", "value": "Done"}, {"field": "Notes", "value": "x"}}})
	got := call[listing.Applied[boards.AddedEntry]](d, "add_project_item", with)
	if got.Done != 1 || got.Failed != 1 || !strings.Contains(got.Results[0].Error.Message, "is on the project already") || read("Status") != was || was == nil || read("Notes") != nil {
		t.Errorf("%+v, the status is %v", got, read("Status"))
	}
	d.fails(fault.InvalidInput, "add_project_item", onLaunch(args{"item": second, "fields": []args{{"field": "Status", "value": "Done"}}}), "github_set_field_value")
	again := call[listing.Applied[boards.AddedEntry]](d, "add_project_item", onLaunch(args{"item": second, "fields": []args{{"field": "Status", "value": was}, {"field": "Notes", "value": "x"}}}))
	if again.Done != 1 || again.Results[0].Item.Added || read("Notes") != "x" {
		t.Errorf("%+v", again)
	}
}
