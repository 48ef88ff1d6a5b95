package sandbox

import (
	"encoding/json"
	"net/http"
	"slices"
)

const (
	maxSubIssues = 100
	maxNested    = 8 // levels
)

// nestingView adds what an issue says of its parent, its sub-issues, its dependencies and its type.
func (c *call) nestingView(view map[string]any, i *issue) {
	if c.s.options.Enterprise || i.pull {
		return
	}
	view["type"], view["issue_field_values"] = nil, i.fieldViews()
	if i.kindOf != "" {
		view["type"] = typeView(slices.Index(i.repository.owner.types, i.kindOf), i.kindOf)
	}
	done := len(filter(i.subs, func(sub *issue) bool { return sub.closed }))
	view["sub_issues_summary"] = map[string]any{"total": len(i.subs), "completed": done}
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

func (c *call) elsewhere(i *issue) map[string]any {
	there := *c
	there.repo = i.repository
	return there.issueView(i)
}

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
		return notFound(c.route.page)
	}
	return replyWith(http.StatusOK, c.elsewhere(parent))
}

// other returns the issue whose ID a field has.
func (c *call) other(field string) (other *issue, refusal *reply) {
	var id int
	if !c.sends(field) || json.Unmarshal(c.fields[field], &id) != nil {
		r := malformed(c.route.page, field, "the value is not an integer")
		return nil, &r
	}
	if other = c.issueByID(id); other == nil || other.pull {
		r := notFound(c.route.page)
		return nil, &r
	}
	return other, nil
}

func (c *call) issueByID(id int) *issue {
	for _, r := range c.s.repos {
		if i := first(r.issues, func(i *issue) bool { return i.id == int64(id) }); i != nil && c.t.inRepository(r) > noAccess {
			return i
		}
	}
	return nil
}

func (c *call) addSubIssue() reply {
	sub, refusal := c.other("sub_issue_id")
	if refusal != nil {
		return *refusal
	}
	if words := c.issue.adopt(sub, string(c.fields["replace_parent"]) == "true"); words != "" {
		return c.refused(http.StatusUnprocessableEntity, "The sub-issue was not added. "+words)
	}
	return replyWith(http.StatusCreated, c.elsewhere(c.issue))
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

// move puts a sub-issue after another one. It returns false if one is not a sub-issue.
func (i *issue) move(sub, next *issue) bool {
	if next.parent != i || sub.parent != i || next == sub {
		return false
	}
	rest := filter(i.subs, func(other *issue) bool { return other != sub })
	i.subs = slices.Insert(rest, slices.Index(rest, next)+1, sub)
	return true
}

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

func (i *issue) leave() {
	if i.parent != nil {
		i.parent.subs = filter(i.parent.subs, func(other *issue) bool { return other != i })
		i.parent = nil
	}
}

func (c *call) removeSubIssue() reply {
	sub, refusal := c.other("sub_issue_id")
	switch {
	case refusal != nil:
		return *refusal
	case sub.parent != c.issue:
		return notFound(c.route.page)
	}
	sub.leave()
	return replyWith(http.StatusOK, c.elsewhere(c.issue))
}

// moveSubIssue puts a sub-issue after another one.
func (c *call) moveSubIssue() reply {
	sub, refusal := c.other("sub_issue_id")
	if refusal != nil {
		return *refusal
	}
	next, refusal := c.other("after_id")
	switch {
	case refusal != nil:
		return *refusal
	case !c.issue.move(sub, next):
		return notFound(c.route.page)
	}
	return replyWith(http.StatusOK, c.elsewhere(c.issue))
}

func (c *call) addBlocker() reply {
	i := c.issue
	blocker, refusal := c.other("issue_id")
	switch {
	case refusal != nil:
		return *refusal
	case blocker == i:
		return c.refused(http.StatusUnprocessableEntity, "An issue cannot be blocked by itself")
	case slices.Contains(i.blockers, blocker):
		return c.refused(http.StatusUnprocessableEntity, "Target issue has already been taken")
	}
	i.blockers = append(slices.Clip(i.blockers), blocker)
	return replyWith(http.StatusCreated, c.elsewhere(blocker))
}

func (c *call) removeBlocker() reply {
	i, blocker := c.issue, c.issueByID(c.id)
	if blocker == nil || !slices.Contains(i.blockers, blocker) {
		return notFound(c.route.page)
	}
	i.blockers = filter(i.blockers, func(other *issue) bool { return other != blocker })
	return replyWith(http.StatusOK, c.elsewhere(blocker))
}

// planning returns an organization whose issue types and fields the person may see, or nil.
func (c *call) planning(login string) *account {
	org := c.s.account(login)
	if c.s.options.Enterprise || org == nil || org.kind != "Organization" || !slices.Contains(org.members, c.t.person) {
		return nil
	}
	return org
}

func (c *call) listIssueTypes(login string) reply {
	org := c.planning(login)
	if org == nil {
		return notFound("/orgs/issue-types")
	}
	types := []map[string]any{}
	for k, name := range org.types {
		types = append(types, typeView(k, name))
	}
	return replyWith(http.StatusOK, types)
}
