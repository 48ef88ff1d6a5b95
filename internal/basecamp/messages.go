package basecamp

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Message is a post on a message board.
type Message struct {
	Recording
	Subject     string       `json:"subject"`
	Content     HTML         `json:"content"`
	Attachments []Attachment `json:"content_attachments"`
	Category    *Category    `json:"category"` // nil if the message has none
}

// Category is a kind of message. Every project has its own set of categories.
type Category struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

// Order is the order of messages.
type Order int

// The orders of messages.
const (
	Newest  Order = iota // the last posted message first
	Oldest               // the first posted message first
	Updated              // the last changed message first
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
	r := requestAt("message_board", board, "message_boards/%d/messages.json")
	r.query = order.query()
	return list[Message](ctx, c, r, page)
}

// Message returns one message in full.
func (c *Client) Message(ctx context.Context, id int64) (Message, error) {
	return get[Message](ctx, c, requestAt("message", id, "messages/%d.json"))
}

// NewMessage is a message to post.
type NewMessage struct {
	Subject    string `json:"subject"`
	Content    string `json:"content"`
	CategoryID int64  `json:"category_id,omitzero"`
	Status     string `json:"status"` // active, or drafted: then only its author sees it
	// Subscriptions are the people whom Basecamp notifies, in addition to the mentioned ones. An
	// empty list notifies no other people; nil notifies all people on the project.
	Subscriptions []int64 `json:"subscriptions,omitzero"`
	Visibility
}

// CreateMessage posts a message on a message board.
func (c *Client) CreateMessage(ctx context.Context, board int64, m NewMessage) (Message, error) {
	return send[Message](ctx, c, http.MethodPost, requestAt("message_board", board, "message_boards/%d/messages.json"), m)
}

// MessageChange has the new values of a message. A zero field stays as it is.
type MessageChange struct {
	Subject  string      `json:"subject,omitzero"`
	Content  *string     `json:"content,omitzero"`
	Category *CategoryID `json:"category_id,omitzero"`
	Status   string      `json:"status,omitzero"` // active publishes a draft
}

// CategoryID is the ID of a category; 0 means no category.
type CategoryID int64

// MarshalJSON writes null for 0.
func (id CategoryID) MarshalJSON() ([]byte, error) {
	if id == 0 {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, int64(id), 10), nil
}

// UpdateMessage changes a message and returns the changed message.
func (c *Client) UpdateMessage(ctx context.Context, id int64, change MessageChange) (Message, error) {
	return send[Message](ctx, c, http.MethodPut, requestAt("message", id, "messages/%d.json"), change)
}

// PinMessage pins a message to the top of its board, or unpins it. Repeating it changes nothing.
func (c *Client) PinMessage(ctx context.Context, id int64, pinned bool) error {
	return c.toggle(ctx, requestAt("message", id, "recordings/%d/pin.json"), pinned)
}

// Categories returns all categories of a project. Basecamp does not split them into pages.
func (c *Client) Categories(ctx context.Context, project int64) ([]Category, error) {
	r := request{path: fmt.Sprintf("buckets/%d/categories.json", project), about: about("project", project)}
	p, err := list[Category](ctx, c, r, 1)
	return p.Items, err
}

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
