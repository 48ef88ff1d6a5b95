package basecamp

import "context"

// Comment is what somebody said under an item. Comments are flat: a reply is another comment of the same parent.
type Comment struct {
	Recording
	Content     HTML         `json:"content"`
	Attachments []Attachment `json:"content_attachments"`
}

// Comments lists the active comments of any item, oldest first.
func (c *Client) Comments(ctx context.Context, recording int64, page int) (Page[Comment], error) {
	return list[Comment](ctx, c, at("item", recording, "recordings/%d/comments.json"), page)
}
