package basecamp

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"basecamp-mcp/internal/fault"
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
	return c.write(ctx, http.MethodPut, r, fields{"content": content})
}

// Ping is a private chat between people. Its ID is that of the bucket that holds it, which Basecamp
// calls a Circle.
type Ping struct {
	ID        int64     `json:"id"`
	Title     string    `json:"title"`
	Named     bool      `json:"named"` // whether its people gave it the title
	AppURL    string    `json:"app_url"`
	RoomURL   string    `json:"room_url"` // of the chat with its lines
	People    []Person  `json:"people"`
	UpdatedAt time.Time `json:"updated_at"`
}

func (p Ping) key() int64 { return p.ID }

// Chat returns the ID of the chat with the lines, or 0 if Basecamp does not say it.
func (p Ping) Chat() int64 {
	u, err := url.Parse(p.RoomURL)
	if err != nil {
		return 0
	}
	_, last, _ := strings.Cut(u.Path, "/chats/")
	id, err := strconv.ParseInt(strings.TrimSuffix(last, ".json"), 10, 64)
	if err != nil {
		return 0
	}
	return id // of a planned ping it is negative
}

// Others returns the people without the user.
func (p Ping) Others(user int64) []Person {
	var others []Person
	for _, person := range p.People {
		if person.ID != user {
			others = append(others, person)
		}
	}
	return others
}

// Pings returns the user's pings that have a line, the last updated first.
func (c *Client) Pings(ctx context.Context) ([]Ping, error) {
	all, err := list[Ping](ctx, c, request{path: "circles.json"}, 1)
	return all.Items, pingsOff(err)
}

// Ping returns one of the user's pings.
func (c *Client) Ping(ctx context.Context, id int64) (Ping, error) {
	found, err := get[Ping](ctx, c, requestAt("ping", id, "circles/%d.json"))
	return found, pingsOff(err)
}

// Pingable returns the people whom the user can ping.
func (c *Client) Pingable(ctx context.Context) ([]Person, error) {
	all, err := list[Person](ctx, c, request{path: "circles/people.json"}, 1)
	return all.Items, pingsOff(err)
}

// StartPing returns the ping of the user with exactly these people. If there is none, Basecamp
// makes one. It drops people whom the user cannot ping. Repeating it changes nothing.
func (c *Client) StartPing(ctx context.Context, people []int64) (Ping, error) {
	started, err := send[Ping](ctx, c, http.MethodPost, request{path: "circles.json", repeatable: true}, fields{"user_ids": people})
	return started, pingsOff(err)
}

// pingsOff says what a refusal to ping means.
func pingsOff(err error) error {
	if !fault.Is(err, fault.PermissionDenied) {
		return err
	}
	f := *fault.From(err)
	f.Message = "the user cannot use pings in this Basecamp account; write in the chat of a project instead"
	return &f
}
