package basecamp

import (
	"context"
	"net/http"
)

// NewSubtask is what a subtask can be created with.
type NewSubtask struct {
	Title       string  `json:"title"`
	DueOn       string  `json:"due_on,omitempty"`
	AssigneeIDs []int64 `json:"assignee_ids,omitempty"`
}

// Subtask is one subtask of a to-do or a card, which is its Parent.
func (c *Client) Subtask(ctx context.Context, id int64) (Step, error) {
	return get[Step](ctx, c, at("subtask", id, "subtasks/%d.json"))
}

// CreateSubtask adds a subtask at the end of those of a to-do or a card.
func (c *Client) CreateSubtask(ctx context.Context, parent int64, subtask NewSubtask) (Step, error) {
	return send[Step](ctx, c, http.MethodPost, at("item", parent, "recordings/%d/subtasks.json"), subtask)
}

// SetTodoCompleted completes or reopens a to-do; twice is as once.
func (c *Client) SetTodoCompleted(ctx context.Context, id int64, completed bool) error {
	return c.setCompleted(ctx, at("todo", id, "todos/%d/completion.json"), completed)
}

// SetSubtaskCompleted completes or reopens a subtask; twice is as once.
func (c *Client) SetSubtaskCompleted(ctx context.Context, id int64, completed bool) error {
	return c.setCompleted(ctx, at("subtask", id, "subtasks/%d/completion.json"), completed)
}

func (c *Client) setCompleted(ctx context.Context, r request, completed bool) error {
	method := http.MethodDelete
	if completed {
		method = http.MethodPost
	}
	_, err := send[struct{}](ctx, c, method, r, nil)
	return err
}
