package basecamp

import (
	"context"
	"net/http"
	"net/url"
)

// Todo is a to-do. Parent is its list or group, or the to-do set (type Todoset) if it is in no
// list.
type Todo struct {
	Recording
	Completable
	Content     string       `json:"content"` // the title
	Description HTML         `json:"description"`
	Attachments []Attachment `json:"description_attachments"`
	DueOn       string       `json:"due_on"`    // YYYY-MM-DD; empty without a date
	StartsOn    string       `json:"starts_on"` // like DueOn
	Assignees   []Person     `json:"assignees"`
	Subscribers []Person     `json:"completion_subscribers"` // people that Basecamp notifies of its completion
	Steps       []Subtask    `json:"steps"`
}

// Todos lists the active to-dos of a list or group, either the open or the completed ones. Basecamp
// never returns both at once.
func (c *Client) Todos(ctx context.Context, todolist int64, completed bool, page int) (Page[Todo], error) {
	return list[Todo](ctx, c, requestAt("todolist", todolist, "todolists/%d/todos.json").ofTodos(completed), page)
}

// LooseTodos lists the active to-dos of a to-do set that are in no list, either the open or the
// completed ones. Older accounts do not have such to-dos and return NOT_FOUND.
func (c *Client) LooseTodos(ctx context.Context, project, todoset int64, completed bool, page int) (Page[Todo], error) {
	r := requestAt("todoset", todoset, "todosets/%d/todos.json").within(project)
	return list[Todo](ctx, c, r.ofTodos(completed), page)
}

func (r request) ofTodos(completed bool) request {
	if completed {
		r.query = url.Values{"completed": {"true"}}
	}
	return r
}

// Todo returns one to-do in full.
func (c *Client) Todo(ctx context.Context, id int64) (Todo, error) {
	one := func(ctx context.Context) (Todo, error) {
		return get[Todo](ctx, c, requestAt("todo", id, "todos/%d.json"))
	}
	s := siblingsOf(ctx)
	if s == nil {
		return one(ctx)
	}
	return s.todos.get(ctx, id, one, func(t Todo) (int64, func(context.Context, int) (Page[Todo], error)) {
		if t.Parent == nil || t.Parent.Type != "Todolist" {
			return 0, nil
		}
		return t.Parent.ID, func(ctx context.Context, page int) (Page[Todo], error) {
			return c.Todos(ctx, t.Parent.ID, t.Completed, page)
		}
	})
}

// NewTodo has the fields for a new to-do.
type NewTodo struct {
	Content     string  `json:"content"`
	Description string  `json:"description,omitempty"` // HTML
	DueOn       string  `json:"due_on,omitempty"`      // YYYY-MM-DD
	StartsOn    string  `json:"starts_on,omitempty"`   // YYYY-MM-DD
	AssigneeIDs []int64 `json:"assignee_ids,omitempty"`
	Subscribers []int64 `json:"completion_subscriber_ids,omitempty"` // whom Basecamp notifies of its completion
	Notify      bool    `json:"notify,omitempty"`                    // notifies the assignees
}

// CreateTodo adds a to-do to the end of a list or group.
func (c *Client) CreateTodo(ctx context.Context, todolist int64, todo NewTodo) (Todo, error) {
	return send[Todo](ctx, c, http.MethodPost, requestAt("todolist", todolist, "todolists/%d/todos.json"), todo)
}

// CreateLooseTodo adds a to-do to a to-do set, outside of its lists.
func (c *Client) CreateLooseTodo(ctx context.Context, project, todoset int64, todo NewTodo) (Todo, error) {
	r := requestAt("todoset", todoset, "todosets/%d/todos.json").within(project)
	return send[Todo](ctx, c, http.MethodPost, r, todo)
}

// TodoFields has all fields of a to-do that an update can write. Every field is always sent,
// because Basecamp clears missing fields.
type TodoFields struct {
	Content       string  `json:"content"`
	Description   string  `json:"description"` // HTML
	DueOn         string  `json:"due_on"`      // YYYY-MM-DD; empty for none
	StartsOn      string  `json:"starts_on"`   // YYYY-MM-DD; empty for none
	AssigneeIDs   []int64 `json:"assignee_ids"`
	SubscriberIDs []int64 `json:"completion_subscriber_ids"`
}

// Fields returns the fields for an update that leaves the to-do as it is.
func (t Todo) Fields() TodoFields {
	return TodoFields{
		Content: t.Content, Description: string(t.Description), DueOn: t.DueOn, StartsOn: t.StartsOn,
		AssigneeIDs: idsOf(t.Assignees), SubscriberIDs: idsOf(t.Subscribers),
	}
}

// idsOf returns the IDs of people. It never returns nil, because JSON writes nil as null.
func idsOf(people []Person) []int64 {
	ids := make([]int64, len(people))
	for i, p := range people {
		ids[i] = p.ID
	}
	return ids
}

// UpdateTodo replaces all fields of a to-do that can be written.
func (c *Client) UpdateTodo(ctx context.Context, id int64, fields TodoFields) (Todo, error) {
	return send[Todo](ctx, c, http.MethodPut, requestAt("todo", id, "todos/%d.json"), fields)
}

// SetTodoCompleted completes or reopens a to-do. Repeating it changes nothing.
func (c *Client) SetTodoCompleted(ctx context.Context, id int64, completed bool) error {
	return c.toggle(ctx, requestAt("todo", id, "todos/%d/completion.json"), completed)
}

type todoPlace struct {
	Position int   `json:"position"`
	Parent   int64 `json:"parent_id,omitempty"`
}

// place moves an item among its siblings.
func (c *Client) place(ctx context.Context, r request, position int) error {
	return c.write(ctx, http.MethodPut, r, todoPlace{Position: position})
}

// MoveTodo moves a to-do to a position in a list or group. Positions count from 1. If todolist is
// 0, the to-do stays in its list.
func (c *Client) MoveTodo(ctx context.Context, id, todolist int64, position int) error {
	return c.write(ctx, http.MethodPut, requestAt("todo", id, "todos/%d/position.json"), todoPlace{position, todolist})
}

// Subtask is a part of a to-do or a card, its Parent. Title is its text.
type Subtask struct {
	Recording
	Completable
	DueOn     string   `json:"due_on"` // YYYY-MM-DD; empty without a date
	Assignees []Person `json:"assignees"`
}

// Subtask returns one subtask.
func (c *Client) Subtask(ctx context.Context, id int64) (Subtask, error) {
	return get[Subtask](ctx, c, requestAt("subtask", id, "subtasks/%d.json"))
}

// NewSubtask has the fields for a new subtask.
type NewSubtask struct {
	Title       string  `json:"title"`
	DueOn       string  `json:"due_on,omitempty"`
	AssigneeIDs []int64 `json:"assignee_ids,omitempty"`
}

// CreateSubtask adds a subtask after the existing ones of a to-do or a card.
func (c *Client) CreateSubtask(ctx context.Context, parent int64, subtask NewSubtask) (Subtask, error) {
	return send[Subtask](ctx, c, http.MethodPost, requestAt("item", parent, "recordings/%d/subtasks.json"), subtask)
}

// SubtaskChange has the new values of a subtask. A nil field stays as it is.
type SubtaskChange struct {
	Title       *string  `json:"title,omitempty"`
	DueOn       *string  `json:"due_on,omitempty"` // empty clears it
	AssigneeIDs *[]int64 `json:"assignee_ids,omitempty"`
}

// UpdateSubtask changes some fields of a subtask and returns the changed subtask.
func (c *Client) UpdateSubtask(ctx context.Context, id int64, change SubtaskChange) (Subtask, error) {
	return send[Subtask](ctx, c, http.MethodPut, requestAt("subtask", id, "subtasks/%d.json"), change)
}

// MoveSubtask moves a subtask to a position among those of its to-do or card. Positions count from
// 1.
func (c *Client) MoveSubtask(ctx context.Context, id int64, position int) error {
	return c.place(ctx, requestAt("subtask", id, "subtasks/%d/position.json"), position)
}

// SetSubtaskCompleted completes or reopens a subtask. Repeating it changes nothing.
func (c *Client) SetSubtaskCompleted(ctx context.Context, id int64, completed bool) error {
	return c.toggle(ctx, requestAt("subtask", id, "subtasks/%d/completion.json"), completed)
}
