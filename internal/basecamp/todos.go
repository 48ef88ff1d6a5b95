package basecamp

import (
	"context"
	"net/http"
	"net/url"
)

// Todo is a thing to do. Its Parent is a list or group, or the to-do set (type Todoset) if it is in no list. Content is its plain title, Description the rich text below it.
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
	Steps       []Subtask    `json:"steps"`
}

// Todos lists the active to-dos of a list or group, either the open ones or the completed; Basecamp never gives both at
// once (W-02).
func (c *Client) Todos(ctx context.Context, todolist int64, completed bool, page int) (Page[Todo], error) {
	return list[Todo](ctx, c, at("todolist", todolist, "todolists/%d/todos.json").ofTodos(completed), page)
}

// LooseTodos lists the active to-dos right inside a to-do set of a project, which are in no list: either the open ones or the
// completed. Older accounts have none, and answer NOT_FOUND.
func (c *Client) LooseTodos(ctx context.Context, project, todoset int64, completed bool, page int) (Page[Todo], error) {
	r := at("todoset", todoset, "todosets/%d/todos.json").within(project)
	return list[Todo](ctx, c, r.ofTodos(completed), page)
}

func (r request) ofTodos(completed bool) request {
	if completed {
		r.query = url.Values{"completed": {"true"}}
	}
	return r
}

// Todo is one to-do in full.
func (c *Client) Todo(ctx context.Context, id int64) (Todo, error) {
	return get[Todo](ctx, c, at("todo", id, "todos/%d.json"))
}

// NewTodo is what a to-do can be created with. Notify tells its assignees of it.
type NewTodo struct {
	Content     string  `json:"content"`
	Description string  `json:"description,omitempty"` // HTML
	DueOn       string  `json:"due_on,omitempty"`      // YYYY-MM-DD
	StartsOn    string  `json:"starts_on,omitempty"`   // likewise
	AssigneeIDs []int64 `json:"assignee_ids,omitempty"`
	Notify      bool    `json:"notify,omitempty"`
}

// CreateTodo adds a to-do at the end of a list or group.
func (c *Client) CreateTodo(ctx context.Context, todolist int64, todo NewTodo) (Todo, error) {
	return send[Todo](ctx, c, http.MethodPost, at("todolist", todolist, "todolists/%d/todos.json"), todo)
}

// CreateLooseTodo adds a to-do to a to-do set of a project, in no list.
func (c *Client) CreateLooseTodo(ctx context.Context, project, todoset int64, todo NewTodo) (Todo, error) {
	r := at("todoset", todoset, "todosets/%d/todos.json").within(project)
	return send[Todo](ctx, c, http.MethodPost, r, todo)
}

// TodoFields is all that can be written of a to-do that exists. Basecamp clears what an update leaves out, so every field is
// always sent (W-18).
type TodoFields struct {
	Content       string  `json:"content"`
	Description   string  `json:"description"` // HTML
	DueOn         string  `json:"due_on"`      // YYYY-MM-DD, "" for none
	StartsOn      string  `json:"starts_on"`   // likewise
	AssigneeIDs   []int64 `json:"assignee_ids"`
	SubscriberIDs []int64 `json:"completion_subscriber_ids"`
}

// Fields are those that leave the to-do as it is.
func (t Todo) Fields() TodoFields {
	return TodoFields{
		Content: t.Content, Description: string(t.Description), DueOn: t.DueOn, StartsOn: t.StartsOn,
		AssigneeIDs: idsOf(t.Assignees), SubscriberIDs: idsOf(t.Subscribers),
	}
}

// idsOf is empty, not nil, for nobody: in JSON nil would be null.
func idsOf(people []Person) []int64 {
	ids := make([]int64, len(people))
	for i, p := range people {
		ids[i] = p.ID
	}
	return ids
}

// UpdateTodo replaces all of a to-do that can be written.
func (c *Client) UpdateTodo(ctx context.Context, id int64, fields TodoFields) (Todo, error) {
	return send[Todo](ctx, c, http.MethodPut, at("todo", id, "todos/%d.json"), fields)
}

// SetTodoCompleted completes or reopens a to-do; twice is as once.
func (c *Client) SetTodoCompleted(ctx context.Context, id int64, completed bool) error {
	return c.toggle(ctx, at("todo", id, "todos/%d/completion.json"), completed)
}

type todoPlace struct {
	Position int   `json:"position"`
	Parent   int64 `json:"parent_id,omitempty"`
}

// MoveTodo puts a to-do at a position, counted from 1, of a list or group; 0 is the one it is in.
func (c *Client) MoveTodo(ctx context.Context, id, todolist int64, position int) error {
	_, err := send[struct{}](ctx, c, http.MethodPut, at("todo", id, "todos/%d/position.json"), todoPlace{position, todolist})
	return err
}
