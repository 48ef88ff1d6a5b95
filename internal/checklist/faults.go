package checklist

import (
	"fmt"
	"strconv"

	"basecamp-mcp/internal/fault"
)

func fieldPath(i int, field string) string { return fmt.Sprintf("todos[%d].%s", i, field) }

// broken returns the fault for a list that breaks a rule, with the rule's own code.
func broken(own, path, format string, args ...any) *fault.Error {
	f := fault.New(fault.InvalidInput, format, args...)
	f.Own = own
	f.Validation = []fault.Violation{{Path: path, Message: f.Message, Code: own}}
	return f
}

func unknownList() *fault.Error {
	f := fault.New(fault.NotFound, "you have no list with this list_id, or it expired after %d days without use; call todolist__set without list_id to create a list, or todolist__lists to see your lists", idleDays)
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
// list again has the same result.
func unreachable(err error) *fault.Error {
	return fault.New(fault.UpstreamError, "the checklist could not be reached; try again shortly").Because(err)
}
