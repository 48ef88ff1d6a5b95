package githubtools

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/github/githubtools/boards"
	"basecamp-mcp/internal/github/sandbox"
	"basecamp-mcp/internal/report/fault"
)

// projectWrites has a call of each tool that writes by GraphQL.
var projectWrites = []struct {
	tool     string
	with     args
	before   string // what it reads first
	mutation string
	again    bool   // the mutation can be sent twice
	gone     string // what NOT_FOUND says after a lost answer
}{
	{"create_project", args{"title": "Autumn ride"}, "Viewer", "CreateProject", false, ""},
	{"update_project", args{"project": launch, "title": "Autumn"}, "OwnerProject", "UpdateProject", true, ""},
	{
		"delete_project", args{"project": launch, "confirm_title": "Season launch"}, "OwnerProject", "DeleteProject", true,
		"the project is no longer on GitHub: the first attempt got no answer, but most likely deleted it",
	},
	{"add_project_item", args{"project": ines + "/1", "item": configurator + "#77"}, "OwnerProject Content", "AddItems", true, ""},
	{
		"remove_project_item", args{"project": launch, "item": configurator + "#2"}, "OwnerProject Content", "DeleteItem", true,
		"the item is no longer on the project: the first attempt got no answer, but most likely removed it",
	},
	{
		"set_field_value", args{"project": launch, "item": configurator + "#2", "field": "Notes", "value": "new"}, "Content", "SetValues", true, "",
	},
	{
		"set_field_value", args{"project": launch, "item": configurator + "#2", "field": "Status", "value": nil}, "Content", "ClearValues", true, "",
	},
}

func TestGraphQLWrites_ALostAnswerIsAskedForOnceMoreOnlyWhereThatIsSafe(t *testing.T) {
	for _, w := range projectWrites {
		synctest.Test(t, func(t *testing.T) {
			d := newToolEnv(t)
			d.sandbox.Inject(sandbox.Fault{Document: w.mutation + "(", Drop: true, AfterEffect: true, Times: 1})
			var text string
			var isError bool
			requests, _ := d.asked(func() { text, isError = d.caller().Raw("github_"+w.tool, w.with) })
			asked := w.before + " " + w.mutation
			if w.again {
				asked += " " + w.mutation
			}
			if operations(requests) != asked {
				t.Errorf("%s: %s, want %s", w.tool, operations(requests), asked)
			}
			succeeds := w.again && w.gone == ""
			if isError == succeeds {
				t.Errorf("%s: %s", w.tool, text)
			}
			switch {
			case w.gone != "":
				if !strings.Contains(text, `"message":"`+w.gone+`"`) || !strings.Contains(text, `"error_code":"NOT_FOUND"`) || !strings.Contains(text, `"may_have_happened":true`) {
					t.Errorf("%s: %s", w.tool, text)
				}
			case !w.again:
				if !strings.Contains(text, `"may_have_happened":true`) || !strings.Contains(text, `"retryable":false`) || !strings.Contains(text, "look for it with github_list_projects before you retry") {
					t.Errorf("%s: %s", w.tool, text)
				}
			}
		})
	}
}

// An outage is asked about again where that is safe, and an answer that says nothing is not. Both
// leave the write in doubt. A refusal is final and certain.
func TestGraphQLWrites_AFailureSaysWhetherTheyMayHaveHappened(t *testing.T) {
	refusal := func(kind string) sandbox.Fault { return sandbox.Fault{Status: 200, Body: complaint(kind, "x")} }
	for name, x := range map[string]struct {
		fault  sandbox.Fault
		code   fault.Code
		repeat bool
	}{
		"HTML": {sandbox.Fault{Status: 200, Body: "<html>planted"}, fault.UpstreamError, false}, "garbage": {sandbox.Fault{Garbage: true}, fault.UpstreamError, false},
		"no data": {sandbox.Fault{Status: 200, Body: `{"data": null}`}, fault.UpstreamError, false}, "no answer in time": {sandbox.Fault{Hang: true}, fault.UpstreamError, false},
		"20 MB":   {sandbox.Fault{Status: 200, Body: strings.Repeat("x", 20<<20)}, fault.UpstreamError, false},
		"a reset": {sandbox.Fault{Drop: true}, fault.UpstreamError, true}, "502": {sandbox.Fault{Status: 502, Body: "<html>planted"}, fault.UpstreamError, true},
		"INTERNAL": {refusal("INTERNAL"), fault.UpstreamError, true}, "a timeout of GitHub's": {sandbox.Fault{Status: 504, Delay: 10 * time.Second}, fault.UpstreamError, true},
		"NOT_FOUND": {refusal("NOT_FOUND"), fault.NotFound, false}, "FORBIDDEN": {refusal("FORBIDDEN"), fault.PermissionDenied, false},
		"RATE_LIMITED": {refusal("RATE_LIMITED"), fault.RateLimited, false}, "UNPROCESSABLE": {refusal("UNPROCESSABLE"), fault.InvalidInput, false},
	} {
		for _, w := range projectWrites {
			synctest.Test(t, func(t *testing.T) {
				d := newToolEnv(t)
				x.fault.Document = w.mutation + "("
				d.sandbox.Inject(x.fault)
				var got told
				requests, _ := d.asked(func() { got = d.refusal(w.tool, w.with) })
				asked := w.before + " " + w.mutation
				if x.repeat && w.again {
					asked += " " + w.mutation
				}
				inDoubt := x.code == fault.UpstreamError
				if got.Code != x.code || got.Doubt != inDoubt || got.Retryable && inDoubt && !w.again || x.repeat && got.Retryable != w.again || operations(requests) != asked {
					t.Errorf("%s of %s: %s, %+v", name, w.tool, operations(requests), got)
				}
			})
		}
	}
}

func TestGraphQLWrites_InvalidInputIsToldByOurArguments(t *testing.T) {
	for _, x := range []struct{ tool, mutation, said, argument string }{
		{"create_project", "CreateProject", "Title can't be blank", "title"},
		{"update_project", "UpdateProject", "Short description is too long (maximum is 256 characters)", "short_description"},
		{"update_project", "UpdateProject", "Readme is too long", "readme"},
		{"update_project", "UpdateProject", "Titles are out", "arguments"},
		{"set_field_value", "SetValues", "The item is archived and cannot be updated", "item"},
		{"set_field_value", "SetValues", "The field of type title is not supported by this mutation", "field"},
		{"set_field_value", "SetValues", "Did not receive a text value to update a field of type text", "value"},
		{"set_field_value", "SetValues", "The single select option Id does not belong to the field", "value"},
		{"delete_project", "DeleteProject", "Title is odd", "arguments"},
	} {
		d := newToolEnv(t)
		d.sandbox.Inject(says(x.mutation, 200, complaint("UNPROCESSABLE", x.said)))
		for _, w := range projectWrites {
			if w.mutation != x.mutation {
				continue
			}
			got := d.refusal(w.tool, w.with)
			want := []fault.Violation{{Path: x.argument, Message: x.said, Code: "unprocessable"}}
			if diff := cmp.Diff(want, got.Validation); diff != "" || got.Upstream.Message != x.said {
				t.Errorf("%s: %s", x.tool, diff)
			}
		}
	}
}

func TestGraphQLWrites_AnArchivedOrHiddenItemIsNotSet(t *testing.T) {
	d := newToolEnv(t)
	var archived, hidden string
	for _, i := range allItems(d, args{"project": launch, "archived": true, "limit": 100}) {
		switch {
		case i.Type == "redacted":
			hidden = i.ID
		case i.Archived:
			archived = i.ID
		}
	}
	got := d.refusal("set_field_value", args{"project": launch, "item": archived, "field": "Notes", "value": "new"})
	if got.Code != fault.InvalidInput || got.Validation[0].Path != "item" {
		t.Errorf("%+v", got)
	}
	got = d.refusal("set_field_value", args{"project": launch, "item": hidden, "field": "Notes", "value": "new"})
	if got.Code != fault.PermissionDenied || got.Message != strings.Replace(denied, "THING", "project item", 1) {
		t.Errorf("%+v", got)
	}
}

func TestGraphQLWrites_TheConfirmationOfAnotherProjectDeletesNothing(t *testing.T) {
	d := newToolEnv(t)
	for _, confirm := range []any{nil, "", "  ", "season launch", "Public roadmap", "yes", "fernhill-bikes/1"} {
		requests, _ := d.asked(func() {
			got := d.refusal("delete_project", args{"project": launch, "confirm_title": confirm})
			if got.Code != fault.InvalidInput || got.Validation[0].Path != "confirm_title" || got.Validation[0].Code != "confirmation_required" || got.Doubt {
				t.Errorf("%v: %+v", confirm, got)
			}
		})
		if operations(requests) != "OwnerProject" {
			t.Errorf("%v: %s", confirm, operations(requests))
		}
	}
	gone := args{"project": launch, "confirm_title": " Season launch "}
	call[boards.DeletedProject](d, "delete_project", gone)
	again := d.refusal("delete_project", gone)
	want := told{
		Code: fault.NotFound, Message: "project: GitHub has no project " + launch + ", or the user may not see it; list an owner's projects with github_list_projects; similar: fernhill-bikes/2, fernhill-bikes/3",
		About: fault.Resource{Type: "project", ID: launch}, Upstream: again.Upstream, Nearest: again.Nearest,
	}
	if diff := cmp.Diff(want, again); diff != "" || again.Upstream.Type != "NOT_FOUND" {
		t.Error(diff)
	}
}
