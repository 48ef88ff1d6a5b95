package basecamp

import (
	"context"
	"net/url"
)

// Todo is a thing to do. Content is its plain title, Description the rich text below it.
type Todo struct {
	Recording
	Completable
	Content     string       `json:"content"`
	Description HTML         `json:"description"`
	Attachments []Attachment `json:"description_attachments"`
	DueOn       string       `json:"due_on"`    // YYYY-MM-DD, "" when undated
	StartsOn    string       `json:"starts_on"` // likewise
	Assignees   []Person     `json:"assignees"`
	Subscribers []Person     `json:"completion_subscribers"` // who hears of its completion
	Steps       []Step       `json:"steps"`
}

// Step is a subtask of a to-do or a card. Its text is its Title.
type Step struct {
	Recording
	Completable
	DueOn     string   `json:"due_on"` // YYYY-MM-DD, "" when undated
	Assignees []Person `json:"assignees"`
}

// Todos lists the active to-dos of a list or group, either the open ones or the completed; Basecamp never gives both at
// once (W-02).
func (c *Client) Todos(ctx context.Context, todolist int64, completed bool, page int) (Page[Todo], error) {
	r := at("todolist", todolist, "todolists/%d/todos.json")
	if completed {
		r.query = url.Values{"completed": {"true"}}
	}
	return list[Todo](ctx, c, r, page)
}

// Todo is one to-do in full.
func (c *Client) Todo(ctx context.Context, id int64) (Todo, error) {
	return get[Todo](ctx, c, at("todo", id, "todos/%d.json"))
}
