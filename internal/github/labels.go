package github

import (
	"context"
	"net/url"
)

// Label is a label that issues of a repository can have.
type Label struct {
	ID          int64  `json:"id"`
	NodeID      string `json:"node_id"`
	Name        string `json:"name"`
	Color       string `json:"color"` // six hexadecimal digits
	Description string `json:"description"`
}

func (l Label) valid() bool { return l.Name != "" }

// Labels lists all labels of a repository.
func (c *Client) Labels(ctx context.Context, repo Repo) ([]Label, error) {
	return all(func(next string) (Page[Label], error) {
		return listed[Label](ctx, c, c.requestBelow(repo, "labels"), url.Values{}, next)
	})
}
