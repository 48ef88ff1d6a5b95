// Package checklist is the session to-do list: an agent's plan for its own work, which it reads and
// replaces as a whole. It is separate from the to-do lists of any provider.
//
// A list belongs to a person and has an ID. Without an ID, the connection and the session of a call
// select the list. An agent can share a list by passing the ID to another connection of the same
// person.
package checklist

import (
	"time"
	"unicode/utf8"
)

// Status is the progress of a to-do. Every change of status is allowed.
type Status string

// The statuses.
const (
	Pending    Status = "pending"
	InProgress Status = "in_progress"
	Completed  Status = "completed"
)

// Todo is one step of a plan. It has no ID; its position in the list identifies it.
type Todo struct {
	Content    string `json:"content"` // what to do: "Run tests"
	Status     Status `json:"status"`
	ActiveForm string `json:"activeForm"` // description of the step while it runs: "Running tests"
}

// Summary counts the to-dos of a list.
type Summary struct {
	Total      int `json:"total"`
	Pending    int `json:"pending"`
	InProgress int `json:"in_progress"`
	Completed  int `json:"completed"`
}

// Summarize counts to-dos by status.
func Summarize(todos []Todo) Summary {
	s := Summary{Total: len(todos)}
	for _, t := range todos {
		switch t.Status {
		case Pending:
			s.Pending++
		case InProgress:
			s.InProgress++
		case Completed:
			s.Completed++
		}
	}
	return s
}

// List is one revision of a list. The zero List was never written.
type List struct {
	ID       string
	Revision int64 // grows by one with each write
	Todos    []Todo
	// Previous holds the to-dos of the previous revision if HasPrevious is set.
	Previous    []Todo
	HasPrevious bool
	WrittenAt   time.Time
	ExpiresAt   time.Time
}

// Head is the summary by which a person recognises a list.
type Head struct {
	ID        string
	Revision  int64
	Summary   Summary
	Doing     string // active form of the to-do in progress, at most 100 characters; may be empty
	WrittenAt time.Time
	ExpiresAt time.Time
}

// mostDoing is the maximum length of Head.Doing in characters.
const mostDoing = 100

// Doing returns the active form of the to-do in progress, cut for a Head.
func Doing(todos []Todo) string {
	for _, t := range todos {
		if t.Status == InProgress {
			return cut(t.ActiveForm, mostDoing)
		}
	}
	return ""
}

func cut(text string, characters int) string {
	if utf8.RuneCountInString(text) <= characters {
		return text
	}
	return string([]rune(text)[:characters-1]) + "…"
}
