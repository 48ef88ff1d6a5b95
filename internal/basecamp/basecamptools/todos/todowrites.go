package todos

import (
	"context"
	"slices"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/tool/toolargs"
)

// CreateTodosInput are the arguments of create_todos.
type CreateTodosInput struct {
	Project toolargs.Ref `json:"project,omitzero" jsonschema:"Id, name or URL"`
	List    toolargs.Ref `json:"list,omitzero" jsonschema:"This or project (its only list); a to-do set's id: outside any list"`
	Todos   []NewTodo    `json:"todos" jsonschema:"In order" limits:"maxitems=20"`
}

// NewTodo is a to-do that a call makes.
type NewTodo struct {
	Content   string        `json:"content" jsonschema:"Title" limits:"maxlen=1500"`
	Notes     string        `json:"notes,omitzero" jsonschema:"Markdown" limits:"maxlen=500000"`
	Assignees toolargs.Refs `json:"assignees,omitzero" jsonschema:"Ids, names or me" limits:"maxitems=50"`
	DueOn     string        `json:"due_on,omitzero" jsonschema:"2026-01-31, friday or in 2 weeks"`
	StartsOn  string        `json:"starts_on,omitzero" jsonschema:"Like due_on"`
	Notify    bool          `json:"notify,omitzero" jsonschema:"Notify the assignees"`
	lookup.MentionsInput
}

// CreatedTodos are new to-dos, with their list or group, or the to-do set if they are in no list.
type CreatedTodos struct {
	List    *lookup.Ref                    `json:"list,omitempty"`
	Group   *lookup.Ref                    `json:"group,omitempty"`
	Todoset *lookup.Ref                    `json:"todoset,omitempty"`
	URL     string                         `json:"url,omitempty"`
	Project *lookup.ProjectRef             `json:"project,omitempty"`
	Results []listing.Outcome[createdTodo] `json:"results"`
	Created int                            `json:"created"`
	Failed  int                            `json:"failed"`
	lookup.Seen
	lookup.Reach
}

// createdTodo is what a caller does not know of a new to-do: its ID, and the dates that were
// understood.
type createdTodo struct {
	ID       int64  `json:"id"`
	Title    string `json:"title"`
	DueOn    string `json:"due_on,omitempty"`
	StartsOn string `json:"starts_on,omitempty"`
}

// maxEcho is the length of a title in the answer of a batch, in characters.
const maxEcho = 200

// CreateTodos returns the tool create_todos.
func CreateTodos(rs *Resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "create_todos",
		Title:       "Add to-dos",
		Description: "Creates Basecamp to-dos and puts them on a list, with assignees and due dates.",
		Words:       "new to-do, add a to-do, new task for, tasks",
		Effect:      mcptool.Creates,
	}, func(ctx context.Context, in CreateTodosInput) (CreatedTodos, error) {
		if len(in.Todos) == 0 {
			return CreatedTodos{}, fault.Invalid("todos", "must contain at least one to-do")
		}
		to, wrong := rs.WhereToCreate(ctx, in)
		planned, err := listing.Plan(ctx, wrong, "todos", in.Todos, func(ctx context.Context, _ string, t NewTodo) (PlannedTodo, error) {
			return rs.PlanTodo(ctx, to, t)
		})
		if err != nil {
			return CreatedTodos{}, err
		}
		var v CreatedTodos
		var all lookup.Reach
		beside := rs.AudienceBeside(ctx, to.Holder())
		results, failures, err := listing.Each(ctx, "todos", planned, listing.InOrder, func(ctx context.Context, p PlannedTodo) (createdTodo, error) {
			made, reached, err := rs.MakeTodo(ctx, to, p, beside)
			if err != nil {
				return createdTodo{}, err
			}
			v.at(made, to.List)
			all.Add(reached)
			return viewCreated(made), nil
		})
		v.Results, v.Created, v.Failed = results, len(results)-failures, failures
		v.Seen, v.Reach = all.ViewClients(), all
		return v, err
	})
}

// at sets where the to-dos are.
func (v *CreatedTodos) at(made basecamp.Todo, list basecamp.Todolist) {
	project := lookup.ViewBucket(made.Bucket)
	v.Project = &project
	if list.ID != 0 {
		v.List, v.Group = listAndGroup(list)
	} else {
		_, v.Todoset = lookup.ViewTodoParent(made.Recording)
	}
	if made.Parent != nil {
		v.URL = made.Parent.AppURL
	}
}

// viewCreated returns the view of the to-do that Basecamp made.
func viewCreated(made basecamp.Todo) createdTodo {
	v := createdTodo{ID: made.ID, DueOn: made.DueOn, StartsOn: made.StartsOn}
	v.Title, _ = plaintext.Excerpt(plaintext.Clean(made.Content), maxEcho)
	return v
}

// Destination is the place of new to-dos: a list, a group, or a to-do set for to-dos outside
// any list.
type Destination struct {
	Project int64
	List    basecamp.Todolist
	Set     int64 // 0 if the to-dos go into a list
}

// WhereToCreate resolves the place of new to-dos. If the to-dos name people, it reads the
// project's people at the same time, which later lookups find in the cache. With an error, it
// returns the project if that is known.
func (rs *Resolver) WhereToCreate(ctx context.Context, in CreateTodosInput) (to Destination, err error) {
	if word, _ := lookup.CutType(in.List.Name); word == lookup.Todoset.Kind {
		if in.List, err = lookup.Todoset.Bare("list", in.List); err != nil {
			return Destination{}, err
		}
	}
	link, _ := basecamp.ParseLink(in.List.URL)
	switch {
	case link.Type == "todosets":
		return rs.setByURL(ctx, in.List.URL, in.Project)
	case in.Project.IsZero():
		return inList(rs.ListToWrite(ctx, in.List, toolargs.Ref{}))
	}
	project, err := rs.ProjectID(ctx, "project", in.Project)
	if err != nil {
		return Destination{}, err
	}
	err = listing.Together(ctx,
		func(ctx context.Context) (err error) {
			to, err = inList(rs.ListToWrite(ctx, in.List, toolargs.Ref{ID: project}))
			if fault.Is(err, fault.NotFound) && in.List.ID != 0 {
				to, err = rs.orSet(ctx, in.List.ID, project, err)
			}
			return err
		},
		func(ctx context.Context) error {
			var named []toolargs.Ref
			for _, t := range in.Todos {
				named = slices.Concat(named, t.Assignees, t.Mentions)
			}
			return rs.ReadPeople(ctx, project, named)
		},
	)
	if err != nil {
		to = Destination{Project: project}
	}
	return to, err
}

// Holder returns the list or the to-do set as what holds to-dos.
func (to Destination) Holder() basecamp.Recording {
	if to.Set == 0 {
		return to.List.Recording
	}
	in := basecamp.Parent{ID: to.Set, Type: lookup.TodosetType}
	return basecamp.Recording{Type: lookup.TodoKind.Upstream, Parent: &in, Bucket: basecamp.Bucket{ID: to.Project}}
}

func inList(list basecamp.Todolist, err error) (Destination, error) {
	return Destination{Project: list.Bucket.ID, List: list}, err
}

// setByURL returns the to-do set at a URL. Its project is the named one, or the one in the URL.
func (rs *Resolver) setByURL(ctx context.Context, url string, project toolargs.Ref) (Destination, error) {
	link, err := rs.Link(ctx, "list", url)
	if err != nil {
		return Destination{}, err
	}
	if project.IsZero() {
		project = toolargs.Ref{ID: link.Project}
	}
	if project.IsZero() {
		return Destination{}, fault.Invalid("project", "give a project: the URL of the to-do set does not contain one")
	}
	found, err := rs.Project(ctx, "project", project)
	if err != nil {
		return Destination{}, err
	}
	return rs.inSet(ctx, found, link.ID)
}

// orSet returns the project's to-do set with an id that belongs to no list. If there is no such
// set, it returns the error missing.
func (rs *Resolver) orSet(ctx context.Context, id, project int64, missing error) (Destination, error) {
	found, err := rs.Project(ctx, "project", toolargs.Ref{ID: project})
	if err != nil {
		return Destination{}, err
	}
	isIt := func(d basecamp.DockItem) bool { return d.Name == lookup.Todoset.Kind && d.ID == id }
	if !slices.ContainsFunc(found.Dock, isIt) {
		return Destination{}, missing
	}
	return rs.inSet(ctx, found, id)
}

func (rs *Resolver) inSet(ctx context.Context, project basecamp.Project, id int64) (Destination, error) {
	named := lookup.Todoset
	named.Argument = "list"
	set, err := rs.Dock(ctx, project, named, toolargs.Ref{ID: id})
	return Destination{Project: project.ID, Set: set.ID}, err
}

// ListToWrite returns the named list or group, or the only list of the project. It must be
// active, because users do not see new to-dos in an archived or trashed list.
func (rs *Resolver) ListToWrite(ctx context.Context, named, project toolargs.Ref) (basecamp.Todolist, error) {
	switch {
	case named.IsZero() && project.IsZero():
		return basecamp.Todolist{}, fault.Invalid("project", "give a project, or the id or URL of a list")
	case named.IsZero():
		return rs.onlyList(ctx, project)
	}
	list, err := rs.oneList(ctx, listWanted{Kind: lookup.ListKind.WithArguments("list", "project"), list: named, project: project})
	if err == nil && list.Status != lookup.Active {
		err = fault.Invalid("list", "this list is %s; name another one, or restore it first with set_item_status", list.Status)
	}
	return list, err
}

func (rs *Resolver) onlyList(ctx context.Context, ref toolargs.Ref) (basecamp.Todolist, error) {
	project, err := rs.Project(ctx, "project", ref)
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
			Ambiguous(lists, "the project %s has %d to-do lists; name one", plaintext.Quote(project.Name), len(lists))
	}
	return lists[0], nil
}

// PlannedTodo is a new to-do that was checked.
type PlannedTodo struct {
	Fields basecamp.NewTodo
	notes  lookup.Composed
}

// PlanTodo resolves the people and dates of a new to-do, and composes its notes. An error names
// everything that is wrong with it.
func (rs *Resolver) PlanTodo(ctx context.Context, to Destination, t NewTodo) (PlannedTodo, error) {
	fields := basecamp.NewTodo{Content: lookup.Plainly(t.Content), Notify: t.Notify}
	var dueOn, startsOn error
	fields.DueOn, dueOn = rs.DateOrNone(ctx, "due_on", t.DueOn)
	fields.StartsOn, startsOn = rs.DateOrNone(ctx, "starts_on", t.StartsOn)
	assignees, who := rs.Persons(ctx, "assignees", t.Assignees, to.Project)
	fields.AssigneeIDs = lookup.PersonIDs(assignees)
	notes, wrong := rs.Compose(ctx, lookup.Prose{Project: to.Project, Argument: "notes", Markdown: t.Notes, Mentions: t.Mentions, Old: ""})
	fields.Description = notes.HTML
	return PlannedTodo{fields, notes}, fault.All(parts.NotBlank("content", t.Content), dueOn, startsOn, RightOrder(fields.StartsOn, fields.DueOn), who, wrong)
}

// MakeTodo creates a to-do, and returns whom that reached.
func (rs *Resolver) MakeTodo(ctx context.Context, to Destination, p PlannedTodo, beside *lookup.Audience) (made basecamp.Todo, r lookup.Reach, err error) {
	if to.Set != 0 {
		made, err = basecamp.LooseTodosIn.In(to.Project).Post(ctx, rs.BC, p.Fields, to.Set)
	} else {
		made, err = basecamp.TodosIn.Post(ctx, rs.BC, p.Fields, to.List.ID)
	}
	if err != nil {
		return made, r, err
	}
	rs.LearnHolder(ctx, made.Recording)
	var notified []basecamp.Person
	if p.Fields.Notify {
		notified = made.Assignees
	}
	return made, beside.Created(made.Recording, p.notes, notified...), nil
}

// RightOrder returns an error if dueOn is before startsOn.
func RightOrder(startsOn, dueOn string) error {
	if startsOn != "" && dueOn != "" && dueOn < startsOn {
		return fault.Invalid("due_on", "must not be before starts_on: %s is before %s", dueOn, startsOn)
	}
	return nil
}
