package githubtools

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

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

const (
	invalid = "GitHub returned an invalid response; try again in a moment"
	smaller = "this is more than GitHub returns at once; ask for less, such as a smaller limit"
	once    = "OwnerProject Items"
	twice   = "OwnerProject Items Items"
	limits  = "https://docs.github.com/graphql/overview/rate-limits-and-node-limits-for-the-graphql-api"
)

// readFailures has what a read of GraphQL tells about each failure. What is not set is the same for
// all: the resource, and the provider, the status 200 and the request ID of upstream.
var readFailures = map[string]struct {
	fault sandbox.Fault
	asked string
	want  told
}{
	"NOT_FOUND": {says("Items", 200, complaint("NOT_FOUND", "planted")), once, told{
		Code: fault.NotFound, Message: "project: GitHub has no project %s, or the user may not see it",
		Upstream: fault.Upstream{Message: "not found", Type: "NOT_FOUND"},
	}},
	"INSUFFICIENT_SCOPES": {
		says("Items", 200, complaint("INSUFFICIENT_SCOPES", "planted: one of the following scopes: ['read:project'], but has only: ['repo']")), once, told{
			Code: fault.PermissionDenied, Message: "the link to GitHub lacks the scope read:project; link GitHub again with more access",
			Upstream: fault.Upstream{Message: "scope missing", Type: "INSUFFICIENT_SCOPES"},
			Link:     &fault.Link{Provider: "github", Reason: fault.MissingScope, Scopes: []string{"read:project"}},
		},
	},
	"RATE_LIMITED with headers": {
		says("Items", 200, complaint("RATE_LIMITED", "planted"), "X-RateLimit-Limit", "5000", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "946685100"), once, told{
			Code: fault.RateLimited, Message: "GitHub limited this user's requests; try again in 300 s", Retryable: true, Wait: 300,
			Upstream:  fault.Upstream{Message: "rate limited", Type: "RATE_LIMITED"},
			RateLimit: &fault.RateLimit{Limit: new(5000), Remaining: new(0), Reset: new(int64(946685100))},
		},
	},
	"MAX_NODE_LIMIT_EXCEEDED": {says("Items", 200, complaint("MAX_NODE_LIMIT_EXCEEDED", "planted")), twice, told{
		Code: fault.UpstreamError, Message: smaller, Upstream: fault.Upstream{Message: "the query asks for too much", Type: "MAX_NODE_LIMIT_EXCEEDED"},
	}},
	"UNPROCESSABLE": {says("Items", 200, complaint("UNPROCESSABLE", "The <b>list</b> is stale")), once, told{
		Code: fault.InvalidInput, Message: "GitHub did not accept arguments; data.validation says why",
		Upstream:   fault.Upstream{Message: "The list is stale", Type: "UNPROCESSABLE"},
		Validation: []fault.Violation{{Path: "arguments", Message: "The list is stale", Code: "unprocessable"}},
	}},
	"401": {says("Items", 401, `{"message": "Bad credentials, planted"}`), once, told{
		Code: fault.TokenExpired, Message: "link GitHub", Link: &fault.Link{Provider: "github", Reason: fault.Reauthorize}, Upstream: fault.Upstream{Status: 401, Message: "unauthorized"},
	}},
	"no answer in time": {sandbox.Fault{Document: "Items(", Hang: true}, twice, told{
		Code: fault.UpstreamError, Message: "GitHub did not answer in time; try again, or ask for less at once", Retryable: true, Upstream: fault.Upstream{Status: -1, Message: "no answer"},
	}},
	"20 MB": {says("Items", 200, `{"data": "`+strings.Repeat("x", 20<<20)+`"}`), once, told{
		Code: fault.UpstreamError, Message: "the response of GitHub is too large; request less at once", Upstream: fault.Upstream{Message: "too large an answer"},
	}},
}

func TestGraphQLFailures_OfAReadTellWhatHappenedAndWhatToDo(t *testing.T) {
	for name, x := range readFailures {
		synctest.Test(t, func(t *testing.T) {
			d := newToolEnv(t)
			d.sandbox.Inject(x.fault)
			board := d.sandbox.ProjectID("fernhill-bikes", 1)
			var got told
			requests, _ := d.asked(func() { got = d.refusal("list_project_items", args{"project": launch}) })
			want := x.want
			want.About = fault.Resource{Type: "project", ID: board}
			want.Message = strings.ReplaceAll(want.Message, "%s", board)
			want.Message = strings.ReplaceAll(want.Message, "THING", "project")
			want.Upstream.Provider, want.Upstream.RequestID = "github", "yes"
			switch want.Upstream.Status {
			case 0:
				want.Upstream.Status = 200
			case -1:
				want.Upstream.Status, want.Upstream.RequestID = 0, ""
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
			if asked := operations(requests); asked != x.asked {
				t.Errorf("%s: %s, want %s", name, asked, x.asked)
			}
		})
	}
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
	if operations(requests) != once {
		t.Errorf("%s", operations(requests))
	}
	if line := log.String(); !strings.Contains(line, "code undefinedField") || strings.Contains(line, "planted") {
		t.Errorf("%s", line)
	}
}

func TestGraphQLFailures_SingleSignOnIsToldWithItsLink(t *testing.T) {
	d := newToolEnv(t)
	const page = sandbox.URL + "/orgs/fernhill-bikes/sso?authorization_request=AB12"
	d.sandbox.Inject(says("OwnerProject", 200, complaint("FORBIDDEN", "Resource protected by organization SAML enforcement."), "X-GitHub-SSO", "required; url="+page))
	d.sandbox.Inject(says("ReachableProjects", 200, `{"data": {"viewer": {"id": "U_1", "login": "x", "projectsV2": {"nodes": []}, "organizations": {"nodes": []}}}}`,
		"X-GitHub-SSO", "partial-results; organizations=58120044"))
	got := d.refusal("get_project", args{"project": launch})
	if got.Code != fault.PermissionDenied || got.Link == nil || got.Link.Reason != fault.SSO || got.Link.URL != page || got.Link.ExpiresIn != 3600 {
		t.Errorf("%+v %+v", got, got.Link)
	}
	got = d.refusal("get_project", args{"project": "Season launch"})
	if got.Code != fault.NotFound || !strings.Contains(got.Message, "only after single sign-on") || !strings.Contains(got.Message, "owner/5") {
		t.Errorf("%+v", got)
	}
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
