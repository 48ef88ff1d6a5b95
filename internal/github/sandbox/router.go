package sandbox

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// A call is a request to the REST API.
type call struct {
	s      *Server
	t      *token
	r      *http.Request
	route  *route
	repo   *repository
	number int    // of the issue in the path
	issue  *issue // with that number
	id     int    // of another issue in the path
	login  string
	query  url.Values
	fields map[string]json.RawMessage
	origin string
}

// page returns the documentation of the call's route.
func (c *call) page() string { return c.route.page }

// A route is a documented request below a repository. {n} is the number of an issue or a milestone,
// or the ID of a comment; {id} is the ID of another issue; {login} is that of a user.
type route struct {
	method, path string
	page         string // of the documentation
	query        []string
	fields       []string
	issues       bool // belongs to the issues, which a repository can switch off
	handle       func(*call) reply
}

func (r *route) writes() bool { return r.method != http.MethodGet }

var routes = []route{
	{
		method: http.MethodGet, path: "issues", page: "/issues/issues#list-repository-issues", issues: true, handle: (*call).listIssues,
		query: []string{"milestone", "state", "assignee", "type", "creator", "mentioned", "labels", "sort", "direction", "since", "per_page", "page"},
	},
	{
		method: http.MethodPost, path: "issues", page: "/issues/issues#create-an-issue", issues: true, handle: (*call).createIssue,
		fields: []string{"title", "body", "assignee", "milestone", "labels", "assignees", "type", "issue_field_values"},
	},
	{method: http.MethodGet, path: "issues/{n}", page: "/issues/issues#get-an-issue", issues: true, handle: (*call).getIssue},
	{
		method: http.MethodPatch, path: "issues/{n}", page: "/issues/issues#update-an-issue", issues: true, handle: (*call).updateIssue,
		fields: []string{"title", "body", "assignee", "state", "state_reason", "milestone", "labels", "assignees", "type"},
	},
	{
		method: http.MethodGet, path: "issues/{n}/comments", page: "/issues/comments#list-issue-comments", issues: true, handle: (*call).listComments,
		query: []string{"since", "per_page", "page"},
	},
	{
		method: http.MethodPost, path: "issues/{n}/comments", page: "/issues/comments#create-an-issue-comment", issues: true,
		handle: (*call).createComment, fields: []string{"body"},
	},
	{method: http.MethodGet, path: "issues/comments/{n}", page: "/issues/comments#get-an-issue-comment", issues: true, handle: (*call).getComment},
	{method: http.MethodDelete, path: "issues/comments/{n}", page: "/issues/comments#delete-an-issue-comment", issues: true, handle: (*call).deleteComment},
	{method: http.MethodGet, path: "milestones/{n}", page: "/issues/milestones#get-a-milestone", handle: (*call).getMilestone},
	{method: http.MethodDelete, path: "milestones/{n}", page: "/issues/milestones#delete-a-milestone", handle: (*call).deleteMilestone},
	{
		method: http.MethodGet, path: "issues/{n}/sub_issues", page: "/issues/sub-issues#list-sub-issues", issues: true, handle: (*call).listSubIssues,
		query: []string{"per_page", "page"},
	},
	{
		method: http.MethodPost, path: "issues/{n}/sub_issues", page: "/issues/sub-issues#add-sub-issue", issues: true, handle: (*call).addSubIssue,
		fields: []string{"sub_issue_id", "replace_parent"},
	},
	{
		method: http.MethodDelete, path: "issues/{n}/sub_issue", page: "/issues/sub-issues#remove-sub-issue", issues: true,
		handle: (*call).removeSubIssue, fields: []string{"sub_issue_id"},
	},
	{
		method: http.MethodPatch, path: "issues/{n}/sub_issues/priority", page: "/issues/sub-issues#reprioritize-sub-issue", issues: true,
		handle: (*call).moveSubIssue, fields: []string{"sub_issue_id", "after_id", "before_id"},
	},
	{method: http.MethodGet, path: "issues/{n}/parent", page: "/issues/sub-issues#get-parent-issue", issues: true, handle: (*call).getParent},
	{
		method: http.MethodGet, path: "issues/{n}/dependencies/blocked_by", page: "/issues/issue-dependencies#list-dependencies-an-issue-is-blocked-by",
		issues: true, handle: (*call).listBlockers, query: []string{"per_page", "page"},
	},
	{
		method: http.MethodPost, path: "issues/{n}/dependencies/blocked_by", page: "/issues/issue-dependencies#add-a-dependency-an-issue-is-blocked-by",
		issues: true, handle: (*call).addBlocker, fields: []string{"issue_id"},
	},
	{
		method: http.MethodDelete, path: "issues/{n}/dependencies/blocked_by/{id}",
		page: "/issues/issue-dependencies#remove-dependency-an-issue-is-blocked-by", issues: true, handle: (*call).removeBlocker,
	},
	{
		method: http.MethodGet, path: "issues/{n}/dependencies/blocking", page: "/issues/issue-dependencies#list-dependencies-an-issue-is-blocking",
		issues: true, handle: (*call).listBlocked, query: []string{"per_page", "page"},
	},
	{
		method: http.MethodPost, path: "issues/{n}/issue-field-values", page: "/issues/issue-field-values#add-issue-field-values-to-an-issue",
		issues: true, handle: (*call).setIssueFields, fields: []string{"issue_field_values"},
	},
	{
		method: http.MethodDelete, path: "issues/{n}/issue-field-values/{id}", issues: true, handle: (*call).clearIssueField,
		page: "/issues/issue-field-values#delete-an-issue-field-value-from-an-issue",
	},
	{
		method: http.MethodGet, path: "milestones", page: "/issues/milestones#list-milestones", handle: (*call).listMilestones,
		query: []string{"state", "sort", "direction", "per_page", "page"},
	},
	{
		method: http.MethodPost, path: "milestones", page: "/issues/milestones#create-a-milestone", handle: (*call).createMilestone,
		fields: []string{"title", "state", "description", "due_on"},
	},
	{
		method: http.MethodGet, path: "labels", page: "/issues/labels#list-labels-for-a-repository", handle: (*call).listLabels,
		query: []string{"per_page", "page"},
	},
}

// rest answers a request to the REST API.
func (s *Server) rest(r *http.Request, t *token, path string, body []byte) reply {
	if r.Method == http.MethodGet && path == "/user" {
		return s.user(t, origin(r))
	}
	segments := strings.Split(strings.TrimPrefix(path, "/"), "/")
	c := &call{s: s, t: t, r: r, query: r.URL.Query(), origin: origin(r)}
	var rest []string
	var renamed bool
	switch {
	case r.Method == http.MethodGet && path == "/search/issues":
		return c.searchIssues()
	case r.Method == http.MethodGet && segments[0] == "orgs" && len(segments) == 3 && segments[2] == "issue-types":
		return c.listIssueTypes(segments[1])
	case r.Method == http.MethodGet && segments[0] == "orgs" && len(segments) == 3 && segments[2] == "issue-fields":
		return c.listIssueFields(segments[1])
	case segments[0] == "repos" && len(segments) > 3:
		c.repo, renamed = s.repository(segments[1], segments[2])
		rest = segments[3:]
	case segments[0] == "repositories" && len(segments) > 2:
		c.repo = first(s.repos, func(repo *repository) bool { return strconv.FormatInt(repo.id, 10) == segments[1] })
		rest = segments[2:]
	}
	if c.route, c.number, c.id = s.find(r.Method, rest); c.route != nil && len(rest) > 1 {
		c.login = rest[1]
	}
	if c.route == nil && s.enterprise && newer(path) {
		return notFound("")
	}
	if c.route == nil {
		s.undocumented(fmt.Sprintf("%s %s is not a documented route", r.Method, path))
		return notFound("")
	}
	return c.answer(renamed, rest, body)
}

// find returns the route of a request below a repository, and the number and the ID in its path.
func (s *Server) find(method string, segments []string) (found *route, number, id int) {
	for i := range routes {
		pattern := strings.Split(routes[i].path, "/")
		if routes[i].method != method || len(pattern) != len(segments) || s.enterprise && newer(routes[i].path) {
			continue
		}
		matches := true
		for k, want := range pattern {
			n, err := strconv.Atoi(segments[k])
			switch want {
			case "{n}":
				matches, number = matches && err == nil && n > 0, n
			case "{id}":
				matches, id = matches && err == nil && n > 0, n
			case "{login}":
			default:
				matches = matches && want == segments[k]
			}
		}
		if matches {
			return &routes[i], number, id
		}
	}
	return nil, 0, 0
}

// newer reports whether an Enterprise Server may lack a route.
func newer(path string) bool {
	return strings.Contains(path, "issue-field-values") || strings.Contains(path, "sub_issue") || strings.Contains(path, "dependencies") || strings.HasSuffix(path, "/parent")
}

// answer makes the checks that all routes share, and calls the handler.
func (c *call) answer(renamed bool, rest []string, body []byte) reply {
	if c.repo == nil {
		return notFound(c.page())
	}
	if refusal, ok := c.admit(); !ok {
		return refusal.withHeader("X-Accepted-Oauth-Scopes", c.accepted())
	}
	if renamed {
		return c.redirect(fmt.Sprintf("%s%s/repositories/%d/%s", c.origin, restBase, c.repo.id, strings.Join(rest, "/")))
	}
	refusal, ok := c.check(body)
	if ok && strings.HasPrefix(c.route.path, "issues/{n}") {
		c.issue, refusal, ok = c.theIssue()
	}
	if !ok {
		return refusal.withHeader("X-Accepted-Oauth-Scopes", c.accepted())
	}
	return c.route.handle(c).withHeader("X-Accepted-Oauth-Scopes", c.accepted())
}

// accepted returns the scopes that the route accepts. Reading a public repository needs none.
func (c *call) accepted() string {
	switch {
	case c.repo.private:
		return "repo"
	case c.route.writes():
		return "public_repo, repo"
	}
	return ""
}

// admit checks what the token may do in the repository.
func (c *call) admit() (refusal reply, ok bool) {
	if c.t.person.inRepository(c.repo) == noAccess {
		return notFound(c.page()), false // single sign-on must not show that the repository exists
	}
	if c.t.lacksSSO(c.repo.owner) {
		return refused(http.StatusForbidden, samlRefusal, "/authentication/authenticating-to-the-rest-api").
			withHeader("X-Github-Sso", "required; url="+ssoURL(c.origin, c.repo.owner, c.t)), false
	}
	if c.t.inRepository(c.repo) == noAccess {
		return notFound(c.page()), false
	}
	if !c.route.writes() {
		return reply{}, true
	}
	if !c.t.installed(c.repo.owner) {
		return refused(http.StatusForbidden, notInstalled, c.page()), false
	}
	if !c.t.has("public_repo", "repo") {
		return refused(http.StatusForbidden, "The token lacks the scopes for this request.", c.page()), false
	}
	return reply{}, true
}

const (
	samlRefusal = "Resource protected by organization SAML enforcement. You must grant your OAuth token access to this organization."
	// notInstalled is what GitHub says to the token of an app that is not installed there.
	notInstalled = "Resource not accessible by integration"
)

func (c *call) redirect(target string) reply {
	if c.r.URL.RawQuery != "" {
		target += "?" + c.r.URL.RawQuery
	}
	status, message := http.StatusTemporaryRedirect, "Temporary Redirect"
	if c.r.Method == http.MethodGet {
		status, message = http.StatusMovedPermanently, "Moved Permanently"
	}
	r := refused(status, message, "/using-the-rest-api/best-practices-for-using-the-rest-api#follow-redirects")
	r.body.(map[string]any)["url"] = target
	return r.withHeader("Location", target)
}

// check refuses what the state of the repository forbids, and reads the body.
func (c *call) check(body []byte) (refusal reply, ok bool) {
	switch {
	case c.route.issues && c.repo.issuesOff:
		return refused(http.StatusGone, "Issues are disabled for this repo", c.page()), false
	case c.repo.archived && c.route.writes():
		return refused(http.StatusForbidden, "Repository was archived so is read-only.", c.page()), false
	}
	for name := range c.query {
		if !slices.Contains(c.route.query, name) {
			c.s.undocumented(fmt.Sprintf("%s %s has no documented %q", c.route.method, c.route.path, name))
			c.query.Del(name)
		}
	}
	if !c.route.writes() || len(c.route.fields) == 0 && len(body) == 0 {
		return reply{}, true
	}
	if err := json.Unmarshal(body, &c.fields); err != nil || c.fields == nil {
		return refused(http.StatusBadRequest, "Problems parsing JSON", c.page()), false
	}
	for name := range c.fields {
		if !slices.Contains(c.route.fields, name) {
			c.s.undocumented(fmt.Sprintf("%s %s has no documented %q", c.route.method, c.route.path, name))
		}
	}
	return reply{}, true
}
