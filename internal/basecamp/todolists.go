package basecamp

import (
	"strconv"
	"strings"
)

// Todolist is a list of to-dos, or a group in a list. The Parent of a group is a Todolist.
type Todolist struct {
	Recording
	Name           string       `json:"name"`
	Description    HTML         `json:"description"`
	Attachments    []Attachment `json:"description_attachments"`
	Completed      bool         `json:"completed"`
	CompletedRatio string       `json:"completed_ratio"`
	Color          string       `json:"color"` // of a group; empty for none
}

// State returns whether the list is completed, as items do that can be completed themselves.
func (l Todolist) State() Completable { return Completable{Completed: l.Completed} }

// Progress returns how many to-dos of the list are completed, and how many it has. Both are 0 if
// Basecamp does not say.
func (l Todolist) Progress() (done, total int) {
	first, second, _ := strings.Cut(l.CompletedRatio, "/")
	done, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil {
		return 0, 0
	}
	total, err = strconv.Atoi(strings.TrimSpace(second))
	if err != nil {
		return 0, 0
	}
	return done, total
}

// ProjectLists are the lists of a to-do set with the groups by list. A project can have too many of
// them for a cursor, so a call that goes on with a cursor finds them in a cache.
type ProjectLists struct {
	Lists  []Todolist
	Groups map[int64][]Todolist
}

// Count returns how many lists and groups they are.
func (known ProjectLists) Count() int {
	count := len(known.Lists)
	for _, groups := range known.Groups {
		count += len(groups)
	}
	return count
}
