package todolist

import (
	"fmt"
	"strconv"

	"basecamp-mcp/internal/fault"
)

func at(i int, field string) string { return fmt.Sprintf("todos[%d].%s", i, field) }

// broken is a list that breaks a rule, under the rule's own code.
func broken(own, path, format string, args ...any) *fault.Error {
	f := fault.New(fault.InvalidInput, format, args...)
	f.Own = own
	f.Validation = []fault.Violation{{Path: path, Message: f.Message, Code: own}}
	return f
}

func unknownList() *fault.Error {
	f := fault.New(fault.NotFound, "there is no such list of yours, or nobody used it for %d days: call todolist__set without list_id to make one, or todolist__lists to see those there are", idleDays)
	f.Own = "unknown_list"
	return f
}

func unknownRevision(asked, current int64) *fault.Error {
	f := fault.New(fault.NotFound, "revision %d cannot be read: the list is at revision %d, and only the one before is kept besides", asked, current)
	f.Own = "unknown_revision"
	return f
}

// conflicting names the current revision in words and, for programs, as the resource.
func conflicting(asked, current int64) *fault.Error {
	f := fault.New(fault.Conflict, "the list is at revision %d, not %d: read it with todolist__get, then set it again with if_revision %d", current, asked, current)
	if current == 0 {
		f = fault.New(fault.Conflict, "this would begin a new list, which is at revision 0, not %d: name the list by its list_id, or leave if_revision out", asked)
	}
	f.Own = "conflict"
	f.Resource = &fault.Resource{Type: "revision", ID: strconv.FormatInt(current, 10)}
	return f
}

// unreachable is a Store that gave no answer. A list may be set again: it comes to be the same.
func unreachable(err error) *fault.Error {
	return fault.New(fault.UpstreamError, "the checklist could not be reached; try again shortly").Because(err)
}
