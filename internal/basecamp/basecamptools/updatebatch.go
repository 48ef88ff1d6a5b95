package basecamptools

import (
	"context"
	"fmt"
	"slices"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/toolargs"
	requests "basecamp-mcp/internal/upstream"
)

type updateTodosInput struct {
	Todos   toolargs.Refs `json:"todos" jsonschema:"Ids, URLs or titles" limits:"maxitems=50"`
	Project toolargs.Ref  `json:"project,omitzero" jsonschema:"Their project"`
	assigneesInput
	DueOn    toolargs.Change[string] `json:"due_on,omitzero" jsonschema:"Day; none clears"`
	StartsOn toolargs.Change[string] `json:"starts_on,omitzero" jsonschema:"Like due_on"`
	List     toolargs.Ref            `json:"list,omitzero" jsonschema:"New list"`
}

// updatedTodos is the answer of update_todos.
type updatedTodos struct {
	listing.Applied[updatedTodo]
	lookup.Seen
	lookup.Reach // no one is notified: the change writes no text, and does not set notify
}

// updatedTodo is one of several to-dos after the same change.
type updatedTodo struct {
	lookup.Head
	Title     string       `json:"title"`
	List      *lookup.Ref  `json:"list,omitempty"`
	Todoset   *lookup.Ref  `json:"todoset,omitempty"`
	DueOn     *string      `json:"due_on"`
	StartsOn  *string      `json:"starts_on"`
	Assignees []lookup.Ref `json:"assignees"`
	Changed   bool         `json:"changed"`
}

func updateTodos(rs *resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "update_todos",
		Title:       "Change several to-dos",
		Description: "Gives several Basecamp to-dos the same assignees, dates or list.",
		Effect:      mcptool.Updates,
	}, func(ctx context.Context, in updateTodosInput) (updatedTodos, error) {
		change, wrong := rs.planTodosChange(ctx, in)
		if wrong != nil && !fault.OfArguments(wrong) {
			return updatedTodos{}, wrong
		}
		planned, err := rs.todosToChange(ctx, in)
		if err == nil || fault.OfArguments(err) {
			err = listing.Unwritten(len(in.Todos), fault.All(wrong, err, change.placeAll(ctx, planned)))
		}
		if err != nil {
			return updatedTodos{}, err
		}
		beside := rs.Audience(ctx)
		for _, p := range planned {
			beside.Know(p.list.Recording)
		}
		after := lookup.RecordingsOf(planned, todoPlan.changedRecording)
		beside.Start(after...)
		all, err := listing.Apply(ctx, "todos", planned, todoPlan.reference, change.apply)
		clients, left := beside.SeenBy(after...)
		return updatedTodos{all, lookup.SeenBy(clients), lookup.Reach{Gaps: left}}, err
	})
}

// todosChange is a change of several to-dos, with dates that are already resolved.
type todosChange struct {
	rs              *resolver
	in              updateTodosInput
	dueOn, startsOn string
}

// todoPlan is a to-do to change.
type todoPlan struct {
	todo     basecamp.Todo
	read     time.Time // when it was read
	list     basecamp.Todolist
	position int // in the list; 0 if it does not move
}

// changedRecording returns the to-do in the list where it is after the change.
func (p todoPlan) changedRecording() basecamp.Recording {
	return todoChange{list: p.list}.moved(p.todo)
}

func (p todoPlan) reference() string { return fmt.Sprintf("%s:%d", lookup.TodoKind.Kind, p.todo.ID) }

// planTodosChange checks the arguments that all to-dos share.
func (rs *resolver) planTodosChange(ctx context.Context, in updateTodosInput) (todosChange, error) {
	if len(in.Todos) == 0 {
		return todosChange{}, fault.Invalid("todos", "must contain at least one to-do")
	}
	if !in.asked() && !in.DueOn.Given && !in.StartsOn.Given && in.List.IsZero() {
		return todosChange{}, nothingToChange("assignees, add_assignees, remove_assignees, due_on, starts_on or list")
	}
	c := todosChange{rs: rs, in: in}
	var due, starts error
	c.dueOn, due = rs.DateOrNone(ctx, "due_on", in.DueOn.To)
	c.startsOn, starts = rs.DateOrNone(ctx, "starts_on", in.StartsOn.To)
	return c, fault.All(in.check(), due, starts)
}

// todosToChange reads all named to-dos.
func (rs *resolver) todosToChange(ctx context.Context, in updateTodosInput) ([]todoPlan, error) {
	within, wrong := rs.SharedProject(ctx, in.Project)
	planned, err := listing.Plan(ctx, wrong, "todos", in.Todos, func(ctx context.Context, path string, named toolargs.Ref) (todoPlan, error) {
		todo, err := lookup.ReadToChange(ctx, rs.Resolver, lookup.TodoKind.WithArguments(path, "project"), named, within, rs.BC.Todo)
		return todoPlan{todo: todo, read: time.Now()}, err
	})
	if err == nil {
		err = listing.Once("todos", planned, todoPlan.reference)
	}
	return planned, err
}

// placeAll finds the people and the list in the project of every to-do. Problems are named without
// the index of a to-do if all to-dos are in one project, because they are then the same for all.
func (c todosChange) placeAll(ctx context.Context, planned []todoPlan) error {
	known := lookup.Matching(planned, func(p todoPlan) bool { return p.todo.ID != 0 })
	if len(known) == 0 {
		return c.checkWithoutTodos(ctx)
	}
	mixed := slices.ContainsFunc(known, func(p todoPlan) bool { return p.todo.Bucket.ID != known[0].todo.Bucket.ID })
	lists := map[int64]basecamp.Todolist{}
	moved := map[int64]int{}
	var problems error
	for i := range planned {
		p := &planned[i]
		if p.todo.ID == 0 { // it was not found
			continue
		}
		fields, err := c.fields(ctx, p.todo)
		err = fault.All(err, c.place(ctx, p, lists))
		if err != nil && mixed {
			err = fault.Within(fmt.Sprintf("todos[%d]", i), err)
		}
		err = fault.All(err, fault.Within(fmt.Sprintf("todos[%d]", i), lookup.RightOrder(fields.StartsOn, fields.DueOn)))
		if err != nil && !fault.OfArguments(err) {
			return err
		}
		problems = fault.All(problems, err)
		if p.list.ID != 0 && (p.todo.Parent == nil || p.todo.Parent.ID != p.list.ID) {
			moved[p.list.ID]++
			p.position = moved[p.list.ID] // one below the other, in the order of the call
		}
	}
	return problems
}

// checkWithoutTodos returns what is wrong with the people and the list if no to-do was found.
func (c todosChange) checkWithoutTodos(ctx context.Context) error {
	var project int64
	if !c.in.Project.IsZero() {
		project, _ = c.rs.ProjectID(ctx, "project", c.in.Project) // an error is in that of the to-dos
	}
	p := todoPlan{todo: basecamp.Todo{Recording: basecamp.Recording{Bucket: basecamp.Bucket{ID: project}}}}
	_, who := c.fields(ctx, p.todo)
	if project == 0 {
		return fault.Unambiguous(who)
	}
	return fault.All(who, c.place(ctx, &p, map[int64]basecamp.Todolist{}))
}

// place sets the list that a to-do moves to. It reads the list once for each project.
func (c todosChange) place(ctx context.Context, p *todoPlan, lists map[int64]basecamp.Todolist) (err error) {
	if c.in.List.IsZero() {
		return nil
	}
	project := p.todo.Bucket.ID
	list, known := lists[project]
	if !known {
		if list, err = c.rs.listToWrite(ctx, c.in.List, toolargs.Ref{ID: project}); err != nil {
			return err
		}
		lists[project] = list
	}
	p.list = list
	return nil
}

// fields returns the fields of a to-do after the change. Those that the call does not name keep
// their values, because Basecamp clears missing fields.
func (c todosChange) fields(ctx context.Context, todo basecamp.Todo) (fields basecamp.TodoFields, err error) {
	fields = todo.Fields()
	if c.in.DueOn.Given {
		fields.DueOn = c.dueOn
	}
	if c.in.StartsOn.Given {
		fields.StartsOn = c.startsOn
	}
	if c.in.asked() {
		fields.AssigneeIDs, err = c.rs.reassigned(ctx, todo.Bucket.ID, todo.Assignees, c.in.assigneesInput)
	}
	return fields, err
}

// fresh is the largest age of a to-do whose fields are written back. An older one is read again, so
// that the batch does not undo what other people change meanwhile.
const fresh = 2 * time.Second

// apply changes one to-do. It writes only what differs.
func (c todosChange) apply(ctx context.Context, p todoPlan) (updatedTodo, error) {
	if time.Since(p.read) > fresh {
		now, err := c.rs.BC.Todo(requests.Afresh(ctx), p.todo.ID)
		if err == nil {
			err = lookup.NotPutAway("todos", now.Recording)
		}
		if err != nil {
			return updatedTodo{}, err
		}
		p.todo = now
	}
	fields, err := c.fields(ctx, p.todo)
	if err := fault.All(err, lookup.RightOrder(fields.StartsOn, fields.DueOn)); err != nil {
		return updatedTodo{}, err
	}
	now, writes := p.todo, differ(fields, p.todo.Fields())
	if writes {
		if now, err = c.rs.BC.UpdateTodo(ctx, p.todo.ID, fields); err != nil {
			return updatedTodo{}, err
		}
	}
	v := viewUpdatedTodo(now)
	if p.position > 0 {
		if err := c.rs.BC.MoveTodo(ctx, p.todo.ID, p.list.ID, p.position); err != nil {
			return updatedTodo{}, notMoved(err, writes)
		}
		v.List, v.Todoset = &lookup.Ref{ID: p.list.ID, Name: plaintext.Clean(p.list.Title)}, nil
	}
	v.Changed = writes || p.position > 0
	return v, nil
}

// differ reports whether an update from one state to the other changes assignees or dates.
func differ(a, b basecamp.TodoFields) bool {
	return a.DueOn != b.DueOn || a.StartsOn != b.StartsOn ||
		!slices.Equal(slices.Sorted(slices.Values(a.AssigneeIDs)), slices.Sorted(slices.Values(b.AssigneeIDs)))
}

func viewUpdatedTodo(todo basecamp.Todo) updatedTodo {
	v := updatedTodo{
		Head: lookup.Head{ID: todo.ID, Type: lookup.TodoKind.Kind}, Title: plaintext.Clean(todo.Title), DueOn: lookup.DateOrNil(todo.DueOn), StartsOn: lookup.DateOrNil(todo.StartsOn),
		Assignees: lookup.ViewNames(todo.Assignees),
	}
	v.List, v.Todoset = lookup.ViewTodoParent(todo.Recording)
	return v
}
