package sandbox

import (
	"cmp"
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
		refuse(err != nil, invalid(c.route.page, flaw{Resource: "Comment", Field: "since", Code: "invalid", Value: text}))
		comments = filter(comments, func(m *comment) bool { return !m.updated.Before(since) })
	}
	return page(c, comments, c.commentView)
}

func (c *call) createComment() reply {
	var in struct{ Body *string }
	c.read(&in)
	refuse(in.Body == nil, malformed(c.route.page, "body", "a value is missing"))
	refuse(strings.TrimSpace(*in.Body) == "", invalid(c.route.page, flaw{Resource: "IssueComment", Field: "body", Code: "missing_field"}))
	refuse(len([]rune(*in.Body)) > longestBody, invalid(c.route.page, flaw{Resource: "IssueComment", Field: "body", Code: "custom", Message: tooLong}))
	return replyWith(http.StatusCreated, c.commentView(c.s.addComment(c.issue, c.t.person, *in.Body, c.s.stampNow())))
}

// theComment returns the comment in the path.
func (c *call) theComment() *comment {
	var found *comment
	for _, i := range c.repo.issues {
		found = cmp.Or(found, first(i.comments, func(m *comment) bool { return m.id == int64(c.number) }))
	}
	c.mustBeThere(found != nil)
	return found
}

func (c *call) getComment() reply { return replyWith(http.StatusOK, c.commentView(c.theComment())) }

// deleteComment deletes a comment, which its author and those who can push may do.
func (c *call) deleteComment() reply {
	m := c.theComment()
	refuse(m.author != c.t.person && !c.pushes(), c.refused(http.StatusForbidden, "Must have admin rights to Repository."))
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
