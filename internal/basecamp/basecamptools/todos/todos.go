// Package todos holds the tools of to-do lists and their to-dos.
package todos

import (
	"context"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/tool/toolargs"
)

// Resolver is parts.Base with the methods of this package.
type Resolver struct {
	*parts.Base
}

type listTodosInput struct {
	Project   toolargs.Ref `json:"project_id" jsonschema:"Id, name or URL"`
	Todolist  toolargs.Ref `json:"todolist_id,omitzero" jsonschema:"From list_todolists, or a name; default: all"`
	Todoset   toolargs.Ref `json:"todoset_id,omitzero" jsonschema:"If there are several"`
	Completed bool         `json:"completed,omitzero" jsonschema:"Completed ones instead of open ones" limits:"default=false"`
	Assignee  toolargs.Ref `json:"assignee,omitzero" jsonschema:"Id, name, me, none or any"`
	listing.PageInput
}

// TodoItem is a to-do as lists show it.
type TodoItem struct {
	lookup.Head
	Title         string          `json:"title"`
	Description   string          `json:"description" compact:"keep"`
	Truncated     bool            `json:"truncated,omitempty"`
	List          *lookup.Ref     `json:"list,omitempty"`
	Group         *lookup.Ref     `json:"group,omitempty"`
	Todoset       *lookup.Ref     `json:"todoset,omitempty"` // set instead of List if the to-do is in no list
	Completed     bool            `json:"completed" compact:"keep"`
	CompletedAt   *time.Time      `json:"completed_at" compact:"keep"`
	DueOn         *string         `json:"due_on" compact:"keep"`
	StartsOn      *string         `json:"starts_on"`
	Assignees     []lookup.Person `json:"assignees" compact:"keep:name+email"`
	CommentsCount int             `json:"comments_count" compact:"keep"`
	SubtasksDone  int             `json:"subtasks_done,omitempty"`
	SubtasksTotal int             `json:"subtasks_total,omitempty"`
	lookup.Meta
}

// Trim shortens the texts, as [listing.Answer] needs it.
func (t *TodoItem) Trim(characters int) {
	listing.Trim(characters, &t.Truncated, &t.Description, &t.Title)
}

// TodoPage is a page of to-dos.
type TodoPage struct {
	listing.Page[TodoItem]
	listing.Gaps
}

// ListTodos returns the tool list_todos.
func ListTodos(rs *Resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:  "list_todos",
		Title: "Show to-dos",
		Description: "Lists the to-dos of a Basecamp list with its groups, or of a project, open or completed: assignees, " +
			"dates, completed_at, comments_count.",
	}, func(ctx context.Context, in listTodosInput) (TodoPage, error) {
		if carried, ok := in.carried(); ok {
			page, err := rs.todosFrom(ctx, in, &carried)
			if !fault.Is(err, fault.NotFound) {
				return page, err
			}
		}
		return rs.todosFrom(ctx, in, nil)
	})
}

// todosFrom answers a call that may go on with what its cursor carries.
func (rs *Resolver) todosFrom(ctx context.Context, in listTodosInput, carried *carriedTodos) (TodoPage, error) {
	filter := func() (AssigneeFilter, error) { return rs.Assignee(ctx, in.Assignee, in.Project) }
	if in.Project.Name == "" { // or the list's project is looked up first
		filter = listing.Ahead(ctx, func(ctx context.Context) (AssigneeFilter, error) {
			return rs.Assignee(ctx, in.Assignee, in.Project)
		})
	}
	asked, err := rs.todosAsked(ctx, in, carried)
	if err != nil {
		return TodoPage{}, err
	}
	assignee, err := filter()
	if err != nil {
		return TodoPage{}, err
	}
	l := rs.todoList(asked)
	of := asked.project
	if asked.set == 0 {
		of = asked.lists[0].ID // however the caller named the list
	}
	l.Of = listing.Digest("todos", of, in.Todoset, in.Completed, assignee.ID, assignee.Word)
	if assignee.Given() {
		l.Keep = func(t basecamp.Todo) bool { return assignee.Keeps(t.Assignees) }
	}
	found, err := l.Collect(ctx, in.PageInput)
	if asked.recent != nil && (fault.Is(err, fault.NotFound) || err == nil && !found.More) {
		changed, wrong := rs.listsChanged(ctx, asked)
		if wrong != nil {
			return TodoPage{}, wrong
		}
		if changed {
			return rs.todosFrom(ctx, in, nil)
		}
	}
	if err != nil {
		if asked.missing != nil { // without the groups, the cursor points at nothing
			return TodoPage{}, asked.missing
		}
		return TodoPage{}, err
	}
	if asked.set == 0 {
		l.Carry = asked.carry(in)
	}
	for _, t := range found.Items {
		rs.LearnHolder(ctx, t.Recording)
	}
	unseen, err := lookup.MarkSeen(rs.audienceOf(ctx, found.Items, asked), found.Items)
	if err != nil {
		return TodoPage{}, err
	}
	var left listing.Gaps
	if asked.missing != nil {
		left.LeaveOut("to-dos in groups", asked.missing)
	}
	left.LeftOut = append(left.LeftOut, unseen.LeftOut...)
	return TodoPage{listing.Answer(l, found, func(t basecamp.Todo) TodoItem {
		return rs.viewTodoFrom(t, asked)
	}), left}, nil
}

// audienceOf returns an audience that knows the lists of to-dos, as far as the call knows them.
func (rs *Resolver) audienceOf(ctx context.Context, todos []basecamp.Todo, asked *todosAsked) *lookup.Audience {
	a := rs.Audience(ctx)
	for _, list := range asked.lists {
		if list.VisibleToClients != nil { // a cursor carries only the name of its list
			a.Know(list.Recording)
		}
	}
	for _, t := range todos {
		if t.Parent == nil {
			continue
		}
		if list, group, ok := asked.names(lookup.Ref{ID: t.Parent.ID}); ok && group != nil {
			a.Know(basecamp.Recording{ID: group.ID, Type: lookup.ListKind.Upstream, Bucket: t.Bucket, Parent: &basecamp.Parent{ID: list.ID, Type: lookup.ListKind.Upstream}})
		}
	}
	return a
}

// viewTodoFrom shows a to-do with its list and group, if the call knows them.
func (rs *Resolver) viewTodoFrom(t basecamp.Todo, asked *todosAsked) TodoItem {
	v := rs.viewTodo(t)
	if v.List == nil {
		return v
	}
	if list, group, ok := asked.names(*v.List); ok {
		v.List, v.Group = list, group
	}
	return v
}

func (rs *Resolver) todosAsked(ctx context.Context, in listTodosInput, carried *carriedTodos) (*todosAsked, error) {
	if carried != nil {
		return carried.asked(in.Completed), nil
	}
	if !in.Todolist.IsZero() {
		list, err := rs.oneList(ctx, listWanted{
			lookup.ListKind.WithArguments("todolist_id", "project_id"), in.Todolist, in.Project, in.Todoset,
			func(id int64) { rs.expectTodos(ctx, id, in) },
		})
		return &todosAsked{completed: in.Completed, lists: []basecamp.Todolist{list}}, err
	}
	project, err := rs.Project(ctx, "project_id", in.Project)
	if err != nil {
		return nil, err
	}
	set, err := rs.Dock(ctx, project, lookup.Todoset, in.Todoset)
	if err != nil {
		return nil, err
	}
	if known, ok := rs.RecentLists(ctx, set.ID); ok && in.Cursor != "" {
		return &todosAsked{project.ID, set.ID, in.Completed, known.Lists, known.Groups, nil, &known, nil}, nil
	}
	lists, err := listing.Everything(ctx, rs.todolists(set.ID, lookup.Active))
	asked := &todosAsked{project: project.ID, set: set.ID, completed: in.Completed, lists: lists}
	rs.expectLists(ctx, asked, in)
	return asked, err
}

// Assignee resolves a filter by assignee. It looks the project up only for a person.
func (rs *Resolver) Assignee(ctx context.Context, named, inProject toolargs.Ref) (AssigneeFilter, error) {
	if word := lookup.AssigneeWord(named); word != "" || named.IsZero() {
		return AssigneeFilter{Word: word}, nil
	}
	project, err := rs.ProjectID(ctx, "project_id", inProject)
	if err != nil {
		return AssigneeFilter{}, err
	}
	who, err := rs.Person(ctx, "assignee", named, project)
	return AssigneeFilter{ID: who.ID}, err
}

// viewTodo shows a to-do, with its parent as its list or its to-do set. The to-do does not say
// whether that list is a group.
func (rs *Resolver) viewTodo(t basecamp.Todo) TodoItem {
	v := TodoItem{
		Head:          lookup.Head{ID: t.ID, Type: lookup.TodoKind.Kind},
		Title:         plaintext.Clean(t.Content),
		Description:   rs.Markdown(t.Description, t.Attachments...),
		Completed:     t.Completed,
		CompletedAt:   lookup.CompletedAt(t.Completable),
		DueOn:         lookup.DateOrNil(t.DueOn),
		StartsOn:      lookup.DateOrNil(t.StartsOn),
		Assignees:     lookup.ViewPeople(t.Assignees),
		CommentsCount: t.CommentsCount,
		SubtasksDone:  lookup.CompletedOf(t.Steps),
		SubtasksTotal: len(t.Steps),
		Meta:          lookup.ViewMeta(t.Recording),
	}
	v.List, v.Todoset = lookup.ViewTodoParent(t.Recording)
	return v
}

type getTodoInput struct {
	Todo    toolargs.Ref `json:"todo_id" jsonschema:"Id from list_todos, URL or title"`
	Project toolargs.Ref `json:"project_id,omitzero" jsonschema:"Project of the title"`
	parts.CommentsInput
}

// Todo is a to-do with its text, subtasks and first comments.
type Todo struct {
	TodoItem
	NextOffset  int             `json:"next_offset,omitempty"`
	Status      string          `json:"status"`
	Attachments []parts.File    `json:"description_attachments,omitempty"`
	Subtasks    []parts.Subtask `json:"subtasks"`
	parts.Discussion
	parts.WithBoosts
	listing.Gaps
}

// GetTodo returns the tool get_todo.
func GetTodo(rs *Resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "get_todo",
		Title:       "Read a to-do",
		Description: "Opens a Basecamp to-do: Markdown description, assignees, dates, completion, subtasks and discussion.",
	}, func(ctx context.Context, in getTodoInput) (Todo, error) {
		id, where, err := rs.Item(ctx, lookup.TodoKind, in.Todo, in.Project)
		if err != nil {
			return Todo{}, err
		}
		return rs.todoIn(ctx, where, id, in.CommentsInput)
	})
}

// ShowTodo reads a to-do with its subtasks and first comments.
func (rs *Resolver) ShowTodo(ctx context.Context, id int64, in parts.CommentsInput) (Todo, error) {
	return rs.todoIn(ctx, lookup.Place{}, id, in)
}

// todoIn reads a to-do. It starts with what is shown beside it: its comments, and its list if that
// is known.
func (rs *Resolver) todoIn(ctx context.Context, where lookup.Place, id int64, in parts.CommentsInput) (Todo, error) {
	rs.ExpectComments(ctx, id, in)
	lookup.ExpectHinted(ctx, rs.Resolver, lookup.HolderOf(id), basecamp.TodolistAt.Reader(rs.BC))
	t, err := lookup.ReadIn(ctx, where, lookup.TodoKind, id, basecamp.TodoAt.Reader(rs.BC))
	if err != nil {
		return Todo{}, err
	}
	var comments parts.Discussion
	var list basecamp.Todolist
	var cheers parts.WithBoosts
	left, err := listing.Extras(ctx, rs.CommentsInto(&comments, t.Recording, in), rs.BoostsInto(&cheers, t.Recording),
		// If this fails, the answer shows the to-do's parent as its list, also if it is a group.
		listing.Into("group", &list, func(ctx context.Context) (basecamp.Todolist, error) { return rs.parentList(ctx, t) }))
	if err != nil {
		return Todo{}, err
	}
	if list.ID != 0 || t.Parent == nil || t.Parent.Type != lookup.ListKind.Upstream { // else its list could not be read
		unseen, err := listing.Extras(ctx, rs.Audience(ctx, list.Recording).SeenInto(&t.Recording))
		if err != nil {
			return Todo{}, err
		}
		left.LeftOut = append(left.LeftOut, unseen.LeftOut...)
	}
	v := Todo{
		TodoItem:    rs.viewTodo(t),
		Status:      t.Status,
		Attachments: parts.ViewFiles(t.Description, t.Attachments),
		Subtasks:    parts.ViewSubtasks(t.Steps),
		Discussion:  comments,
		WithBoosts:  cheers,
		Gaps:        left,
	}
	if list.ID != 0 {
		v.List, v.Group = listAndGroup(list)
	}
	v.NextOffset, err = listing.Part(&v.Description, in.Offset, &v.Truncated)
	return v, err
}

// parentList reads the list or group that a to-do is in. It returns zero for a to-do in no list.
func (rs *Resolver) parentList(ctx context.Context, t basecamp.Todo) (basecamp.Todolist, error) {
	if t.Parent == nil || t.Parent.Type != "Todolist" {
		return basecamp.Todolist{}, nil
	}
	rs.LearnHolder(ctx, t.Recording)
	return basecamp.TodolistAt.Get(ctx, rs.BC, t.Parent.ID)
}

// AssigneeFilter selects items by their assignees. The zero filter keeps every item.
type AssigneeFilter struct {
	ID   int64  // of a person
	Word string // in place of a person, or ""
}

// Given reports whether the filter leaves out any item.
func (f AssigneeFilter) Given() bool { return f != AssigneeFilter{} }

// Keeps reports whether an item with these assignees matches.
func (f AssigneeFilter) Keeps(assignees []basecamp.Person) bool {
	switch f.Word {
	case lookup.NoAssignee:
		return len(assignees) == 0
	case lookup.AnyAssignee:
		return len(assignees) > 0
	}
	return f.ID == 0 || lookup.IsAmong(assignees, f.ID)
}
