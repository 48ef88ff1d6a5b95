package basecamp

import (
	"context"
	"net/http"
)

// Comment is a comment on an item. Comments are flat: a reply is another comment on the same item.
type Comment struct {
	Recording
	Content     HTML         `json:"content"`
	Attachments []Attachment `json:"content_attachments"`
}

// Comments lists the active comments on an item of any kind, the oldest first.
func (c *Client) Comments(ctx context.Context, recording int64, page int) (Page[Comment], error) {
	return list[Comment](ctx, c, requestAt("item", recording, "recordings/%d/comments.json"), page)
}

// Comment returns one comment in full.
func (c *Client) Comment(ctx context.Context, id int64) (Comment, error) {
	return get[Comment](ctx, c, requestAt("comment", id, "comments/%d.json"))
}

// CreateComment posts a comment on an item. The item must be in the project, unless project is 0.
func (c *Client) CreateComment(ctx context.Context, project, item int64, content string) (Comment, error) {
	r := requestAt("item", item, "recordings/%d/comments.json").within(project)
	return send[Comment](ctx, c, http.MethodPost, r, commentContent{content})
}

// UpdateComment replaces the text of a comment and returns the changed comment.
func (c *Client) UpdateComment(ctx context.Context, id int64, content string) (Comment, error) {
	return send[Comment](ctx, c, http.MethodPut, requestAt("comment", id, "comments/%d.json"), commentContent{content})
}

type commentContent struct {
	Content string `json:"content"`
}
