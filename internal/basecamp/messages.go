package basecamp

import (
	"context"
	"net/url"
)

// Message is a post on a message board.
type Message struct {
	Recording
	Subject     string       `json:"subject"`
	Content     HTML         `json:"content"`
	Attachments []Attachment `json:"content_attachments"`
}

// Order is how messages are sorted.
type Order int

// The orders there are.
const (
	Newest  Order = iota // last posted first
	Oldest               // first posted first
	Updated              // last changed first
)

func (o Order) query() url.Values {
	switch o {
	case Oldest:
		return sorted("created_at", "asc")
	case Updated:
		return sorted("updated_at", "desc")
	}
	return sorted("created_at", "desc")
}

// Messages lists the active messages of a board.
func (c *Client) Messages(ctx context.Context, board int64, order Order, page int) (Page[Message], error) {
	r := at("message_board", board, "message_boards/%d/messages.json")
	r.query = order.query()
	return list[Message](ctx, c, r, page)
}

// Message is one message in full.
func (c *Client) Message(ctx context.Context, id int64) (Message, error) {
	return get[Message](ctx, c, at("message", id, "messages/%d.json"))
}
