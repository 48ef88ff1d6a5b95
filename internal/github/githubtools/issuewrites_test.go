package githubtools

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/github/githubtools/parts"
	"basecamp-mcp/internal/report/fault"
)

// stored returns the body of an issue as GitHub has it.
func stored(d *toolEnv, number int) string {
	d.Helper()
	return storedIssue(d, number).Body
}

var configuratorRepo = github.Repo{Owner: "fernhill-bikes", Name: "configurator"}

// store sets the body of an issue as a user does on GitHub.
func store(d *toolEnv, number int, body string) {
	d.Helper()
	if _, err := d.client().UpdateIssue(d.Context(), configuratorRepo, number, github.Fields{"body": body}, nil); err != nil {
		d.Fatal(err)
	}
}

// storedIssue returns an issue as GitHub has it.
func storedIssue(d *toolEnv, number int) github.Issue {
	d.Helper()
	i, err := d.client().Issue(d.Context(), configuratorRepo, number)
	if err != nil {
		d.Fatal(err)
	}
	return i
}

func TestCreateIssue_WithEverythingByName(t *testing.T) {
	d := newToolEnv(t)
	body := "# New\r\n<!-- note --> a <b> & \u200b `c`"
	made := call[writtenIssue](d, "create_issue", args{
		"repo": configurator, "title": "Bell rings twice", "body": body, "labels": []string{"BUG", "hot"},
		"assignees": []string{"me", "@sam-okafor"}, "milestone": "summer fleet",
	})
	if made.Title != "Bell rings twice" || *made.Milestone != "Summer fleet" || !slices.Equal(made.Labels, []string{"bug", "🔥 hot"}) ||
		!parts.HasName(made.Assignees, ines) || !parts.HasName(made.Assignees, "sam-okafor") || len(made.NotApplied) != 0 {
		t.Errorf("%+v", made)
	}
	if got := stored(d, made.Number); got != body {
		t.Errorf("%q", got)
	}
}

func TestUpdateIssue_ChangesOnlyWhatDiffers(t *testing.T) {
	d := newToolEnv(t)
	ref := configurator + "#77"
	for _, test := range []struct {
		with args
		want []string
		ok   func(updatedIssue) bool
	}{
		{args{"title": "Range is too hopeful"}, []string{"title"}, func(i updatedIssue) bool { return i.Title == "Range is too hopeful" }},
		{args{"add_labels": []string{"Hot"}, "remove_labels": []string{"bug"}}, []string{"labels"}, func(i updatedIssue) bool {
			return parts.HasName(i.Labels, "🔥 hot") && !parts.HasName(i.Labels, "bug") && parts.HasName(i.Labels, "priority: high")
		}},
		{args{"labels": []string{}}, []string{"labels"}, func(i updatedIssue) bool { return len(i.Labels) == 0 }},
		{args{"assignees": []string{"me"}}, []string{"assignees"}, func(i updatedIssue) bool { return slices.Equal(i.Assignees, []string{ines}) }},
		{args{"remove_assignees": []string{"@me"}}, []string{"assignees"}, func(i updatedIssue) bool { return len(i.Assignees) == 0 }},
		{args{"milestone": "Spring launch"}, []string{"milestone"}, func(i updatedIssue) bool { return *i.Milestone == "Spring launch" }},
		{args{"milestone": "none"}, []string{"milestone"}, func(i updatedIssue) bool { return i.Milestone == nil }},
		{args{"milestone": 3}, []string{"milestone"}, func(i updatedIssue) bool { return *i.Milestone == "Summer fleet" }},
		{args{"state_reason": "not_planned"}, []string{"state", "state_reason"}, func(i updatedIssue) bool { return i.State == "closed" && *i.StateReason == "not_planned" }},
		{args{"state": "open"}, []string{"state", "state_reason"}, func(i updatedIssue) bool { return i.State == "open" }},
		{args{"body": ""}, []string{"body"}, func(i updatedIssue) bool { return i.Body == "" }},
	} {
		test.with["issue"] = ref
		got := call[updatedIssue](d, "update_issue", test.with)
		if !test.ok(got) || !slices.Equal(got.Changed, test.want) || len(got.NotApplied) != 0 {
			t.Errorf("%v: %+v", test.with, got)
		}
		d.writesNothing(test.with, func() {
			if again := call[updatedIssue](d, "update_issue", test.with); len(again.Changed) != 0 {
				t.Errorf("%v again: %v", test.with, again.Changed)
			}
		})
	}
}

func TestUpdateIssue_EditsTheTextThatGitHubHas(t *testing.T) {
	d := newToolEnv(t)
	ref := configurator + "#83"
	call[updatedIssue](d, "update_issue", args{"issue": ref, "find": "photos\n- [ ] prices", "replace": "photos <!-- kept -->\n- [x] prices"})
	call[updatedIssue](d, "update_issue", args{"issue": ref, "append": "Done & dusted"})
	want := "- [ ] photos <!-- kept -->\r\n- [x] prices\r\n- [x] translations\r\n" + "\r\n\r\n" + "Done & dusted"
	if got := stored(d, 83); got != want {
		t.Errorf("%q", got)
	}
	hidden := stored(d, 12)
	call[updatedIssue](d, "update_issue", args{"issue": configurator + "#12", "append": "Seen."})
	if got := stored(d, 12); got != hidden+"\n\nSeen." {
		t.Errorf("%q", got)
	}
	d.writesNothing("a refused edit", func() {
		d.fails(fault.InvalidInput, "update_issue", args{"issue": ref, "find": "no such words", "replace": ""}, "not in the body")
		d.fails(fault.InvalidInput, "update_issue", args{"issue": ref, "find": "[x]", "replace": ""}, "2 times")
		d.fails(fault.InvalidInput, "update_issue", args{"issue": ref, "find": "photos"}, "together")
		d.fails(fault.InvalidInput, "update_issue", args{"issue": ref, "body": "a", "append": "b"}, "only one")
		d.fails(fault.InvalidInput, "update_issue", args{"issue": ref, "append": strings.Repeat("a", 65_500)}, "65536")
		d.fails(fault.InvalidInput, "update_issue", args{"issue": ref}, "nothing to change")
		d.fails(fault.InvalidInput, "update_issue", args{"issue": ref, "state": "open", "state_reason": "completed"}, "state_reason")
		d.fails(fault.InvalidInput, "update_issue", args{"issue": ref, "labels": []string{"bug"}, "add_labels": []string{"bug"}}, "add_labels")
		d.fails(fault.InvalidInput, "update_issue", args{"issue": ref, "assignees": []string{"me"}, "remove_assignees": []string{"me"}}, "remove_assignees")
		d.fails(fault.NotFound, "update_issue", args{"issue": ref, "remove_labels": []string{"nice"}}, "bug")
	})
}

// A batch answers what changed, and what that was before, as a call for one issue does.
func TestUpdateIssues_AnswerThePreviousStateAsForOne(t *testing.T) {
	for _, before := range []args{nil, {"state": "closed"}, {"state_reason": "not_planned"}} {
		for _, change := range []args{{"state": "closed"}, {"state": "open"}, {"state_reason": "completed"}, {"state_reason": "not_planned"}, {"state_reason": "reopened"}, {"issue_fields": twoOwn, "milestone": "Someday", "state": "closed"}} {
			var answers []string
			for _, which := range []args{{"issue": second}, {"issues": []string{second}}} {
				d := newToolEnv(t)
				if before != nil {
					first := args{"issue": second}
					maps.Copy(first, before)
					call[map[string]any](d, "update_issue", first)
				}
				maps.Copy(which, change)
				answer := call[map[string]any](d, "update_issue", which)
				if results, several := answer["results"].([]any); several {
					answer = results[0].(map[string]any)["item"].(map[string]any)
				}
				changed, _ := answer["changed"].([]any)
				slices.SortFunc(changed, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
				was, _ := answer["previous"].(map[string]any)
				answers = append(answers, fmt.Sprint(len(changed), changed, len(was), was, answer["state"]))
			}
			if answers[0] != answers[1] {
				t.Errorf("%v after %v: %s, and in a batch %s", change, before, answers[0], answers[1])
			}
		}
	}
}
