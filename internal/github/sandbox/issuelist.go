package sandbox

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// listIssues lists issues and pull requests, the newest first.
func (c *call) listIssues() reply {
	matches, flaws := c.issueFilter()
	if len(flaws) > 0 {
		return invalid(c.page(), flaws...)
	}
	list := filter(c.repo.issues, func(i *issue) bool {
		return !slices.ContainsFunc(matches, func(match func(*issue) bool) bool { return !match(i) })
	})
	slices.SortStableFunc(list, func(a, b *issue) int {
		switch c.query.Get("sort") {
		case "updated":
			return cmp.Or(a.updated.Compare(b.updated), cmp.Compare(a.number, b.number))
		case "comments":
			return cmp.Or(cmp.Compare(len(a.comments), len(b.comments)), cmp.Compare(a.number, b.number))
		}
		return cmp.Or(a.created.Compare(b.created), cmp.Compare(a.number, b.number))
	})
	if c.query.Get("direction") != "asc" {
		slices.Reverse(list)
	}
	return page(c, list, c.issueView)
}

// issueFilter returns the conditions that the query sets.
func (c *call) issueFilter() (matches []func(*issue) bool, flaws []flaw) {
	wrong := func(field, value string) {
		flaws = append(flaws, flaw{Resource: "Issue", Field: field, Code: "invalid", Value: value})
	}
	must := func(match func(*issue) bool) { matches = append(matches, match) }
	switch state := c.query.Get("state"); state {
	case "", "open", "closed":
		must(func(i *issue) bool { return i.closed == (state == "closed") })
	case "all":
	default:
		wrong("state", state)
	}
	for name := range strings.SplitSeq(c.query.Get("labels"), ",") {
		if name = strings.TrimSpace(name); name != "" {
			must(func(i *issue) bool {
				return slices.ContainsFunc(i.labels, func(l *label) bool { return strings.EqualFold(l.name, name) })
			})
		}
	}
	if since := c.query.Get("since"); since != "" {
		at, err := time.Parse(time.RFC3339, since)
		if err != nil {
			wrong("since", since)
		}
		must(func(i *issue) bool { return !i.updated.Before(at) })
	}
	c.filterPeople(must, wrong)
	c.filterMilestone(must, wrong)
	return matches, flaws
}

func (c *call) filterPeople(must func(func(*issue) bool), wrong func(field, value string)) {
	if login := c.query.Get("creator"); login != "" {
		a := c.s.account(login)
		must(func(i *issue) bool { return a != nil && i.author == a })
	}
	switch login := c.query.Get("assignee"); login {
	case "":
	case "none":
		must(func(i *issue) bool { return len(i.assignees) == 0 })
	case "*":
		must(func(i *issue) bool { return len(i.assignees) > 0 })
	default:
		a := c.s.account(login)
		if a == nil {
			wrong("assignee", login)
		}
		must(func(i *issue) bool { return slices.Contains(i.assignees, a) })
	}
}

func (c *call) filterMilestone(must func(func(*issue) bool), wrong func(field, value string)) {
	switch text := c.query.Get("milestone"); text {
	case "":
	case "none":
		must(func(i *issue) bool { return i.milestone == nil })
	case "*":
		must(func(i *issue) bool { return i.milestone != nil })
	default:
		number, err := strconv.Atoi(text)
		m := c.repo.milestone(number)
		if err != nil || m == nil {
			wrong("milestone", text)
		}
		must(func(i *issue) bool { return i.milestone == m })
	}
}
