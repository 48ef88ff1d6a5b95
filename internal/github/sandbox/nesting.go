package sandbox

import (
	"encoding/json"
	"net/http"
	"path"
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

// related returns what lists the issues that have to do with the one in the path, as far as the
// person sees them.
func related(of func(*Server, *issue) []*issue) func(*call) reply {
	return func(c *call) reply {
		return page(c, filter(of(c.s, c.issue), func(other *issue) bool { return c.t.inRepository(other.repository) > noAccess }), c.elsewhere)
	}
}

func (c *call) getParent() reply {
	parent := c.issue.parent
	c.mustBeThere(parent != nil && c.t.inRepository(parent.repository) > noAccess)
	return replyWith(http.StatusOK, c.elsewhere(parent))
}

// other returns the issue whose ID a field has.
func (c *call) other(field string) *issue {
	var id int
	refuse(!c.sends(field) || json.Unmarshal(c.fields[field], &id) != nil, malformed(c.route.page, field, "the value is not an integer"))
	other := c.issueByID(id)
	c.mustBeThere(other != nil && !other.pull)
	return other
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
	words := c.issue.adopt(c.other("sub_issue_id"), string(c.fields["replace_parent"]) == "true")
	refuse(words != "", c.refused(http.StatusUnprocessableEntity, "The sub-issue was not added. "+words))
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
	sub := c.other("sub_issue_id")
	c.mustBeThere(sub.parent == c.issue)
	sub.leave()
	return replyWith(http.StatusOK, c.elsewhere(c.issue))
}

// moveSubIssue puts a sub-issue after another one.
func (c *call) moveSubIssue() reply {
	c.mustBeThere(c.issue.move(c.other("sub_issue_id"), c.other("after_id")))
	return replyWith(http.StatusOK, c.elsewhere(c.issue))
}

func (c *call) addBlocker() reply {
	i, blocker := c.issue, c.other("issue_id")
	refuse(blocker == i, c.refused(http.StatusUnprocessableEntity, "An issue cannot be blocked by itself"))
	refuse(slices.Contains(i.blockers, blocker), c.refused(http.StatusUnprocessableEntity, "Target issue has already been taken"))
	i.blockers = append(slices.Clip(i.blockers), blocker)
	return replyWith(http.StatusCreated, c.elsewhere(blocker))
}

func (c *call) removeBlocker() reply {
	i, blocker := c.issue, c.issueByID(c.id)
	c.mustBeThere(blocker != nil && slices.Contains(i.blockers, blocker))
	i.blockers = filter(i.blockers, func(other *issue) bool { return other != blocker })
	return replyWith(http.StatusOK, c.elsewhere(blocker))
}

// planning returns an organization whose issue types and fields the person may see.
func (c *call) planning(login string) *account {
	org := c.s.account(login)
	refuse(c.s.options.Enterprise || org == nil || !slices.Contains(org.members, c.t.person), notFound("/orgs/"+path.Base(c.r.URL.Path)))
	return org
}

func (c *call) listIssueTypes(login string) reply {
	types := []map[string]any{}
	for k, name := range c.planning(login).types {
		types = append(types, typeView(k, name))
	}
	return replyWith(http.StatusOK, types)
}
