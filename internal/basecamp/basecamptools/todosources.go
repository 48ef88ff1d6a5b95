package basecamptools

import (
	"context"
	"sync"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/plaintext"
)

// todoSource reads a list's to-dos and then, as further parts, those of its groups. It reads the
// groups only after the last to-do of the list itself.
type todoSource struct {
	rs        *resolver
	list      basecamp.Todolist
	completed bool
	grouped   func(context.Context) ([]basecamp.Todolist, error)

	once   sync.Once
	groups []basecamp.Todolist
	err    error

	missing *fault.Error // the reason why the groups could not be read
}

func (s *todoSource) read(ctx context.Context, page int) (basecamp.Page[basecamp.Todo], error) {
	part, page := page/listing.PartPages, page%listing.PartPages
	id := s.list.ID
	if part > 0 {
		groups, err := s.readGroups(ctx)
		if err != nil || part > len(groups) {
			return basecamp.Page[basecamp.Todo]{Total: -1}, err
		}
		id = groups[part-1].ID
	}
	todos, err := s.rs.bc.Todos(ctx, id, s.completed, page)
	if err != nil {
		return todos, err
	}
	if todos.Next > 0 {
		todos.Next += part * listing.PartPages
		return todos, nil
	}
	groups, err := s.readGroups(ctx)
	if f, ok := dispensable(err); ok && part == 0 { // the list's own to-dos are useful without its groups
		s.missing = f
		return todos, nil
	}
	if part < len(groups) {
		todos.Next = (part+1)*listing.PartPages + 1
	}
	return todos, err
}

func (s *todoSource) readGroups(ctx context.Context) ([]basecamp.Todolist, error) {
	if isGroup(s.list) {
		return nil, nil
	}
	s.once.Do(func() { s.groups, s.err = s.grouped(ctx) })
	return s.groups, s.err
}

// looseTodos reads the to-dos that are in a to-do set but in no list. If Basecamp answers 404,
// there are none.
func (rs *resolver) looseTodos(project, set int64, completed bool) listing.Source[basecamp.Todo] {
	return func(ctx context.Context, page int) (basecamp.Page[basecamp.Todo], error) {
		todos, err := rs.bc.LooseTodos(ctx, project, set, completed, page)
		if fault.Is(err, fault.NotFound) {
			return basecamp.Page[basecamp.Todo]{}, nil
		}
		return todos, err
	}
}

// names returns the list and the group that a to-do of this source is in. It returns false if the
// parent is neither the list nor one of its groups.
func (s *todoSource) names(parent int64) (list, group *ref, ok bool) {
	if parent == s.list.ID {
		list, group = listAndGroup(s.list)
		return list, group, true
	}
	for _, g := range s.groups {
		if g.ID == parent {
			return &ref{s.list.ID, plaintext.Clean(s.list.Name)}, &ref{g.ID, plaintext.Clean(g.Name)}, true
		}
	}
	return nil, nil, false
}

// listAndGroup returns the reference of a list, or of a group and its list.
func listAndGroup(l basecamp.Todolist) (list, group *ref) {
	named := &ref{l.ID, plaintext.Clean(l.Name)}
	if isGroup(l) {
		return &ref{l.Parent.ID, plaintext.Clean(l.Parent.Title)}, named
	}
	return named, nil
}

// leftOut reports the groups as missing if any source could not read them.
func leftOut(sources []*todoSource) gaps {
	var g gaps
	for _, s := range sources {
		if s.missing != nil {
			g.leaveOut("to-dos in groups", s.missing)
			break // the groups of several lists are read together
		}
	}
	return g
}

// todoSources returns a source for each list: its to-dos, then those of its groups. The groups of
// all lists are read together.
func (rs *resolver) todoSources(lists []basecamp.Todolist, completed bool) []*todoSource {
	var once sync.Once
	var groups map[int64][]basecamp.Todolist
	var err error
	sources := make([]*todoSource, len(lists))
	for i, list := range lists {
		grouped := func(ctx context.Context) ([]basecamp.Todolist, error) {
			once.Do(func() { groups, err = rs.groupsOf(ctx, lists, active) })
			return groups[list.ID], err
		}
		sources[i] = &todoSource{rs: rs, list: list, completed: completed, grouped: grouped}
	}
	return sources
}
