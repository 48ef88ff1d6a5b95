package basecamp

import (
	"context"
	"net/http"
	"time"
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
	return send[Comment](ctx, c, http.MethodPost, r, fields{"content": content})
}

// UpdateComment replaces the text of a comment and returns the changed comment.
func (c *Client) UpdateComment(ctx context.Context, id int64, content string) (Comment, error) {
	return send[Comment](ctx, c, http.MethodPut, requestAt("comment", id, "comments/%d.json"), fields{"content": content})
}

// Boost is a short cheer on an item.
type Boost struct {
	ID        int64     `json:"id"`
	Content   string    `json:"content"` // plain text, usually an emoji
	Booster   Person    `json:"booster"`
	CreatedAt time.Time `json:"created_at"`
}

func (b Boost) key() int64 { return b.ID }

// Boosts lists the boosts on an item.
func (c *Client) Boosts(ctx context.Context, item int64, page int) (Page[Boost], error) {
	return list[Boost](ctx, c, requestAt("item", item, "recordings/%d/boosts.json"), page)
}

// CreateBoost boosts an item as the user.
func (c *Client) CreateBoost(ctx context.Context, item int64, content string) (Boost, error) {
	return send[Boost](ctx, c, http.MethodPost, requestAt("item", item, "recordings/%d/boosts.json"), fields{"content": content})
}

// DeleteBoost takes back a boost of the user.
func (c *Client) DeleteBoost(ctx context.Context, id int64) error {
	return c.write(ctx, http.MethodDelete, requestAt("boost", id, "boosts/%d.json"), nil)
}
