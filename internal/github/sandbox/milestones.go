package sandbox

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

const shortText = 255 // characters of a milestone's title

func (c *call) milestoneView(m *milestone) any {
	if m == nil {
		return nil
	}
	open, closed := 0, 0
	for _, i := range m.repository.issues {
		switch {
		case i.milestone != m:
		case i.closed:
			closed++
		default:
			open++
		}
	}
	view := map[string]any{
		"id": m.id, "node_id": m.node, "number": m.number, "title": m.title, "description": orNull(m.description),
		"state": state(m.closed), "creator": c.author(m.creator), "open_issues": open, "closed_issues": closed,
		"due_on": nil, "closed_at": nil, "created_at": stamp(m.created), "updated_at": stamp(m.updated),
		"url":      c.api(fmt.Sprintf("/milestones/%d", m.number)),
		"html_url": c.html(fmt.Sprintf("/milestone/%d", m.number)),
	}
	if m.due != nil {
		view["due_on"] = stamp(*m.due)
	}
	if m.closed {
		view["closed_at"] = stamp(m.updated)
	}
	return view
}

// listMilestones lists milestones, the earliest due date first.
func (c *call) listMilestones() reply {
	want := c.query.Get("state")
	list := filter(c.repo.milestones, func(m *milestone) bool {
		return want == "all" || m.closed == (want == "closed")
	})
	slices.SortStableFunc(list, func(a, b *milestone) int {
		switch {
		case a.due == nil && b.due == nil:
			return 0
		case a.due == nil:
			return 1
		case b.due == nil:
			return -1
		}
		return a.due.Compare(*b.due)
	})
	if c.query.Get("direction") == "desc" {
		slices.Reverse(list)
	}
	return page(c, list, c.milestoneView)
}

// createMilestone adds a milestone. Its title must differ from that of every other milestone.
func (c *call) createMilestone() reply {
	if c.t.inRepository(c.repo) < mayPush {
		return refused(http.StatusForbidden, "You must have push access to this repository.", c.page())
	}
	in := c.input()
	title, titled := in.text("title")
	description, _ := in.text("description")
	chosen, _ := in.text("state")
	due, dated := in.text("due_on")
	if in.refusal != nil {
		return *in.refusal
	}
	var at *time.Time
	if dated {
		parsed, err := time.Parse(time.RFC3339, due)
		if err != nil {
			return malformed(c.page(), "due_on", "the value is not a time")
		}
		at = &parsed
	}
	taken := slices.ContainsFunc(c.repo.milestones, func(m *milestone) bool { return strings.EqualFold(m.title, title) })
	switch {
	case !titled:
		return malformed(c.page(), "title", "a value is missing")
	case strings.TrimSpace(title) == "":
		return invalid(c.page(), flaw{Resource: "Milestone", Field: "title", Code: "missing_field"})
	case len([]rune(title)) > shortText:
		return invalid(c.page(), flaw{Resource: "Milestone", Field: "title", Code: "custom", Message: "title is too long (maximum is 255 characters)"})
	case chosen != "" && chosen != "open" && chosen != "closed":
		return invalid(c.page(), flaw{Resource: "Milestone", Field: "state", Code: "invalid", Value: chosen})
	case taken:
		return invalid(c.page(), flaw{Resource: "Milestone", Field: "title", Code: "already_exists"})
	}
	m := c.s.addMilestone(c.repo, c.t.person, title, description, at)
	m.closed = chosen == "closed"
	return replyWith(http.StatusCreated, c.milestoneView(m)).withHeader("Location", c.api(fmt.Sprintf("/milestones/%d", m.number)))
}

// getMilestone returns a milestone.
func (c *call) getMilestone() reply {
	m := c.repo.milestone(c.number)
	if m == nil {
		return notFound(c.page())
	}
	return replyWith(http.StatusOK, c.milestoneView(m))
}

// deleteMilestone deletes a milestone. Its issues stay, without one.
func (c *call) deleteMilestone() reply {
	m := c.repo.milestone(c.number)
	switch {
	case m == nil:
		return notFound(c.page())
	case c.t.inRepository(c.repo) < mayPush:
		return refused(http.StatusForbidden, "You must have push access to this repository.", c.page())
	}
	for _, i := range c.repo.issues {
		if i.milestone == m {
			i.milestone = nil
		}
	}
	c.repo.milestones = slices.DeleteFunc(c.repo.milestones, func(other *milestone) bool { return other == m })
	return replyWith(http.StatusNoContent, nil)
}

func (s *Server) addMilestone(r *repository, creator *account, title, description string, due *time.Time) *milestone {
	now := s.stampNow()
	m := &milestone{
		repository: r, number: len(r.milestones) + 1, title: title, description: description, due: due, creator: creator, created: now, updated: now,
	}
	m.thing = s.next("MI")
	r.milestones = append(r.milestones, m)
	return m
}

func state(closed bool) string {
	if closed {
		return "closed"
	}
	return "open"
}

// stampNow returns the time in GitHub's precision.
func (s *Server) stampNow() time.Time { return s.now().UTC().Truncate(time.Second) }

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
