package basecamp

import (
	"context"
	"net/url"
	"strconv"
)

// Task has the common fields of a to-do and a card. Parent is the list or the column.
type Task struct {
	Recording
	Completable
	DueOn     string    `json:"due_on"`    // YYYY-MM-DD; empty without a date
	StartsOn  string    `json:"starts_on"` // like DueOn; always empty for cards
	Assignees []Person  `json:"assignees"`
	Steps     []Subtask `json:"steps"`

	Description HTML `json:"description"`
}

// Tasks is a kind of task.
type Tasks string

// The kinds of tasks.
const (
	Todos Tasks = "todos"
	Cards Tasks = "cards"
)

// TaskState is a state by which tasks can be listed.
type TaskState string

// The states of tasks. Open cards do not include the cards in Not now.
const (
	Open       TaskState = "open"
	Completed  TaskState = "completed"
	Unassigned TaskState = "unassigned"  // and open
	Undated    TaskState = "no_due_date" // and open
)

// ProjectTasks has the matching tasks of one project. Both lists may be empty.
type ProjectTasks struct {
	Bucket Bucket `json:"bucket"`
	Todos  []Task `json:"todos"`
	Cards  []Task `json:"cards"`
}

// Everywhere lists the tasks of a kind and a state in all projects. Unless assignee is 0, it lists
// only the tasks of this person. A page is a number of projects, not of tasks. Basecamp has no
// filter by project.
func (c *Client) Everywhere(ctx context.Context, kind Tasks, state TaskState, assignee int64, page int) (Page[ProjectTasks], error) {
	r := request{path: string(kind) + "/" + string(state) + ".json", query: assignedTo(assignee)}
	return list[ProjectTasks](ctx, c, r, page)
}

// Overdue returns the open tasks of a kind whose due date has passed, in all projects, the oldest
// first.
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
