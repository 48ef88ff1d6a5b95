package basecamp

// Question is an automatic check-in: a question that Basecamp asks people regularly. Title is its
// text.
type Question struct {
	Recording
	Paused       bool        `json:"paused"`
	Schedule     *Recurrence `json:"schedule"`
	AnswersCount int         `json:"answers_count"`
}

// CheckinAnswer is one person's answer to a question. Parent is the question.
type CheckinAnswer struct {
	Recording
	Content     HTML         `json:"content"`
	Attachments []Attachment `json:"content_attachments"`
	GroupOn     string       `json:"group_on"` // the day that the answer belongs to, YYYY-MM-DD
}

// Reminder is a question that the user has not answered for a day.
type Reminder struct {
	ID       int64    `json:"reminder_id"`
	GroupOn  string   `json:"group_on"` // YYYY-MM-DD
	Question Question `json:"question"`
}
