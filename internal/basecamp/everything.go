package basecamp

import (
	"context"
	"net/url"
	"strconv"
)

// Task is a to-do or a card, as far as they are alike. Its Parent is the list or the column.
type Task struct {
	Recording
	Completable
	DueOn     string    `json:"due_on"`    // YYYY-MM-DD, "" when undated
	StartsOn  string    `json:"starts_on"` // likewise; cards have none
	Assignees []Person  `json:"assignees"`
	Steps     []Subtask `json:"steps"`
}

// Tasks says of which kind tasks are.
type Tasks string

// The kinds there are.
const (
	Todos Tasks = "todos"
	Cards Tasks = "cards"
)

// TaskState is what tasks can be listed by.
type TaskState string

// The states there are. Open cards do not include those that were put off, in Not now.
const (
	Open       TaskState = "open"
	Completed  TaskState = "completed"
	Unassigned TaskState = "unassigned"  // and open
	Undated    TaskState = "no_due_date" // and open
)

// ProjectTasks are the matching tasks of one project, which may be none.
type ProjectTasks struct {
	Bucket Bucket `json:"bucket"`
	Todos  []Task `json:"todos"` // or
	Cards  []Task `json:"cards"`
}

// Everywhere lists the tasks of a kind in a state, of all projects; those of one person, for a person other than 0. Pages count
// projects, not tasks. There is no filter by project.
func (c *Client) Everywhere(ctx context.Context, kind Tasks, state TaskState, assignee int64, page int) (Page[ProjectTasks], error) {
	r := request{path: string(kind) + "/" + string(state) + ".json", query: assignedTo(assignee)}
	return list[ProjectTasks](ctx, c, r, page)
}

// Overdue reads the open tasks of a kind whose day has passed, the oldest first, of all projects.
func (c *Client) Overdue(ctx context.Context, kind Tasks, assignee int64) ([]Task, error) {
	all, err := list[Task](ctx, c, request{path: string(kind) + "/overdue.json", query: assignedTo(assignee)}, 1)
	return all.Items, err
}

func assignedTo(person int64) url.Values {
	if person == 0 {
		return nil
	}
	return url.Values{"assignee_ids[]": {strconv.FormatInt(person, 10)}}
}
