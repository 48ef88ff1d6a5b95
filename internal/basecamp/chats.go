package basecamp

import (
	"context"
	"fmt"
	"net/http"
)

// Chat is a Campfire: the continuous conversation of a project.
type Chat struct {
	Recording
}

// ChatLine is one line of a chat. Content is plain text unless IsHTML returns true. An upload has
// attachments and no content.
type ChatLine struct {
	Recording
	Content     string       `json:"content"`
	Attachments []Attachment `json:"attachments"`
}

// IsHTML reports whether Content is rich text.
func (l ChatLine) IsHTML() bool { return l.Type == "Chat::Lines::RichText" }

// Chat returns one chat.
func (c *Client) Chat(ctx context.Context, id int64) (Chat, error) {
	return get[Chat](ctx, c, requestAt("chat", id, "chats/%d.json"))
}

// ChatLines lists the lines of a chat, the newest first. It requests this order, because Basecamp's
// default order has been observed to be the opposite.
func (c *Client) ChatLines(ctx context.Context, chat int64, page int) (Page[ChatLine], error) {
	r := requestAt("chat", chat, "chats/%d/lines.json")
	r.query = sorted("created_at", "desc")
	return list[ChatLine](ctx, c, r, page)
}

// ChatLine returns one line of a chat.
func (c *Client) ChatLine(ctx context.Context, chat, line int64) (ChatLine, error) {
	return get[ChatLine](ctx, c, request{
		path: fmt.Sprintf("chats/%d/lines/%d.json", chat, line), about: about("chat_line", line),
	})
}

// NewChatLine is a line to post.
type NewChatLine struct {
	Content string `json:"content"`                // plain text unless Type is HTMLLine
	Type    string `json:"content_type,omitempty"` // empty or HTMLLine
}

// HTMLLine is the type of a line with rich text.
const HTMLLine = "text/html"

// CreateChatLine posts a line to a chat as the user.
func (c *Client) CreateChatLine(ctx context.Context, chat int64, line NewChatLine) (ChatLine, error) {
	return send[ChatLine](ctx, c, http.MethodPost, requestAt("chat", chat, "chats/%d/lines.json"), line)
}

// UpdateChatLine replaces the text of a line (HTML). Only its author may, and it becomes rich text.
// Basecamp does not return the changed line.
func (c *Client) UpdateChatLine(ctx context.Context, chat, line int64, content string) error {
	r := request{path: fmt.Sprintf("chats/%d/lines/%d.json", chat, line), about: about("chat_line", line)}
	_, err := send[struct{}](ctx, c, http.MethodPut, r, commentContent{content})
	return err
}
