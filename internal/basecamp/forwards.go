package basecamp

import (
	"context"
	"fmt"
)

// Forward is an e-mail that was forwarded into a project. Who wrote it is in From; its Creator is whoever forwarded it.
type Forward struct {
	Recording
	Subject      string       `json:"subject"`
	From         string       `json:"from"`
	Content      HTML         `json:"content"`
	Attachments  []Attachment `json:"content_attachments"`
	RepliesCount int          `json:"replies_count"`
}

// Forwards lists the active e-mails of an inbox, newest first.
func (c *Client) Forwards(ctx context.Context, inbox int64, page int) (Page[Forward], error) {
	return list[Forward](ctx, c, at("inbox", inbox, "inboxes/%d/inbox_forwards.json"), page)
}

// Forward is one e-mail in full.
func (c *Client) Forward(ctx context.Context, id int64) (Forward, error) {
	return get[Forward](ctx, c, at("forward", id, "inbox_forwards/%d.json"))
}

// ForwardReplies lists what the team answered to an e-mail, which reads like comments.
func (c *Client) ForwardReplies(ctx context.Context, forward int64, page int) (Page[Comment], error) {
	return list[Comment](ctx, c, at("forward", forward, "inbox_forwards/%d/replies.json"), page)
}

// ForwardReply is one of those answers.
func (c *Client) ForwardReply(ctx context.Context, forward, reply int64) (Comment, error) {
	return get[Comment](ctx, c, request{
		path: fmt.Sprintf("inbox_forwards/%d/replies/%d.json", forward, reply), about: about("reply", reply),
	})
}
