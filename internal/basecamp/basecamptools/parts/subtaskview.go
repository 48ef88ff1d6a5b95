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
	views := make([]Subtask, len(steps))
	for i, s := range steps {
		views[i] = Subtask{
			ID: s.ID, Title: plaintext.Clean(s.Title), Completed: s.Completed,
			DueOn: lookup.DateOrNil(s.DueOn), Assignees: lookup.ViewPeople(s.Assignees),
		}
	}
	return views
}
