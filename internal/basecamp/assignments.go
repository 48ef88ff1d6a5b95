package basecamp

import "context"

// Assignments are the caller's open tasks: those that come first to them, in their own order, and the rest.
type Assignments struct {
	Priorities []Assignment `json:"priorities"`
	Others     []Assignment `json:"non_priorities"`
}

// Assignment is a task as the list of one's own work shows it. Type is todo, card or step. A card or to-do is there, too, when
// only subtasks of it are the caller's: those are its Children.
type Assignment struct {
	ID            int64        `json:"id"`
	Type          string       `json:"type"`
	Content       string       `json:"content"` // its title
	AppURL        string       `json:"app_url"`
	StartsOn      string       `json:"starts_on"` // YYYY-MM-DD, "" when undated
	DueOn         string       `json:"due_on"`    // likewise
	Completed     bool         `json:"completed"`
	Assignees     []Person     `json:"assignees"`
	CommentsCount int          `json:"comments_count"`
	Bucket        Bucket       `json:"bucket"`
	Parent        Parent       `json:"parent"` // of a to-do its list, of a card its column
	Children      []Assignment `json:"children"`
}

// Assignments reads all that the caller has to do.
func (c *Client) Assignments(ctx context.Context) (Assignments, error) {
	return read(ctx, c, request{path: "my/assignments.json"}, decodeReport[Assignments])
}

func (a Assignments) whole() bool { return a.Priorities != nil && a.Others != nil }

// CompletedAssignments reads all that the caller has done.
func (c *Client) CompletedAssignments(ctx context.Context) ([]Assignment, error) {
	all, err := list[Assignment](ctx, c, request{path: "my/assignments/completed.json"}, 1)
	return all.Items, err
}
