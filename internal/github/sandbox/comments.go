package sandbox

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

func (c *call) commentView(m *comment) map[string]any {
	number := m.issue.number
	return map[string]any{
		"id": m.id, "node_id": m.node, "user": c.author(m.author), "body": m.body, "author_association": m.author.association(m.issue.repository),
		"created_at": stamp(m.created), "updated_at": stamp(m.updated),
		"url":       c.api(fmt.Sprintf("/issues/comments/%d", m.id)),
		"issue_url": c.api(fmt.Sprintf("/issues/%d", number)),
		"html_url":  c.html(fmt.Sprintf("/%s/%d#issuecomment-%d", m.issue.segment(), number, m.id)),
	}
}

// listComments lists the comments of an issue, the oldest first.
func (c *call) listComments() reply {
	comments := c.issue.comments
	if text := c.query.Get("since"); text != "" {
		since, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return invalid(c.page(), flaw{Resource: "Comment", Field: "since", Code: "invalid", Value: text})
		}
		comments = filter(comments, func(m *comment) bool { return !m.updated.Before(since) })
	}
	return page(c, comments, c.commentView)
}

// createComment adds a comment to an issue.
func (c *call) createComment() reply {
	in := c.input()
	body, sent := in.text("body")
	switch {
	case in.refusal != nil:
		return *in.refusal
	case !sent:
		return malformed(c.page(), "body", "a value is missing")
	case strings.TrimSpace(body) == "":
		return invalid(c.page(), flaw{Resource: "IssueComment", Field: "body", Code: "missing_field"})
	case len([]rune(body)) > longestBody:
		return invalid(c.page(), flaw{Resource: "IssueComment", Field: "body", Code: "custom", Message: tooLong})
	}
	m := c.s.addComment(c.issue, c.t.person, body, c.s.stampNow())
	view := c.commentView(m)
	return replyWith(http.StatusCreated, view).withHeader("Location", fmt.Sprint(view["url"]))
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

// getComment returns a comment.
func (c *call) getComment() reply {
	m := c.theComment()
	if m == nil {
		return notFound(c.page())
	}
	return replyWith(http.StatusOK, c.commentView(m))
}

// deleteComment deletes a comment, which its author and those who can push may do.
func (c *call) deleteComment() reply {
	m := c.theComment()
	switch {
	case m == nil:
		return notFound(c.page())
	case m.author != c.t.person && c.t.inRepository(c.repo) < mayPush:
		return refused(http.StatusForbidden, "Must have admin rights to Repository.", c.page())
	}
	m.issue.comments = slices.DeleteFunc(m.issue.comments, func(other *comment) bool { return other == m })
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
