package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"basecamp-mcp/internal/wire/inprocess"
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
	query  url.Values
	fields map[string]json.RawMessage
	origin string
}

// A route is a documented request below a repository. {n} is the number of an issue or a milestone,
// or the ID of a comment; {id} is the ID of another issue or of an issue field.
type route struct {
	method, path string
	page         string   // of the documentation
	query        []string // besides those of pages
	fields       []string
	pushes       bool // needs push access
	handle       func(*call) reply
}

func (r *route) writes() bool { return r.method != http.MethodGet }

// issues reports whether a route belongs to the issues, which a repository can switch off.
func (r *route) issues() bool { return strings.HasPrefix(r.path, "issues") }

const (
	get, post, patch, remove = http.MethodGet, http.MethodPost, http.MethodPatch, http.MethodDelete

	issuesPage, commentsPage, milestonesPage = "/issues/issues", "/issues/comments", "/issues/milestones"
	subsPage, dependenciesPage, valuesPage   = "/issues/sub-issues", "/issues/issue-dependencies", "/issues/issue-field-values"
)

var (
	ofIssues = []string{"milestone", "state", "assignee", "type", "creator", "mentioned", "labels", "sort", "direction", "since"}
	ofIssue  = []string{"title", "body", "assignee", "milestone", "labels", "assignees", "type"}

	routes = []route{
		{get, "issues", issuesPage, ofIssues, nil, false, (*call).listIssues},
		{post, "issues", issuesPage, nil, append([]string{"issue_field_values"}, ofIssue...), false, (*call).createIssue},
		{get, "issues/{n}", issuesPage, nil, nil, false, (*call).getIssue},
		{patch, "issues/{n}", issuesPage, nil, append([]string{"state", "state_reason"}, ofIssue...), false, (*call).updateIssue},
		{get, "issues/{n}/comments", commentsPage, []string{"since"}, nil, false, (*call).listComments},
		{post, "issues/{n}/comments", commentsPage, nil, []string{"body"}, false, (*call).createComment},
		{get, "issues/comments/{n}", commentsPage, nil, nil, false, (*call).getComment},
		{remove, "issues/comments/{n}", commentsPage, nil, nil, false, (*call).deleteComment},
		{get, "issues/{n}/sub_issues", subsPage, nil, nil, false, related(func(_ *Server, i *issue) []*issue { return i.subs })},
		{post, "issues/{n}/sub_issues", subsPage, nil, []string{"sub_issue_id", "replace_parent"}, true, (*call).addSubIssue},
		{remove, "issues/{n}/sub_issue", subsPage, nil, []string{"sub_issue_id"}, true, (*call).removeSubIssue},
		{patch, "issues/{n}/sub_issues/priority", subsPage, nil, []string{"sub_issue_id", "after_id"}, true, (*call).moveSubIssue},
		{get, "issues/{n}/parent", subsPage, nil, nil, false, (*call).getParent},
		{get, "issues/{n}/dependencies/blocked_by", dependenciesPage, nil, nil, false, related(func(_ *Server, i *issue) []*issue { return i.blockers })},
		{post, "issues/{n}/dependencies/blocked_by", dependenciesPage, nil, []string{"issue_id"}, true, (*call).addBlocker},
		{remove, "issues/{n}/dependencies/blocked_by/{id}", dependenciesPage, nil, nil, true, (*call).removeBlocker},
		{get, "issues/{n}/dependencies/blocking", dependenciesPage, nil, nil, false, related((*Server).blockedBy)},
		{post, "issues/{n}/issue-field-values", valuesPage, nil, []string{"issue_field_values"}, true, (*call).setIssueFields},
		{remove, "issues/{n}/issue-field-values/{id}", valuesPage, nil, nil, true, (*call).clearIssueField},
		{get, "milestones", milestonesPage, []string{"state", "sort", "direction"}, nil, false, (*call).listMilestones},
		{post, "milestones", milestonesPage, nil, []string{"title", "state", "description", "due_on"}, true, (*call).createMilestone},
		{get, "milestones/{n}", milestonesPage, nil, nil, false, (*call).getMilestone},
		{remove, "milestones/{n}", milestonesPage, nil, nil, true, (*call).deleteMilestone},
		{get, "labels", "/issues/labels", nil, nil, false, func(c *call) reply { return page(c, c.repo.labels, c.labelView) }},
	}
)

func (s *Server) rest(r *http.Request, t *token, path string, body []byte) reply {
	segments := strings.Split(strings.TrimPrefix(path, "/"), "/")
	c := &call{s: s, t: t, r: r, query: r.URL.Query(), origin: inprocess.Origin(r)}
	var rest []string
	var renamed bool
	switch ofOrganization := r.Method == get && segments[0] == "orgs" && len(segments) == 3; {
	case r.Method == get && path == "/user":
		return replyWith(http.StatusOK, c.userView(t.person))
	case r.Method == get && path == "/search/issues":
		return c.searchIssues()
	case ofOrganization && segments[2] == "issue-types":
		return c.listIssueTypes(segments[1])
	case ofOrganization && segments[2] == "issue-fields":
		return c.listIssueFields(segments[1])
	case segments[0] == "repos" && len(segments) > 3:
		c.repo, renamed = s.repository(segments[1], segments[2])
		rest = segments[3:]
	case segments[0] == "repositories" && len(segments) > 2:
		c.repo = first(s.repos, func(repo *repository) bool { return strconv.FormatInt(repo.id, 10) == segments[1] })
		rest = segments[2:]
	}
	c.route, c.number, c.id = find(r.Method, rest)
	if c.route == nil || s.options.Enterprise && newer(path) {
		if c.route == nil {
			s.undocumented("%s %s is not a documented route", r.Method, path)
		}
		return notFound("")
	}
	if c.repo == nil || c.t.inRepository(c.repo) == noAccess {
		return notFound(c.route.page)
	}
	return outcome(func() reply { return c.answer(renamed, rest, body) }).withHeader("X-Accepted-Oauth-Scopes", c.accepted())
}

// find returns the route of a request below a repository, and the number and the ID in its path.
func find(method string, segments []string) (found *route, number, id int) {
	for i := range routes {
		pattern := strings.Split(routes[i].path, "/")
		matches := routes[i].method == method && len(pattern) == len(segments)
		for k := 0; matches && k < len(pattern); k++ {
			n, err := strconv.Atoi(segments[k])
			switch pattern[k] {
			case "{n}":
				matches, number = err == nil && n > 0, n
			case "{id}":
				matches, id = err == nil && n > 0, n
			default:
				matches = pattern[k] == segments[k]
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

const archived = "Repository was archived so is read-only."

// answer makes the checks that all routes share, and calls the handler.
func (c *call) answer(renamed bool, rest []string, body []byte) reply {
	refuse(c.route.writes() && !c.t.has("public_repo", "repo"), c.refused(http.StatusForbidden, "The token lacks the scopes for this request."))
	refuse(renamed, c.redirect(c.repo, strings.Join(rest, "/")))
	refuse(c.route.issues() && c.repo.issuesOff, c.refused(http.StatusGone, "Issues are disabled for this repo"))
	refuse(c.repo.archived && c.route.writes(), c.refused(http.StatusForbidden, archived))
	refuse(c.route.pushes && !c.pushes(), c.refused(http.StatusForbidden, "Must have push access to the repository."))
	for name := range c.query {
		if !slices.Contains(c.route.query, name) && name != "page" && name != "per_page" {
			c.s.undocumented("%s %s has no documented %q", c.route.method, c.route.path, name)
			c.query.Del(name)
		}
	}
	if c.route.writes() && (len(c.route.fields) > 0 || len(body) > 0) {
		refuse(json.Unmarshal(body, &c.fields) != nil || c.fields == nil, c.refused(http.StatusBadRequest, "Problems parsing JSON"))
	}
	for name := range c.fields {
		if !slices.Contains(c.route.fields, name) {
			c.s.undocumented("%s %s has no documented %q", c.route.method, c.route.path, name)
			delete(c.fields, name)
		}
	}
	if strings.HasPrefix(c.route.path, "issues/{n}") {
		c.issue = c.theIssue()
	}
	return c.route.handle(c)
}

// read decodes the documented fields of a body. It refuses those of another type than documented.
func (c *call) read(into any) {
	documented, _ := json.Marshal(c.fields)
	err := json.Unmarshal(documented, into)
	field := "body"
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		field = strings.ToLower(wrong.Field)
	}
	refuse(err != nil, malformed(c.route.page, field, "the value is not of the documented type"))
}

// mustBeThere refuses a request for what is not there.
func (c *call) mustBeThere(is bool) { refuse(!is, notFound(c.route.page)) }

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

func (c *call) refused(status int, message string) reply {
	return refused(status, message, c.route.page)
}

func (c *call) redirect(to *repository, path string) reply {
	target := fmt.Sprintf("%s%s/repositories/%d/%s", c.origin, restBase, to.id, path)
	if c.r.URL.RawQuery != "" {
		target += "?" + c.r.URL.RawQuery
	}
	status, message := http.StatusTemporaryRedirect, "Temporary Redirect"
	if c.r.Method == get {
		status, message = http.StatusMovedPermanently, "Moved Permanently"
	}
	return refused(status, message, "/using-the-rest-api/best-practices-for-using-the-rest-api#follow-redirects").withHeader("Location", target)
}
