package github

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

// Comment is a comment on an issue or a pull request.
type Comment struct {
	ID     int64  `json:"id"`
	NodeID string `json:"node_id"`
	Author Login  `json:"user"`
	// Association is that of the author with the repository, such as MEMBER or NONE.
	Association string    `json:"author_association"`
	Body        string    `json:"body"` // Markdown as stored
	CreatedAt   time.Time `json:"created_at"`
	UpdatedAt   time.Time `json:"updated_at"`
	URL         string    `json:"html_url"`
}

func (c Comment) valid() bool { return c.ID != 0 }

// Comments lists one page of an issue's comments, 100 at most, the oldest first. next is the Next
// of the page before; empty for the first page.
func (c *Client) Comments(ctx context.Context, repo Repo, number int, next string) (Page[Comment], error) {
	r, err := c.issue(repo, number, "comments")
	if err != nil {
		return Page[Comment]{}, err
	}
	return listed[Comment](ctx, c, r, url.Values{}, next)
}

// AddComment adds a comment to an issue or a pull request.
func (c *Client) AddComment(ctx context.Context, repo Repo, number int, body string) (Comment, error) {
	r, err := c.issue(repo, number, "comments")
	if err != nil {
		return Comment{}, err
	}
	return send[Comment](ctx, c, http.MethodPost, r, map[string]string{"body": body})
}
