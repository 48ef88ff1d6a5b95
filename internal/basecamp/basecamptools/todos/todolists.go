package todos

import (
	"cmp"
	"context"
	"slices"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/text/naming"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/tool/toolargs"
)

type listTodolistsInput struct {
	Project toolargs.Ref `json:"project_id" jsonschema:"Id, name or URL"`
	Todoset toolargs.Ref `json:"todoset_id,omitzero" jsonschema:"If there are several"`
	Status  string       `json:"status,omitzero" jsonschema:"State" limits:"enum=active|archived|trashed default=active"`
	listing.PageInput
}

// TodolistItem is a to-do list as lists show it.
type TodolistItem struct {
	lookup.Head
	Name        string      `json:"name"`
	Description string      `json:"description" compact:"keep"`
	Truncated   bool        `json:"truncated,omitempty"`
	Completed   bool        `json:"completed"`
	Done        int         `json:"done"`
	Total       int         `json:"total"`
	Groups      []todoGroup `json:"groups"`
	List        *lookup.Ref `json:"list,omitempty"` // the list that contains the group
	lookup.Meta
}

// Trim shortens the texts, as [listing.Answer] needs it.
func (l *TodolistItem) Trim(characters int) {
	if len(l.Groups) > characters/20 { // a group takes about 20 characters
		l.Groups, l.Truncated = l.Groups[:characters/20], true
	}
	listing.Trim(characters, &l.Truncated, &l.Description, &l.Name)
}

// todoGroup is a part of a list with its own heading. Tools accept its id in place of a list's
// id.
type todoGroup struct {
	ID    int64  `json:"id"`
	Name  string `json:"name"`
	Done  int    `json:"done"`
	Total int    `json:"total"`
	URL   string `json:"url"`
}

type todolistPage struct {
	listing.Page[TodolistItem]
	listing.Gaps
}

// ListTodolists returns the tool list_todolists.
func ListTodolists(rs *Resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "list_todolists",
		Title:       "To-do lists with progress",
		Description: "Lists a Basecamp project's to-do lists with their groups and progress (done of total).",
	}, func(ctx context.Context, in listTodolistsInput) (todolistPage, error) {
		project, err := rs.Project(ctx, "project_id", in.Project)
		if err != nil {
			return todolistPage{}, err
		}
		set, err := rs.Dock(ctx, project, lookup.Todoset, in.Todoset)
		if err != nil {
			return todolistPage{}, err
		}
		l := &listing.List[basecamp.Todolist]{
			Of:      listing.Digest("todolists", set.ID, in.Status),
			ID:      todolistID,
			Sources: []listing.Source[basecamp.Todolist]{rs.todolists(set.ID, in.Status)},
		}
		if in.Status != lookup.Active {
			l.Sources = append(l.Sources, rs.groupsPutAway(project.ID, set.ID, in.Status))
		}
		grouped := func(ctx context.Context) (map[int64][]basecamp.Todolist, error) {
			return rs.groupsIn(ctx, project.ID, in.Status)
		}
		listing.ReadAhead(ctx, grouped)
		found, err := l.Collect(ctx, in.PageInput)
		if err != nil {
			return todolistPage{}, err
		}
		var groups map[int64][]basecamp.Todolist
		var left listing.Gaps
		if len(found.Items) > 0 {
			left, err = listing.Extras(ctx, listing.Into("groups", &groups, grouped))
		}
		if err != nil {
			return todolistPage{}, err
		}
		return todolistPage{listing.Answer(l, found, func(list basecamp.Todolist) TodolistItem { return rs.viewTodolist(list, groups[list.ID]) }), left}, nil
	})
}

func (rs *Resolver) viewTodolist(list basecamp.Todolist, groups []basecamp.Todolist) TodolistItem {
	v := TodolistItem{
		Head:        lookup.Head{ID: list.ID, Type: lookup.ListKind.Kind},
		Name:        plaintext.Clean(list.Name),
		Description: rs.Markdown(list.Description, list.Attachments...),
		Completed:   list.Completed,
		Meta:        lookup.ViewMeta(list.Recording),
	}
	if IsGroup(list) {
		v.List, _ = listAndGroup(list)
	}
	v.Done, v.Total = list.Progress()
	for _, group := range groups {
		done, total := group.Progress()
		v.Groups = append(v.Groups, todoGroup{ID: group.ID, Name: plaintext.Clean(group.Name), Done: done, Total: total, URL: group.AppURL})
	}
	return v
}

// WholeTodolist is a list or a group that is read by itself.
type WholeTodolist struct {
	TodolistItem
	Status        string `json:"status"`
	CommentsCount int    `json:"comments_count"`
	listing.Gaps
}

// ShowTodolist reads a list with its groups and the counts of its to-dos.
func (rs *Resolver) ShowTodolist(ctx context.Context, id int64) (WholeTodolist, error) {
	listing.Expect(ctx, id, rs.groups)
	list, err := basecamp.TodolistAt.Get(ctx, rs.BC, id)
	if err != nil {
		return WholeTodolist{}, err
	}
	var groups []basecamp.Todolist
	var left listing.Gaps
	if !IsGroup(list) {
		left, err = listing.Extras(ctx, listing.Into("groups", &groups, func(ctx context.Context) ([]basecamp.Todolist, error) { return rs.groups(ctx, id) }))
	}
	if err != nil {
		return WholeTodolist{}, err
	}
	v := WholeTodolist{TodolistItem: rs.viewTodolist(list, groups), Status: list.Status, CommentsCount: list.CommentsCount, Gaps: left}
	v.Trim(listing.MaxText)
	return v, nil
}

func (rs *Resolver) todolists(set int64, status string) listing.Source[basecamp.Todolist] {
	return basecamp.TodolistsIn.Where(basecamp.WithStatus(status)).Source(rs.BC, set)
}

// groupsPutAway returns a source of the groups of active lists with a status, archived or trashed.
// Basecamp does not return them with the lists of that status.
func (rs *Resolver) groupsPutAway(project, set int64, status string) listing.Source[basecamp.Todolist] {
	return func(ctx context.Context, page int) (basecamp.Page[basecamp.Todolist], error) {
		var found basecamp.Page[basecamp.Todolist]
		var lists []basecamp.Todolist
		err := listing.Together(ctx,
			func(ctx context.Context) (err error) {
				found, err = listsIn(project, status).Page(ctx, rs.BC, page)
				return err
			},
			func(ctx context.Context) (err error) {
				lists, err = listing.Everything(ctx, rs.todolists(set, lookup.Active))
				return err
			},
		)
		found.Total = -1 // it counts lists too
		found.Items = lookup.Matching(found.Items, func(group basecamp.Todolist) bool {
			return IsGroup(group) && slices.ContainsFunc(lists, func(l basecamp.Todolist) bool { return l.ID == group.Parent.ID })
		})
		return found, err
	}
}

func (rs *Resolver) groups(ctx context.Context, list int64) ([]basecamp.Todolist, error) {
	return listing.Everything(ctx, basecamp.GroupsIn.Source(rs.BC, list))
}

// groupsOf returns the groups of a project's lists by list id. For several lists it reads all
// lists and groups of the project, because one request per list would exceed the rate limit.
func (rs *Resolver) groupsOf(ctx context.Context, lists []basecamp.Todolist) (map[int64][]basecamp.Todolist, error) {
	switch len(lists) {
	case 0:
		return map[int64][]basecamp.Todolist{}, nil
	case 1:
		groups, err := rs.groups(ctx, lists[0].ID)
		return map[int64][]basecamp.Todolist{lists[0].ID: groups}, err
	}
	return rs.groupsIn(ctx, lists[0].Bucket.ID, lookup.Active)
}

// listsIn has the lists and groups of a project with a status, the oldest first.
func listsIn(project int64, status string) basecamp.Endpoint[basecamp.Todolist] {
	return basecamp.RecordingsIn[basecamp.Todolist](lookup.ListKind.Upstream, project, status, basecamp.Sorted("created_at", "asc"))
}

func (rs *Resolver) groupsIn(ctx context.Context, project int64, status string) (map[int64][]basecamp.Todolist, error) {
	groups := map[int64][]basecamp.Todolist{}
	all, err := listing.Everything(ctx, listsIn(project, status).Source(rs.BC))
	if err != nil {
		return nil, err
	}
	for _, l := range all {
		if IsGroup(l) {
			groups[l.Parent.ID] = append(groups[l.Parent.ID], l)
		}
	}
	for _, in := range groups {
		slices.SortStableFunc(in, func(a, b basecamp.Todolist) int { return cmp.Compare(a.Position, b.Position) })
	}
	return groups, nil
}

func todolistID(l basecamp.Todolist) int64 { return l.ID }

// IsGroup reports whether a list is a group of another list.
func IsGroup(l basecamp.Todolist) bool { return l.Parent != nil && l.Parent.Type == "Todolist" }

// activeLists returns the active lists of a project: of the named to-do set, or of all sets.
func (rs *Resolver) activeLists(ctx context.Context, project basecamp.Project, set toolargs.Ref) ([]basecamp.Todolist, error) {
	sets, err := rs.Docks(project, lookup.Todoset)
	if !set.IsZero() {
		var one basecamp.DockItem
		one, err = rs.Dock(ctx, project, lookup.Todoset, set)
		sets = []basecamp.DockItem{one}
	}
	if err != nil {
		return nil, err
	}
	return listing.EverythingIn(ctx, sets, func(set basecamp.DockItem) listing.Source[basecamp.Todolist] {
		return rs.todolists(set.ID, lookup.Active)
	})
}

// listWanted is a caller's reference to a list or a group, with the tool's names for the
// arguments.
type listWanted struct {
	lookup.Kind
	list, project, todoset toolargs.Ref

	early func(id int64) // is called with the ID before the list is read; may be nil
}

// oneList resolves a reference to a list or a group. If the caller names a project, the list
// must be in it.
func (rs *Resolver) oneList(ctx context.Context, w listWanted) (basecamp.Todolist, error) {
	var err error
	if w.list, err = w.Bare(w.Argument, w.list); err != nil {
		return basecamp.Todolist{}, err
	}
	if w.list.Name != "" && !w.project.IsZero() {
		return rs.listByName(ctx, w)
	}
	id, where, err := rs.Item(ctx, w.Kind, w.list, w.project)
	if err != nil {
		return basecamp.Todolist{}, err
	}
	if w.early != nil {
		w.early(id)
	}
	return lookup.ReadIn(ctx, where, w.Kind, id, basecamp.TodolistAt.Reader(rs.BC))
}

// listByName finds a list or a group by name. It reads groups, which takes more requests, only
// if no single list has exactly that name.
func (rs *Resolver) listByName(ctx context.Context, w listWanted) (basecamp.Todolist, error) {
	project, err := rs.Project(ctx, w.InProject, w.project)
	if err != nil {
		return basecamp.Todolist{}, err
	}
	known := lookup.Hint{Of: "list", Item: project.ID, Name: w.todoset.String() + "/" + naming.Fold(w.list.Name)}
	if ids := rs.Hinted(ctx, known); len(ids) > 0 && w.early != nil {
		w.early(ids[0])
	}
	list, err := rs.listNamed(ctx, project, w)
	if err == nil && w.early != nil {
		if ids := rs.Hinted(ctx, known); !slices.Equal(ids, []int64{list.ID}) {
			w.early(list.ID)
		}
		rs.Learn(ctx, known, list.ID)
	}
	return list, err
}

func (rs *Resolver) listNamed(ctx context.Context, project basecamp.Project, w listWanted) (basecamp.Todolist, error) {
	lists, err := rs.activeLists(ctx, project, w.todoset)
	if err != nil {
		return basecamp.Todolist{}, err
	}
	options := listsOf(w.Argument, project, lists)
	if exact := naming.Exactly(lists, w.list.Name, options.Label); len(exact) == 1 {
		return exact[0], nil
	}
	groups, err := rs.groupsOf(ctx, lists)
	if err != nil {
		return basecamp.Todolist{}, err
	}
	for _, list := range lists {
		options.Items = append(options.Items, groups[list.ID]...)
	}
	return lookup.Pick(options, w.list.Name)
}

func listsOf(argument string, project basecamp.Project, lists []basecamp.Todolist) lookup.Choice[basecamp.Todolist] {
	return lookup.Choice[basecamp.Todolist]{
		Argument: argument, Noun: lookup.ListNoun, Items: lists, ID: todolistID,
		Name: func(l basecamp.Todolist) string { return l.Name },
		Where: func(l basecamp.Todolist) string {
			if IsGroup(l) {
				return l.Parent.Title
			}
			return project.Name
		},
	}
}
