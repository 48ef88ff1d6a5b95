package basecamp

import (
	"cmp"
	"slices"
	"time"
)

// Text is an item of any kind whose text can contain files. Basecamp calls the text content or
// description.
type Text struct {
	Recording
	Content          HTML         `json:"content"`
	Description      HTML         `json:"description"`
	ContentFiles     []Attachment `json:"content_attachments"`
	DescriptionFiles []Attachment `json:"description_attachments"`
}

// Written returns the text. A to-do's content is its title, and a card has its text in both fields.
func (t Text) Written() HTML { return cmp.Or(t.Description, t.Content) }

// Files returns the files that Basecamp lists next to the text.
func (t Text) Files() []Attachment { return slices.Concat(t.ContentFiles, t.DescriptionFiles) }

// Listed is a recording of any type, without the fields of the single types.
type Listed struct {
	Recording
	Completable
}

// HTML is rich text in Basecamp's format. All other strings of an item are plain text.
type HTML string

// Recording has the common fields of Basecamp's items. A field is zero if an item does not have it:
// a tool of the dock has no Parent, and a chat line has no comments.
type Recording struct {
	ID            int64     `json:"id"`
	Type          string    `json:"type"` // Message, Todo, Document, ...
	Title         string    `json:"title"`
	Status        string    `json:"status"` // active, archived, trashed or drafted, whether completed or not
	AppURL        string    `json:"app_url"`
	CreatedAt     time.Time `json:"created_at"`
	UpdatedAt     time.Time `json:"updated_at"`
	CommentsCount int       `json:"comments_count"`
	BoostsCount   *int      `json:"boosts_count"` // nil if the item cannot be boosted
	Position      int       `json:"position"`     // among its siblings, counted from 1; 0 if Basecamp does not say
	Creator       Person    `json:"creator"`
	Bucket        Bucket    `json:"bucket"`
	Parent        *Parent   `json:"parent"`

	VisibleToClients *bool `json:"visible_to_clients"` // nil if Basecamp does not say; of what inherits, it means nothing
	ClientsSee       bool  `json:"-"`                  // set by the tools, which know what an item inherits
}

func (r Recording) key() int64 { return r.ID }

// Common returns the fields that all items have.
func (r Recording) Common() Recording { return r }

// Record returns the fields that all items have, to be changed.
func (r *Recording) Record() *Recording { return r }

// Bucket contains a recording. It is usually a project and then has the ID of the project. The
// bucket of a chat between people is a Circle.
type Bucket struct {
	ID     int64  `json:"id"`
	Name   string `json:"name"`
	Type   string `json:"type"`
	AppURL string `json:"app_url"` // only in a timeline
}

// IsPing reports whether the bucket holds a ping, which has no project.
func (b Bucket) IsPing() bool { return b.Type == "Circle" }

// Parent is the recording that contains a recording.
type Parent struct {
	ID     int64  `json:"id"`
	Title  string `json:"title"`
	Type   string `json:"type"`
	AppURL string `json:"app_url"`
}

// Attachment is a file in rich text or in a chat line.
type Attachment struct {
	SGID        string `json:"sgid"`
	Filename    string `json:"filename"`
	ContentType string `json:"content_type"`
	ByteSize    int64  `json:"byte_size"`
	DownloadURL string `json:"download_url"`
}

// Completable has the fields of an item that can be completed.
type Completable struct {
	Completed  bool        `json:"completed"`
	Completion *Completion `json:"completion"`
	// CompletedOn is the time of completion of cards, and of to-dos in an older format. CompletedAt
	// reads all formats.
	CompletedOn time.Time `json:"completed_at"`
}

// State returns the fields that all items that can be completed have.
func (c Completable) State() Completable { return c }

// Completion says who completed an item, and when.
type Completion struct {
	CreatedAt time.Time `json:"created_at"`
	Creator   Person    `json:"creator"`
}

// CompletedAt returns the time of completion. It is zero if the item is open or if Basecamp does
// not say.
func (c Completable) CompletedAt() time.Time {
	if c.Completion != nil {
		return c.Completion.CreatedAt
	}
	return c.CompletedOn
}
