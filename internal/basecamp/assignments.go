package basecamp

import (
	"cmp"
	"context"
	"net/http"
)

// Assignments are the user's open tasks: the priorities in the user's order, and all others.
type Assignments struct {
	Priorities []Assignment `json:"priorities"`
	Others     []Assignment `json:"non_priorities"`
}

// Assignment is a task in the list of the user's own work. If only some subtasks of a card or a
// to-do are assigned to the user, the list contains the card or to-do with these subtasks as its
// Children.
type Assignment struct {
	ID            int64        `json:"id"`
	Type          string       `json:"type"`    // todo, card or step
	Content       string       `json:"content"` // the title
	AppURL        string       `json:"app_url"`
	StartsOn      string       `json:"starts_on"` // YYYY-MM-DD; empty without a date
	DueOn         string       `json:"due_on"`    // like StartsOn
	Completed     bool         `json:"completed"`
	Assignees     []Person     `json:"assignees"`
	CommentsCount int          `json:"comments_count"`
	Bucket        Bucket       `json:"bucket"`
	Parent        Parent       `json:"parent"` // the list of a to-do, or the column of a card
	Children      []Assignment `json:"children"`

	// Prioritized is what the user gave priority: a subtask of the card or to-do, or 0 for the item
	// itself.
	Prioritized int64 `json:"priority_recording_id"`
}

// Priority returns the ID with which the user gave an item priority.
func (a Assignment) Priority() int64 { return cmp.Or(a.Prioritized, a.ID) }

// Assignments returns all open tasks of the user.
func (c *Client) Assignments(ctx context.Context) (Assignments, error) {
	return read(ctx, c, request{path: "my/assignments.json"}, decodeReport[Assignments])
}

func (a Assignments) complete() bool { return a.Priorities != nil && a.Others != nil }

// CompletedAssignments returns all completed tasks of the user.
func (c *Client) CompletedAssignments(ctx context.Context) ([]Assignment, error) {
	all, err := list[Assignment](ctx, c, request{path: "my/assignments/completed.json"}, 1)
	return all.Items, err
}

// Prioritize adds an item to the user's priorities (Up Next), or removes it. Repeating it changes
// nothing.
func (c *Client) Prioritize(ctx context.Context, item int64, on bool) error {
	if !on {
		return c.write(ctx, http.MethodDelete, requestAt("item", item, "my/priorities/%d.json"), nil)
	}
	return c.write(ctx, http.MethodPost, request{path: "my/priorities.json", about: about("item", item), repeatable: true}, fields{"id": item})
}

// MovePriority moves one of the user's priorities to a position, from 1.
func (c *Client) MovePriority(ctx context.Context, item int64, position int) error {
	r := request{path: "my/priority_moves.json", about: about("item", item)}
	return c.write(ctx, http.MethodPost, r, fields{"source_id": item, "position": position})
}
