package tools

import (
	"context"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/richtext"
)

type listTodosInput struct {
	Project   mcptool.Ref `json:"project_id" jsonschema:"Project: id, name or URL"`
	Todolist  mcptool.Ref `json:"todolist_id,omitzero" jsonschema:"To-do list or group: id, name or URL; left out, all lists of the project"`
	Todoset   mcptool.Ref `json:"todoset_id,omitzero" jsonschema:"Only where a project has several to-do sets: which one, by id or title"`
	Completed bool        `json:"completed,omitzero" jsonschema:"true for completed to-dos, false for open ones" limits:"default=false"`
	Assignee  mcptool.Ref `json:"assignee,omitzero" jsonschema:"Only to-dos assigned to this person: id, name or me"`
	pageInput
}

// ref names something beside an item.
type ref struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

type todoItem struct {
	head
	Title         string     `json:"title"`
	Description   string     `json:"description"`
	Truncated     bool       `json:"truncated,omitempty"`
	List          *ref       `json:"list,omitempty"`
	Group         *ref       `json:"group,omitempty"`
	Completed     bool       `json:"completed"`
	CompletedAt   *time.Time `json:"completed_at"`
	DueOn         *string    `json:"due_on"`
	StartsOn      *string    `json:"starts_on"`
	Assignees     []person   `json:"assignees"`
	CommentsCount int        `json:"comments_count"`
	SubtasksDone  int        `json:"subtasks_done,omitempty"`
	SubtasksTotal int        `json:"subtasks_total,omitempty"`
	meta
}

func (t *todoItem) trim(characters int) {
	excerpt(&t.Description, characters, &t.Truncated)
	excerpt(&t.Title, characters, &t.Truncated)
}

func listTodos(ws *workspace) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:  "list_todos",
		Title: "List to-dos",
		Description: "Lists Basecamp to-dos, open ones by default: of one list with its groups, or of a whole project. " +
			"Gives title, Markdown description, assignees, dates, completed_at, comments_count.",
	}, func(ctx context.Context, in listTodosInput) (page[todoItem], error) {
		lists, err := ws.listsOf(ctx, in)
		if err != nil {
			return page[todoItem]{}, err
		}
		assignee, err := ws.person(ctx, "assignee", in.Assignee, in.Project)
		if err != nil {
			return page[todoItem]{}, err
		}
		sources := ws.todoSources(lists, in.Completed)
		l := &listing[basecamp.Todo]{id: func(t basecamp.Todo) int64 { return t.ID }, parts: true}
		for _, s := range sources {
			l.sources, l.keys = append(l.sources, s.read), append(l.keys, s.list.ID)
		}
		l.of = digest("todos", askedFor(lists, in), in.Todoset, in.Completed, assignee)
		if assignee != 0 {
			l.keep = func(t basecamp.Todo) bool {
				return slices.ContainsFunc(t.Assignees, func(p basecamp.Person) bool { return p.ID == assignee })
			}
		}
		found, err := l.collect(ctx, in.pageInput)
		if err != nil {
			return page[todoItem]{}, err
		}
		return answer(l, found, func(t basecamp.Todo) todoItem {
			v := ws.viewTodo(t)
			for _, s := range sources {
				if v.List == nil {
					break
				}
				if list, group, ok := s.names(v.List.ID); ok {
					v.List, v.Group = list, group
				}
			}
			return v
		}), nil
	})
}

// askedFor identifies what lists were asked for, however it was named: the one list, or the project.
func askedFor(lists []basecamp.Todolist, in listTodosInput) int64 {
	switch {
	case len(lists) == 0:
		return 0
	case in.Todolist.IsZero():
		return lists[0].Bucket.ID
	}
	return lists[0].ID
}

// listsOf are the lists whose to-dos are wanted: one, or all of the project.
func (ws *workspace) listsOf(ctx context.Context, in listTodosInput) ([]basecamp.Todolist, error) {
	if !in.Todolist.IsZero() {
		list, err := ws.oneList(ctx, in)
		return []basecamp.Todolist{list}, err
	}
	project, err := ws.project(ctx, "project_id", in.Project)
	if err != nil {
		return nil, err
	}
	return ws.wholeProject(ctx, project, in.Todoset)
}

// person resolves somebody on a project to their id: the caller ("me"), an id, or a name; 0 when nobody is named.
func (ws *workspace) person(ctx context.Context, argument string, who, project mcptool.Ref) (int64, error) {
	switch {
	case who.IsZero():
		return 0, nil
	case strings.EqualFold(who.Name, "me"):
		profile, err := ws.bc.Profile(ctx)
		return profile.ID, err
	case who.URL != "":
		return 0, fault.Invalid(argument, "must be a person's id or name, or me")
	}
	id, err := ws.projectID(ctx, "project_id", project)
	if err != nil {
		return 0, err
	}
	people, err := everything(ctx, func(ctx context.Context, page int) (basecamp.Page[basecamp.Person], error) {
		return ws.bc.ProjectPeople(ctx, id, page)
	})
	if err != nil {
		return 0, err
	}
	found, err := choice[basecamp.Person]{
		argument: argument, noun: personNoun, items: people,
		name:  func(p basecamp.Person) string { return p.Name },
		id:    func(p basecamp.Person) int64 { return p.ID },
		where: func(p basecamp.Person) string { return p.Title },
	}.byRef(who)
	return found.ID, err
}

// viewTodo shows the to-do's parent as its list; only who has read that knows whether it is a group.
func (ws *workspace) viewTodo(t basecamp.Todo) todoItem {
	v := todoItem{
		head:          head{t.ID, "todo"},
		Title:         richtext.Clean(t.Content),
		Description:   ws.markdown(t.Description),
		Completed:     t.Completed,
		DueOn:         dateOrNil(t.DueOn),
		StartsOn:      dateOrNil(t.StartsOn),
		Assignees:     viewPeople(t.Assignees),
		CommentsCount: t.CommentsCount,
		SubtasksTotal: len(t.Steps),
		meta:          viewMeta(t.Recording),
	}
	if t.Completed {
		v.CompletedAt = orNil(t.CompletedAt())
	}
	if t.Parent != nil {
		v.List = &ref{t.Parent.ID, richtext.Clean(t.Parent.Title)}
	}
	for _, step := range t.Steps {
		if step.Completed {
			v.SubtasksDone++
		}
	}
	return v
}

type getTodoInput struct {
	Todo    mcptool.Ref `json:"todo_id" jsonschema:"To-do: id (from list_todos), URL, or title together with project_id"`
	Project mcptool.Ref `json:"project_id,omitzero" jsonschema:"Project it must be in: id, name or URL"`
	commentsInput
}

type subtask struct {
	ID        int64    `json:"id"`
	Title     string   `json:"title"`
	Completed bool     `json:"completed"`
	DueOn     *string  `json:"due_on"`
	Assignees []person `json:"assignees"`
}

type todo struct {
	todoItem
	NextOffset  int       `json:"next_offset,omitempty"`
	Status      string    `json:"status"`
	Attachments []file    `json:"description_attachments"`
	Subtasks    []subtask `json:"subtasks"`
	discussion
}

func getTodo(ws *workspace) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "get_todo",
		Title:       "Read a to-do",
		Description: "Reads one Basecamp to-do: Markdown description, assignees, dates, completion, subtasks and its first page of comments.",
	}, func(ctx context.Context, in getTodoInput) (todo, error) {
		id, project, err := ws.item(ctx, todoKind, in.Todo, in.Project)
		if err != nil {
			return todo{}, err
		}
		t, err := ws.bc.Todo(ctx, id)
		if err != nil {
			return todo{}, err
		}
		if err := project.holds(t.Recording, todoKind); err != nil {
			return todo{}, err
		}
		var comments discussion
		var list basecamp.Todolist
		err = both(ctx,
			func(ctx context.Context) (err error) {
				comments, err = ws.discussion(ctx, t.Recording, in.commentsInput)
				return err
			},
			func(ctx context.Context) (err error) { list, err = ws.parentList(ctx, t); return err },
		)
		if err != nil {
			return todo{}, err
		}
		v := todo{
			todoItem:    ws.viewTodo(t),
			Status:      t.Status,
			Attachments: viewFiles(t.Attachments),
			Subtasks:    viewSubtasks(t.Steps),
			discussion:  comments,
		}
		if list.ID != 0 {
			v.List, v.Group = listAndGroup(list)
		}
		v.NextOffset, err = part(&v.Description, in.Offset, &v.Truncated)
		return v, err
	})
}

// parentList reads the list or group a to-do is in. The to-do does not say which of the two it is.
func (ws *workspace) parentList(ctx context.Context, t basecamp.Todo) (basecamp.Todolist, error) {
	if t.Parent == nil || t.Parent.Type != "Todolist" {
		return basecamp.Todolist{}, nil
	}
	return ws.bc.Todolist(ctx, t.Parent.ID)
}

func viewSubtasks(steps []basecamp.Step) []subtask {
	views := make([]subtask, len(steps))
	for i, s := range steps {
		views[i] = subtask{
			ID: s.ID, Title: richtext.Clean(s.Title), Completed: s.Completed,
			DueOn: dateOrNil(s.DueOn), Assignees: viewPeople(s.Assignees),
		}
	}
	return views
}
