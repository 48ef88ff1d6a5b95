package githubtools

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/github/githubtools/parts"
	"basecamp-mcp/internal/report/fault"
)

func TestRESTInput_AnUnknownPersonIsNamed(t *testing.T) {
	d := newToolEnv(t)
	const assign = "cannot be assigned in this repository; check the login"
	for _, x := range []struct {
		tool, argument string
		with           args
		path, nearest  string
	}{
		{"create_issue", "assignees", args{"repo": configurator, "title": "Bell", "assignees": []string{"me", "@ines-albrect"}}, "assignees[1]", ines},
		{"create_issue", "assignees", args{"repo": configurator, "title": "Bell", "assignees": []string{"ines-albrect", "ines-albrecht"}}, "assignees[0]", ines},
		{"update_issue", "add_assignees", args{"issue": configurator + "#12", "title": "Bell", "add_assignees": []string{"ines-albrect"}}, "add_assignees[0]", ines},
		{"update_issue", "assignees", args{"issue": configurator + "#12", "assignees": []string{"ines-albrect"}}, "assignees[0]", ines},
		{"update_issue", "remove_assignees", args{"issue": configurator + "#12", "remove_assignees": []string{"ines-albrect"}}, "remove_assignees[0]", ines},
	} {
		d.writesNothing(x.tool, func() {
			f := d.fails(fault.NotFound, x.tool, x.with, x.path+`: GitHub has no user "ines-albrect"; similar: "ines-albrecht"`)
			if len(f.Data.Nearest) != 1 || f.Data.Nearest[0].Ref != x.nearest {
				t.Errorf("%s: %+v", x.tool, f.Data)
			}
		})
	}
	cannot := d.refusal("create_issue", args{"repo": configurator, "title": "Bell", "assignees": []string{"lieke-vdmeer"}})
	want := []fault.Violation{{Path: "assignees", Message: `"lieke-vdmeer" ` + assign, Code: "invalid"}}
	if diff := cmp.Diff(want, cannot.Validation); diff != "" || cannot.Code != fault.InvalidInput {
		t.Errorf("%+v %s", cannot, diff)
	}
	both := d.fails(fault.NotFound, "update_issue", args{"issue": configurator + "#12", "add_assignees": []string{"nosuch"}, "remove_assignees": []string{"nosuch2"}}, "and 1 more problem")
	if len(both.Data.Validation) != 2 {
		t.Errorf("%+v", both.Data)
	}
	for _, argument := range []string{"assignee", "creator"} { // GitHub refuses the one, and finds nothing for the other
		f := d.fails(fault.NotFound, "list_issues", args{"repo": configurator, argument: "@ines-albrect"}, argument+`: GitHub has no user "ines-albrect"; similar: "ines-albrecht"`)
		if len(f.Data.Nearest) != 1 || f.Data.Nearest[0].Ref != ines {
			t.Errorf("%+v", f.Data)
		}
	}
	if got := call[parts.Page[issue]](d, "list_issues", args{"repo": configurator, "creator": "tomas-herrera"}); len(got.Items) != 0 {
		t.Errorf("%+v", got)
	}
	d.invalid("list_issues", args{"repo": configurator, "assignee": "two words"}, "assignee", `must be a login of at most 39 letters, digits and hyphens, got "two words"`)
	d.invalid("create_issue", args{"repo": configurator, "title": "Bell", "assignees": []string{"me", "@"}}, "assignees[1]", "must be a login")
}

func TestGitHub_NoneAndAnyMeanTheSameOrAreRefused(t *testing.T) {
	d := newToolEnv(t)
	for _, word := range []string{"none", "Any"} {
		call[parts.Page[issue]](d, "list_issues", args{"repo": configurator, "assignee": word})
		call[parts.Page[issue]](d, "list_issues", args{"repo": configurator, "milestone": word})
		d.asksNothing(word, func() {
			d.fails(fault.InvalidInput, "list_issues", args{"repo": configurator, "creator": word}, "creator: must be a login or me, got ")
			d.fails(fault.InvalidInput, "list_issues", args{"repo": configurator, "labels": word}, "labels: must be names of labels: GitHub cannot list issues with any label or with none")
			d.fails(fault.InvalidInput, "create_issue", args{"repo": configurator, "title": "Bell", "assignees": []string{word}}, "assignees[0]: must be a login or me, got ")
			d.fails(fault.InvalidInput, "update_issue", args{"issue": configurator + "#12", "add_assignees": []string{word}}, "add_assignees[0]: must be a login or me, got ")
		})
	}
	got := call[updatedIssue](d, "update_issue", args{"issue": configurator + "#12", "assignees": "none", "labels": "none"})
	if len(got.Assignees)+len(got.Labels)+len(got.NotApplied) != 0 {
		t.Errorf("%+v", got)
	}
}
