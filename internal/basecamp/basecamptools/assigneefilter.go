package basecamptools

import (
	"strings"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/toolargs"
)

// assigneeFilter selects items by their assignees. The zero filter keeps every item.
type assigneeFilter struct {
	id   int64  // of a person
	word string // none: without assignees; any: with assignees; "" if the filter is a person
}

const (
	noAssignee  = "none"
	anyAssignee = "any"
)

// assigneeWord returns the filter for a word in place of a person. ok is false if the caller names
// a person.
func assigneeWord(ref toolargs.Ref) (f assigneeFilter, ok bool) {
	word := strings.ToLower(strings.TrimSpace(ref.Name))
	if word != noAssignee && word != anyAssignee {
		return f, false
	}
	return assigneeFilter{word: word}, true
}

func (f assigneeFilter) given() bool { return f != assigneeFilter{} }

// keeps reports whether an item with these assignees matches.
func (f assigneeFilter) keeps(assignees []basecamp.Person) bool {
	switch f.word {
	case noAssignee:
		return len(assignees) == 0
	case anyAssignee:
		return len(assignees) > 0
	}
	return f.id == 0 || isAmong(assignees, f.id)
}
