package githubtools

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/github/githubtools/boards"
	"basecamp-mcp/internal/github/githubtools/parts"
	"basecamp-mcp/internal/github/sandbox"
	"basecamp-mcp/internal/report/fault"
)

const listProjects = "; list an owner's projects with github_list_projects"

func TestProjectInput_AMalformedReferenceIsRefusedBeforeGitHubIsAsked(t *testing.T) {
	const (
		form    = "must be a positive integer, a name or a GitHub URL, got "
		address = "must be the URL of a project on GitHub, such as https://github.com/orgs/owner/projects/5"
	)
	d := newToolEnv(t)
	for _, x := range []struct {
		with    args
		path    string
		message string
	}{
		{args{}, "project", "is required"},
		{args{"project": nil}, "project", "is required"},
		{args{"project": ""}, "project", form + "an empty string"},
		{args{"project": " \t"}, "project", form + "an empty string"},
		{args{"project": 0}, "project", form + "0"},
		{args{"project": -3}, "project", form + "-3"},
		{args{"project": 1.5}, "project", form + "1.5"},
		{args{"project": true}, "project", form + "true"},
		{args{"project": 4_000_000_000}, "project", "must be a number below 1000000000, owner/5, a URL or a title, got 4000000000"},
		{args{"project": json.Number("99999999999999999999")}, "project", form + "99999999999999999999"},
		{args{"project": strings.Repeat("x", 1001)}, "project", form + "1001 bytes"},
		{args{"project": "fernhill-bikes/0"}, "project", `must have a number of at least 1, got "fernhill-bikes/0"`},
		{args{"project": "https://evil.example/orgs/fernhill-bikes/projects/1"}, "project", address},
		{args{"project": sandbox.URL + "/orgs/fernhill-bikes/projects"}, "project", address},
		{args{"project": sandbox.URL + "/fernhill-bikes/configurator/projects/1"}, "project", address},
		{args{"project": sandbox.URL + "/orgs/fernhill-bikes/projects/one"}, "project", "must be the URL of a project, with its number"},
		{args{"project": launch, "owner": "rijnstad-couriers"}, "owner", "is rijnstad-couriers, but project names fernhill-bikes; leave owner out"},
		{args{"project": 1, "owner": "a/b"}, "owner", `must be a login of at most 39 letters, digits and hyphens, got "a/b"`},
		{args{"project": 1, "owner": sandbox.URL}, "owner", `must be a login of at most 39 letters, digits and hyphens, got "` + sandbox.URL + `"`},
	} {
		var got told
		requests, _ := d.asked(func() { got = d.refusal("get_project", x.with) })
		if got.Code != fault.InvalidInput || got.Message != x.path+": "+x.message || got.Retryable || len(requests) != 0 {
			t.Errorf("%v: %d requests, %+v", x.with, len(requests), got)
		}
		if len(got.Validation) != 1 || got.Validation[0].Path != x.path || got.Validation[0].Message != x.message {
			t.Errorf("%v: %+v", x.with, got.Validation)
		}
	}
}

func TestProjectInput_AProjectThatIsNotThereIsNamedAsItWasGiven(t *testing.T) {
	d := newToolEnv(t)
	for _, x := range []struct {
		with    args
		message string
		nearest []string // refs
	}{
		{args{"project": "fernhill-bikes/77"}, "project: GitHub has no project fernhill-bikes/77, or the user may not see it" + listProjects + "; similar: fernhill-bikes/2, fernhill-bikes/1, fernhill-bikes/3", []string{"fernhill-bikes/2", launch, "fernhill-bikes/3"}},
		{args{"project": 3}, "project: GitHub has no project 3, or the user may not see it; a number alone means one of the user's own projects; name an organization's as owner/3", nil},
		{args{"project": "2", "owner": ines}, "project: GitHub has no project ines-albrecht/2, or the user may not see it" + listProjects + "; similar: ines-albrecht/1", []string{"ines-albrecht/1"}},
		{args{"project": "no-such-owner/1"}, "project: GitHub has no project no-such-owner/1, or the user may not see it" + listProjects, nil},
		{args{"project": "PVT_kwAAAAAAAAAA"}, "project: GitHub has no project PVT_kwAAAAAAAAAA, or the user may not see it" + listProjects, nil},
		{
			args{"project": "seson launch", "owner": "fernhill-bikes"},
			`project: found no project with the title "seson launch"; list them with github_list_projects, or name it as owner/5; similar: "Season launch" (fernhill-bikes/1)`,
			[]string{launch},
		},
		{
			args{"project": "our public roadmap board", "owner": "fernhill-bikes"},
			`project: found no project with the title "our public roadmap board"; list them with github_list_projects, or name it as owner/5; similar: "Public roadmap" (fernhill-bikes/3)`,
			[]string{"fernhill-bikes/3"},
		},
		{args{"project": "#1"}, `project: found no project with the title "#1"; list them with github_list_projects, or name it as owner/5`, nil},
		{args{"project": "fernhill-bikes/9999999999"}, `project: found no project with the title "fernhill-bikes/9999999999"; list them with github_list_projects, or name it as owner/5`, nil},
	} {
		got := d.refusal("get_project", x.with)
		var nearest []string
		for _, c := range got.Nearest {
			nearest = append(nearest, c.Ref)
		}
		if got.Code != fault.NotFound || got.Message != x.message || !slices.Equal(nearest, x.nearest) || got.Candidates != nil {
			t.Errorf("%v: %+v", x.with, got)
		}
	}
}

func TestProjectInput_AnItemThatIsNotThereSaysHowToFindIt(t *testing.T) {
	d := newToolEnv(t)
	const list = " is not on the project fernhill-bikes/1; list its items with github_list_project_items"
	elsewhere := d.sandbox.ItemID(ines, 1, "Pack for Utrecht")
	for _, x := range []struct {
		item    any
		code    fault.Code
		message string
	}{
		{2, fault.InvalidInput, "item: a number needs its repository: give owner/repo#12, the URL of the issue or pull request, the item's id or its exact title"},
		{"#2", fault.InvalidInput, "item: a number needs its repository: give owner/repo#12, the URL of the issue or pull request, the item's id or its exact title"},
		{9_000_000_000, fault.InvalidInput, `item: must name an issue by its number, got "9000000000"`},
		{sandbox.URL + "/" + configurator + "/commit/2", fault.InvalidInput, "item: must be the URL of an issue or a pull request on GitHub, such as https://github.com/owner/repo/issues/12"},
		{sandbox.URL + "/" + configurator + "/issues/x", fault.InvalidInput, `item: must name an issue by its number, got "x"`},
		{configurator + "#0", fault.InvalidInput, `item: must name an issue by its number, got "0"`},
		{configurator + "#142", fault.NotFound, "item: " + configurator + "#142" + list},
		{elsewhere, fault.NotFound, "item: " + elsewhere + list},
		{"PVTI_none", fault.NotFound, "GitHub has no project item PVTI_none, or the user may not see it"},
		{configurator + "#9999", fault.NotFound, "GitHub has no issue " + configurator + "#9999, or the user may not see it"},
		{"fernhill-bikes/nothing#1", fault.NotFound, "GitHub has no issue fernhill-bikes/nothing#1, or the user may not see it"},
		{configurator + "#", fault.NotFound, `item: "` + configurator + `#"` + list},
		{"Book the photo rid", fault.NotFound, `item: "Book the photo rid"` + list + `; similar: "Book the photo ride" (` + d.sandbox.ItemID("fernhill-bikes", 1, "Book the photo ride") + ")"},
	} {
		for tool, more := range map[string]args{"get_field_value": {"field": "Status"}, "set_field_value": {"field": "Status", "value": "Done"}, "remove_project_item": {}} {
			more["project"], more["item"] = launch, x.item
			requests, _ := d.asked(func() {
				if got := d.refusal(tool, more); got.Code != x.code || got.Message != x.message || got.Doubt {
					t.Errorf("%s %v: %+v", tool, x.item, got)
				}
			})
			if len(writes(requests)) > 0 || x.code == fault.InvalidInput && len(requests) > 0 {
				t.Errorf("%s %v: asked %+v", tool, x.item, requests)
			}
		}
	}
	for _, item := range []any{"Book the photo ride", elsewhere, 77, "#77"} {
		if got := d.refusal("add_project_item", args{"project": launch, "item": item}); got.Message != "item: must be owner/repo#12 or the URL of an issue or pull request" {
			t.Errorf("%v: %+v", item, got)
		}
	}
}

func TestProjectInput_AValueOfTheWrongKindIsRefusedWithItsReason(t *testing.T) {
	const (
		number  = `value: must be a number such as 2.5, because "Estimate" holds numbers`
		dates   = `a date such as 2026-11-22, tomorrow, friday, "in 2 weeks" or "December 7", because "Ship by" holds dates`
		options = `; there are "Backlog", "Ready", "In progress", "In review", "Done"`
		here    = " cannot be changed here; the user can change it on GitHub"
	)
	sprints := "; there are"
	for n := 11; n <= 18; n++ {
		sprints += fmt.Sprintf(` "Sprint %d",`, n)
	}
	sprints = strings.TrimSuffix(sprints, ",")
	d := newToolEnv(t)
	for _, x := range []struct {
		field   string
		value   any
		message string
		listed  int
	}{
		{"Estimate", "many", number, 0},
		{"Estimate", "NaN", number, 0},
		{"Estimate", "Infinity", number, 0},
		{"Estimate", "1e999", number, 0},
		{"Estimate", "0x1p4", number, 0},
		{"Estimate", "1_000", number, 0},
		{"Estimate", "2,5", number, 0},
		{"Estimate", true, number, 0},
		{"Estimate", []int{3}, number, 0},
		{"Ship by", 20261224, "value: must be " + dates, 0},
		{"Ship by", "2026-02-30", `value: there is no day 30 in February 2026, which has 28 days; got "2026-02-30"`, 0},
		{"Ship by", "soon", "value: must be " + dates + `; got "soon"`, 0},
		{"Ship by", "2026-12-24T00:00:00Z", "value: must be a day without a time: " + dates + `; got "2026-12-24T00:00:00Z"`, 0},
		{"Notes", 5, `value: must be a string, because "Notes" holds text`, 0},
		{"Notes", strings.Repeat("ä", 65_537), "value: must be at most 65536 characters, got 65537", 0},
		{"Status", "Blocked", `value: "Blocked" is not one of the options of "Status"` + options, 5},
		{"Status", 3, `value: "3" is not one of the options of "Status"` + options, 5},
		{"Status", " ", `value: "" is not one of the options of "Status"` + options, 5},
		{"Status", []string{"Done"}, "value: must be the name of an option, as a string" + options, 5},
		{"Priority", "🟢 Urgent", `value: "🟢 Urgent" is not one of the options of "Priority"; there are "🔴 Urgent", "🟠 Urgent", "Normal", "Low"`, 4},
		{"Sprint", "Sprint 99", `value: "Sprint 99" is not one of the iterations` + sprints, 8},
		{"Sprint", "1999-01-01", `value: no iteration matches "1999-01-01"` + sprints, 8},
		{"Sprint", "@later", `value: "@later" is not one of the iterations` + sprints, 8},
		{"Sprint", true, "value: must be the title of an iteration, @current, @next, @previous or a date, as a string" + sprints, 8},
		{"Labels", "bug", `field: "Labels" belongs to the issue; change it with labels of github_update_issue`, 0},
		{"Assignees", "me", `field: "Assignees" belongs to the issue; change it with assignees of github_update_issue`, 0},
		{"Milestone", nil, `field: "Milestone" belongs to the issue; change it with milestone of github_update_issue`, 0},
		{"Title", "New", `field: "Title" belongs to the issue; change it with title of github_update_issue`, 0},
		{"Markets", "Benelux", `field: "Markets" (multi_select)` + here, 0},
		{"Reviewers", ines, `field: "Reviewers" (reviewers)` + here, 0},
		{"Linked pull requests", nil, `field: "Linked pull requests" (linked_pull_requests)` + here, 0},
		{"Repository", configurator, `field: "Repository" (repository)` + here, 0},
	} {
		reads := "Content"
		requests, _ := d.asked(func() {
			got := d.refusal("set_field_value", args{"project": launch, "item": configurator + "#2", "field": x.field, "value": x.value})
			path, message, _ := strings.Cut(x.message, ": ")
			code, want := fault.InvalidInput, []fault.Violation{{Path: path, Message: message, Code: "invalid"}}
			if strings.Contains(message, "is not one of the") || strings.HasPrefix(message, "no iteration") {
				code, want = fault.NotFound, nil
			}
			if diff := cmp.Diff(want, got.Validation); diff != "" || got.Code != code || got.Message != x.message || len(got.Nearest) != x.listed || got.Candidates != nil {
				t.Errorf("%s = %.20v: %d are listed, %s, %s", x.field, x.value, len(got.Nearest), got.Message, diff)
			}
		})
		if operations(requests) != reads {
			t.Errorf("%s = %.20v: %s", x.field, x.value, operations(requests))
		}
	}
	got := d.refusal("set_field_value", args{"project": launch, "item": configurator + "#2", "field": "Priority", "value": "urgent"})
	want := told{
		Code: fault.Ambiguous, Message: `value: "urgent" matches 2 options of "Priority"; send the ref of one`,
		Candidates: []fault.Candidate{{Ref: "🔴 Urgent", Name: "🔴 Urgent"}, {Ref: "🟠 Urgent", Name: "🟠 Urgent"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, huge := range []string{"1e400", "-1e400"} {
		if got := d.refusal("set_field_value", args{"project": launch, "item": configurator + "#2", "field": "Estimate", "value": json.Number(huge)}); got.Code != fault.InvalidInput {
			t.Errorf("%s: %+v", huge, got)
		}
	}
}

func TestProjectInput_LongTextsPassToTheLastCharacter(t *testing.T) {
	d := newToolEnv(t)
	long := strings.Repeat("ä", 65_536)
	if p := call[boards.ChangedProject](d, "update_project", args{"project": launch, "readme": long}); !slices.Equal(p.Changed, []string{"readme"}) {
		t.Errorf("%+v", p.Changed)
	}
	if p := call[boards.ProjectDetails](d, "get_project", args{"project": launch}); !p.Truncated || len([]rune(p.Readme)) > parts.MaxWritten {
		t.Errorf("%d characters, truncated: %v", len([]rune(p.Readme)), p.Truncated)
	}
	d.asksNothing("a long text", func() {
		got := d.refusal("update_project", args{"project": launch, "readme": long + "ä"})
		if got.Message != "readme: must be at most 65536 characters, got 65537" {
			t.Errorf("%+v", got)
		}
		got = d.refusal("create_project", args{"title": strings.Repeat("x", 257)})
		if got.Message != "title: must be at most 256 characters, got 257" {
			t.Errorf("%+v", got)
		}
	})
	if v := call[boards.SetValue](d, "set_field_value", args{"project": launch, "item": configurator + "#2", "field": "Notes", "value": long}); v.Value != long {
		t.Errorf("%.20v", v.Value)
	}
}

func TestProjectInput_RemovingTwiceSaysThatItIsGone(t *testing.T) {
	d := newToolEnv(t)
	id := d.sandbox.ItemID("fernhill-bikes", 1, "Order demo bikes")
	for name, x := range map[string]struct {
		with    args
		message string
	}{
		"an issue": {args{"item": configurator + "#2"}, "item: " + configurator + "#2 is not on the project fernhill-bikes/1; list its items with github_list_project_items"},
		"a draft":  {args{"item": id, "confirm_title": "Order demo bikes"}, "GitHub has no project item " + id + ", or the user may not see it"},
	} {
		x.with["project"] = launch
		call[boards.RemovedItem](d, "remove_project_item", x.with)
		d.writesNothing(name, func() {
			if got := d.refusal("remove_project_item", x.with); got.Code != fault.NotFound || got.Message != x.message || got.Doubt || got.Retryable {
				t.Errorf("%s: %+v", name, got)
			}
		})
	}
}

func TestItemInput_AmbiguousTitlesNameTheirReferences(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newToolEnv(t)
		d.sandbox.Inject(says("Items", 200, boardOf("", draftItem, strings.ReplaceAll(draftItem, "PVTI_draft1", "PVTI_draft2"))))
		got := d.refusal("remove_project_item", args{"project": launch, "item": "order BELLS", "confirm_title": "Order bells"})
		want := told{
			Code: fault.Ambiguous, Message: `item: "order BELLS" matches 2 items; send the ref of one`,
			Candidates: []fault.Candidate{{Ref: "PVTI_draft1", Name: "Order bells", Where: "draft_issue"}, {Ref: "PVTI_draft2", Name: "Order bells", Where: "draft_issue"}},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}
