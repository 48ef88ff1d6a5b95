package sandbox

import (
	"net/http"
	"slices"
	"strings"
)

const (
	maxSubIssues = 100
	maxNested    = 8 // levels
)

// nestingView adds what an issue says of its parent, its sub-issues, its dependencies and its type.
func (c *call) nestingView(view map[string]any, i *issue) {
	if c.s.enterprise || i.pull {
		return
	}
	view["type"], view["issue_field_values"] = nil, i.fieldViews()
	if i.kindOf != "" {
		view["type"] = typeView(slices.Index(i.repository.owner.types, i.kindOf), i.kindOf)
	}
	done := len(filter(i.subs, func(sub *issue) bool { return sub.closed }))
	percent := 0
	if len(i.subs) > 0 {
		percent = done * 100 / len(i.subs)
	}
	view["sub_issues_summary"] = map[string]any{"total": len(i.subs), "completed": done, "percent_completed": percent}
	blocked := len(c.s.blockedBy(i))
	open := func(i *issue) bool { return !i.closed }
	view["issue_dependencies_summary"] = map[string]any{
		"blocked_by": len(filter(i.blockers, open)), "total_blocked_by": len(i.blockers), "blocking": blocked, "total_blocking": blocked,
	}
	if i.parent != nil {
		view["parent_issue_url"] = c.elsewhere(i.parent)["url"]
	}
}

func typeView(index int, name string) map[string]any {
	return map[string]any{"id": 7000 + index, "node_id": nodeID("IT", int64(7000+index)), "name": name, "description": nil}
}

// elsewhere returns an issue of any repository as the API shows it.
func (c *call) elsewhere(i *issue) map[string]any {
	there := *c
	there.repo = i.repository
	return there.issueView(i)
}

// blockedBy returns the issues that an issue blocks.
func (s *Server) blockedBy(i *issue) (blocked []*issue) {
	for _, r := range s.repos {
		blocked = append(blocked, filter(r.issues, func(other *issue) bool { return slices.Contains(other.blockers, i) })...)
	}
	return blocked
}

// related lists issues that have to do with the one in the path, as far as the person sees them.
func (c *call) related(of func(*issue) []*issue) reply {
	return page(c, filter(of(c.issue), func(other *issue) bool { return c.t.inRepository(other.repository) > noAccess }), c.elsewhere)
}

func (c *call) listSubIssues() reply { return c.related(func(i *issue) []*issue { return i.subs }) }
func (c *call) listBlockers() reply  { return c.related(func(i *issue) []*issue { return i.blockers }) }
func (c *call) listBlocked() reply   { return c.related(c.s.blockedBy) }

func (c *call) getParent() reply {
	parent := c.issue.parent
	if parent == nil || c.t.inRepository(parent.repository) == noAccess {
		return notFound(c.page())
	}
	return replyWith(http.StatusOK, c.elsewhere(parent))
}

// withOther returns the issue in the path and the one whose ID a field has.
func (c *call) withOther(field string) (i, other *issue, refusal reply, ok bool) {
	if c.t.inRepository(c.repo) < mayPush {
		return nil, nil, refused(http.StatusForbidden, "Must have push access to the repository.", c.page()), false
	}
	in := c.input()
	id, sent := in.number(field)
	if in.refusal == nil && !sent {
		in.refuse(field, "a value is missing")
	}
	if in.refusal != nil {
		return nil, nil, *in.refusal, false
	}
	if other = c.issueByID(id); other == nil || other.pull {
		return nil, nil, notFound(c.page()), false
	}
	return c.issue, other, reply{}, true
}

func (c *call) issueByID(id int) *issue {
	for _, r := range c.s.repos {
		if i := first(r.issues, func(i *issue) bool { return i.id == int64(id) }); i != nil && c.t.inRepository(r) > noAccess {
			return i
		}
	}
	return nil
}

// addSubIssue makes an issue a sub-issue of the one in the path.
func (c *call) addSubIssue() reply {
	i, sub, refusal, ok := c.withOther("sub_issue_id")
	if !ok {
		return refusal
	}
	if words := i.adopt(sub, string(c.fields["replace_parent"]) == "true"); words != "" {
		return refused(http.StatusUnprocessableEntity, "The sub-issue was not added. "+words, c.page())
	}
	return replyWith(http.StatusCreated, c.elsewhere(i))
}

// adopt makes an issue the last sub-issue of another one, or returns why GitHub refuses that.
func (i *issue) adopt(sub *issue, replaces bool) (refusal string) {
	switch {
	case sub.repository.owner != i.repository.owner:
		return "Sub-issue must belong to the same owner as the parent issue"
	case sub == i || i.isBelow(sub):
		return "Sub issue cannot create a circular dependency"
	case sub.parent == i:
		return "Issue may not contain duplicate sub-issues"
	case sub.parent != nil && !replaces:
		return "Sub issue may only have one parent"
	case len(i.subs) >= maxSubIssues:
		return "Parent cannot have more than 100 sub-issues"
	case i.depth()+1 >= maxNested:
		return "Sub-issues are limited to 8 levels"
	}
	sub.leave()
	sub.parent, i.subs = i, append(slices.Clip(i.subs), sub)
	return ""
}

// move puts a sub-issue before or after another one. It returns false if one is not a sub-issue.
func (i *issue) move(sub, next *issue, isAfter bool) bool {
	if next == nil || next.parent != i || sub.parent != i || next == sub {
		return false
	}
	rest := filter(i.subs, func(other *issue) bool { return other != sub })
	at := slices.Index(rest, next)
	if isAfter {
		at++
	}
	i.subs = slices.Insert(rest, at, sub)
	return true
}

// isBelow reports whether an issue is nested in another one.
func (i *issue) isBelow(other *issue) bool {
	for up := i.parent; up != nil; up = up.parent {
		if up == other {
			return true
		}
	}
	return false
}

func (i *issue) depth() (levels int) {
	for up := i.parent; up != nil; up = up.parent {
		levels++
	}
	return levels
}

// leave takes an issue out of its parent.
func (i *issue) leave() {
	if i.parent != nil {
		i.parent.subs = filter(i.parent.subs, func(other *issue) bool { return other != i })
		i.parent = nil
	}
}

func (c *call) removeSubIssue() reply {
	i, sub, refusal, ok := c.withOther("sub_issue_id")
	switch {
	case !ok:
		return refusal
	case sub.parent != i:
		return notFound(c.page())
	}
	sub.leave()
	return replyWith(http.StatusOK, c.elsewhere(i))
}

// moveSubIssue puts a sub-issue before or after another one.
func (c *call) moveSubIssue() reply {
	i, sub, refusal, ok := c.withOther("sub_issue_id")
	if !ok {
		return refusal
	}
	in := c.input()
	after, isAfter := in.number("after_id")
	before, isBefore := in.number("before_id")
	switch {
	case in.refusal != nil:
		return *in.refusal
	case isAfter == isBefore:
		return refused(http.StatusUnprocessableEntity, "You must specify only one of after_id or before_id", c.page())
	case !i.move(sub, c.issueByID(max(after, before)), isAfter):
		return notFound(c.page())
	}
	return replyWith(http.StatusOK, c.elsewhere(i))
}

// addBlocker makes the issue in the path wait for another one.
func (c *call) addBlocker() reply {
	i, blocker, refusal, ok := c.withOther("issue_id")
	switch {
	case !ok:
		return refusal
	case blocker == i:
		return refused(http.StatusUnprocessableEntity, "An issue cannot be blocked by itself", c.page())
	case slices.Contains(i.blockers, blocker):
		return refused(http.StatusUnprocessableEntity, "Target issue has already been taken", c.page())
	}
	i.blockers = append(slices.Clip(i.blockers), blocker)
	return replyWith(http.StatusCreated, c.elsewhere(blocker))
}

func (c *call) removeBlocker() reply {
	i, blocker := c.issue, c.issueByID(c.id)
	switch {
	case c.t.inRepository(c.repo) < mayPush:
		return refused(http.StatusForbidden, "Must have push access to the repository.", c.page())
	case blocker == nil || !slices.Contains(i.blockers, blocker):
		return notFound(c.page())
	}
	i.blockers = filter(i.blockers, func(other *issue) bool { return other != blocker })
	return replyWith(http.StatusOK, c.elsewhere(blocker))
}

// planning returns an organization whose issue types and fields the person may see.
func (c *call) planning(login, page string) (org *account, refusal reply, ok bool) {
	org = c.s.account(login)
	switch {
	case c.s.enterprise || org == nil || org.kind != "Organization" || !slices.Contains(org.members, c.t.person):
		return nil, notFound(page), false
	case c.t.lacksSSO(org):
		return nil, refused(http.StatusForbidden, samlRefusal, "/authentication/authenticating-to-the-rest-api").
			withHeader("X-Github-Sso", "required; url="+ssoURL(c.origin, org, c.t)), false
	}
	return org, reply{}, true
}

// listIssueTypes lists the issue types of an organization.
func (c *call) listIssueTypes(login string) reply {
	const page = "/orgs/issue-types#list-issue-types-for-an-organization"
	org, refusal, ok := c.planning(login, page)
	if !ok {
		return refusal
	}
	types := []map[string]any{}
	for k, name := range org.types {
		types = append(types, typeView(k, name))
	}
	return replyWith(http.StatusOK, types)
}

// theType returns the type with a name, and whether its organization has it.
func (r *repository) theType(name string) (string, bool) {
	for _, one := range r.owner.types {
		if strings.EqualFold(one, name) {
			return one, true
		}
	}
	return "", name == ""
}
