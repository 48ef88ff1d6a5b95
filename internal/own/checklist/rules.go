package checklist

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"basecamp-mcp/internal/report/fault"
)

// Limits of a list.
const (
	MaxTodos      = 200
	MaxCharacters = 1000     // of a content or an active form
	MaxBytes      = 64 << 10 // of all to-dos as JSON
)

// Check returns the first rule that a list breaks, or nil. It checks the size of the list, then
// each to-do in order, and last the number of to-dos in progress. It does not compare the list with
// the previous revision: to-dos have no IDs.
func Check(todos []Todo) *fault.Error {
	if len(todos) > MaxTodos {
		return broken("list_too_large", "todos", "a list can have at most %d items; this one has %d", MaxTodos, len(todos))
	}
	if size := size(todos); size > MaxBytes {
		return broken("list_too_large", "todos", "a list can have at most %d bytes as JSON; this one has %d: use fewer words", MaxBytes, size)
	}
	for i, t := range todos {
		if f := t.check(i); f != nil {
			return f
		}
	}
	return oneInProgress(todos)
}

func (t Todo) check(i int) *fault.Error {
	if f := checkText(t.Content, fieldPath(i, "content"), "empty_content", "content_too_long"); f != nil {
		return f
	}
	if f := checkText(t.ActiveForm, fieldPath(i, "activeForm"), "empty_active_form", "active_form_too_long"); f != nil {
		return f
	}
	switch t.Status {
	case Pending, InProgress, Completed:
		return nil
	}
	path := fieldPath(i, "status")
	return broken("invalid_status", path, "%s must be one of %s, %s, %s", path, Pending, InProgress, Completed)
}

func checkText(text, path, empty, tooLong string) *fault.Error {
	if strings.TrimSpace(text) == "" {
		return broken(empty, path, "%s is missing or blank; each item needs content, activeForm and status", path)
	}
	if n := utf8.RuneCountInString(text); n > MaxCharacters {
		return broken(tooLong, path, "%s has %d characters; the maximum is %d", path, n, MaxCharacters)
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
			return broken("multiple_in_progress", fieldPath(i, "status"), "todos[%d] and todos[%d] are both in_progress; only one item may be", first, i)
		}
	}
	return nil
}

// size returns the size of the to-dos in an answer, in bytes.
func size(todos []Todo) int {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(todos); err != nil {
		panic(err) // strings always encode
	}
	return b.Len() - len("\n")
}

func fieldPath(i int, field string) string { return fmt.Sprintf("todos[%d].%s", i, field) }

// broken returns the fault for a list that breaks a rule, with the rule's own code.
func broken(own, path, format string, args ...any) *fault.Error {
	f := fault.New(fault.InvalidInput, format, args...)
	f.Own = own
	f.Validation = []fault.Violation{{Path: path, Message: f.Message, Code: own}}
	return f
}

func unknownList() *fault.Error {
	f := fault.New(fault.NotFound, "you have no list with this list_id, or it expired after %d days without use; call todolist__set without list_id to create a list, or todolist__get with lists to see your lists", idleDays)
	f.Own = "unknown_list"
	return f
}

func unknownRevision(asked, current int64) *fault.Error {
	f := fault.New(fault.NotFound, "revision %d is not available: the list is at revision %d, and only the previous revision is kept", asked, current)
	f.Own = "unknown_revision"
	return f
}

// conflicting returns a CONFLICT that names the current revision in its message and, for programs,
// in its resource.
func conflicting(asked, current int64) *fault.Error {
	f := fault.New(fault.Conflict, "the list is at revision %d, not %d; read it with todolist__get, then set it again with if_revision %d", current, asked, current)
	if current == 0 {
		f = fault.New(fault.Conflict, "this call would create a new list, which is at revision 0, not %d; name the list by its list_id, or omit if_revision", asked)
	}
	f.Own = "conflict"
	f.Resource = &fault.Resource{Type: "revision", ID: strconv.FormatInt(current, 10)}
	return f
}

// unreachable returns the fault for a Store that did not answer. It is retryable, because setting a
// list again has the same result. A fault stays as it is: the Store was not asked.
func unreachable(err error) *fault.Error {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f
	}
	return fault.New(fault.UpstreamError, "the checklist could not be reached; try again shortly").Because(err)
}
