package todos

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
)

// todosAsked is the caller's choice of to-dos: those of one list, or those of a project's to-do
// set with all its lists and the to-dos outside lists.
type todosAsked struct {
	project, set int64 // 0 for one list
	completed    bool
	lists        []basecamp.Todolist
	groups       map[int64][]basecamp.Todolist // by list, as far as they are known
	counts       map[int64]int                 // to-dos of groups that the cursor carries
	recent       *basecamp.ProjectLists        // lists that an earlier call has read; may be nil
	missing      *fault.Error                  // the reason why the groups could not be read
}

// todoList returns the list of the to-dos of each list, which those of its groups follow, and last
// of those in no list. The groups of all lists are read together, once the first list has ended.
func (rs *Resolver) todoList(asked *todosAsked) *listing.List[basecamp.Todo] {
	l := &listing.List[basecamp.Todo]{ID: func(t basecamp.Todo) int64 { return t.ID }}
	added := map[int64]bool{}
	add := func(list basecamp.Todolist, carried bool) {
		if !added[list.ID] {
			added[list.ID] = true
			l.Add(list.ID, asked.count(list), rs.todosOf(list.ID, asked.completed, carried))
		}
	}
	rest := func() {
		for _, list := range asked.lists {
			add(list, false)
			for _, group := range asked.groups[list.ID] {
				add(group, false)
			}
		}
		if asked.set != 0 {
			l.Add(asked.set, -1, rs.looseTodos(asked.project, asked.set, asked.completed))
		}
	}
	if asked.recent != nil || len(asked.lists) == 0 {
		rest()
		return l
	}
	first := asked.lists[0]
	add(first, false)
	for _, group := range asked.groups[first.ID] {
		add(group, true)
	}
	if !IsGroup(first) {
		l.Rest = func(ctx context.Context) error {
			if err := rs.readGroups(ctx, asked); err != nil {
				return err
			}
			rest()
			return nil
		}
	}
	return l
}

// readGroups reads the groups of the lists. The to-dos are useful without those of the groups.
func (rs *Resolver) readGroups(ctx context.Context, asked *todosAsked) error {
	groups, err := rs.groupsOf(ctx, asked.lists)
	if f, ok := listing.Dispensable(err); ok {
		asked.missing = f
		return nil
	}
	if err == nil && asked.set != 0 {
		rs.RememberLists(ctx, asked.set, basecamp.ProjectLists{Lists: asked.lists, Groups: groups})
	}
	asked.groups = groups
	return err
}

// todosOf reads the to-dos of a list or a group. A group that a cursor carries may be deleted by
// now.
func (rs *Resolver) todosOf(list int64, completed, carried bool) listing.Source[basecamp.Todo] {
	return func(ctx context.Context, page int) (basecamp.Page[basecamp.Todo], error) {
		todos, err := basecamp.TodosIn.Where(basecamp.CompletedTodos(completed)).Page(ctx, rs.BC, page, list)
		if carried && fault.Is(err, fault.NotFound) {
			return basecamp.Page[basecamp.Todo]{Total: -1}, nil
		}
		return todos, err
	}
}

// looseTodos reads the to-dos that are in a to-do set but in no list. If Basecamp answers 404,
// there are none.
func (rs *Resolver) looseTodos(project, set int64, completed bool) listing.Source[basecamp.Todo] {
	return func(ctx context.Context, page int) (basecamp.Page[basecamp.Todo], error) {
		todos, err := basecamp.LooseTodosIn.In(project).Where(basecamp.CompletedTodos(completed)).Page(ctx, rs.BC, page, set)
		if fault.Is(err, fault.NotFound) {
			return basecamp.Page[basecamp.Todo]{}, nil
		}
		return todos, err
	}
}

// expectTodos starts to read the first to-dos that the call asks for, and unless it goes on with a
// list, the groups.
func (rs *Resolver) expectTodos(ctx context.Context, list int64, in listTodosInput) {
	if page := in.Starts(); page > 0 {
		rs.expectPage(in.Reusing(ctx), list, in.Completed, page)
	}
	if in.Cursor == "" {
		listing.Expect(ctx, list, rs.groups)
	}
}

func (rs *Resolver) expectPage(ctx context.Context, list int64, completed bool, page int) {
	listing.ReadAhead(ctx, func(ctx context.Context) (basecamp.Page[basecamp.Todo], error) {
		return basecamp.TodosIn.Where(basecamp.CompletedTodos(completed)).Page(ctx, rs.BC, page, list)
	})
}

// expectLists starts to read the first to-dos of the lists that an answer certainly needs, and the
// groups if the first list cannot fill it.
func (rs *Resolver) expectLists(ctx context.Context, asked *todosAsked, in listTodosInput) {
	limit := cmp.Or(in.Limit, listing.DefaultLimit)
	if len(asked.lists) == 0 || in.Cursor != "" || listing.SizeOfPage(1, asked.count(asked.lists[0])) >= limit {
		return
	}
	counts := lookup.Mapped(asked.lists, asked.count)
	if in.Page == 0 {
		for _, list := range asked.lists[:listing.Needed(counts, 0, limit, in.Assignee.IsZero())] {
			rs.expectPage(ctx, list.ID, in.Completed, 1)
		}
	}
	listing.ReadAhead(ctx, func(ctx context.Context) (map[int64][]basecamp.Todolist, error) {
		return rs.groupsOf(ctx, asked.lists)
	})
}

// count returns how many to-dos a list or a group has, or -1 if Basecamp does not say.
func (a *todosAsked) count(l basecamp.Todolist) int {
	if count, ok := a.counts[l.ID]; ok {
		return count
	}
	if l.CompletedRatio == "" {
		return -1
	}
	done, total := l.Progress()
	if a.completed {
		return done
	}
	return max(0, total-done)
}

// names returns the list and the group that a to-do is in. It returns false if the parent is none
// of the lists and groups.
func (a *todosAsked) names(parent lookup.Ref) (list, group *lookup.Ref, ok bool) {
	for _, l := range a.lists {
		if parent.ID == l.ID {
			list, group = listAndGroup(l)
			return list, group, true
		}
		for _, g := range a.groups[l.ID] {
			if g.ID == parent.ID {
				return &lookup.Ref{ID: l.ID, Name: plaintext.Clean(l.Name)}, &lookup.Ref{ID: g.ID, Name: cmp.Or(plaintext.Clean(g.Name), parent.Name)}, true
			}
		}
	}
	return nil, nil, false
}

// listAndGroup returns the reference of a list, or of a group and its list.
func listAndGroup(l basecamp.Todolist) (list, group *lookup.Ref) {
	named := &lookup.Ref{ID: l.ID, Name: plaintext.Clean(l.Name)}
	if IsGroup(l) {
		return &lookup.Ref{ID: l.Parent.ID, Name: plaintext.Clean(l.Parent.Title)}, named
	}
	return named, nil
}

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

// MaxCarriedGroups is the largest number of groups in a cursor. A call for a list with more groups
// reads them again.
const MaxCarriedGroups = 25

// carried returns what the cursor carries, if the other arguments are as in the call before.
func (in listTodosInput) carried() (carriedTodos, bool) {
	var c carriedTodos
	ok := listing.Carried(in.Cursor, &c)
	return c, ok && c.Asked == in.written() && c.List > 0 && len(c.Counts) == len(c.Groups) && len(c.Groups) <= MaxCarriedGroups
}

// written returns a digest of the arguments as the caller wrote them.
func (in listTodosInput) written() string {
	return listing.Digest(in.Project, in.Todolist, in.Todoset, in.Completed, in.Assignee)
}

func (a *todosAsked) carry(in listTodosInput) carriedTodos {
	list := a.lists[0]
	c := carriedTodos{Asked: in.written(), List: list.ID, Name: plaintext.Clean(list.Name)}
	if IsGroup(list) {
		c.Within, _ = listAndGroup(list)
	}
	if groups := a.groups[list.ID]; len(groups) <= MaxCarriedGroups {
		c.Groups, c.Counts = lookup.Mapped(groups, todolistID), lookup.Mapped(groups, a.count)
	}
	return c
}

// asked returns the choice of to-dos of the call before.
func (c carriedTodos) asked(completed bool) *todosAsked {
	list := basecamp.Todolist{Recording: basecamp.Recording{ID: c.List}, Name: c.Name}
	if c.Within != nil {
		list.Parent = &basecamp.Parent{ID: c.Within.ID, Title: c.Within.Name, Type: lookup.ListKind.Upstream}
	}
	a := &todosAsked{completed: completed, lists: []basecamp.Todolist{list}, counts: map[int64]int{}}
	groups := make([]basecamp.Todolist, len(c.Groups))
	for i, id := range c.Groups {
		groups[i].ID, a.counts[id] = id, c.Counts[i]
	}
	a.groups = map[int64][]basecamp.Todolist{c.List: groups}
	return a
}

// listsChanged reads the lists again, after the last one or after an error. It reports whether they
// are not the same any more: a new list may have to-dos. The next call then finds the new ones.
func (rs *Resolver) listsChanged(ctx context.Context, asked *todosAsked) (bool, error) {
	lists, err := listing.Everything(ctx, rs.todolists(asked.set, lookup.Active))
	if err != nil {
		return false, err
	}
	groups, err := rs.groupsOf(ctx, lists)
	if err != nil {
		return false, err
	}
	rs.RememberLists(ctx, asked.set, basecamp.ProjectLists{Lists: lists, Groups: groups})
	sameIDs := func(a, b []basecamp.Todolist) bool {
		return slices.EqualFunc(a, b, func(l, other basecamp.Todolist) bool { return l.ID == other.ID })
	}
	return !sameIDs(lists, asked.lists) || !maps.EqualFunc(groups, asked.recent.Groups, sameIDs), nil
}
