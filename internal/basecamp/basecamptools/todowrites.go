package basecamptools

import (
	"context"
	"slices"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/toolargs"
)

type createTodosInput struct {
	Project toolargs.Ref `json:"project,omitzero" jsonschema:"Id, name or URL"`
	List    toolargs.Ref `json:"list,omitzero" jsonschema:"Default: the only list; a to-do set's id: outside any list"`
	Todos   []newTodo    `json:"todos" jsonschema:"To-dos" limits:"maxitems=20"`
}

type newTodo struct {
	Content   string        `json:"content" jsonschema:"Plain text" limits:"maxlen=1500"`
	Notes     string        `json:"notes,omitzero" jsonschema:"Markdown" limits:"maxlen=500000"`
	Assignees toolargs.Refs `json:"assignees,omitzero" jsonschema:"Ids, names or me" limits:"maxitems=50"`
	DueOn     string        `json:"due_on,omitzero" jsonschema:"2026-01-31, friday or in 2 weeks"`
	StartsOn  string        `json:"starts_on,omitzero" jsonschema:"Like due_on"`
	Notify    bool          `json:"notify,omitzero" jsonschema:"Notify the assignees"`
	mentionsInput
}

type createdTodos struct {
	Results []listing.Outcome[todoItem] `json:"results"`
	Created int                         `json:"created"`
	Failed  int                         `json:"failed"`
	seen
	reach
}

func createTodos(rs *resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "create_todos",
		Title:       "Add to-dos",
		Description: "Creates Basecamp to-dos and puts them on a list, with assignees and due dates.",
		Effect:      mcptool.Creates,
	}, func(ctx context.Context, in createTodosInput) (createdTodos, error) {
		if len(in.Todos) == 0 {
			return createdTodos{}, fault.Invalid("todos", "must contain at least one to-do")
		}
		to, wrong := rs.whereToCreate(ctx, in)
		planned, err := listing.Plan(ctx, wrong, "todos", in.Todos, func(ctx context.Context, _ string, t newTodo) (plannedTodo, error) {
			return rs.planTodo(ctx, to, t)
		})
		if err != nil {
			return createdTodos{}, err
		}
		var all reach
		beside := rs.audienceBeside(ctx, to.holder())
		results, failures, err := listing.Each(ctx, "todos", planned, func(ctx context.Context, p plannedTodo) (todoItem, error) {
			made, err := rs.writeTodo(ctx, to, p.fields)
			if err != nil {
				return todoItem{}, err
			}
			rs.learnList(ctx, made.Recording)
			var told []basecamp.Person
			if p.fields.Notify {
				told = made.Assignees
			}
			all.add(beside.created(made.Recording, p.notes, told...))
			return rs.writtenTodo(made, to.list), nil
		})
		return createdTodos{results, len(results) - failures, failures, all.clientsSee(), all}, err
	})
}

// destination is the place of new to-dos: a list, a group, or a to-do set for to-dos outside
// any list.
type destination struct {
	project int64
	list    basecamp.Todolist
	set     int64 // 0 if the to-dos go into a list
}

// whereToCreate resolves the place of new to-dos. If the to-dos name people, it reads the
// project's people at the same time, which later lookups find in the cache. With an error, it
// returns the project if that is known.
func (rs *resolver) whereToCreate(ctx context.Context, in createTodosInput) (to destination, err error) {
	if word, _ := cutType(in.List.Name); word == todoset.kind {
		if in.List, err = todoset.bare("list", in.List); err != nil {
			return destination{}, err
		}
	}
	switch {
	case isSet(in.List):
		return rs.setByURL(ctx, in.List.URL, in.Project)
	case in.Project.IsZero():
		return inList(rs.listToWrite(ctx, in.List, toolargs.Ref{}))
	}
	project, err := rs.projectID(ctx, "project", in.Project)
	if err != nil {
		return destination{}, err
	}
	err = listing.Together(ctx,
		func(ctx context.Context) (err error) {
			to, err = inList(rs.listToWrite(ctx, in.List, toolargs.Ref{ID: project}))
			if fault.Is(err, fault.NotFound) && in.List.ID != 0 {
				to, err = rs.orSet(ctx, in.List.ID, project, err)
			}
			return err
		},
		func(ctx context.Context) (err error) {
			if slices.ContainsFunc(in.Todos, newTodo.namesPeople) {
				_, err = rs.people(ctx, project, remembered)
			}
			return err
		},
	)
	if err != nil {
		to = destination{project: project}
	}
	return to, err
}

// holder returns the list or the to-do set as what holds to-dos.
func (to destination) holder() basecamp.Recording {
	if to.set == 0 {
		return to.list.Recording
	}
	in := basecamp.Parent{ID: to.set, Type: todosetType}
	return basecamp.Recording{Type: todoKind.upstream, Parent: &in, Bucket: basecamp.Bucket{ID: to.project}}
}

func inList(list basecamp.Todolist, err error) (destination, error) {
	return destination{project: list.Bucket.ID, list: list}, err
}

// isSet reports whether a reference is the URL of a to-do set.
func isSet(ref toolargs.Ref) bool {
	link, err := basecamp.ParseLink(ref.URL)
	return err == nil && link.Type == "todosets"
}

// setByURL returns the to-do set at a URL. Its project is the named one, or the one in the URL.
func (rs *resolver) setByURL(ctx context.Context, url string, project toolargs.Ref) (destination, error) {
	link, err := rs.link(ctx, "list", url)
	if err != nil {
		return destination{}, err
	}
	if project.IsZero() {
		project = toolargs.Ref{ID: link.Project}
	}
	if project.IsZero() {
		return destination{}, fault.Invalid("project", "give a project: the URL of the to-do set does not contain one")
	}
	found, err := rs.project(ctx, "project", project)
	if err != nil {
		return destination{}, err
	}
	return rs.inSet(ctx, found, link.ID)
}

// orSet returns the project's to-do set with an id that belongs to no list. If there is no such
// set, it returns the error missing.
func (rs *resolver) orSet(ctx context.Context, id, project int64, missing error) (destination, error) {
	found, err := rs.project(ctx, "project", toolargs.Ref{ID: project})
	if err != nil {
		return destination{}, err
	}
	isIt := func(d basecamp.DockItem) bool { return d.Name == todoset.kind && d.ID == id }
	if !slices.ContainsFunc(found.Dock, isIt) {
		return destination{}, missing
	}
	return rs.inSet(ctx, found, id)
}

func (rs *resolver) inSet(ctx context.Context, project basecamp.Project, id int64) (destination, error) {
	named := todoset
	named.argument = "list"
	set, err := rs.dock(ctx, project, named, toolargs.Ref{ID: id})
	return destination{project: project.ID, set: set.ID}, err
}

func (t newTodo) namesPeople() bool { return len(t.Assignees)+len(t.Mentions) > 0 }

// listToWrite returns the named list or group, or the only list of the project. It must be
// active, because users do not see new to-dos in an archived or trashed list.
func (rs *resolver) listToWrite(ctx context.Context, named, project toolargs.Ref) (basecamp.Todolist, error) {
	switch {
	case named.IsZero() && project.IsZero():
		return basecamp.Todolist{}, fault.Invalid("project", "give a project, or the id or URL of a list")
	case named.IsZero():
		return rs.onlyList(ctx, project)
	}
	list, err := rs.oneList(ctx, listWanted{kind: listKind.withArguments("list", "project"), list: named, project: project})
	if err == nil && list.Status != active {
		err = fault.Invalid("list", "this list is %s; name another one, or restore it first with set_item_status", list.Status)
	}
	return list, err
}

func (rs *resolver) onlyList(ctx context.Context, ref toolargs.Ref) (basecamp.Todolist, error) {
	project, err := rs.project(ctx, "project", ref)
	if err != nil {
		return basecamp.Todolist{}, err
	}
	lists, err := rs.activeLists(ctx, project, toolargs.Ref{})
	switch {
	case err != nil:
		return basecamp.Todolist{}, err
	case len(lists) == 0:
		return basecamp.Todolist{}, fault.Invalid("list", "the project %s has no to-do list; create one with create_todolist, or give the id of its to-do set (todoset_id from get_project_tools) to add to-dos outside any list", plaintext.Quote(project.Name))
	case len(lists) > 1:
		return basecamp.Todolist{}, listsOf("list", project, lists).
			ambiguous(lists, "the project %s has %d to-do lists; name one", plaintext.Quote(project.Name), len(lists))
	}
	return lists[0], nil
}

// plannedTodo is a new to-do that was checked.
type plannedTodo struct {
	fields basecamp.NewTodo
	notes  composed
}

// planTodo resolves the people and dates of a new to-do, and composes its notes. An error names
// everything that is wrong with it.
func (rs *resolver) planTodo(ctx context.Context, to destination, t newTodo) (plannedTodo, error) {
	fields := basecamp.NewTodo{Content: plainly(t.Content), Notify: t.Notify}
	var dueOn, startsOn error
	fields.DueOn, dueOn = rs.dateOrNone(ctx, "due_on", t.DueOn)
	fields.StartsOn, startsOn = rs.dateOrNone(ctx, "starts_on", t.StartsOn)
	assignees, who := rs.persons(ctx, "assignees", t.Assignees, to.project)
	fields.AssigneeIDs = personIDs(assignees)
	notes, wrong := rs.compose(ctx, prose{to.project, "notes", t.Notes, t.Mentions, ""})
	fields.Description = notes.html
	return plannedTodo{fields, notes}, fault.All(notBlank("content", t.Content), dueOn, startsOn, rightOrder(fields.StartsOn, fields.DueOn), who, wrong)
}

func (rs *resolver) writeTodo(ctx context.Context, to destination, fields basecamp.NewTodo) (basecamp.Todo, error) {
	if to.set != 0 {
		return rs.bc.CreateLooseTodo(ctx, to.project, to.set, fields)
	}
	return rs.bc.CreateTodo(ctx, to.list.ID, fields)
}
