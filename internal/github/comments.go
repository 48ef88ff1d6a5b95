package github

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

// Comment is a comment on an issue or a pull request. GraphQL answers it with the names of REST.
type Comment struct {
	NodeID   string `json:"node_id"`
	Author   Login  `json:"user"`
	Withheld bool   `json:"-"` // the body is withheld, because the author is an outsider
	// Association is that of the author with the repository, such as MEMBER or NONE.
	Association string    `json:"author_association"`
	Body        string    `json:"body"` // Markdown as stored
	CreatedAt   time.Time `json:"created_at"`
	UpdatedAt   time.Time `json:"updated_at"`
	URL         string    `json:"html_url"`
}

func (c Comment) check() (hidden int, err error) { return identified(c.NodeID != "") }

// AddComment adds a comment to an issue or a pull request.
func (c *Client) AddComment(ctx context.Context, repo Repo, number int, body string) (Comment, error) {
	return send[Comment](ctx, c, http.MethodPost, c.issue(repo, number, "comments"), map[string]string{"body": body})
}

// CommentsSince lists the first 100 comments of an issue that changed since a time.
func (c *Client) CommentsSince(ctx context.Context, repo Repo, number int, since time.Time) ([]Comment, error) {
	page, err := listed[Comment](ctx, c, c.issue(repo, number, "comments"), url.Values{"since": {since.UTC().Format(time.RFC3339)}}, "")
	return page.Items, err
}
