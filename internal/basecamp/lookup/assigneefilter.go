package lookup

import (
	"strings"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/toolargs"
)

// AssigneeFilter selects items by their assignees. The zero filter keeps every item.
type AssigneeFilter struct {
	ID   int64  // of a person
	Word string // none: without assignees; any: with assignees; "" if the filter is a person
}

// The words that callers use in place of a person.
const (
	NoAssignee  = "none"
	anyAssignee = "any"
)

// AssigneeWord returns the filter for a word in place of a person. ok is false if the caller names
// a person.
func AssigneeWord(ref toolargs.Ref) (f AssigneeFilter, ok bool) {
	word := strings.ToLower(strings.TrimSpace(ref.Name))
	if word != NoAssignee && word != anyAssignee {
		return f, false
	}
	return AssigneeFilter{Word: word}, true
}

// Given reports whether the filter leaves out any item.
func (f AssigneeFilter) Given() bool { return f != AssigneeFilter{} }

// Keeps reports whether an item with these assignees matches.
func (f AssigneeFilter) Keeps(assignees []basecamp.Person) bool {
	switch f.Word {
	case NoAssignee:
		return len(assignees) == 0
	case anyAssignee:
		return len(assignees) > 0
	}
	return f.ID == 0 || IsAmong(assignees, f.ID)
}
