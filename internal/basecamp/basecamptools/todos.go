package basecamptools

import (
	"cmp"
	"context"
	"sync"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/toolargs"
)

func todoTools(rs *resolver) []mcptool.Tool {
	return []mcptool.Tool{listTodolists(rs), listTodos(rs), getTodo(rs), createTodolist(rs), createTodos(rs), updateTodo(rs), updateTodos(rs)}
}

type listTodosInput struct {
	Project   toolargs.Ref `json:"project_id" jsonschema:"Id, name or URL"`
	Todolist  toolargs.Ref `json:"todolist_id,omitzero" jsonschema:"From list_todolists, or a name; default: all"`
	Todoset   toolargs.Ref `json:"todoset_id,omitzero" jsonschema:"If there are several"`
	Completed bool         `json:"completed,omitzero" jsonschema:"Completed ones instead of open ones" limits:"default=false"`
	Assignee  toolargs.Ref `json:"assignee,omitzero" jsonschema:"Id, name, me, none or any"`
	listing.PageInput
}

type todoItem struct {
	head
	Title         string     `json:"title"`
	Description   string     `json:"description" compact:"keep"`
	Truncated     bool       `json:"truncated,omitempty"`
	List          *ref       `json:"list,omitempty"`
	Group         *ref       `json:"group,omitempty"`
	Todoset       *ref       `json:"todoset,omitempty"` // set instead of List if the to-do is in no list
	Completed     bool       `json:"completed" compact:"keep"`
	CompletedAt   *time.Time `json:"completed_at" compact:"keep"`
	DueOn         *string    `json:"due_on" compact:"keep"`
	StartsOn      *string    `json:"starts_on"`
	Assignees     []person   `json:"assignees" compact:"keep:name+email"`
	CommentsCount int        `json:"comments_count" compact:"keep"`
	SubtasksDone  int        `json:"subtasks_done,omitempty"`
	SubtasksTotal int        `json:"subtasks_total,omitempty"`
	meta
}

func (t *todoItem) Trim(characters int) {
	listing.Excerpt(&t.Description, characters, &t.Truncated)
	listing.Excerpt(&t.Title, characters, &t.Truncated)
}

type todoPage struct {
	listing.Page[todoItem]
	gaps
}

func listTodos(rs *resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:  "list_todos",
		Title: "Show to-dos",
		Description: "Lists the to-dos of a Basecamp list with its groups, or of a project, open or completed: assignees, " +
			"dates, completed_at, comments_count.",
	}, func(ctx context.Context, in listTodosInput) (todoPage, error) {
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
func (rs *resolver) todosFrom(ctx context.Context, in listTodosInput, carried *carriedTodos) (todoPage, error) {
	filter := func() (assigneeFilter, error) { return rs.assignee(ctx, in) }
	if in.Project.Name == "" { // or the list's project is looked up first
		filter = listing.Ahead(ctx, func(ctx context.Context) (assigneeFilter, error) { return rs.assignee(ctx, in) })
	}
	asked, err := rs.todosAsked(ctx, in, carried)
	if err != nil {
		return todoPage{}, err
	}
	assignee, err := filter()
	if err != nil {
		return todoPage{}, err
	}
	sources := rs.todoSources(asked, in.Completed)
	l := rs.todoList(asked, sources, in.Completed)
	l.Of = listing.Digest("todos", asked.of(), in.Todoset, in.Completed, assignee.id, assignee.word)
	if assignee.given() {
		l.Keep = func(t basecamp.Todo) bool { return assignee.keeps(t.Assignees) }
	}
	l.PartIDs = func(at listing.Position) []int64 { return groupsAt(sources, at) }
	if asked.carried == nil { // which says itself where its group is
		l.PartOf = func(ctx context.Context, source int, group int64) (int, error) {
			return partOf(ctx, sources, source, group)
		}
	}
	if asked.set == 0 {
		l.Carry = func(at listing.Position) any { return sources[0].carry(in, at) }
	}
	found, err := l.Collect(ctx, in.PageInput)
	if asked.recent != nil && (fault.Is(err, fault.NotFound) || err == nil && !found.More) {
		changed, wrong := rs.listsChanged(ctx, asked)
		if wrong != nil {
			return todoPage{}, wrong
		}
		if changed {
			return rs.todosFrom(ctx, in, nil)
		}
	}
	if err != nil {
		return todoPage{}, err
	}
	for _, t := range found.Items {
		rs.learnList(ctx, t.Recording)
	}
	unseen, err := settle(rs.audienceOf(ctx, found.Items, sources), found.Items)
	if err != nil {
		return todoPage{}, err
	}
	left := leftOut(sources)
	left.LeftOut = append(left.LeftOut, unseen.LeftOut...)
	return todoPage{listing.Answer(l, found, func(t basecamp.Todo) todoItem {
		return rs.viewTodoFrom(t, sources)
	}), left}, nil
}

// todoList returns the list of the to-dos of some sources and, last, of those in no list.
func (rs *resolver) todoList(asked *todosAsked, sources []*todoSource, completed bool) *listing.List[basecamp.Todo] {
	l := &listing.List[basecamp.Todo]{
		ID: func(t basecamp.Todo) int64 { return t.ID }, Parts: true,
		Size: func(source int) int {
			if source < len(sources) {
				if count, ok := sources[source].count(sources[source].list); ok {
					return count
				}
			}
			return firstPage // as many as the to-dos in no list have at most on their first page
		},
		Follows: func(at listing.Position) int {
			if at.Source == len(sources) {
				return 0
			}
			return min(firstPage, sources[at.Source].countOf(at.Page/listing.PartPages))
		},
		Beyond: func(ctx context.Context, at listing.Position, have, want int) {
			if at.Source < len(sources) {
				sources[at.Source].beyond(ctx, at.Page, have, want)
			}
		},
	}
	for _, s := range sources {
		l.Add(s.list.ID, s.read)
	}
	if asked.set != 0 {
		l.Add(asked.set, rs.looseTodos(asked.project, asked.set, completed))
	}
	return l
}

// audienceOf returns an audience that knows the lists of to-dos, as far as the sources know them.
func (rs *resolver) audienceOf(ctx context.Context, todos []basecamp.Todo, sources []*todoSource) *audience {
	a := rs.audience(ctx)
	for _, s := range sources {
		if s.list.VisibleToClients != nil { // a cursor carries only the name of its list
			a.know(s.list.Recording)
		}
		for _, t := range todos {
			if t.Parent == nil {
				continue
			}
			if list, group, ok := s.names(ref{ID: t.Parent.ID}); ok && group != nil {
				a.know(basecamp.Recording{ID: group.ID, Type: listKind.upstream, Bucket: t.Bucket, Parent: &basecamp.Parent{ID: list.ID, Type: listKind.upstream}})
			}
		}
	}
	return a
}

// viewTodoFrom shows a to-do with its list and group, if one of the sources knows them.
func (rs *resolver) viewTodoFrom(t basecamp.Todo, sources []*todoSource) todoItem {
	v := rs.viewTodo(t)
	for _, s := range sources {
		if v.List == nil {
			break
		}
		if list, group, ok := s.names(*v.List); ok {
			v.List, v.Group = list, group
		}
	}
	return v
}

// todosAsked is the caller's choice of to-dos: those of one list, or those of a project's to-do
// set with all its lists and the to-dos outside lists.
type todosAsked struct {
	project, set int64 // 0 for one list
	lists        []basecamp.Todolist
	carried      *carriedTodos // what the cursor carries of one list; may be nil
	recent       *projectLists // lists that an earlier call has read; may be nil

	mu      sync.Mutex
	grouped map[int64][]basecamp.Todolist // the groups by list; nil until they were read
}

// of returns the id of the list or project, which is the same however the caller named it.
func (a *todosAsked) of() int64 {
	if a.set == 0 {
		return a.lists[0].ID
	}
	return a.project
}

func (rs *resolver) todosAsked(ctx context.Context, in listTodosInput, carried *carriedTodos) (*todosAsked, error) {
	if carried != nil {
		return &todosAsked{lists: []basecamp.Todolist{carried.list()}, carried: carried}, nil
	}
	if !in.Todolist.IsZero() {
		list, err := rs.oneList(ctx, listWanted{
			listKind.as("todolist_id", "project_id"), in.Todolist, in.Project, in.Todoset,
			func(id int64) { rs.expectTodos(ctx, id, in) },
		})
		return &todosAsked{lists: []basecamp.Todolist{list}}, err
	}
	project, err := rs.project(ctx, "project_id", in.Project)
	if err != nil {
		return nil, err
	}
	set, err := rs.dock(ctx, project, todoset, in.Todoset)
	if err != nil {
		return nil, err
	}
	if known, ok := rs.recentLists(ctx, set.ID); ok && in.Cursor != "" {
		return known.asked(project.ID, set.ID), nil
	}
	lists, err := listing.Everything(ctx, rs.todolists(set.ID, active))
	asked := &todosAsked{project: project.ID, set: set.ID, lists: lists}
	first := todoSource{completed: in.Completed}
	if len(lists) > 0 && in.Cursor == "" && first.size(lists[0]) < cmp.Or(in.Limit, listing.DefaultLimit) {
		// The first list cannot fill the answer.
		ahead(ctx, func(ctx context.Context) (map[int64][]basecamp.Todolist, error) { return asked.groups(ctx, rs) })
	}
	return asked, err
}

// assignee resolves the filter by assignee.
func (rs *resolver) assignee(ctx context.Context, in listTodosInput) (assigneeFilter, error) {
	if f, ok := assigneeWord(in.Assignee); ok || in.Assignee.IsZero() {
		return f, nil
	}
	project, err := rs.projectID(ctx, "project_id", in.Project)
	if err != nil {
		return assigneeFilter{}, err
	}
	who, err := rs.person(ctx, "assignee", in.Assignee, project)
	return assigneeFilter{id: who.ID}, err
}

// viewTodo shows a to-do, with its parent as its list or its to-do set. The to-do does not say
// whether that list is a group.
func (rs *resolver) viewTodo(t basecamp.Todo) todoItem {
	v := todoItem{
		head:          head{t.ID, todoKind.kind},
		Title:         plaintext.Clean(t.Content),
		Description:   rs.markdown(t.Description, t.Attachments...),
		Completed:     t.Completed,
		CompletedAt:   completedAt(t.Completable),
		DueOn:         dateOrNil(t.DueOn),
		StartsOn:      dateOrNil(t.StartsOn),
		Assignees:     viewPeople(t.Assignees),
		CommentsCount: t.CommentsCount,
		SubtasksDone:  completedOf(t.Steps),
		SubtasksTotal: len(t.Steps),
		meta:          viewMeta(t.Recording),
	}
	v.List, v.Todoset = viewTodoParent(t.Recording)
	return v
}

// viewTodoIn shows a to-do whose list or group is known. If list is zero, it equals viewTodo.
func (rs *resolver) viewTodoIn(t basecamp.Todo, list basecamp.Todolist) todoItem {
	v := rs.viewTodo(t)
	if list.ID != 0 {
		v.List, v.Group = listAndGroup(list)
	}
	return v
}

func (rs *resolver) writtenTodo(t basecamp.Todo, list basecamp.Todolist) todoItem {
	v := rs.viewTodoIn(t, list)
	v.Trim(maxWritten)
	return v
}

type getTodoInput struct {
	Todo    toolargs.Ref `json:"todo_id" jsonschema:"Id from list_todos, URL or title"`
	Project toolargs.Ref `json:"project_id,omitzero" jsonschema:"Its project"`
	commentsInput
}

type todo struct {
	todoItem
	NextOffset  int       `json:"next_offset,omitempty"`
	Status      string    `json:"status"`
	Attachments []file    `json:"description_attachments,omitempty"`
	Subtasks    []subtask `json:"subtasks"`
	discussion
	gaps
}

func getTodo(rs *resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "get_todo",
		Title:       "Read a to-do",
		Description: "Opens a Basecamp to-do: Markdown description, assignees, dates, completion, subtasks and discussion.",
	}, func(ctx context.Context, in getTodoInput) (todo, error) {
		id, where, err := rs.item(ctx, todoKind, in.Todo, in.Project)
		if err != nil {
			return todo{}, err
		}
		rs.expectTodo(ctx, id, in.commentsInput)
		t, err := readIn(ctx, where, todoKind, id, rs.bc.Todo)
		if err != nil {
			return todo{}, err
		}
		return rs.wholeTodo(ctx, t, in.commentsInput)
	})
}

func (rs *resolver) showTodo(ctx context.Context, id int64, in commentsInput) (todo, error) {
	rs.expectTodo(ctx, id, in)
	t, err := rs.bc.Todo(ctx, id)
	if err != nil {
		return todo{}, err
	}
	return rs.wholeTodo(ctx, t, in)
}

// expectTodo starts to read what is shown with a to-do: its comments, and its list if that is
// known.
func (rs *resolver) expectTodo(ctx context.Context, id int64, in commentsInput) {
	rs.expectComments(ctx, id, in)
	expectHinted(ctx, rs, listOf(id), rs.bc.Todolist)
}

// listOf returns the hint to the list or group that a to-do is in.
func listOf(todo int64) hint { return hint{of: "list", item: todo} }

// learnList keeps the list or group that an answer said a to-do is in. It ignores other items, and
// to-dos in no list.
func (rs *resolver) learnList(ctx context.Context, r basecamp.Recording) {
	if r.Type == todoKind.upstream && r.Parent != nil && r.Parent.Type == listKind.upstream {
		rs.learn(ctx, listOf(r.ID), r.Parent.ID)
	}
}

func (rs *resolver) wholeTodo(ctx context.Context, t basecamp.Todo, in commentsInput) (todo, error) {
	var comments discussion
	var list basecamp.Todolist
	left, err := extras(ctx, rs.commentsInto(&comments, t.Recording, in), rs.listInto(&list, t))
	if err != nil {
		return todo{}, err
	}
	if list.ID != 0 || t.Parent == nil || t.Parent.Type != listKind.upstream { // else its list could not be read
		unseen, err := extras(ctx, rs.audience(ctx, list.Recording).settled(&t.Recording))
		if err != nil {
			return todo{}, err
		}
		left.LeftOut = append(left.LeftOut, unseen.LeftOut...)
	}
	v := todo{
		todoItem:    rs.viewTodoIn(t, list),
		Status:      t.Status,
		Attachments: viewFiles(t.Description, t.Attachments),
		Subtasks:    viewSubtasks(t.Steps),
		discussion:  comments,
		gaps:        left,
	}
	v.NextOffset, err = part(&v.Description, in.Offset, &v.Truncated)
	return v, err
}

// listInto returns an extra that reads the list or group of a to-do. If that fails, the answer
// shows the to-do's parent as its list, although it may be a group.
func (rs *resolver) listInto(list *basecamp.Todolist, t basecamp.Todo) extra {
	return extra{"group", func(ctx context.Context) (err error) { *list, err = rs.parentList(ctx, t); return err }}
}

// parentList reads the list or group that a to-do is in. It returns zero for a to-do in no list.
func (rs *resolver) parentList(ctx context.Context, t basecamp.Todo) (basecamp.Todolist, error) {
	if t.Parent == nil || t.Parent.Type != "Todolist" {
		return basecamp.Todolist{}, nil
	}
	rs.learnList(ctx, t.Recording)
	return rs.bc.Todolist(ctx, t.Parent.ID)
}
