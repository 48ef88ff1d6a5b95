package github

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/report/fault"
)

const ssoPage = "https://github.example/orgs/fernhill-bikes/sso?authorization_request=AB12"

// refused is one refusal of the REST API and its meaning.
type refused struct {
	status    int
	headers   []string
	body      string
	code      fault.Code
	says      string // what upstream and the message say
	link      *fault.Link
	reads     int // requests of a read
	retryable bool
}

// restRefusals has one entry for each row of the table.
var restRefusals = map[string]refused{
	"unauthorized": {401, nil, "", fault.TokenExpired, "unauthorized: GitHub no longer accepts this link; link GitHub again", &fault.Link{Provider: "github", Reason: fault.Reauthorize}, 2, false},
	"403 primary limit": {403, []string{"X-RateLimit-Remaining", "0"}, `{"message": "API rate limit exceeded"}`,
		fault.RateLimited, "rate limited: GitHub limited this user's requests; try again in 60 s", nil, 1, true},
	"403 secondary limit": {403, []string{"X-RateLimit-Remaining", "4000"}, `{"message": "You have exceeded a secondary rate limit"}`,
		fault.RateLimited, "rate limited: GitHub limited this user's requests; try again in 60 s", nil, 1, true},
	"403 limit by its page": {403, nil, `{"documentation_url": "https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api"}`,
		fault.RateLimited, "rate limited: GitHub limited this user's requests; try again in 60 s", nil, 1, true},
	"403 limit by Retry-After": {403, []string{"Retry-After", "90"}, "", fault.RateLimited, "rate limited: GitHub limited this user's requests; try again in 90 s", nil, 1, true},
	"403 single sign-on": {403, []string{"X-GitHub-SSO", "required; url=" + ssoPage}, "", fault.PermissionDenied, "single sign-on required: the organization requires single sign-on; sign in to it on GitHub, then try again",
		&fault.Link{Provider: "github", URL: ssoPage, Reason: fault.SSO, ExpiresIn: 3600}, 1, false},
	"403 single sign-on elsewhere": {403, []string{"X-GitHub-SSO", "required; url=https://github.example.evil.example/orgs/x/sso"}, "",
		fault.PermissionDenied, "single sign-on required: the organization requires single sign-on; sign in to it on GitHub, then try again", &fault.Link{Provider: "github", Reason: fault.SSO}, 1, false},
	"403 application restrictions": {403, nil, `{"message": "Although you appear to have the correct authorization credentials, the organization has enabled OAuth App access restrictions"}`,
		fault.PermissionDenied, "application not approved: the organization restricts applications; one of its owners must approve this one on GitHub", nil, 1, false},
	"403 integration":           {403, nil, `{"message": "Resource not accessible by integration"}`, fault.PermissionDenied, "application not installed: the GitHub App is not installed there, or lacks the permission; an owner can change both on GitHub", nil, 1, false},
	"403 personal access token": {403, nil, `{"message": "Resource not accessible by personal access token"}`, fault.PermissionDenied, "token lacks a permission: the access token lacks the permission; create one that has it", nil, 1, false},
	"403 address":               {403, nil, `{"message": "the organization has an IP allow list enabled"}`, fault.PermissionDenied, "address not allowed: the organization allows only listed IP addresses; one of its owners must add the address of this server", nil, 1, false},
	"403 archived":              {403, nil, `{"message": "Repository was archived so is read-only."}`, fault.PermissionDenied, "repository archived: the repository is archived, so it can only be read; an owner can unarchive it on GitHub", nil, 1, false},
	"403 locked":                {403, nil, `{"message": "Unable to create comment because issue is locked."}`, fault.PermissionDenied, "conversation locked: the conversation is locked on GitHub; only users with write access can take part", nil, 1, false},
	"403 scope": {403, []string{"X-Accepted-OAuth-Scopes", "repo, repo:status", "X-OAuth-Scopes", "read:org, read:project"}, "",
		fault.PermissionDenied, "scope missing: the link to GitHub lacks the scope repo; link GitHub again with more access", &fault.Link{Provider: "github", Reason: fault.MissingScope, Scopes: []string{"repo"}}, 1, false},
	"403 with a scope that is enough": {403, []string{"X-Accepted-OAuth-Scopes", "read:org", "X-OAuth-Scopes", "admin:org"}, "",
		fault.PermissionDenied, "forbidden: GitHub does not allow the user to do this; an owner can grant more access to the issue fernhill-bikes/shop#12", nil, 1, false},
	"403 otherwise": {403, nil, `{"message": "Must have admin rights to Repository."}`, fault.PermissionDenied, "forbidden: GitHub does not allow the user to do this; an owner can grant more access to the issue fernhill-bikes/shop#12", nil, 1, false},
	"404 without repo": {404, []string{"X-OAuth-Scopes", "read:project"}, "", fault.NotFound, "not found: GitHub has no issue fernhill-bikes/shop#12, or the user may not see it; private repositories need a link with more access",
		&fault.Link{Provider: "github", Reason: fault.MissingScope, Scopes: []string{"repo"}}, 1, false},
	"404 without any scope": {404, []string{"X-OAuth-Scopes", ""}, "", fault.NotFound, "not found: GitHub has no issue fernhill-bikes/shop#12, or the user may not see it; private repositories need a link with more access",
		&fault.Link{Provider: "github", Reason: fault.MissingScope, Scopes: []string{"repo"}}, 1, false},
	"404 with repo":       {404, []string{"X-OAuth-Scopes", "gist, repo"}, "", fault.NotFound, "not found: GitHub has no issue fernhill-bikes/shop#12, or the user may not see it", nil, 1, false},
	"404 of a GitHub App": {404, nil, "", fault.NotFound, "not found: GitHub has no issue fernhill-bikes/shop#12, or the user may not see it", nil, 1, false},
	"410":                 {410, nil, "", fault.NotFound, "gone: the issue was deleted on GitHub, or the repository has its issues switched off", nil, 1, false},
	"451":                 {451, nil, "", fault.NotFound, "unavailable for legal reasons: GitHub took this down for legal reasons", nil, 1, false},
	"400":                 {400, nil, `{"message": "Problems parsing JSON"}`, fault.InvalidInput, "Problems parsing JSON: GitHub did not accept arguments; data.validation says why", nil, 1, false},
	"422":                 {422, nil, `{"message": "Validation Failed"}`, fault.InvalidInput, "Validation Failed: GitHub did not accept arguments; data.validation says why", nil, 1, false},
	"409":                 {409, nil, "", fault.Conflict, "conflict: this changed on GitHub in the meantime; read it before you try again", nil, 1, false},
	"413":                 {413, nil, "", fault.InvalidInput, "too large: the input is larger than GitHub accepts; send less at once", nil, 1, false},
	"405":                 {405, nil, "", fault.InternalError, "request not understood: GitHub did not understand this server's request", nil, 1, false},
	"406":                 {406, nil, "", fault.InternalError, "request not understood: GitHub did not understand this server's request", nil, 1, false},
	"415":                 {415, nil, "", fault.InternalError, "request not understood: GitHub did not understand this server's request", nil, 1, false},
	"429":                 {429, nil, "", fault.RateLimited, "rate limited: GitHub limited this user's requests; try again in 60 s", nil, 1, true},
	"429 with a wait":     {429, []string{"Retry-After", "75"}, "", fault.RateLimited, "rate limited: GitHub limited this user's requests; try again in 75 s", nil, 1, true},
	"408":                 {408, nil, "", fault.UpstreamError, "server error: GitHub is having trouble; try again in a moment", nil, 1, true},
	"418":                 {418, nil, "", fault.UpstreamError, "unexpected response: GitHub returned an unexpected response; trying again will not help", nil, 1, false},
	"500":                 {500, nil, "<html>", fault.UpstreamError, "server error: GitHub is having trouble; try again in a moment", nil, 1, true},
	"502":                 {502, nil, "<html>", fault.UpstreamError, "server error: GitHub is having trouble; try again in a moment", nil, 3, true},
	"503":                 {503, nil, "", fault.UpstreamError, "server error: GitHub is having trouble; try again in a moment", nil, 3, true},
	"504":                 {504, nil, "", fault.UpstreamError, "server error: GitHub is having trouble; try again in a moment", nil, 3, true},
	"301 elsewhere":       {301, []string{"Location", "https://evil.example/repos/x/y"}, "", fault.UpstreamError, "redirect not followed: GitHub redirects this to an address that this server does not follow; check the name of the repository", nil, 1, false},
}

func TestRefusals_OfAReadHaveTheirMeaning(t *testing.T) {
	for name, x := range restRefusals {
		synctest.Test(t, func(t *testing.T) {
			var requests int
			headers := append([]string{"X-GitHub-Request-Id", "C0DE:1"}, x.headers...)
			c := answering(t, counted(&requests, says(x.status, x.body, headers...)))
			_, err := c.Issue(withTimeout(t, 20*time.Second), shop, 12)
			f := wantFault(t, err, x.code)
			if requests != x.reads || f.Retryable != x.retryable || f.MayHaveHappened || f.Upstream.Message+": "+f.Message != x.says {
				t.Errorf("%s: %d requests, %+v", name, requests, f)
			}
			if diff := cmp.Diff(x.link, f.Link); diff != "" || (f.Link != nil) != (f.Provider == "github") {
				t.Errorf("%s: link of %q %s", name, f.Provider, diff)
			}
			if f.Upstream.Provider != "github" || f.Upstream.Status != x.status || f.Upstream.RequestID != "C0DE:1" {
				t.Errorf("%s: upstream %+v", name, f.Upstream)
			}
			if diff := cmp.Diff(&fault.Resource{Type: "issue", ID: "fernhill-bikes/shop#12"}, f.Resource); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		})
	}
}

func TestRefusals_OfAWriteSayWhetherItMayHaveHappened(t *testing.T) {
	calls := map[string]func(*testing.T, *Client) error{
		"create": func(t *testing.T, c *Client) error {
			return errOf(c.CreateIssue(withTimeout(t, 20*time.Second), shop, Fields{"title": "Bell"}))
		},
		"append": func(t *testing.T, c *Client) error {
			return errOf(c.AddComment(withTimeout(t, 20*time.Second), shop, 12, "Fixed"))
		},
		"update": func(t *testing.T, c *Client) error {
			return errOf(c.UpdateIssue(withTimeout(t, 20*time.Second), shop, 12, Fields{"title": "Bell"}, nil))
		},
	}
	for name, x := range restRefusals {
		for kind, call := range calls {
			synctest.Test(t, func(t *testing.T) {
				var requests int
				f := wantFault(t, call(t, answering(t, counted(&requests, says(x.status, x.body, x.headers...)))), x.code)
				doubt := x.status >= 500 || x.status/100 == 3
				retryable := x.retryable && (!doubt || kind == "update")
				want := 1
				if x.status == 401 || kind == "update" && x.reads == 3 {
					want = 2
				}
				if requests != want || f.MayHaveHappened != doubt && x.status != 451 || f.Retryable != retryable {
					t.Errorf("%s of %s: %d requests, want %d, %+v", name, kind, requests, want, f)
				}
			})
		}
	}
}

func TestRefusals_AnInvalidAnswerIsAnUpstreamErrorAndNotNotFound(t *testing.T) {
	for name, body := range map[string]string{
		"HTML": "<html>planted", "empty": "", "null": "null", "a list": "[]", "no number": `{"node_id": "I"}`, "no ID": `{"number": 3}`,
		"cut": issueJSON[:100], "wrong type": `{"number": "twelve"}`,
	} {
		f := wantFault(t, errOf(answering(t, says(200, body)).Issue(t.Context(), shop, 12)), fault.UpstreamError)
		if !f.Retryable || f.Upstream.Status != 200 || strings.Contains(f.Message, "planted") {
			t.Errorf("%s: %+v", name, f)
		}
		if f := wantFault(t, errOf(answering(t, says(201, body)).CreateIssue(t.Context(), shop, Fields{"title": "x"})), fault.UpstreamError); !f.MayHaveHappened || f.Retryable {
			t.Errorf("%s: %+v", name, f)
		}
	}
	for name, body := range map[string]string{"null": "null", "an object": "{}", "a null entry": "[null]", "empty": ""} {
		wantFault(t, errOf(answering(t, says(200, body)).Issues(t.Context(), shop, IssueFilter{}, "")), fault.UpstreamError)
		if _, err := answering(t, says(200, body)).Labels(t.Context(), shop); err == nil {
			t.Errorf("%s is a list of labels", name)
		}
	}
}

func TestRefusals_AnAnswerOfTwentyMegabytesIsRefusedOnce(t *testing.T) {
	var requests int
	body := `{"node_id": "` + strings.Repeat("a", 20<<20) + `"}`
	f := wantFault(t, errOf(answering(t, counted(&requests, says(200, body))).Issue(t.Context(), shop, 12)), fault.UpstreamError)
	if f.Retryable || requests != 1 || !strings.Contains(f.Message, "request less") {
		t.Errorf("%d requests, %+v", requests, f)
	}
}

func TestValidation_NamesOurArgumentsAndKeepsGitHubsCodes(t *testing.T) {
	body := `{"message": "Validation Failed", "documentation_url": "https://docs.github.com/rest/issues/milestones#create-a-milestone", "errors": [
		{"resource": "Milestone", "code": "already_exists", "field": "title"},
		{"code": "missing", "field": "assignees", "value": "planted"}, {"code": "missing_field", "field": "body"},
		{"code": "invalid", "field": "due_on"}, {"code": "unprocessable", "field": "state"},
		{"code": "custom", "field": "base", "message": "Title is <b>too\nlong</b>` + strings.Repeat("x", 300) + `"},
		{"code": "brand_new", "field": "not a <field>"}, "Labels must exist", 7, null, {}
	]}`
	f := wantFault(t, errOf(answering(t, says(422, body)).UpdateIssue(t.Context(), shop, 12, Fields{"title": "Spring"}, map[string]string{"title": "name"})), fault.InvalidInput)
	want := []fault.Violation{
		{Path: "name", Message: "already exists on GitHub; choose another", Code: "already_exists"},
		{Path: "assignees", Message: "does not exist on GitHub", Code: "missing"},
		{Path: "body", Message: "is required", Code: "missing_field"},
		{Path: "due_on", Message: "is not valid", Code: "invalid"},
		{Path: "state", Message: "could not be processed by GitHub", Code: "unprocessable"},
		{Path: "base", Message: "Title is too long " + strings.Repeat("x", 182), Code: "custom"},
		{Path: "arguments", Message: "is not valid", Code: "invalid"},
		{Path: "arguments", Message: "Labels must exist", Code: "invalid"},
	}
	want[6].Message, want[6].Code = "is not valid", "invalid"
	if diff := cmp.Diff(want, f.Validation); diff != "" {
		t.Error(diff)
	}
	if f.Upstream.Message != "Validation Failed" || f.Upstream.DocumentationURL != "https://docs.github.com/rest/issues/milestones#create-a-milestone" {
		t.Errorf("%+v", f.Upstream)
	}
}

func TestUpstream_NamesOnlyPagesOfGitHubsDocumentation(t *testing.T) {
	for address, shown := range map[string]bool{
		"https://docs.github.com/rest/issues/issues#get-an-issue": true, "https://github.example/enterprise/docs": true,
		"http://docs.github.com/rest": false, "https://docs.github.com.evil.example/rest": false, "https://docs.github.com/rest?token=x": false,
		"https://nora@docs.github.com/rest": false, "https://docs.github.com/<b>": false, "javascript:alert(1)": false, "/rest": false,
		"https://docs.github.com/" + strings.Repeat("a", maxURL): false,
	} {
		f := wantFault(t, errOf(answering(t, says(404, `{"documentation_url": "`+address+`"}`)).Issue(t.Context(), shop, 12)), fault.NotFound)
		if (f.Upstream.DocumentationURL == address) != shown || !shown && f.Upstream.DocumentationURL != "" {
			t.Errorf("%s: %q", address, f.Upstream.DocumentationURL)
		}
	}
}

func TestValidation_OfAMessageOnly(t *testing.T) {
	f := wantFault(t, errOf(answering(t, says(422, `{"message": "Issues has been disabled"}`)).CreateIssue(t.Context(), shop, Fields{})), fault.InvalidInput)
	if diff := cmp.Diff([]fault.Violation{{Path: "arguments", Message: "Issues has been disabled", Code: "invalid"}}, f.Validation); diff != "" {
		t.Error(diff)
	}
	f = wantFault(t, errOf(answering(t, says(422, "<html>planted")).CreateIssue(t.Context(), shop, Fields{})), fault.InvalidInput)
	if f.Validation != nil || !strings.Contains(f.Message, "no reason") {
		t.Errorf("%+v", f)
	}
}

func TestRateLimit_ContainsOnlyWhatGitHubSaid(t *testing.T) {
	at := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Unix() // synctest's clock starts then
	second := func(n int64) *int64 { return new(at + n) }
	for name, x := range map[string]struct {
		headers []string
		want    *fault.RateLimit
		wait    time.Duration
	}{
		"nothing":           {nil, nil, time.Minute},
		"empty":             {[]string{"Retry-After", "", "X-RateLimit-Limit", "", "X-RateLimit-Remaining", "", "X-RateLimit-Reset", ""}, nil, time.Minute},
		"garbage":           {[]string{"Retry-After", "soon", "X-RateLimit-Limit", "many", "X-RateLimit-Remaining", "0x0", "X-RateLimit-Reset", "1e9"}, nil, time.Minute},
		"negative":          {[]string{"Retry-After", "-1", "X-RateLimit-Limit", "-1", "X-RateLimit-Remaining", "-1", "X-RateLimit-Reset", "-1"}, nil, time.Minute},
		"zero wait":         {[]string{"Retry-After", "0"}, nil, time.Minute},
		"a past date":       {[]string{"Retry-After", "Fri, 31 Dec 1999 00:00:00 GMT"}, nil, time.Minute},
		"reset in past":     {[]string{"X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "946684799"}, &fault.RateLimit{Remaining: new(int)}, time.Minute},
		"a date":            {[]string{"Retry-After", "Sat, 01 Jan 2000 00:01:40 GMT"}, &fault.RateLimit{RetryAfter: new(100)}, 100 * time.Second},
		"a wait":            {[]string{"Retry-After", "90"}, &fault.RateLimit{RetryAfter: new(90)}, 90 * time.Second},
		"a reset":           {[]string{"X-RateLimit-Limit", "5000", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "946685100"}, &fault.RateLimit{Limit: new(5000), Remaining: new(int), Reset: second(300)}, 300 * time.Second},
		"wait before reset": {[]string{"Retry-After", "45", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "946685100"}, &fault.RateLimit{Remaining: new(int), Reset: second(300), RetryAfter: new(45)}, 45 * time.Second},
		"points left":       {[]string{"X-RateLimit-Remaining", "17", "X-RateLimit-Reset", "946685100"}, &fault.RateLimit{Remaining: new(17), Reset: second(300)}, time.Minute},
		"far ahead":         {[]string{"Retry-After", "86401", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "946771201"}, &fault.RateLimit{Remaining: new(int)}, time.Minute},
		"milliseconds":      {[]string{"X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "946685100000"}, &fault.RateLimit{Remaining: new(int)}, time.Minute},
		"fractions":         {[]string{"Retry-After", "0.5", "X-RateLimit-Remaining", "0.0", "X-RateLimit-Reset", "946685100.5"}, nil, time.Minute},
		"a reset of now":    {[]string{"X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "946684800"}, &fault.RateLimit{Remaining: new(int)}, time.Minute},
		"the largest reset": {[]string{"X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "9223372036854775807"}, &fault.RateLimit{Remaining: new(int)}, time.Minute},
		"a date in 9999":    {[]string{"Retry-After", "Fri, 31 Dec 9999 23:59:59 GMT"}, nil, time.Minute},
		"huge":              {[]string{"Retry-After", "99999999999999999999", "X-RateLimit-Limit", "99999999999999999999"}, nil, time.Minute},
	} {
		synctest.Test(t, func(t *testing.T) {
			var requests int
			c := answering(t, counted(&requests, says(429, "", x.headers...)))
			start := time.Now()
			f := wantFault(t, errOf(c.Issue(withTimeout(t, 20*time.Second), shop, 12)), fault.RateLimited)
			if diff := cmp.Diff(x.want, f.RateLimit); diff != "" || f.RetryAfter != x.wait || requests != 1 || time.Since(start) != 0 {
				t.Errorf("%s: wait %s after %d requests %s", name, f.RetryAfter, requests, diff)
			}
		})
	}
}

func TestRateLimit_IsWaitedForWithinTheCallersTimeExceptByACreate(t *testing.T) {
	for kind, want := range map[string]int{"read": 2, "create": 1} {
		synctest.Test(t, func(t *testing.T) {
			var requests int
			c := answering(t, counted(&requests, inTurn(says(429, "", "Retry-After", "7"), says(200, issueJSON))))
			start, ctx := time.Now(), withTimeout(t, 20*time.Second)
			var err error
			if kind == "read" {
				_, err = c.Issue(ctx, shop, 12)
			} else {
				_, err = c.CreateIssue(ctx, shop, Fields{"title": "Bell"})
			}
			if took := time.Since(start); requests != want || (err == nil) != (kind == "read") || took != time.Duration(want-1)*7*time.Second {
				t.Errorf("%s: %d requests in %s, %v", kind, requests, took, err)
			}
		})
	}
}
