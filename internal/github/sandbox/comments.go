package sandbox

import (
	"net/http"
	"strings"
	"time"
)

func (c *call) commentView(m *comment) map[string]any {
	return map[string]any{
		"id": m.id, "node_id": m.node, "user": c.author(m.author), "body": m.body, "author_association": m.author.association(m.issue.repository),
		"created_at": stamp(m.created), "updated_at": stamp(m.updated),
		"url":       c.api("/issues/comments/%d", m.id),
		"issue_url": c.api("/issues/%d", m.issue.number),
		"html_url":  c.html("/%s/%d#issuecomment-%d", m.issue.segment(), m.issue.number, m.id),
	}
}

// listComments lists the comments of an issue, the oldest first.
func (c *call) listComments() reply {
	comments := c.issue.comments
	if text := c.query.Get("since"); text != "" {
		since, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return invalid(c.route.page, flaw{Resource: "Comment", Field: "since", Code: "invalid", Value: text})
		}
		comments = filter(comments, func(m *comment) bool { return !m.updated.Before(since) })
	}
	return page(c, comments, c.commentView)
}

func (c *call) createComment() reply {
	var in struct{ Body *string }
	switch refusal := c.read(&in); {
	case refusal != nil:
		return *refusal
	case in.Body == nil:
		return malformed(c.route.page, "body", "a value is missing")
	case strings.TrimSpace(*in.Body) == "":
		return invalid(c.route.page, flaw{Resource: "IssueComment", Field: "body", Code: "missing_field"})
	case len([]rune(*in.Body)) > longestBody:
		return invalid(c.route.page, flaw{Resource: "IssueComment", Field: "body", Code: "custom", Message: tooLong})
	}
	return replyWith(http.StatusCreated, c.commentView(c.s.addComment(c.issue, c.t.person, *in.Body, c.s.stampNow())))
}

// theComment returns the comment in the path, or nil.
func (c *call) theComment() *comment {
	for _, i := range c.repo.issues {
		if m := first(i.comments, func(m *comment) bool { return m.id == int64(c.number) }); m != nil {
			return m
		}
	}
	return nil
}

func (c *call) getComment() reply {
	if m := c.theComment(); m != nil {
		return replyWith(http.StatusOK, c.commentView(m))
	}
	return notFound(c.route.page)
}

// deleteComment deletes a comment, which its author and those who can push may do.
func (c *call) deleteComment() reply {
	m := c.theComment()
	switch {
	case m == nil:
		return notFound(c.route.page)
	case m.author != c.t.person && !c.pushes():
		return c.refused(http.StatusForbidden, "Must have admin rights to Repository.")
	}
	m.issue.comments = filter(m.issue.comments, func(other *comment) bool { return other != m })
	return replyWith(http.StatusNoContent, nil)
}

func (s *Server) addComment(i *issue, author *account, body string, at time.Time) *comment {
	m := &comment{issue: i, author: author, body: body, created: at, updated: at}
	m.thing = s.next("IC")
	i.comments = append(i.comments, m)
	if at.After(i.updated) {
		i.updated = at
	}
	return m
}
