package githubtools

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/github/sandbox"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/tool/mcptool"
)

// says returns a fault that answers the GraphQL operations of a name, with headers as pairs of name
// and value.
func says(operation string, status int, body string, headers ...string) sandbox.Fault {
	f := sandbox.Fault{Document: operation + "(", Status: status, Body: body, Header: http.Header{"X-Github-Request-Id": {"C0DE:1"}}}
	for i := 0; i < len(headers); i += 2 {
		f.Header.Set(headers[i], headers[i+1])
	}
	return f
}

// complaint returns an answer without data and with one error. A kind may be empty.
func complaint(kind, message string) string {
	if kind != "" {
		kind = `"type": "` + kind + `", `
	}
	return `{"data": {"node": null}, "errors": [{` + kind + `"path": ["node"], "message": "` + message + `"}]}`
}

// operations returns the GraphQL operations among requests.
func operations(requests []sandbox.Request) string {
	names := make([]string, len(requests))
	for i, r := range requests {
		names[i] = r.Operation
	}
	return strings.Join(names, " ")
}

// logged replaces the server of the tools by one with a log.
func (d *toolEnv) logged(log io.Writer) {
	d.Helper()
	d.handler = mcptool.NewServer([]mcptool.Toolset{Toolset(d.client(), nil)}, mcptool.Options{
		Name: "test", Version: "1", Log: slog.New(slog.NewTextHandler(log, nil)),
	}).Handler(mcptool.Selection{Toolsets: []string{Name}})
}

func TestGraphQLFailures_ARefusedDocumentIsOursAndTheLogNamesItsCode(t *testing.T) {
	d := newToolEnv(t)
	var log bytes.Buffer
	d.logged(&log)
	d.sandbox.Inject(says("Items", 200, `{"errors": [{"path": ["query"], "message": "planted doesn't exist", "extensions": {"code": "undefinedField", "typeName": "planted"}}]}`))
	var got told
	requests, _ := d.asked(func() { got = d.refusal("list_project_items", args{"project": launch}) })
	if got.Code != fault.InternalError || got.Retryable || !strings.Contains(got.Message, "report request") || got.Upstream.Message != "request not understood" {
		t.Errorf("%+v %+v", got, got.Upstream)
	}
	if operations(requests) != "OwnerProject Items" {
		t.Errorf("%s", operations(requests))
	}
	if line := log.String(); !strings.Contains(line, "code undefinedField") || strings.Contains(line, "planted") {
		t.Errorf("%s", line)
	}
}

func TestGraphQLFailures_WhatSingleSignOnHidesIsTold(t *testing.T) {
	d := newToolEnv(t)
	d.sandbox.Inject(says("ReachableProjects", 200, `{"data": {"viewer": {"id": "U_1", "login": "x", "projectsV2": {"nodes": []}, "organizations": {"nodes": []}}}}`,
		"X-GitHub-SSO", "partial-results; organizations=58120044"))
	d.fails(fault.NotFound, "get_project", args{"project": "Season launch"}, "only after single sign-on", "owner/5")
}

func TestGraphQLFailures_WhatIsCertainlyNotGrantedIsNotAskedFor(t *testing.T) {
	d := newToolEnv(t).as("sam-lindqvist", "read:project read:org")
	want := told{
		Code: fault.PermissionDenied, Message: "the link to GitHub lacks the scope project; link GitHub again with more access",
		Link: &fault.Link{Provider: "github", Reason: fault.MissingScope, Scopes: []string{"project"}},
	}
	for _, write := range projectWrites {
		var got told
		requests, _ := d.asked(func() { got = d.refusal(write.tool, write.with) })
		if diff := cmp.Diff(want, got); diff != "" || len(requests) != 0 {
			t.Errorf("%s: %d requests: %s", write.tool, len(requests), diff)
		}
	}
	want.Message, want.Link = "the link to GitHub lacks the scope repo; link GitHub again with more access", scopeLink("repo")
	for tool, with := range map[string]args{
		"create_issue": {"repo": configurator, "title": "Bell"}, "update_issue": {"issue": second, "title": "Bell"},
		"add_issue_comment": {"issue": second, "body": "Bell"}, "create_milestone": {"repo": configurator, "title": "Bell"},
	} {
		var got told
		requests, _ := d.asked(func() { got = d.refusal(tool, with) })
		if diff := cmp.Diff(want, got); diff != "" || len(requests) != 0 {
			t.Errorf("%s: %d requests: %s", tool, len(requests), diff)
		}
	}
	want.Link = scopeLink("project")
	// The scopes are known to be fewer only at GitHub.
	d = d.as("sam-lindqvist", "")
	got := d.refusal("create_project", args{"title": "Autumn"})
	if diff := cmp.Diff(want.Link, got.Link); diff != "" || got.Upstream.Type != "INSUFFICIENT_SCOPES" {
		t.Errorf("%+v %s", got.Upstream, diff)
	}
	private := d.refusal("get_field_value", args{"project": "fernhill-bikes/3", "item": "fernhill-bikes/frame-drawings#1", "field": "Status"})
	if private.Code != fault.NotFound || private.Link == nil || !cmp.Equal(private.Link.Scopes, []string{"repo"}) {
		t.Errorf("%+v %+v", private, private.Link)
	}
}
