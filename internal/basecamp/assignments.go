package basecamp

import (
	"context"
	"net/url"
	"strconv"
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
}

func (a Assignments) complete() bool { return a.Priorities != nil && a.Others != nil }

// Prioritize adds an item to the user's priorities (Up Next), or removes it. Repeating it changes
// nothing.
func (c *Client) Prioritize(ctx context.Context, item int64, on bool) error {
	if !on {
		return Endpoint[struct{}]{kind: "item", path: "my/priorities/%d.json"}.Delete(ctx, c, item)
	}
	_, err := Endpoint[struct{}]{path: "my/priorities.json", about: about("item", item), again: true}.Post(ctx, c, fields{"id": item})
	return err
}

// MovePriority moves one of the user's priorities to a position, from 1.
func (c *Client) MovePriority(ctx context.Context, item int64, position int) error {
	moves := Endpoint[struct{}]{path: "my/priority_moves.json", about: about("item", item)}
	_, err := moves.Post(ctx, c, fields{"source_id": item, "position": position})
	return err
}

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

// TaskState is a state by which tasks can be listed. Others are unassigned and no_due_date, both of
// open tasks.
type TaskState string

// The states of tasks. Open cards do not include the cards in Not now.
const (
	Open      TaskState = "open"
	Completed TaskState = "completed"
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
func Everywhere(kind Tasks, state TaskState, assignee int64) Endpoint[ProjectTasks] {
	return Endpoint[ProjectTasks]{path: string(kind) + "/" + string(state) + ".json", query: assignedTo(assignee)}
}

// Overdue lists the open tasks of a kind whose due date has passed, in all projects, the oldest
// first. Basecamp does not split them into pages.
func Overdue(kind Tasks, assignee int64) Endpoint[Task] {
	return Endpoint[Task]{path: string(kind) + "/overdue.json", query: assignedTo(assignee)}
}

func assignedTo(person int64) url.Values {
	if person == 0 {
		return nil
	}
	return url.Values{"assignee_ids[]": {strconv.FormatInt(person, 10)}}
}
