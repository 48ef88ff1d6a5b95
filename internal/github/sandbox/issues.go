package sandbox

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	longestBody  = 65_536 // characters of the body of an issue or a comment
	longestTitle = 256    // characters
	tooLong      = "body is too long (maximum is 65536 characters)"
)

func (i *issue) segment() string {
	if i.pull {
		return "pull"
	}
	return "issues"
}

func (c *call) issueView(i *issue) map[string]any {
	view := map[string]any{
		"id": i.id, "node_id": i.node, "number": i.number, "title": i.title, "body": orNull(i.body), "user": c.author(i.author),
		"state": state(i.closed), "state_reason": orNull(i.reason), "locked": false, "comments": len(i.comments),
		"assignees": apply(i.assignees, c.userView), "labels": apply(i.labels, c.labelView), "milestone": c.milestoneView(i.milestone),
		"created_at": stamp(i.created), "updated_at": stamp(i.updated), "closed_at": stampOrNull(i.closedAt), "closed_by": nil,
		"author_association": i.author.association(i.repository), "repository_url": c.api(""),
		"url":      c.api("/issues/%d", i.number),
		"html_url": c.html("/%s/%d", i.segment(), i.number),
	}
	c.nestingView(view, i)
	if i.closedAt != nil {
		view["closed_by"] = c.author(i.closer)
	}
	if i.pull {
		pull := map[string]any{"html_url": view["html_url"], "url": c.api("/pulls/%d", i.number), "merged_at": nil}
		if i.merged {
			pull["merged_at"] = view["closed_at"]
		}
		view["draft"], view["pull_request"] = i.draft, pull
	}
	return view
}

func (c *call) labelView(l *label) map[string]any {
	return map[string]any{
		"id": l.id, "node_id": l.node, "name": l.name, "color": l.color, "description": orNull(l.description), "default": false,
		"url": c.api("/labels/%s", l.name),
	}
}

func (c *call) userView(a *account) map[string]any {
	return map[string]any{
		"id": a.id, "node_id": a.node, "login": a.login, "type": a.kind, "site_admin": false,
		"url": c.origin + restBase + "/users/" + a.login, "html_url": c.origin + "/" + a.login,
	}
}

// author returns an account as REST shows it; null if the account is gone.
func (c *call) author(a *account) any {
	if a == nil {
		return nil
	}
	return c.userView(a)
}

func (c *call) api(format string, args ...any) string {
	return c.origin + restBase + "/repos/" + c.repo.fullName() + fmt.Sprintf(format, args...)
}

func (c *call) html(format string, args ...any) string {
	return c.origin + "/" + c.repo.fullName() + fmt.Sprintf(format, args...)
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// theIssue returns the issue in the path. A transferred issue redirects, a deleted one is gone.
func (c *call) theIssue() *issue {
	if moved := c.repo.moved[c.number]; moved != nil {
		path := strings.Replace(c.route.path, "{n}", fmt.Sprint(moved.number), 1)
		refuse(c.t.inRepository(moved.repository) > noAccess, c.redirect(moved.repository, path))
	}
	refuse(c.repo.gone[c.number], c.refused(http.StatusGone, "This issue was deleted"))
	i := c.repo.issue(c.number)
	c.mustBeThere(i != nil)
	return i
}

func (c *call) getIssue() reply { return replyWith(http.StatusOK, c.issueView(c.issue)) }

// createIssue adds an issue.
func (c *call) createIssue() reply {
	change := c.readChange()
	refuse(change.Title == nil, malformed(c.route.page, "title", "a value is missing"))
	i := c.s.addIssue(c.repo, c.t.person, "", "", c.s.stampNow())
	change.apply(c, i)
	return replyWith(http.StatusCreated, c.issueView(i))
}

func (s *Server) addIssue(r *repository, author *account, title, body string, at time.Time) *issue {
	r.last++
	i := &issue{repository: r, number: r.last, title: title, body: body, author: author, created: at, updated: at}
	i.thing = s.next("I")
	r.issues = append(r.issues, i)
	return i
}

// updateIssue changes an issue or pull request. The author may change the texts and the state
// without push access.
func (c *call) updateIssue() reply {
	i := c.issue
	refuse(i.author != c.t.person && !c.pushes(), c.refused(http.StatusForbidden, "Must have push access or be the author of this issue."))
	c.readChange().apply(c, i)
	i.updated = c.s.stampNow()
	return replyWith(http.StatusOK, c.issueView(i))
}

// An issueChange has the fields of a body. Those that were not sent are nil.
type issueChange struct {
	Title, Body, State *string
	Reason             *string `json:"state_reason"`
	Type               *string // the name of an issue type
	Labels, Assignees  *[]string
	Milestone          *json.Number
	assignees          []*account
	milestone          *milestone
	values             map[*issueField]any
}

// sends reports whether a body has a field, which may be null.
func (c *call) sends(field string) bool { _, sent := c.fields[field]; return sent }

// pushes reports whether the person may push to the repository.
func (c *call) pushes() bool { return c.t.inRepository(c.repo) >= mayPush }

// readChange reads a body and refuses what GitHub refuses. Without push access, labels, assignees
// and the milestone are not looked at.
func (c *call) readChange() (change issueChange) {
	c.read(&change)
	var flaws []flaw
	wrong := func(field, code string, value any, message string) {
		flaws = append(flaws, flaw{Resource: "Issue", Field: field, Code: code, Value: value, Message: message})
	}
	text := func(of *string) string { return *cmp.Or(of, new(string)) }
	switch title := []rune(text(change.Title)); {
	case change.Title != nil && strings.TrimSpace(string(title)) == "":
		wrong("title", "missing_field", nil, "")
	case len(title) > longestTitle:
		wrong("title", "custom", nil, "title is too long (maximum is 256 characters)")
	}
	if len([]rune(text(change.Body))) > longestBody {
		wrong("body", "custom", nil, tooLong)
	}
	if !slices.Contains([]string{"", "open", "closed"}, text(change.State)) {
		wrong("state", "invalid", text(change.State), "")
	}
	if !slices.Contains([]string{"", "completed", "not_planned", "duplicate", "reopened"}, text(change.Reason)) {
		wrong("state_reason", "invalid", text(change.Reason), "")
	}
	if change.Type != nil {
		named := *change.Type
		*change.Type = first(c.repo.owner.types, func(one string) bool { return strings.EqualFold(one, named) })
		if *change.Type == "" && named != "" {
			wrong("type", "invalid", named, "")
		}
	}
	if c.pushes() {
		c.readPlan(&change, wrong)
	}
	refuse(len(flaws) > 0, invalid(c.route.page, flaws...))
	return change
}

// readPlan reads assignees, the milestone and issue fields. Only who can push can be assigned.
func (c *call) readPlan(change *issueChange, wrong func(field, code string, value any, message string)) {
	if change.Assignees != nil {
		for _, login := range *change.Assignees {
			if a := c.s.account(login); a == nil || a.kind != "User" || a.inRepository(c.repo) < mayPush {
				wrong("assignees", "invalid", login, "")
			} else if !slices.Contains(change.assignees, a) && len(change.assignees) < 10 {
				change.assignees = append(change.assignees, a)
			}
		}
	}
	if change.Milestone != nil {
		number, _ := integer(*change.Milestone)
		if change.milestone = c.repo.milestone(number); change.milestone == nil {
			wrong("milestone", "invalid", number, "")
		}
	}
	if c.sends("issue_field_values") {
		change.values = c.sentFields()
	}
}

func (change issueChange) apply(c *call, i *issue) {
	if change.Title != nil {
		i.title = strings.TrimSpace(*change.Title)
	}
	if change.Body != nil {
		i.body = *change.Body
	}
	if change.State != nil {
		i.setState(*change.State == "closed", change.Reason, c.t.person, c.s.stampNow())
	}
	if !c.pushes() {
		return
	}
	if c.sends("type") {
		if i.kindOf = ""; change.Type != nil {
			i.kindOf = *change.Type
		}
	}
	if change.Labels != nil {
		i.labels = nil
		for _, name := range *change.Labels {
			l := c.repo.label(name)
			if l == nil { // GitHub makes a label that does not exist yet
				l = c.s.addLabel(c.repo, name, "ededed", "")
			}
			if !slices.Contains(i.labels, l) {
				i.labels = append(i.labels, l)
			}
		}
	}
	if change.Assignees != nil {
		i.assignees = change.assignees
	}
	if c.sends("milestone") {
		i.milestone = change.milestone
	}
	if change.values != nil {
		i.values = change.values
	}
}

func (s *Server) addLabel(r *repository, name, color, description string) *label {
	l := &label{name: name, color: color, description: description}
	l.thing = s.next("LA")
	r.labels = append(r.labels, l)
	return l
}

// setState closes or opens an issue. Without a reason, GitHub chooses the usual one.
func (i *issue) setState(closed bool, reason *string, by *account, at time.Time) {
	chosen := ""
	if reason != nil {
		chosen = *reason
	}
	switch {
	case closed && (chosen == "" || chosen == "reopened"):
		chosen = "completed"
		if i.closed {
			chosen = i.reason
		}
	case !closed && i.closed:
		chosen = "reopened"
	case !closed:
		chosen = i.reason
	}
	if closed && !i.closed {
		i.closedAt, i.closer = &at, by
	}
	if !closed {
		i.closedAt, i.closer = nil, nil
	}
	if i.closed, i.reason = closed, chosen; i.pull {
		i.reason = ""
	}
}

// listIssues lists issues and pull requests, the newest first.
func (c *call) listIssues() reply {
	matches := c.issueFilter()
	list := filter(c.repo.issues, func(i *issue) bool {
		return !slices.ContainsFunc(matches, func(match condition) bool { return !match(i) })
	})
	list = sorted(list, c.query.Get("sort"), c.query.Get("direction"))
	return page(c, list, c.issueView)
}

// issueFilter returns the conditions that the query sets.
func (c *call) issueFilter() (matches []condition) {
	var flaws []flaw
	must := func(match condition) { matches = append(matches, match) }
	// given returns what a parameter says. One that names what does not exist is a flaw.
	given := func(field string, valid func(value string) bool) (value string, set bool) {
		value = c.query.Get(field)
		if value != "" && !valid(value) {
			flaws = append(flaws, flaw{Resource: "Issue", Field: field, Code: "invalid", Value: value})
		}
		return value, value != ""
	}
	anyOrNone := func(value string) bool { return value == "none" || value == "*" }
	state, _ := given("state", func(value string) bool { return value == "open" || value == "closed" || value == "all" })
	must(func(i *issue) bool { return state == "all" || i.closed == (state == "closed") })
	for name := range strings.SplitSeq(c.query.Get("labels"), ",") {
		if l := c.repo.label(strings.TrimSpace(name)); name != "" {
			must(func(i *issue) bool { return l != nil && slices.Contains(i.labels, l) })
		}
	}
	var at time.Time
	if _, set := given("since", func(value string) (ok bool) {
		var err error
		at, err = time.Parse(time.RFC3339, value)
		return err == nil
	}); set {
		must(func(i *issue) bool { return !i.updated.Before(at) })
	}
	if login := c.query.Get("creator"); login != "" {
		a := c.s.account(login)
		must(func(i *issue) bool { return a != nil && i.author == a })
	}
	if login, set := given("assignee", func(value string) bool { return anyOrNone(value) || c.s.account(value) != nil }); set {
		a := c.s.account(login)
		must(func(i *issue) bool {
			return anyOrNone(login) && len(i.assignees) > 0 == (login == "*") || !anyOrNone(login) && slices.Contains(i.assignees, a)
		})
	}
	milestone := func(value string) *milestone { n, _ := strconv.Atoi(value); return c.repo.milestone(n) }
	if text, set := given("milestone", func(value string) bool { return anyOrNone(value) || milestone(value) != nil }); set {
		must(func(i *issue) bool {
			return anyOrNone(text) && i.milestone != nil == (text == "*") || !anyOrNone(text) && i.milestone == milestone(text)
		})
	}
	refuse(len(flaws) > 0, invalid(c.route.page, flaws...))
	return matches
}
