package basecamp

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
)

// Message is a post on a message board.
type Message struct {
	Recording
	Subject     string       `json:"subject"`
	Content     HTML         `json:"content"`
	Attachments []Attachment `json:"content_attachments"`
	Category    *Category    `json:"category"` // nil when it has none
}

// Category is a kind of message, of which every project has its own set.
type Category struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
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

// NewMessage is a message to be posted: Status is active, or drafted for its author alone.
type NewMessage struct {
	Subject    string `json:"subject"`
	Content    string `json:"content"`
	CategoryID int64  `json:"category_id,omitzero"`
	Status     string `json:"status"`
	// Subscriptions are the people who are told, besides those it mentions. An empty list is nobody; nil is everybody on the
	// project.
	Subscriptions []int64 `json:"subscriptions,omitzero"`
}

// CreateMessage posts on a message board.
func (c *Client) CreateMessage(ctx context.Context, board int64, m NewMessage) (Message, error) {
	return send[Message](ctx, c, http.MethodPost, at("message_board", board, "message_boards/%d/messages.json"), m)
}

// MessageChange is what a message is to become. What is zero stays as it is: Basecamp merges.
type MessageChange struct {
	Subject  string      `json:"subject,omitzero"`
	Content  *string     `json:"content,omitzero"`
	Category *CategoryID `json:"category_id,omitzero"`
	Status   string      `json:"status,omitzero"` // active publishes a draft
}

// CategoryID is the id of a category, 0 for none.
type CategoryID int64

// MarshalJSON writes null for none.
func (id CategoryID) MarshalJSON() ([]byte, error) {
	if id == 0 {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, int64(id), 10), nil
}

// UpdateMessage changes a message and gives it as it then is.
func (c *Client) UpdateMessage(ctx context.Context, id int64, change MessageChange) (Message, error) {
	return send[Message](ctx, c, http.MethodPut, at("message", id, "messages/%d.json"), change)
}

// PinMessage pins a message to the top of its board, or takes it down again. What it is already stays so.
func (c *Client) PinMessage(ctx context.Context, id int64, pinned bool) error {
	return c.toggle(ctx, at("message", id, "recordings/%d/pin.json"), pinned)
}

// Categories are the kinds of message of a project, all of them: Basecamp does not page them.
func (c *Client) Categories(ctx context.Context, project int64) ([]Category, error) {
	r := request{path: fmt.Sprintf("buckets/%d/categories.json", project), about: about("project", project)}
	p, err := list[Category](ctx, c, r, 1)
	return p.Items, err
}
