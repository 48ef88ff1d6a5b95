package github

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/report/fault"
)

// complains returns an answer with no data for items and one error.
func complains(kind, message, more string) string {
	if kind != "" {
		kind = `"type": "` + kind + `", `
	}
	return `{"data": {"node": null}, "errors": [{` + kind + `"path": ["node"], "message": "` + message + `"` + more + `}]}`
}

// graphqlRefusals has one entry for each row of the table that GraphQL can reach.
var graphqlRefusals = map[string]struct {
	body, says string
	headers    []string
	code       fault.Code
	shown      string // the type
	link       *fault.Link
	requests   int
	retryable  bool
}{
	"NOT_FOUND":    {complains("NOT_FOUND", "Could not resolve", ""), "not found: GitHub has no project PVT_7, or the user may not see it", nil, fault.NotFound, "NOT_FOUND", nil, 1, false},
	"FORBIDDEN":    {complains("FORBIDDEN", "no", ""), "forbidden: GitHub does not allow the user to do this; an owner can grant more access to the project", nil, fault.PermissionDenied, "FORBIDDEN", nil, 1, false},
	"integration":  {complains("FORBIDDEN", "Resource not accessible by integration", ""), "application not installed: the GitHub App is not installed there, or lacks the permission; an owner can change both on GitHub", nil, fault.PermissionDenied, "FORBIDDEN", nil, 1, false},
	"restrictions": {complains("FORBIDDEN", "enabled OAuth App access restrictions", ""), "application not approved: the organization restricts applications; one of its owners must approve this one on GitHub", nil, fault.PermissionDenied, "FORBIDDEN", nil, 1, false},
	"SAML": {complains("FORBIDDEN", "Resource protected by organization SAML enforcement", ""), "single sign-on required: the organization requires single sign-on; sign in to it on GitHub, then try again", nil, fault.PermissionDenied, "FORBIDDEN",
		&fault.Link{Provider: "github", Reason: fault.SSO}, 1, false},
	"single sign-on": {complains("FORBIDDEN", "x", ""), "single sign-on required: the organization requires single sign-on; sign in to it on GitHub, then try again", []string{"X-GitHub-SSO", "required; url=" + ssoPage}, fault.PermissionDenied, "FORBIDDEN",
		&fault.Link{Provider: "github", URL: ssoPage, Reason: fault.SSO, ExpiresIn: 3600}, 1, false},
	"INSUFFICIENT_SCOPES": {complains("INSUFFICIENT_SCOPES", "The 'id' field requires one of the following scopes: ['read:project'], but your token has only been granted the: ['repo'] scopes.", ""),
		"scope missing: the link to GitHub lacks the scope read:project; link GitHub again with more access", nil, fault.PermissionDenied, "INSUFFICIENT_SCOPES",
		&fault.Link{Provider: "github", Reason: fault.MissingScope, Scopes: []string{"read:project"}}, 1, false},
	"INSUFFICIENT_SCOPES, several": {complains("INSUFFICIENT_SCOPES", "one of the following scopes: ['read:enterprise', 'read:org', 'DROP']", ""), "scope missing: the link to GitHub lacks the scope read:org; link GitHub again with more access", nil, fault.PermissionDenied,
		"INSUFFICIENT_SCOPES", &fault.Link{Provider: "github", Reason: fault.MissingScope, Scopes: []string{"read:org"}}, 1, false},
	"INSUFFICIENT_SCOPES, no list": {complains("INSUFFICIENT_SCOPES", "planted", ""), "scope missing: the link to GitHub does not allow this; link GitHub again with more access", nil, fault.PermissionDenied, "INSUFFICIENT_SCOPES",
		&fault.Link{Provider: "github", Reason: fault.MissingScope}, 1, false},
	"RATE_LIMITED":           {complains("RATE_LIMITED", "x", ""), "rate limited: GitHub limited this user's requests; try again in 60 s", nil, fault.RateLimited, "RATE_LIMITED", nil, 1, true},
	"RATE_LIMIT":             {complains("RATE_LIMIT", "x", ""), "rate limited: GitHub limited this user's requests; try again in 300 s", []string{"X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "946685100"}, fault.RateLimited, "RATE_LIMIT", nil, 1, true},
	"secondary":              {complains("", "You have exceeded a secondary rate limit", ""), "rate limited: GitHub limited this user's requests; try again in 45 s", []string{"Retry-After", "45"}, fault.RateLimited, "", nil, 1, true},
	"UNPROCESSABLE":          {complains("UNPROCESSABLE", "planted", ""), "planted: GitHub did not accept arguments; data.validation says why", nil, fault.InvalidInput, "UNPROCESSABLE", nil, 1, false},
	"VALIDATION":             {complains("VALIDATION", "planted", ""), "planted: GitHub did not accept arguments; data.validation says why", nil, fault.InvalidInput, "VALIDATION", nil, 1, false},
	"INVALID":                {complains("INVALID", "planted", ""), "planted: GitHub did not accept arguments; data.validation says why", nil, fault.InvalidInput, "INVALID", nil, 1, false},
	"MAX_NODE_LIMIT":         {complains("MAX_NODE_LIMIT_EXCEEDED", "x", ""), "the query asks for too much: this is more than GitHub returns at once; ask for less, such as a smaller limit", nil, fault.UpstreamError, "MAX_NODE_LIMIT_EXCEEDED", nil, 2, false},
	"RESOURCE_LIMITS":        {complains("RESOURCE_LIMITS_EXCEEDED", "x", ""), "the query asks for too much: this is more than GitHub returns at once; ask for less, such as a smaller limit", nil, fault.UpstreamError, "RESOURCE_LIMITS_EXCEEDED", nil, 2, false},
	"SERVICE_UNAVAILABLE":    {complains("SERVICE_UNAVAILABLE", "x", ""), "server error: GitHub is having trouble; try again in a moment", nil, fault.UpstreamError, "SERVICE_UNAVAILABLE", nil, 2, true},
	"INTERNAL":               {complains("INTERNAL", "x", ""), "server error: GitHub is having trouble; try again in a moment", nil, fault.UpstreamError, "INTERNAL", nil, 2, true},
	"something went wrong":   {complains("", "Something went wrong while executing your query", ""), "server error: GitHub is having trouble; try again in a moment", nil, fault.UpstreamError, "", nil, 2, true},
	"no type":                {complains("", "planted", ""), "server error: GitHub is having trouble; try again in a moment", nil, fault.UpstreamError, "", nil, 2, true},
	"a new type":             {complains("BRAND_NEW", "planted", ""), "unexpected response: GitHub returned an unexpected response; trying again will not help", nil, fault.UpstreamError, "BRAND_NEW", nil, 1, false},
	"a type that is text":    {complains("planted type", "x", ""), "unexpected response: GitHub returned an unexpected response; trying again will not help", nil, fault.UpstreamError, "", nil, 1, false},
	"document refused":       {`{"errors": [{"message": "Field 'x' doesn't exist", "path": ["query"], "extensions": {"code": "undefinedField"}}]}`, "request not understood: GitHub did not understand this server's query; an Enterprise Server may be too old for it", nil, fault.InternalError, "", nil, 1, false},
	"data: null":             {`{"data": null}`, "not the JSON expected: GitHub returned an invalid response; try again in a moment", nil, fault.UpstreamError, "", nil, 1, true},
	"data: null with errors": {`{"data": null, "errors": [{"type": "NOT_FOUND", "message": "x"}]}`, "not found: GitHub has no project PVT_7, or the user may not see it", nil, fault.NotFound, "NOT_FOUND", nil, 1, false},
	"nothing":                {`{}`, "not the JSON expected: GitHub returned an invalid response; try again in a moment", nil, fault.UpstreamError, "", nil, 1, true},
	"HTML":                   {`<html>planted`, "not the JSON expected: GitHub returned an invalid response; try again in a moment", nil, fault.UpstreamError, "", nil, 1, true},
	"errors of no form":      {`{"data": {"node": null}, "errors": "planted"}`, "not the JSON expected: GitHub returned an invalid response; try again in a moment", nil, fault.UpstreamError, "", nil, 1, true},
	"no such node":           {`{"data": {"node": null}}`, "not found: GitHub has no project PVT_7, or the user may not see it", nil, fault.NotFound, "", nil, 1, false},
	"another node":           {`{"data": {"node": {"__typename": "Issue"}}}`, "not found: GitHub has no project PVT_7, or the user may not see it", nil, fault.NotFound, "", nil, 1, false},
	"a null list":            {`{"data": {"node": {"__typename": "ProjectV2", "id": "PVT_7", "items": {"edges": null}}}}`, "not the JSON expected: GitHub returned an invalid response; try again in a moment", nil, fault.UpstreamError, "", nil, 1, true},
	"a null list with its reason": {`{"data": {"node": {"__typename": "ProjectV2", "id": "PVT_7", "items": {"edges": null}}}, "errors": [{"type": "FORBIDDEN", "path": ["node", "items", "edges"]}]}`,
		"forbidden: GitHub does not allow the user to do this; an owner can grant more access to the project", nil, fault.PermissionDenied, "FORBIDDEN", nil, 1, false},
	"the worst of several": {`{"data": null, "errors": [{"type": "NOT_FOUND"}, {"type": "RATE_LIMITED"}, {"type": "FORBIDDEN"}]}`, "rate limited: GitHub limited this user's requests; try again in 60 s", nil, fault.RateLimited, "RATE_LIMITED", nil, 1, true},
	"an error of the whole query": {`{"data": {"node": {"__typename": "ProjectV2", "id": "PVT_7", "items": {"edges": []}}}, "errors": [{"type": "RATE_LIMITED", "message": "x"}]}`,
		"rate limited: GitHub limited this user's requests; try again in 60 s", nil, fault.RateLimited, "RATE_LIMITED", nil, 1, true},
}

func TestGraphQL_ARefusalWithTheStatus200HasItsMeaning(t *testing.T) {
	for name, x := range graphqlRefusals {
		synctest.Test(t, func(t *testing.T) {
			var requests int
			c := answering(t, counted(&requests, says(200, x.body, append(x.headers, "X-GitHub-Request-Id", "C0DE:2")...)))
			f := wantFault(t, errOf(c.Items(withTimeout(t, 20*time.Second), "PVT_7", 50, "")), x.code)
			if requests != x.requests || f.Retryable != x.retryable || f.MayHaveHappened || f.Upstream.Message+": "+f.Message != x.says {
				t.Errorf("%s: %d requests, %+v", name, requests, f)
			}
			if diff := cmp.Diff(x.link, f.Link); diff != "" || f.Upstream.Type != x.shown || f.Upstream.Status != 200 || f.Upstream.RequestID != "C0DE:2" {
				t.Errorf("%s: %+v %s", name, f.Upstream, diff)
			}
			if diff := cmp.Diff(&fault.Resource{Type: "project", ID: "PVT_7"}, f.Resource); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
			shown, _ := json.Marshal(f)
			if f.Code != fault.InvalidInput && strings.Contains(string(shown), "planted") {
				t.Errorf("%s shows GitHub's words: %s", name, shown)
			}
		})
	}
}

func TestGraphQL_AMutationThatReturnedItsPayloadHasHappened(t *testing.T) {
	for payload, call := range map[string]func(*testing.T, *Client) error{
		`"deleteProjectV2": {"projectV2": null}`: func(t *testing.T, c *Client) error { return c.DeleteProject(t.Context(), "PVT_7") },
		`"deleteProjectV2Item": {"deletedItemId": null}`: func(t *testing.T, c *Client) error {
			return c.RemoveItem(t.Context(), "PVT_7", "PVTI_1")
		},
		`"createProjectV2": {"projectV2": ` + projectJSON + `}`: func(t *testing.T, c *Client) error {
			p, err := c.CreateProject(t.Context(), Fields{"ownerId": "O_1", "title": "Sale"})
			if p.Number != 7 {
				t.Errorf("%+v", p)
			}
			return err
		},
	} {
		var requests int
		body := `{"data": {` + payload + `}, "errors": [{"type": "FORBIDDEN", "path": ["x"]}, {"message": "Something went wrong"}]}`
		if err := call(t, answering(t, counted(&requests, says(200, body)))); err != nil || requests != 1 {
			t.Errorf("%s: %d requests, %v", payload, requests, err)
		}
	}
	c, all := recording(t, says(200, `{"data": {"updateProjectV2": {"projectV2": null}}, "errors": [{"type": "INTERNAL"}]}`), says(200, `{"data": {"node": `+projectJSON+`}}`))
	if p, err := c.UpdateProject(t.Context(), "PVT_7", Fields{"closed": true}); err != nil || p.Number != 7 || len(*all) != 2 {
		t.Errorf("an update without its project: %+v, %v, %v", p, err, *all)
	}
	for _, errors := range []string{"", `, "errors": [{"type": "FORBIDDEN", "path": ["createProjectV2", "projectV2", "owner"]}]`} {
		body := `{"data": {"createProjectV2": {"projectV2": null}}` + errors + `}`
		f := wantFault(t, errOf(answering(t, says(200, body)).CreateProject(t.Context(), Fields{"ownerId": "O", "title": "x"})), fault.UpstreamError)
		if !f.MayHaveHappened || f.Retryable {
			t.Errorf("a create without its project: %+v", f)
		}
	}
}

func TestGraphQL_TooLargeAPageIsAskedForOnceMoreInASmallerSize(t *testing.T) {
	var sizes []float64
	answers := inTurn(says(200, complains("MAX_NODE_LIMIT_EXCEEDED", "x", "")), says(200, itemsAnswer("", itemJSON)))
	c := answering(t, func(w http.ResponseWriter, r *http.Request) {
		var sent struct{ Variables struct{ First float64 } }
		raw, _ := io.ReadAll(r.Body)
		_ = json.Unmarshal(raw, &sent)
		sizes = append(sizes, sent.Variables.First)
		answers(w, r)
	})
	if _, err := c.Items(t.Context(), "PVT_7", 500, ""); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]float64{100, 25}, sizes); diff != "" {
		t.Error(diff)
	}
	var requests int
	c = answering(t, counted(&requests, says(200, complains("MAX_NODE_LIMIT_EXCEEDED", "x", ""))))
	wantFault(t, errOf(c.Items(t.Context(), "PVT_7", 0, "")), fault.UpstreamError)
	if requests != 1 {
		t.Errorf("a page of one item was asked for %d times", requests)
	}
}

// itemsAnswer returns a page of items with errors.
func itemsAnswer(errors string, nodes ...string) string {
	edges := make([]string, len(nodes))
	for i, node := range nodes {
		edges[i] = fmt.Sprintf(`{"cursor": "c%d", "node": %s}`, i+1, node)
	}
	return `{"data": {"node": {"__typename": "ProjectV2", "id": "PVT_7", "items": {"totalCount": 9, "pageInfo": {"hasNextPage": true, "endCursor": "end"},
		"edges": [` + strings.Join(edges, ",") + `]}}}, "errors": [` + errors + `]}`
}

func TestPartial_AnErrorInAListRedactsThatEntryAndSaysSo(t *testing.T) {
	const forbidden = `{"type": "FORBIDDEN", "message": "x", "path": ["node", "items", "edges", %d%s]}`
	in := func(index int, below string) string { return fmt.Sprintf(forbidden, index, below) }
	for name, x := range map[string]struct {
		body string
		want *Incomplete
	}{
		"a null node":           {itemsAnswer(in(1, `, "node"`), itemJSON, "null", itemJSON), &Incomplete{Reason: Hidden, Count: 1}},
		"null without a reason": {itemsAnswer("", itemJSON, "null", itemJSON), &Incomplete{Reason: Hidden, Count: 1}},
		"a part of the node":    {itemsAnswer(in(1, `, "node", "content"`)+","+in(1, `, "node", "fieldValues", "nodes", 0`), itemJSON, itemJSON, itemJSON), &Incomplete{Reason: Hidden, Count: 1}},
		"the whole edge":        {itemsAnswer(in(1, ""), itemJSON, itemJSON, itemJSON), &Incomplete{Reason: Hidden, Count: 1}},
		"an index too high":     {itemsAnswer(in(7, "")+","+in(1, ""), itemJSON, itemJSON, itemJSON), &Incomplete{Reason: Hidden, Count: 2}},
	} {
		page, err := answering(t, says(200, x.body)).Items(t.Context(), "PVT_7", 50, "")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var types []string
		for _, item := range page.Items {
			types = append(types, item.Type+" "+item.Cursor)
		}
		if diff := cmp.Diff([]string{"ISSUE c1", "REDACTED c2", "ISSUE c3"}, types); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if diff := cmp.Diff(x.want, page.Incomplete); diff != "" || page.Next != "end" || page.Total != 9 {
			t.Errorf("%s: %s", name, diff)
		}
		if redacted := page.Items[1]; redacted.Title != "" || redacted.ContentID != "" || len(redacted.Values) != 0 {
			t.Errorf("%s: the redacted item is %+v", name, redacted)
		}
	}
}

func TestPartial_AHiddenPartOfTheThingIsNamedAndTheRestStays(t *testing.T) {
	body := `{"data": {"repositoryOwner": {"__typename": "Organization", "projectV2": ` + projectJSON + `}},
		"errors": [{"type": "FORBIDDEN", "path": ["repositoryOwner", "projectV2", "creator"]}]}`
	p, err := answering(t, says(200, body)).Project(t.Context(), ProjectRef{Owner: "fernhill-bikes", Number: 7})
	if diff := cmp.Diff(&Incomplete{Reason: Hidden, Count: 1}, p.Incomplete); diff != "" || err != nil || len(p.Fields.Items) != 2 {
		t.Error(err, diff)
	}
	body = `{"data": {"repositoryOwner": {"__typename": "Organization", "projectV2": null}},
		"errors": [{"type": "FORBIDDEN", "path": ["repositoryOwner", "projectV2", "creator"]}]}`
	wantFault(t, errOf(answering(t, says(200, body)).Project(t.Context(), ProjectRef{Owner: "fernhill-bikes", Number: 7})), fault.PermissionDenied)
}

func TestPartial_NamesTheOrganizationsThatRequireSingleSignOn(t *testing.T) {
	const header = "partial-results; organizations=21955855,20582480, x,-3"
	want := &Incomplete{Reason: SSO, Organizations: []int64{21955855, 20582480}}
	page, err := answering(t, says(200, itemsAnswer("", itemJSON), "X-GitHub-SSO", header)).Items(t.Context(), "PVT_7", 50, "")
	if diff := cmp.Diff(want, page.Incomplete); diff != "" || err != nil {
		t.Error(err, diff)
	}
	issues, err := answering(t, says(200, "["+issueJSON+"]", "X-GitHub-SSO", header)).Issues(t.Context(), shop, IssueFilter{}, "")
	if diff := cmp.Diff(want, issues.Incomplete); diff != "" || err != nil {
		t.Error(err, diff)
	}
	both := (&Incomplete{Reason: Hidden, Count: 2}).And(want).And(want)
	if diff := cmp.Diff(&Incomplete{Reason: SSO, Count: 2, Organizations: []int64{20582480, 21955855}}, both); diff != "" {
		t.Error(diff)
	}
}
