package basecamp

import (
	"context"
	"net/http"
)

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
