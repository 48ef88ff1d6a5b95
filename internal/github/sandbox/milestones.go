package sandbox

import (
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
	return map[string]any{
		"id": m.id, "node_id": m.node, "number": m.number, "title": m.title, "description": orNull(m.description),
		"state": state(m.closed), "creator": c.author(m.creator), "open_issues": open, "closed_issues": closed,
		"due_on": stampOrNull(m.due), "created_at": stamp(m.created), "updated_at": stamp(m.updated),
		"url":      c.api("/milestones/%d", m.number),
		"html_url": c.html("/milestone/%d", m.number),
	}
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
	return page(c, list, c.milestoneView)
}

// createMilestone adds a milestone. Its title must differ from that of every other milestone.
func (c *call) createMilestone() reply {
	var in struct {
		Title              *string
		Description, State string
		Due                *time.Time `json:"due_on"`
	}
	c.read(&in)
	refuse(in.Title == nil, malformed(c.route.page, "title", "a value is missing"))
	f := flaw{Resource: "Milestone", Field: "title"}
	switch {
	case strings.TrimSpace(*in.Title) == "":
		f.Code = "missing_field"
	case len([]rune(*in.Title)) > shortText:
		f.Code, f.Message = "custom", "title is too long (maximum is 255 characters)"
	case in.State != "" && in.State != "open" && in.State != "closed":
		f.Field, f.Code, f.Value = "state", "invalid", in.State
	case slices.ContainsFunc(c.repo.milestones, func(m *milestone) bool { return strings.EqualFold(m.title, *in.Title) }):
		f.Code = "already_exists"
	}
	refuse(f.Code != "", invalid(c.route.page, f))
	m := c.s.addMilestone(c.repo, c.t.person, *in.Title, in.Description, in.Due)
	m.closed = in.State == "closed"
	return replyWith(http.StatusCreated, c.milestoneView(m))
}

// theMilestone returns the milestone in the path.
func (c *call) theMilestone() *milestone {
	m := c.repo.milestone(c.number)
	c.mustBeThere(m != nil)
	return m
}

func (c *call) getMilestone() reply {
	return replyWith(http.StatusOK, c.milestoneView(c.theMilestone()))
}

// deleteMilestone deletes a milestone. Its issues stay, without one.
func (c *call) deleteMilestone() reply {
	m := c.theMilestone()
	for _, i := range c.repo.issues {
		if i.milestone == m {
			i.milestone = nil
		}
	}
	c.repo.milestones = filter(c.repo.milestones, func(other *milestone) bool { return other != m })
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

// stampOrNull returns a time that may be missing.
func stampOrNull(t *time.Time) any {
	if t == nil {
		return nil
	}
	return stamp(*t)
}
