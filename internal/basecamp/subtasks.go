package basecamp

import (
	"context"
	"net/http"
)

// Subtask is a part of a to-do or a card, which is its Parent. Its text is its Title.
type Subtask struct {
	Recording
	Completable
	DueOn     string   `json:"due_on"` // YYYY-MM-DD, "" when undated
	Assignees []Person `json:"assignees"`
}

// Subtask is one subtask.
func (c *Client) Subtask(ctx context.Context, id int64) (Subtask, error) {
	return get[Subtask](ctx, c, at("subtask", id, "subtasks/%d.json"))
}

// NewSubtask is what a subtask can be created with.
type NewSubtask struct {
	Title       string  `json:"title"`
	DueOn       string  `json:"due_on,omitempty"`
	AssigneeIDs []int64 `json:"assignee_ids,omitempty"`
}

// CreateSubtask adds a subtask at the end of those of a to-do or a card.
func (c *Client) CreateSubtask(ctx context.Context, parent int64, subtask NewSubtask) (Subtask, error) {
	return send[Subtask](ctx, c, http.MethodPost, at("item", parent, "recordings/%d/subtasks.json"), subtask)
}

// SetSubtaskCompleted completes or reopens a subtask; twice is as once.
func (c *Client) SetSubtaskCompleted(ctx context.Context, id int64, completed bool) error {
	return c.toggle(ctx, at("subtask", id, "subtasks/%d/completion.json"), completed)
}
