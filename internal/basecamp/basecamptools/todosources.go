package basecamptools

import (
	"cmp"
	"context"
	"math"
	"slices"
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

	grouped func(context.Context) ([]basecamp.Todolist, error)
	known   []basecamp.Todolist // groups that the cursor carries, without their names
	counts  []int               // how many to-dos those groups have, 0 if unknown; may be nil
	mu      sync.Mutex
	groups  []basecamp.Todolist
	readers map[int64]*listing.Reader[basecamp.Todo] // by list or group
	missing *fault.Error                             // the reason why the groups could not be read
}

// of returns the reader of the to-dos of the list or of a group.
func (s *todoSource) of(id int64) *listing.Reader[basecamp.Todo] {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.readers == nil {
		s.readers = map[int64]*listing.Reader[basecamp.Todo]{}
	}
	if s.readers[id] == nil {
		s.readers[id] = s.rs.todosOf(id, s.completed)
	}
	return s.readers[id]
}

func (rs *resolver) todosOf(list int64, completed bool) *listing.Reader[basecamp.Todo] {
	return listing.NewReader(func(ctx context.Context, page int) (basecamp.Page[basecamp.Todo], error) {
		return rs.bc.Todos(ctx, list, completed, page)
	})
}

// leaveOut records why the groups are missing.
func (s *todoSource) leaveOut(why *fault.Error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.missing = why
}

// firstPage is the number of items on the first page of a list at Basecamp.
const firstPage = 15

// size returns how many to-dos the first page of a list or a group has at most.
func (s *todoSource) size(l basecamp.Todolist) int {
	if count, ok := s.count(l); ok {
		return min(firstPage, count)
	}
	return firstPage
}

// count returns how many to-dos a list or a group has, or false if Basecamp does not say.
func (s *todoSource) count(l basecamp.Todolist) (int, bool) {
	if l.CompletedRatio == "" {
		return 0, false
	}
	done, total := l.Progress()
	if s.completed {
		return done, true
	}
	return max(0, total-done), true
}

// beyond starts to read the first to-dos of the groups after a part that an answer takes, which has
// some of the wanted to-dos.
func (s *todoSource) beyond(ctx context.Context, page, have, want int) {
	const most = 5
	part := page / listing.PartPages
	groups, err := s.groupsTo(ctx, min(part+1, max(1, len(s.known))))
	if err != nil {
		return
	}
	for i := part; i < min(part+most, len(groups)) && have < want; i++ {
		count := s.countOf(i + 1)
		if count > 0 && listing.EndsBefore(have, min(firstPage, count), want) {
			return
		}
		s.of(groups[i].ID).Start(ctx, 1)
		have += max(1, count)
	}
}

func (s *todoSource) read(ctx context.Context, page int) (basecamp.Page[basecamp.Todo], error) {
	part, page := page/listing.PartPages, page%listing.PartPages
	id := s.list.ID
	if part > 0 {
		groups, err := s.groupsTo(ctx, part)
		if err != nil || part > len(groups) {
			return basecamp.Page[basecamp.Todo]{Total: -1}, err
		}
		id = groups[part-1].ID
	}
	todos, err := basecamp.Page[basecamp.Todo]{Total: -1}, error(nil)
	if id != 0 { // or the group was deleted meanwhile
		todos, err = s.of(id).Read(ctx, page)
	}
	if part > 0 && part <= len(s.known) && fault.Is(err, fault.NotFound) {
		todos, err = basecamp.Page[basecamp.Todo]{Total: -1}, nil
	}
	if err != nil {
		return todos, err
	}
	if todos.Next > 0 {
		todos.Next += part * listing.PartPages
		return todos, nil
	}
	groups, err := s.groupsTo(ctx, part+1)
	if f, ok := dispensable(err); ok && part == 0 { // the list's own to-dos are useful without its groups
		s.leaveOut(f)
		return todos, nil
	}
	if part < len(groups) {
		todos.Next = (part+1)*listing.PartPages + 1
	}
	return todos, err
}

// groupsTo returns at least the first n groups, or all. It asks Basecamp only for those that the
// cursor does not carry, so that a group that is new by then follows the others.
func (s *todoSource) groupsTo(ctx context.Context, n int) ([]basecamp.Todolist, error) {
	if n <= len(s.known) {
		return s.known, nil
	}
	if isGroup(s.list) {
		return nil, nil
	}
	groups, err := s.grouped(ctx)
	if err != nil {
		return nil, err
	}
	fresh := matching(groups, func(g basecamp.Todolist) bool { return !slices.ContainsFunc(s.known, sameList(g.ID)) })
	s.mu.Lock()
	defer s.mu.Unlock()
	s.groups = slices.Concat(s.known, fresh)
	return s.groups, nil
}

func sameList(id int64) func(basecamp.Todolist) bool {
	return func(l basecamp.Todolist) bool { return l.ID == id }
}

// countOf returns how many to-dos a part has, or 0 if that is not known.
func (s *todoSource) countOf(part int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case part > len(s.groups):
		return 0
	case part > 0 && part <= len(s.counts):
		return s.counts[part-1]
	}
	list := s.list
	if part > 0 {
		list = s.groups[part-1]
	}
	count, _ := s.count(list)
	return count
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

// groupsAt returns the ids of the group at a position and of the group before it.
func groupsAt(sources []*todoSource, at listing.Position) []int64 {
	part := at.Page / listing.PartPages
	if at.Source >= len(sources) || part == 0 {
		return nil
	}
	s := sources[at.Source]
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case part > len(s.groups):
		return nil
	case part == 1:
		return []int64{s.groups[0].ID}
	}
	return []int64{s.groups[part-1].ID, s.groups[part-2].ID}
}

// partOf returns which part of a source a group is, or 0 if its list has that group no longer.
func partOf(ctx context.Context, sources []*todoSource, source int, group int64) (int, error) {
	if source >= len(sources) {
		return 0, nil
	}
	groups, err := sources[source].groupsTo(ctx, math.MaxInt)
	return slices.IndexFunc(groups, sameList(group)) + 1, err
}

// names returns the list and the group that a to-do of this source is in. It returns false if the
// parent is neither the list nor one of its groups.
func (s *todoSource) names(parent ref) (list, group *ref, ok bool) {
	if parent.ID == s.list.ID {
		list, group = listAndGroup(s.list)
		return list, group, true
	}
	for _, g := range s.groups {
		if g.ID == parent.ID {
			return &ref{s.list.ID, plaintext.Clean(s.list.Name)}, &ref{g.ID, cmp.Or(plaintext.Clean(g.Name), parent.Name)}, true
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
func (rs *resolver) todoSources(asked *todosAsked, completed bool) []*todoSource {
	sources := make([]*todoSource, len(asked.lists))
	for i, list := range asked.lists {
		grouped := func(ctx context.Context) ([]basecamp.Todolist, error) {
			groups, err := asked.groups(ctx, rs)
			return groups[list.ID], err
		}
		sources[i] = &todoSource{rs: rs, list: list, completed: completed, grouped: grouped}
		if asked.carried != nil {
			sources[i].resume(asked.carried)
		}
	}
	return sources
}

// expectTodos starts to read the first to-dos that the call asks for, and unless it goes on with a
// list, the groups.
func (rs *resolver) expectTodos(ctx context.Context, list int64, in listTodosInput) {
	if page := in.Starts(); page > 0 {
		ahead(ctx, func(ctx context.Context) (basecamp.Page[basecamp.Todo], error) {
			return rs.bc.Todos(ctx, list, in.Completed, page)
		})
	}
	if in.Cursor == "" {
		expect(ctx, list, rs.groups)
	}
}

// groups returns the groups of the lists by list.
func (a *todosAsked) groups(ctx context.Context, rs *resolver) (map[int64][]basecamp.Todolist, error) {
	a.mu.Lock()
	groups := a.grouped
	a.mu.Unlock()
	if groups != nil {
		return groups, nil
	}
	groups, err := rs.groupsOf(ctx, a.lists, active)
	if err != nil {
		return nil, err
	}
	if a.set != 0 {
		rs.rememberLists(ctx, a.set, projectLists{a.lists, groups})
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.grouped = groups
	return groups, nil
}
