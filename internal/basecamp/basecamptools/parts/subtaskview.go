package parts

import (
	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/text/plaintext"
)

// Subtask is a subtask of a to-do or a step of a card, as shown with its parent.
type Subtask struct {
	ID        int64           `json:"id"`
	Title     string          `json:"title"`
	Completed bool            `json:"completed"`
	DueOn     *string         `json:"due_on"`
	Assignees []lookup.Person `json:"assignees"`
}

// ViewSubtasks returns subtasks as answers show them.
func ViewSubtasks(steps []basecamp.Subtask) []Subtask {
	return lookup.Mapped(steps, func(s basecamp.Subtask) Subtask {
		return Subtask{s.ID, plaintext.Clean(s.Title), s.Completed, lookup.DateOrNil(s.DueOn), lookup.ViewPeople(s.Assignees)}
	})
}
