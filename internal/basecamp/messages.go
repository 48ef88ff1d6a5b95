package basecamp

import "time"

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

// Comment is a comment on an item. Comments are flat: a reply is another comment on the same item.
type Comment struct {
	Recording
	Content     HTML         `json:"content"`
	Attachments []Attachment `json:"content_attachments"`
}

// Boost is a short cheer on an item.
type Boost struct {
	ID        int64     `json:"id"`
	Content   string    `json:"content"` // plain text, usually an emoji
	Booster   Person    `json:"booster"`
	CreatedAt time.Time `json:"created_at"`
}
