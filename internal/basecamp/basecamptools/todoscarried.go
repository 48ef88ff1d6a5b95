package basecamptools

import (
	"context"
	"maps"
	"slices"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/plaintext"
)

// carriedTodos is what the cursor of a list's to-dos carries, so that the next call need not read
// the list and its groups again.
type carriedTodos struct {
	Asked  string      `json:"a"`           // digest of the arguments as the caller wrote them
	List   int64       `json:"i"`           // a list or a group
	Name   string      `json:"n"`           // of the list
	Within *lookup.Ref `json:"w,omitempty"` // the list that has the group
	Groups []int64     `json:"s,omitempty"` // all groups of the list, if they were read and are few
	Counts []int       `json:"z,omitempty"` // how many to-dos each of these has, or -1
}

// maxCarriedGroups is the largest number of groups in a cursor. A call for a list with more groups
// reads them again.
const maxCarriedGroups = 25

// carried returns what the cursor carries, if the other arguments are as in the call before.
func (in listTodosInput) carried() (carriedTodos, bool) {
	var c carriedTodos
	ok := listing.Carried(in.Cursor, &c)
	return c, ok && c.Asked == in.written() && c.List > 0 && len(c.Counts) == len(c.Groups) && len(c.Groups) <= maxCarriedGroups
}

// written returns a digest of the arguments as the caller wrote them.
func (in listTodosInput) written() string {
	return listing.Digest(in.Project, in.Todolist, in.Todoset, in.Completed, in.Assignee)
}

// carry returns what the cursor of one list's to-dos carries.
func (a *todosAsked) carry(in listTodosInput) carriedTodos {
	list := a.lists[0]
	c := carriedTodos{Asked: in.written(), List: list.ID, Name: plaintext.Clean(list.Name)}
	if isGroup(list) {
		c.Within, _ = listAndGroup(list)
	}
	if groups := a.groups[list.ID]; len(groups) <= maxCarriedGroups {
		c.Groups = listIDs(groups)
		for _, group := range groups {
			c.Counts = append(c.Counts, a.count(group))
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

// asked returns the choice of to-dos of the call before.
func (c carriedTodos) asked(completed bool) *todosAsked {
	list := listWithID(c.List)
	list.Name = c.Name
	if c.Within != nil {
		list.Parent = &basecamp.Parent{ID: c.Within.ID, Title: c.Within.Name, Type: lookup.ListKind.Upstream}
	}
	a := &todosAsked{completed: completed, lists: []basecamp.Todolist{list}, counts: map[int64]int{}}
	groups := make([]basecamp.Todolist, len(c.Groups))
	for i, id := range c.Groups {
		groups[i], a.counts[id] = listWithID(id), c.Counts[i]
	}
	a.groups = map[int64][]basecamp.Todolist{c.List: groups}
	return a
}

func listWithID(id int64) (l basecamp.Todolist) {
	l.ID = id
	return l
}

// listsChanged reads the lists again, after the last one or after an error. It reports whether they
// are not the same any more: a new list may have to-dos. The next call then finds the new ones.
func (rs *resolver) listsChanged(ctx context.Context, asked *todosAsked) (bool, error) {
	lists, err := listing.Everything(ctx, rs.todolists(asked.set, lookup.Active))
	if err != nil {
		return false, err
	}
	groups, err := rs.groupsOf(ctx, lists, lookup.Active)
	if err != nil {
		return false, err
	}
	rs.RememberLists(ctx, asked.set, lookup.ProjectLists{Lists: lists, Groups: groups})
	sameIDs := func(a, b []basecamp.Todolist) bool { return slices.Equal(listIDs(a), listIDs(b)) }
	return !sameIDs(lists, asked.lists) || !maps.EqualFunc(groups, asked.recent.Groups, sameIDs), nil
}
