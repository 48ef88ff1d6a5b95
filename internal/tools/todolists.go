package tools

import (
	"context"
	"sync"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/richtext"
)

type listTodolistsInput struct {
	Project mcptool.Ref `json:"project_id" jsonschema:"Project: id, name or URL"`
	Todoset mcptool.Ref `json:"todoset_id,omitzero" jsonschema:"Only where a project has several to-do sets: which one, by id or title"`
	Status  string      `json:"status,omitzero" jsonschema:"Which lists" limits:"enum=active|archived|trashed default=active"`
	pageInput
}

type todolistItem struct {
	head
	Name        string      `json:"name"`
	Description string      `json:"description"`
	Truncated   bool        `json:"truncated,omitempty"`
	Completed   bool        `json:"completed"`
	Done        int         `json:"done"`
	Total       int         `json:"total"`
	Groups      []todoGroup `json:"groups"`
	meta
}

func (l *todolistItem) trim(characters int) {
	if len(l.Groups) > characters/20 { // each is about that long
		l.Groups, l.Truncated = l.Groups[:characters/20], true
	}
	excerpt(&l.Description, characters, &l.Truncated)
	excerpt(&l.Name, characters, &l.Truncated)
}

// todoGroup is a part of a list with its own heading; its id serves wherever a list's does.
type todoGroup struct {
	ID    int64  `json:"id"`
	Name  string `json:"name"`
	Done  int    `json:"done"`
	Total int    `json:"total"`
	URL   string `json:"url"`
}

func listTodolists(ws *workspace) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "list_todolists",
		Title:       "List to-do lists",
		Description: "Lists the Basecamp to-do lists of a project, with their groups and progress (done of total). list_todos reads their to-dos.",
	}, func(ctx context.Context, in listTodolistsInput) (page[todolistItem], error) {
		project, err := ws.project(ctx, "project_id", in.Project)
		if err != nil {
			return page[todolistItem]{}, err
		}
		set, err := ws.dock(ctx, project, todoset, in.Todoset)
		if err != nil {
			return page[todolistItem]{}, err
		}
		l := &listing[basecamp.Todolist]{
			of:      digest("todolists", set.ID, in.Status),
			id:      todolistID,
			sources: []source[basecamp.Todolist]{ws.todolists(set.ID, in.Status)},
		}
		found, err := l.collect(ctx, in.pageInput)
		if err != nil {
			return page[todolistItem]{}, err
		}
		groups, err := ws.groupsOf(ctx, found.items)
		if err != nil {
			return page[todolistItem]{}, err
		}
		return answer(l, found, func(list basecamp.Todolist) todolistItem { return ws.viewTodolist(list, groups[list.ID]) }), nil
	})
}

func (ws *workspace) viewTodolist(list basecamp.Todolist, groups []basecamp.Todolist) todolistItem {
	v := todolistItem{
		head:        head{list.ID, "todolist"},
		Name:        richtext.Clean(list.Name),
		Description: ws.markdown(list.Description),
		Completed:   list.Completed,
		meta:        viewMeta(list.Recording),
	}
	v.Done, v.Total = list.Progress()
	for _, group := range groups {
		done, total := group.Progress()
		v.Groups = append(v.Groups, todoGroup{ID: group.ID, Name: richtext.Clean(group.Name), Done: done, Total: total, URL: group.AppURL})
	}
	return v
}

func (ws *workspace) todolists(set int64, status string) source[basecamp.Todolist] {
	return func(ctx context.Context, page int) (basecamp.Page[basecamp.Todolist], error) {
		return ws.bc.Todolists(ctx, set, status, page)
	}
}

func (ws *workspace) groups(ctx context.Context, list int64) ([]basecamp.Todolist, error) {
	return everything(ctx, func(ctx context.Context, page int) (basecamp.Page[basecamp.Todolist], error) {
		return ws.bc.TodolistGroups(ctx, list, page)
	})
}

// groupsOf reads the groups of lists, by the list's id.
func (ws *workspace) groupsOf(ctx context.Context, lists []basecamp.Todolist) (map[int64][]basecamp.Todolist, error) {
	all, err := inParallel(ctx, lists, func(ctx context.Context, list basecamp.Todolist) ([]basecamp.Todolist, error) {
		return ws.groups(ctx, list.ID)
	})
	if err != nil {
		return nil, err
	}
	groups := make(map[int64][]basecamp.Todolist, len(lists))
	for i, list := range lists {
		groups[list.ID] = all[i]
	}
	return groups, nil
}

func todolistID(l basecamp.Todolist) int64 { return l.ID }

func todolistName(l basecamp.Todolist) string { return l.Name }

func isGroup(l basecamp.Todolist) bool { return l.Parent != nil && l.Parent.Type == "Todolist" }

// wholeProject is every active list of a project's to-do set: the one named, or the only one.
func (ws *workspace) wholeProject(ctx context.Context, project basecamp.Project, named mcptool.Ref) ([]basecamp.Todolist, error) {
	set, err := ws.dock(ctx, project, todoset, named)
	if err != nil {
		return nil, err
	}
	return everything(ctx, ws.todolists(set.ID, "active"))
}

// oneList resolves a reference to a list or a group; it must be in the project.
func (ws *workspace) oneList(ctx context.Context, in listTodosInput) (basecamp.Todolist, error) {
	if in.Todolist.Name != "" {
		return ws.listByName(ctx, in)
	}
	k := kind{noun: listNoun, argument: "todolist_id", links: []string{"todolists", "groups"}}
	id, within, err := ws.item(ctx, k, in.Todolist, in.Project)
	if err != nil {
		return basecamp.Todolist{}, err
	}
	list, err := ws.bc.Todolist(ctx, id)
	if err != nil {
		return basecamp.Todolist{}, err
	}
	return list, within.holds(list.Recording, k)
}

// listByName looks among the lists first; their groups, which take a request each, are read only if none has that very
// name.
func (ws *workspace) listByName(ctx context.Context, in listTodosInput) (basecamp.Todolist, error) {
	project, err := ws.project(ctx, "project_id", in.Project)
	if err != nil {
		return basecamp.Todolist{}, err
	}
	lists, err := ws.wholeProject(ctx, project, in.Todoset)
	if err != nil {
		return basecamp.Todolist{}, err
	}
	options := choice[basecamp.Todolist]{
		argument: "todolist_id", noun: listNoun, items: lists, name: todolistName, id: todolistID,
		where: func(l basecamp.Todolist) string {
			if isGroup(l) {
				return l.Parent.Title
			}
			return project.Name
		},
	}
	if exact := exactly(lists, in.Todolist.Name, options.label); len(exact) == 1 {
		return exact[0], nil
	}
	groups, err := ws.groupsOf(ctx, lists)
	if err != nil {
		return basecamp.Todolist{}, err
	}
	for _, list := range lists {
		options.items = append(options.items, groups[list.ID]...)
	}
	return pick(options, in.Todolist.Name)
}

// todoSource is a list's to-dos and then, as further parts, those of its groups. It learns of groups when it comes to them.
type todoSource struct {
	ws        *workspace
	list      basecamp.Todolist
	completed bool

	once   sync.Once
	groups []basecamp.Todolist
	err    error
}

func (s *todoSource) read(ctx context.Context, page int) (basecamp.Page[basecamp.Todo], error) {
	part, page := page/partPages, page%partPages
	id := s.list.ID
	if part > 0 {
		groups, err := s.readGroups(ctx)
		if err != nil || part > len(groups) {
			return basecamp.Page[basecamp.Todo]{Total: -1}, err
		}
		id = groups[part-1].ID
	}
	todos, err := s.ws.bc.Todos(ctx, id, s.completed, page)
	if err != nil {
		return todos, err
	}
	if todos.Next > 0 {
		todos.Next += part * partPages
		return todos, nil
	}
	groups, err := s.readGroups(ctx)
	if part < len(groups) {
		todos.Next = (part+1)*partPages + 1
	}
	return todos, err
}

func (s *todoSource) readGroups(ctx context.Context) ([]basecamp.Todolist, error) {
	if isGroup(s.list) {
		return nil, nil
	}
	s.once.Do(func() { s.groups, s.err = s.ws.groups(ctx, s.list.ID) })
	return s.groups, s.err
}

// names says which list, and which group of it, a to-do of this source is in; false when it is in neither.
func (s *todoSource) names(parent int64) (list, group *ref, ok bool) {
	if parent == s.list.ID {
		list, group = listAndGroup(s.list)
		return list, group, true
	}
	for _, g := range s.groups {
		if g.ID == parent {
			return &ref{s.list.ID, richtext.Clean(s.list.Name)}, &ref{g.ID, richtext.Clean(g.Name)}, true
		}
	}
	return nil, nil, false
}

// listAndGroup names a list, or a group and the list it is in.
func listAndGroup(l basecamp.Todolist) (list, group *ref) {
	named := &ref{l.ID, richtext.Clean(l.Name)}
	if isGroup(l) {
		return &ref{l.Parent.ID, richtext.Clean(l.Parent.Title)}, named
	}
	return named, nil
}

// todoSources are the to-dos of lists, each followed by those of its groups.
func (ws *workspace) todoSources(lists []basecamp.Todolist, completed bool) []*todoSource {
	sources := make([]*todoSource, len(lists))
	for i, list := range lists {
		sources[i] = &todoSource{ws: ws, list: list, completed: completed}
	}
	return sources
}
