package basecamp

import (
	"net/url"
	"strconv"
	"strings"
	"time"
)

// ChatLine is one line of a chat. Content is plain text unless IsHTML returns true. An upload has
// attachments and no content.
type ChatLine struct {
	Recording
	Content     string       `json:"content"`
	Attachments []Attachment `json:"attachments"`
}

// IsHTML reports whether Content is rich text.
func (l ChatLine) IsHTML() bool { return l.Type == "Chat::Lines::RichText" }

// NewChatLine is a line to post.
type NewChatLine struct {
	Content string `json:"content"`                // plain text unless Type is HTMLLine
	Type    string `json:"content_type,omitempty"` // empty or HTMLLine
}

// HTMLLine is the type of a line with rich text.
const HTMLLine = "text/html"

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
