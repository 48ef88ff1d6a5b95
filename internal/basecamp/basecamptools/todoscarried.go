package basecamptools

import (
	"context"
	"slices"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/plaintext"
)

// carriedTodos is what the cursor of a list's to-dos carries, so that the next call need not read
// the list and its groups again.
type carriedTodos struct {
	Asked  string  `json:"a"`           // digest of the arguments as the caller wrote them
	List   int64   `json:"i"`           // a list or a group
	Name   string  `json:"n"`           // of the list
	Within *ref    `json:"w,omitempty"` // the list that has the group
	Group  int64   `json:"g,omitempty"` // the group in which the cursor is
	Groups []int64 `json:"s,omitempty"` // all groups of the list, if it is in one and they are few
	Counts []int   `json:"z,omitempty"` // how many to-dos each of these has

	part int // of the cursor
}

// maxCarriedGroups is the largest number of groups in a cursor. A call for a list with more groups
// reads them again.
const maxCarriedGroups = 25

// maxCarriedPart bounds the parts that resume counts: clients could send any number.
const maxCarriedPart = 1000

// carried returns what the cursor carries, if the other arguments are as in the call before.
func (in listTodosInput) carried() (carriedTodos, bool) {
	var c carriedTodos
	at, ok := listing.Carried(in.Cursor, &c)
	c.part = at.Page / listing.PartPages
	return c, ok && c.Asked == in.written() && c.List > 0 && at.Source == 0 && c.part <= maxCarriedPart
}

// written returns a digest of the arguments as the caller wrote them.
func (in listTodosInput) written() string {
	return listing.Digest(in.Project, in.Todolist, in.Todoset, in.Completed, in.Assignee)
}

// carry returns what a cursor at a position carries.
func (s *todoSource) carry(in listTodosInput, at listing.Position) carriedTodos {
	c := carriedTodos{Asked: in.written(), List: s.list.ID, Name: plaintext.Clean(s.list.Name)}
	if isGroup(s.list) {
		c.Within, _ = listAndGroup(s.list)
	}
	if part := at.Page / listing.PartPages; part > 0 && part <= len(s.groups) {
		c.Group = s.groups[part-1].ID
		if all := listIDs(s.groups); len(all) <= maxCarriedGroups && all[0] != 0 {
			c.Groups = all
			for i := range all {
				c.Counts = append(c.Counts, s.countOf(i+1))
			}
		}
	}
	return c
}

func listIDs(lists []basecamp.Todolist) []int64 {
	all := make([]int64, len(lists))
	for i, l := range lists {
		all[i] = l.ID
	}
	return all
}

// list returns the list with what is known of it.
func (c carriedTodos) list() basecamp.Todolist {
	l := listWithID(c.List)
	l.Name = c.Name
	if c.Within != nil {
		l.Parent = &basecamp.Parent{ID: c.Within.ID, Title: c.Within.Name, Type: listKind.upstream}
	}
	return l
}

func listWithID(id int64) (l basecamp.Todolist) {
	l.ID = id
	return l
}

// resume sets the groups that the cursor carries. If it carries only the group in which it is, the
// groups are read again, and those from that one on follow.
func (s *todoSource) resume(c *carriedTodos) {
	for _, id := range c.Groups {
		s.known = append(s.known, listWithID(id))
	}
	if len(c.Counts) == len(c.Groups) {
		s.counts = c.Counts
	}
	s.groups = s.known
	if c.part == 0 || c.Group == 0 || len(c.Groups) > 0 {
		return
	}
	read := s.grouped
	s.grouped = func(ctx context.Context) ([]basecamp.Todolist, error) {
		groups, err := read(ctx)
		next, shown := slices.IndexFunc(groups, sameList(c.Group)), c.part-1
		if next < 0 { // it was deleted, so that it keeps its part and the next one has its place
			next, shown = min(shown, len(groups)), c.part
		}
		return append(make([]basecamp.Todolist, shown), groups[next:]...), err
	}
}
