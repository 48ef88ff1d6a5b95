// Package todolist is the session to-do list: the plan an agent makes for its own work, which it reads and replaces whole. It
// has nothing to do with the to-do lists of Basecamp.
//
// A list belongs to a person and has an id. The connection and the session of a call say which list is meant when no id is
// given, and no more than that: whoever passes the id to another connection of the same person shares the list with it.
package todolist

import (
	"time"
	"unicode/utf8"
)

// Status is how far a to-do is. Any may follow any other.
type Status string

// The statuses there are.
const (
	Pending    Status = "pending"
	InProgress Status = "in_progress"
	Completed  Status = "completed"
)

// Todo is one step of a plan. It has no id; its place in the list is what tells it from the others.
type Todo struct {
	Content    string `json:"content"` // what to do: "Run tests"
	Status     Status `json:"status"`
	ActiveForm string `json:"activeForm"` // what is being done: "Running tests"
}

// Summary counts the to-dos of a list.
type Summary struct {
	Total      int `json:"total"`
	Pending    int `json:"pending"`
	InProgress int `json:"in_progress"`
	Completed  int `json:"completed"`
}

// Summarize counts to-dos by their status.
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

// List is a list at one of its revisions. The zero List is one that was never written.
type List struct {
	ID       string
	Revision int64 // grows by one with every write
	Todos    []Todo
	// Previous are the to-dos of the revision before, where there was one.
	Previous    []Todo
	HasPrevious bool
	WrittenAt   time.Time
	ExpiresAt   time.Time
}

// Head is what tells one list of a person from another.
type Head struct {
	ID        string
	Revision  int64
	Summary   Summary
	Doing     string // the active form of what is in progress, at most 100 characters; else empty
	WrittenAt time.Time
	ExpiresAt time.Time
}

// mostDoing is how much of an active form a Head holds, in characters.
const mostDoing = 100

// Doing is the active form of the to-do in progress, as a Head tells it.
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
