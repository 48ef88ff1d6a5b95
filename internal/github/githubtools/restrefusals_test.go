package githubtools

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/github/sandbox"
	"basecamp-mcp/internal/report/fault"
)

func TestREST_ValidationNamesOurArgumentsAndTheCallersValues(t *testing.T) {
	body := `{"message": "Validation Failed", "errors": [
		{"field": "labels", "code": "missing", "value": "bug"}, {"field": "title", "code": "missing_field"},
		{"field": "assignees", "code": "invalid", "value": "jonas-brandt"}, {"field": "milestone", "code": "already_exists", "value": "planted"},
		{"field": "state", "code": "unprocessable"}, {"field": "body", "code": "custom", "message": "body is too <b>long</b>"}, "Slow down"]}`
	want := func(labels, assignees, state, body string) told {
		return told{
			Code: fault.InvalidInput, Upstream: upstreamOf(422, "Validation Failed"),
			Message: "GitHub did not accept " + labels + ", title, " + assignees + ", milestone, " + state + ", " + body + ", arguments; data.validation says why",
			Validation: []fault.Violation{
				{Path: labels, Message: `"bug" does not exist on GitHub`, Code: "missing"},
				{Path: "title", Message: "is required", Code: "missing_field"},
				{Path: assignees, Message: `"jonas-brandt" cannot be assigned in this repository; check the login`, Code: "invalid"},
				{Path: "milestone", Message: "already exists on GitHub; choose another", Code: "already_exists"},
				{Path: state, Message: "could not be processed by GitHub", Code: "unprocessable"},
				{Path: body, Message: "body is too long", Code: "custom"},
				{Path: "arguments", Message: "Slow down", Code: "invalid"},
			},
		}
	}
	x := restRefusal{fault: answers(422, body)}
	created := want("labels", "assignees", "state", "body")
	created.About = fault.Resource{Type: "repository", ID: configurator}
	x.rest(t, "422", "POST", "create_issue", args{"repo": configurator, "title": "Bell", "labels": []string{"Bug"}, "assignees": []string{"jonas-brandt"}}, created, 1)
	for _, update := range []struct {
		with args
		want told
	}{
		{args{"add_labels": []string{"question"}, "add_assignees": []string{"jonas-brandt"}, "state_reason": "completed", "append": "Bell"},
			want("add_labels", "add_assignees", "state_reason", "append")},
		{args{"labels": []string{"bug"}, "assignees": []string{"jonas-brandt"}, "state": "closed", "find": "promise", "replace": "say"},
			want("labels", "assignees", "state", "replace")},
	} {
		update.with["issue"] = configurator + "#77"
		update.want.About = fault.Resource{Type: "issue", ID: configurator + "#77"}
		x.rest(t, "422", "PATCH", "update_issue", update.with, update.want, 1)
	}
}

func TestREST_AWriteFollowsOneRedirectOnly(t *testing.T) {
	for status, want := range map[int]int{301: 1, 302: 1, 303: 1, 307: 2, 308: 2} {
		d := newToolEnv(t)
		d.sandbox.Inject(answers(status, "", "Location", sandbox.APIURL+"/repositories/1/issues"))
		requests, _ := d.asked(func() { d.fails(fault.UpstreamError, "create_issue", args{"repo": configurator, "title": "Bell"}) })
		if len(requests) != want || len(writes(requests)) != want {
			t.Errorf("%d: %+v", status, requests)
		}
	}
}

func TestREST_AnArchivedOrForeignRepositoryIsOnlyRead(t *testing.T) {
	d := newToolEnv(t)
	d.fails(fault.PermissionDenied, "create_milestone", args{"repo": archived, "title": "Autumn"}, "archived", "unarchive")
	d.fails(fault.PermissionDenied, "create_milestone", args{"repo": "rijnstad-couriers/depot-map", "title": "Autumn"}, "repository rijnstad-couriers/depot-map")
	hidden := d.as("sam-lindqvist", "read:project read:org").fails(fault.NotFound, "get_issue", args{"issue": "fernhill-bikes/frame-drawings#1"}, "no issue fernhill-bikes/frame-drawings#1")
	if diff := cmp.Diff(scopeLink("repo"), hidden.Data.Link); diff != "" {
		t.Error(diff)
	}
	unseen := d.as("lieke-vdmeer", "repo project read:org").fails(fault.NotFound, "get_issue", args{"issue": "fernhill-bikes/frame-drawings#1"}, "may not see it")
	if unseen.Data.Link != nil {
		t.Errorf("%+v", unseen.Data.Link)
	}
}
