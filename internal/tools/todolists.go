package tools

import (
	"context"
	"slices"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/fault"
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
		set, err := ws.dock(project, todoset, in.Todoset)
		if err != nil {
			return page[todolistItem]{}, err
		}
		l := &listing[basecamp.Todolist]{
			of:      digest("todolists", set.ID, in.Status),
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

// groupsOf reads the groups of lists, by the list's id.
func (ws *workspace) groupsOf(ctx context.Context, lists []basecamp.Todolist) (map[int64][]basecamp.Todolist, error) {
	all, err := inParallel(ctx, lists, func(ctx context.Context, list basecamp.Todolist) ([]basecamp.Todolist, error) {
		return everything(ctx, func(ctx context.Context, page int) (basecamp.Page[basecamp.Todolist], error) {
			return ws.bc.TodolistGroups(ctx, list.ID, page)
		})
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

// todoScope is the lists and groups whose to-dos are wanted, each list followed by its groups.
type todoScope struct {
	lists []basecamp.Todolist
}

func (s todoScope) ids() []int64 {
	ids := make([]int64, len(s.lists))
	for i, list := range s.lists {
		ids[i] = list.ID
	}
	return ids
}

// names says which list, and which group of it, a to-do's parent is.
func (s todoScope) names(parent *basecamp.Parent) (list, group *ref) {
	if parent == nil {
		return nil, nil
	}
	direct := &ref{ID: parent.ID, Name: richtext.Clean(parent.Title)}
	i := slices.IndexFunc(s.lists, func(l basecamp.Todolist) bool { return l.ID == parent.ID && isGroup(l) })
	if i < 0 {
		return direct, nil
	}
	above := s.lists[i].Parent
	return &ref{ID: above.ID, Name: richtext.Clean(above.Title)}, direct
}

func isGroup(l basecamp.Todolist) bool { return l.Parent != nil && l.Parent.Type == "Todolist" }

// wholeProject is every list of a project's to-do set, with its groups.
func (ws *workspace) wholeProject(ctx context.Context, project basecamp.Project, named mcptool.Ref) (todoScope, error) {
	set, err := ws.dock(project, todoset, named)
	if err != nil {
		return todoScope{}, err
	}
	lists, err := everything(ctx, ws.todolists(set.ID, "active"))
	if err != nil {
		return todoScope{}, err
	}
	return ws.withGroups(ctx, lists)
}

// oneList is a list with its groups, or a group; it must be in the project.
func (ws *workspace) oneList(ctx context.Context, in, list mcptool.Ref) (todoScope, error) {
	if list.Name != "" {
		return ws.listByName(ctx, in, list)
	}
	projectID, err := ws.projectID(ctx, "project_id", in)
	if err != nil {
		return todoScope{}, err
	}
	id := list.ID
	if list.URL != "" {
		link, err := ws.link(ctx, "todolist_id", list.URL)
		if err != nil {
			return todoScope{}, err
		}
		if link.Type != "todolists" && link.Type != "groups" {
			return todoScope{}, fault.Invalid("todolist_id", "is the URL of something else than a to-do list")
		}
		id = link.ID
	}
	found, err := ws.bc.Todolist(ctx, id)
	if err != nil {
		return todoScope{}, err
	}
	if err := (place{projectID}).holds(found.Recording, kind{noun: "to-do list", argument: "todolist_id"}); err != nil {
		return todoScope{}, err
	}
	return ws.withGroups(ctx, []basecamp.Todolist{found})
}

func (ws *workspace) listByName(ctx context.Context, in, list mcptool.Ref) (todoScope, error) {
	project, err := ws.project(ctx, "project_id", in)
	if err != nil {
		return todoScope{}, err
	}
	all, err := ws.wholeProject(ctx, project, mcptool.Ref{})
	if err != nil {
		return todoScope{}, err
	}
	found, err := pick(choice[basecamp.Todolist]{
		argument: "todolist_id", noun: "to-do list", items: all.lists,
		name: func(l basecamp.Todolist) string { return l.Name },
		id:   func(l basecamp.Todolist) int64 { return l.ID },
		where: func(l basecamp.Todolist) string {
			if isGroup(l) {
				return l.Parent.Title
			}
			return project.Name
		},
	}, list.Name)
	if err != nil {
		return todoScope{}, err
	}
	within := func(l basecamp.Todolist) bool { return l.ID == found.ID || isGroup(l) && l.Parent.ID == found.ID }
	return todoScope{lists: matching(all.lists, within)}, nil
}

func (ws *workspace) withGroups(ctx context.Context, lists []basecamp.Todolist) (todoScope, error) {
	groups, err := ws.groupsOf(ctx, matching(lists, func(l basecamp.Todolist) bool { return !isGroup(l) }))
	if err != nil {
		return todoScope{}, err
	}
	var scope todoScope
	for _, list := range lists {
		scope.lists = append(append(scope.lists, list), groups[list.ID]...)
	}
	return scope, nil
}

// todos are the sources of a scope's to-dos.
func (ws *workspace) todos(scope todoScope, completed bool) []source[basecamp.Todo] {
	sources := make([]source[basecamp.Todo], len(scope.lists))
	for i, list := range scope.lists {
		sources[i] = func(ctx context.Context, page int) (basecamp.Page[basecamp.Todo], error) {
			return ws.bc.Todos(ctx, list.ID, completed, page)
		}
	}
	return sources
}
