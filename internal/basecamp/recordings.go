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
