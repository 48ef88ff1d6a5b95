package basecamp

import "context"

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
}

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
