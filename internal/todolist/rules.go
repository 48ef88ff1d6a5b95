package todolist

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"basecamp-mcp/internal/fault"
)

// What a list may hold.
const (
	MaxTodos      = 200
	MaxCharacters = 1000     // of a content or an active form
	MaxBytes      = 64 << 10 // of all to-dos as JSON
)

// Check finds the first thing that is wrong with a list; nil when nothing is. It looks at the size of the list, then at one
// to-do after the other, and at last at how many are in progress. What changed since the last revision is nobody's business:
// to-dos have no ids, so that nothing can be said about it.
func Check(todos []Todo) *fault.Error {
	if len(todos) > MaxTodos {
		return broken("list_too_large", "todos", "a list holds at most %d items, and this one has %d", MaxTodos, len(todos))
	}
	if size := size(todos); size > MaxBytes {
		return broken("list_too_large", "todos", "a list takes at most %d bytes as JSON, and this one takes %d: say it in fewer words", MaxBytes, size)
	}
	for i, t := range todos {
		if f := t.check(i); f != nil {
			return f
		}
	}
	return oneInProgress(todos)
}

func (t Todo) check(i int) *fault.Error {
	if f := checkText(t.Content, at(i, "content"), "empty_content", "content_too_long"); f != nil {
		return f
	}
	if f := checkText(t.ActiveForm, at(i, "activeForm"), "empty_active_form", "active_form_too_long"); f != nil {
		return f
	}
	switch t.Status {
	case Pending, InProgress, Completed:
		return nil
	}
	path := at(i, "status")
	return broken("invalid_status", path, "%s must be one of %s, %s, %s", path, Pending, InProgress, Completed)
}

func checkText(text, path, empty, tooLong string) *fault.Error {
	if strings.TrimSpace(text) == "" {
		return broken(empty, path, "%s is empty or whitespace", path)
	}
	if n := utf8.RuneCountInString(text); n > MaxCharacters {
		return broken(tooLong, path, "%s has %d characters, and may have %d", path, n, MaxCharacters)
	}
	return nil
}

func oneInProgress(todos []Todo) *fault.Error {
	first := -1
	for i, t := range todos {
		switch {
		case t.Status != InProgress:
		case first < 0:
			first = i
		default:
			return broken("multiple_in_progress", at(i, "status"), "todos[%d] and todos[%d] are both in_progress: only one item may be at a time", first, i)
		}
	}
	return nil
}

// size is what the to-dos weigh in an answer.
func size(todos []Todo) int {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(todos); err != nil {
		panic(err) // strings always encode
	}
	return b.Len() - len("\n")
}
