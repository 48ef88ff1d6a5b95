package basecamp

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"
)

// itemPaths has the path of an item by kind, in the words of this server. A chat line has no path
// of its own kind, because it is read through its chat.
var itemPaths = map[string]string{
	"message":        "messages/%d.json",
	"comment":        "comments/%d.json",
	"todolist":       "todolists/%d.json",
	"todo":           "todos/%d.json",
	"subtask":        "subtasks/%d.json",
	"document":       "documents/%d.json",
	"folder":         "vaults/%d.json",
	"upload":         "uploads/%d.json",
	"question":       "questions/%d.json",
	"answer":         "question_answers/%d.json",
	"schedule_entry": "schedule_entries/%d.json",
	"card":           "card_tables/cards/%d.json",
	"forward":        "inbox_forwards/%d.json",
	"project":        "projects/%d.json",
}

// Item returns the common fields of an item of a kind, such as todo or schedule_entry. It returns
// NOT_FOUND if the item with this ID has another kind.
func (c *Client) Item(ctx context.Context, kind string, id int64) (Listed, error) {
	return itemOf[Listed](ctx, c, kind, id)
}

func itemOf[T item](ctx context.Context, c *Client, kind string, id int64) (none T, err error) {
	path, ok := itemPaths[kind]
	if !ok {
		return none, fmt.Errorf("read %s %d: unknown kind of item", kind, id)
	}
	return get[T](ctx, c, requestAt(kind, id, path))
}

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

// Text returns the text of an item of a kind that Item reads, with its files.
func (c *Client) Text(ctx context.Context, kind string, id int64) (Text, error) {
	return itemOf[Text](ctx, c, kind, id)
}

// Listed is a recording of any type, without the fields of the single types.
type Listed struct {
	Recording
	Completable
}

// Recordings lists the recordings of a type and a status in a project, or in all active projects
// for 0, the last changed first.
// Types are Comment, Document, Kanban::Card, Kanban::Step, Message, Question::Answer,
// Schedule::Entry, Todo, Todolist, Upload and Vault. Fields of the single types are omitted.
func (c *Client) Recordings(ctx context.Context, kind string, project int64, status string, page int) (Page[Listed], error) {
	return list[Listed](ctx, c, recordings(kind, project, sorted("updated_at", "desc")).ofStatus(status), page)
}

// NewMessages lists the active messages of a project or, for 0, of all active projects, the last
// posted first.
func (c *Client) NewMessages(ctx context.Context, project int64, page int) (Page[Message], error) {
	r := request{path: "projects/recordings.json", query: sorted("created_at", "desc")}
	if project != 0 {
		r = recordings("Message", project, r.query)
	}
	r.query.Set("type", "Message")
	return list[Message](ctx, c, r, page)
}

func recordings(kind string, project int64, query url.Values) request {
	query.Set("type", kind)
	r := request{path: "projects/recordings.json", query: query}
	if project != 0 {
		query.Set("bucket", strconv.FormatInt(project, 10))
		r.about = about("project", project)
	}
	return r
}

// ofStatus restricts a list to items with a status.
func (r request) ofStatus(status string) request {
	maps.Copy(r.query, byStatus(status))
	return r
}

// SetStatus archives, trashes or restores an item of any kind. status is archived, trashed or
// active.
func (c *Client) SetStatus(ctx context.Context, id int64, status string) error {
	r := requestAt("item", id, "recordings/%d/status/"+status+".json")
	return c.write(ctx, http.MethodPut, r, nil)
}

// SetVisibleToClients shows an item to clients, or hides it from them. Basecamp answers
// PERMISSION_DENIED for an item that inherits this.
func (c *Client) SetVisibleToClients(ctx context.Context, id int64, visible bool) error {
	return c.write(ctx, http.MethodPut, requestAt("item", id, "recordings/%d/client_visibility.json"), fields{"visible_to_clients": visible})
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

// Visibility is part of the fields of a new item that is visible to clients by itself. If Shown is
// nil, Basecamp hides it from them, unless a client makes it.
type Visibility struct {
	Shown *bool `json:"visible_to_clients,omitempty"`
}

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
