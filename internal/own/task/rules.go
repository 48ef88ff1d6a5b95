package task

import (
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"basecamp-mcp/internal/report/fault"
)

// Error texts. Programs compare these exact words; they are part of the public contract.
const (
	TitleRequired      = "Task title is required"
	MalformedID        = "Invalid task_id format"
	titleEmpty         = "Title cannot be empty"
	titleTooLong       = "Task title must be 255 characters or less"
	descriptionTooLong = "Task description must be 2000 characters or less"
	nothingToChange    = "At least one of title or description must be provided"
	notFound           = "Task not found"
	tooMany            = "You have %d tasks, which is the limit. Delete some with delete_task before adding more: " +
		"list_tasks with status completed lists those that are done."
)

// Most is how many tasks a person may have.
const Most = 2000

const (
	maxTitle       = 255 // characters, like all lengths here
	maxDescription = 2000
)

// Title returns a text as the title of a task.
func Title(text string) (string, error) { return titleOf(text, TitleRequired) }

// titleOf returns a title in the form that is stored. The error for a blank title depends on the
// operation.
func titleOf(text, whenBlank string) (string, error) {
	title := strings.TrimSpace(text)
	if title == "" {
		return "", invalid("title", "required", whenBlank)
	}
	if utf8.RuneCountInString(title) > maxTitle {
		return "", invalid("title", "too_long", titleTooLong)
	}
	return title, nil
}

func checkDescription(text string) error {
	if utf8.RuneCountInString(text) > maxDescription {
		return invalid("description", "too_long", descriptionTooLong)
	}
	return nil
}

// Advice says what a task_id must be.
const Advice = "must be the id of a task in list_tasks, or its whole title"

// IsID reports whether a text has the form of a task ID.
func IsID(text string) bool {
	_, ok := idOf(text)
	return ok
}

// idOf returns a task ID in lower case, and false if the text is not an ID. Capitals are accepted.
func idOf(text string) (string, bool) {
	id, err := uuid.Parse(text)
	if err != nil || len(text) != len(uuid.Nil.String()) { // uuid.Parse accepts other forms too
		return "", false
	}
	return id.String(), true
}

// malformed returns the fault for a task_id that is neither an ID nor a title. Its message is part
// of the contract; the validation says what to do.
func malformed(detail string) *fault.Error {
	e := invalid("task_id", "invalid_format", MalformedID)
	e.Validation[0].Message = Advice + detail
	return e
}

func invalid(path, code, message string) *fault.Error {
	e := fault.New(fault.InvalidInput, "%s", message)
	e.Validation = []fault.Violation{{Path: path, Message: message, Code: code}}
	return e
}
