package sandbox

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

const (
	longestBody  = 65_536 // characters of the body of an issue or a comment
	longestTitle = 256    // characters
	tooLong      = "body is too long (maximum is 65536 characters)"
)

// segment returns the part of an address that says what the issue is.
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
		"assignees": c.users(i.assignees), "assignee": nil, "labels": apply(i.labels, c.labelView), "milestone": c.milestoneView(i.milestone),
		"created_at": stamp(i.created), "updated_at": stamp(i.updated), "closed_at": nil, "closed_by": nil, "author_association": i.author.association(i.repository),
		"repository_url": c.api(""),
		"url":            c.api(fmt.Sprintf("/issues/%d", i.number)),
		"comments_url":   c.api(fmt.Sprintf("/issues/%d/comments", i.number)),
		"html_url":       c.html(fmt.Sprintf("/%s/%d", i.segment(), i.number)),
	}
	c.nestingView(view, i)
	if len(i.assignees) > 0 {
		view["assignee"] = userView(i.assignees[0], c.origin)
	}
	if i.closedAt != nil {
		view["closed_at"], view["closed_by"] = stamp(*i.closedAt), c.author(i.closer)
	}
	if i.pull {
		view["draft"] = i.draft
		pull := map[string]any{"html_url": view["html_url"], "url": c.api(fmt.Sprintf("/pulls/%d", i.number)), "merged_at": nil}
		if i.merged {
			pull["merged_at"] = view["closed_at"]
		}
		view["pull_request"] = pull
	}
	return view
}

// theIssue returns the issue in the path. A transferred issue redirects, a deleted one is gone.
func (c *call) theIssue() (i *issue, refusal reply, ok bool) {
	if moved := c.repo.moved[c.number]; moved != nil && c.t.inRepository(moved.repository) > noAccess {
		path := strings.Replace(c.route.path, "{n}", fmt.Sprint(moved.number), 1)
		return nil, c.redirect(fmt.Sprintf("%s%s/repositories/%d/%s", c.origin, restBase, moved.repository.id, path)), false
	}
	if c.repo.gone[c.number] {
		return nil, refused(http.StatusGone, "This issue was deleted", c.page()), false
	}
	if i = c.repo.issue(c.number); i == nil {
		return nil, notFound(c.page()), false
	}
	return i, reply{}, true
}

// getIssue returns an issue or pull request.
func (c *call) getIssue() reply { return replyWith(http.StatusOK, c.issueView(c.issue)) }

// createIssue adds an issue.
func (c *call) createIssue() reply {
	change, refusal := c.readChange()
	if refusal != nil {
		return *refusal
	}
	if change.title == nil {
		return malformed(c.page(), "title", "a value is missing")
	}
	i := c.s.addIssue(c.repo, c.t.person, "", "", c.s.stampNow())
	change.apply(c, i)
	view := c.issueView(i)
	return replyWith(http.StatusCreated, view).withHeader("Location", fmt.Sprint(view["url"]))
}

// addIssue adds an open issue with the next number.
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
	if i.author != c.t.person && c.t.inRepository(c.repo) < mayPush {
		return refused(http.StatusForbidden, "Must have push access or be the author of this issue.", c.page())
	}
	change, wrong := c.readChange()
	if wrong != nil {
		return *wrong
	}
	change.apply(c, i)
	i.updated = c.s.stampNow()
	return replyWith(http.StatusOK, c.issueView(i))
}

// An issueChange has the fields of a body. Those that were not sent are nil.
type issueChange struct {
	title, body, state, reason *string
	kindOf                     *string // the name of an issue type; empty for none
	labels                     *[]string
	assignees                  *[]*account
	milestone                  **milestone
	values                     map[*issueField]any
}

// readChange reads a body and refuses what GitHub refuses. Without push access, labels, assignees
// and the milestone are not looked at.
func (c *call) readChange() (change issueChange, refusal *reply) {
	in := c.input()
	optional := func(field string) *string {
		if value, ok := in.text(field); ok {
			return &value
		}
		return nil
	}
	change = issueChange{title: optional("title"), body: optional("body"), state: optional("state"), reason: optional("state_reason"), kindOf: optional("type")}
	labels, relabels := in.texts("labels")
	logins, assigns := in.texts("assignees")
	number, plans := in.number("milestone")
	if in.refusal != nil {
		return change, in.refusal
	}
	flaws := change.flaws()
	if change.kindOf != nil {
		if name, known := c.repo.theType(*change.kindOf); known {
			change.kindOf = &name
		} else {
			flaws = append(flaws, flaw{Resource: "Issue", Field: "type", Code: "invalid", Value: *change.kindOf})
		}
	}
	if c.t.inRepository(c.repo) >= mayPush {
		if relabels {
			change.labels = &labels
		}
		if assigns {
			change.assignees = c.assignees(logins, &flaws)
		}
		if m := c.repo.milestone(number); plans && m == nil && number != 0 {
			flaws = append(flaws, flaw{Resource: "Issue", Field: "milestone", Code: "invalid", Value: number})
		} else if plans {
			change.milestone = &m
		}
		if _, sets := in.sent("issue_field_values"); sets {
			values, wrong := c.sentFields()
			if wrong != nil {
				return change, wrong
			}
			change.values = values
		}
	}
	if len(flaws) > 0 {
		r := invalid(c.page(), flaws...)
		return change, &r
	}
	return change, nil
}

// flaws returns what is wrong with the texts and the state.
func (change issueChange) flaws() (flaws []flaw) {
	add := func(field, code string, value any, message string) {
		flaws = append(flaws, flaw{Resource: "Issue", Field: field, Code: code, Value: value, Message: message})
	}
	if change.title != nil && strings.TrimSpace(*change.title) == "" {
		add("title", "missing_field", nil, "")
	}
	if change.title != nil && len([]rune(*change.title)) > longestTitle {
		add("title", "custom", nil, "title is too long (maximum is 256 characters)")
	}
	if change.body != nil && len([]rune(*change.body)) > longestBody {
		add("body", "custom", nil, tooLong)
	}
	if change.state != nil && *change.state != "open" && *change.state != "closed" {
		add("state", "invalid", *change.state, "")
	}
	if change.reason != nil && !slices.Contains([]string{"", "completed", "not_planned", "duplicate", "reopened"}, *change.reason) {
		add("state_reason", "invalid", *change.reason, "")
	}
	return flaws
}

// assignees returns the accounts of logins. Only who can push can be assigned.
func (c *call) assignees(logins []string, flaws *[]flaw) *[]*account {
	accounts := []*account{}
	for _, login := range logins {
		a := c.s.account(login)
		if a == nil || a.kind != "User" || a.inRepository(c.repo) < mayPush {
			*flaws = append(*flaws, flaw{Resource: "Issue", Field: "assignees", Code: "invalid", Value: login})
			continue
		}
		if !slices.Contains(accounts, a) && len(accounts) < 10 {
			accounts = append(accounts, a)
		}
	}
	return &accounts
}

// apply changes an issue.
func (change issueChange) apply(c *call, i *issue) {
	if change.title != nil {
		i.title = strings.TrimSpace(*change.title)
	}
	if change.body != nil {
		i.body = *change.body
	}
	if change.kindOf != nil && c.t.inRepository(c.repo) >= mayPush {
		i.kindOf = *change.kindOf
	}
	if change.labels != nil {
		i.labels = nil
		for _, name := range *change.labels {
			if l := c.labelled(name); !slices.Contains(i.labels, l) {
				i.labels = append(i.labels, l)
			}
		}
	}
	if change.assignees != nil {
		i.assignees = *change.assignees
	}
	if change.milestone != nil {
		i.milestone = *change.milestone
	}
	if change.values != nil {
		i.values = change.values
	}
	if change.state != nil {
		i.setState(*change.state == "closed", change.reason, c.t.person, c.s.stampNow())
	}
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
	i.closed, i.reason = closed, chosen
	if i.pull {
		i.reason = ""
	}
}
