package basecamp

import (
	"context"
	"fmt"
)

// Forward is an email that was forwarded to a project. From is its author, and Creator is the
// person who forwarded it.
type Forward struct {
	Recording
	Subject      string       `json:"subject"`
	From         string       `json:"from"`
	Content      HTML         `json:"content"`
	Attachments  []Attachment `json:"content_attachments"`
	RepliesCount int          `json:"replies_count"`
}

// Forward returns one email in full.
func (c *Client) Forward(ctx context.Context, id int64) (Forward, error) {
	return get[Forward](ctx, c, requestAt("forward", id, "inbox_forwards/%d.json"))
}

// ForwardReplies lists the team's replies to an email. A reply has the fields of a comment.
func (c *Client) ForwardReplies(ctx context.Context, forward int64, page int) (Page[Comment], error) {
	return list[Comment](ctx, c, requestAt("forward", forward, "inbox_forwards/%d/replies.json"), page)
}

// ForwardReply returns one reply to an email.
func (c *Client) ForwardReply(ctx context.Context, forward, reply int64) (Comment, error) {
	return get[Comment](ctx, c, request{
		path: fmt.Sprintf("inbox_forwards/%d/replies/%d.json", forward, reply), about: about("reply", reply),
	})
}
