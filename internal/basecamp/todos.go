package basecamp

// Todo is a to-do. Parent is its list or group, or the to-do set (type Todoset) if it is in no
// list.
type Todo struct {
	Recording
	Completable
	Content     string       `json:"content"` // the title
	Description HTML         `json:"description"`
	Attachments []Attachment `json:"description_attachments"`
	DueOn       string       `json:"due_on"`    // YYYY-MM-DD; empty without a date
	StartsOn    string       `json:"starts_on"` // like DueOn
	Assignees   []Person     `json:"assignees"`
	Subscribers []Person     `json:"completion_subscribers"` // people that Basecamp notifies of its completion
	Steps       []Subtask    `json:"steps"`
}

// NewTodo has the fields for a new to-do.
type NewTodo struct {
	Content     string  `json:"content"`
	Description string  `json:"description,omitempty"` // HTML
	DueOn       string  `json:"due_on,omitempty"`      // YYYY-MM-DD
	StartsOn    string  `json:"starts_on,omitempty"`   // YYYY-MM-DD
	AssigneeIDs []int64 `json:"assignee_ids,omitempty"`
	Subscribers []int64 `json:"completion_subscriber_ids,omitempty"` // whom Basecamp notifies of its completion
	Notify      bool    `json:"notify,omitempty"`                    // notifies the assignees
}

// Subtask is a part of a to-do or a card, its Parent. Title is its text.
type Subtask struct {
	Recording
	Completable
	DueOn     string   `json:"due_on"` // YYYY-MM-DD; empty without a date
	Assignees []Person `json:"assignees"`
}

// NewSubtask has the fields for a new subtask.
type NewSubtask struct {
	Title       string  `json:"title"`
	DueOn       string  `json:"due_on,omitempty"`
	AssigneeIDs []int64 `json:"assignee_ids,omitempty"`
}
