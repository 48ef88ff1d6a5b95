package todos

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/richtext"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/tool/toolargs"
)

// copyInput is the part of create_todolist for a copy.
type copyInput struct {
	CopyOf toolargs.Ref `json:"copy_of,omitzero" jsonschema:"List to copy"`
	Shift  int          `json:"shift_days,omitzero" jsonschema:"Moves dates"`
}

// copied is the part of an answer about a copy. NotAttempted are the groups and to-dos of the
// original that the call did not reach.
type copied struct {
	CopiedTodos int      `json:"copied_todos,omitempty"`
	NotCopied   []string `json:"not_copied,omitempty"`
	listing.Rest
}

// maxShift is the largest number of days by which the dates of a copy are moved.
const maxShift = 3660

// mostWithoutKey is how many writes a copy may need that no other call can continue.
const mostWithoutKey = 50

type listCopy struct {
	rs     *Resolver
	people []basecamp.Person // of the project of the copy
	from   identity.Caller   // in the account of the original; zero if that is the one of the call
	shift  int
	units  []copyUnit // in the order in which they are made
	lists  map[int64]int64
	begun  bool // whether the first unit may exist already, because an earlier call ended with it
	lost   losses
	v      CreatedTodolist
}

type copyUnit struct {
	holder int64 // the list or group that holds it
	group  *basecamp.Todolist
	todo   *basecamp.Todo
	before int // how many to-dos with its title precede it in its holder
}

func (u copyUnit) reference() string {
	if u.group != nil {
		return lookup.Head{ID: u.group.ID, Type: lookup.ListKind.Kind}.Reference()
	}
	return lookup.Head{ID: u.todo.ID, Type: lookup.TodoKind.Kind}.Reference()
}

// copyTodolist copies a list with its groups, to-dos and subtasks to a project. If an earlier call
// with the same key ended before the copy did, it goes on with that copy.
func (rs *Resolver) copyTodolist(ctx context.Context, project basecamp.Project, in createTodolistInput) (CreatedTodolist, error) {
	if in.Description != "" || !in.GroupOf.IsZero() {
		return CreatedTodolist{}, fault.Invalid("copy_of", "a copy has the description of its original and is in no list; leave description and group_of out")
	}
	c := listCopy{rs: rs, shift: in.Shift, lists: map[int64]int64{}, lost: losses{absent: map[string]int{}}}
	resumed, keyed, err := mcptool.Earlier(ctx, &c.v)
	if err != nil {
		return CreatedTodolist{}, err
	}
	set, err := rs.Dock(ctx, project, lookup.Todoset, in.Todoset)
	if err != nil {
		return CreatedTodolist{}, err
	}
	draft := parts.Draft{Project: project.ID, Clients: in.ClientsInput, Body: map[string]any{}}
	if err := rs.Draft(ctx, &draft, "", lookup.Prose{}); err != nil {
		return CreatedTodolist{}, err
	}
	from, groups, err := c.read(ctx, project.ID, in)
	if err == nil && !keyed && c.cost() > mostWithoutKey {
		err = fault.Invalid("idempotency_key", "the copy needs about %d writes, more than one call has time for; send an idempotency_key, with which further calls go on", c.cost())
	}
	if err != nil {
		return CreatedTodolist{}, err
	}
	beside := rs.BesideIn(ctx, project.ID)
	var made basecamp.Todolist
	if resumed {
		made, err = c.resume(ctx, from, groups)
	} else {
		draft.Body["name"] = cmp.Or(lookup.Plainly(in.Name), from.Name)
		made, err = c.begin(ctx, set.ID, from, draft.Body)
	}
	if err != nil {
		return CreatedTodolist{}, err
	}
	c.lists[from.ID] = made.ID
	c.goOn(ctx, keyed)
	c.v.NotCopied = c.lost.list(c.v.NotCopied)
	c.v.Total = c.v.CopiedTodos
	c.v.Reach = beside.Created(made.Recording, lookup.Composed{})
	c.v.Seen = c.v.ViewClients()
	return c.v, nil
}

// read reads the original and the people of the copy's project.
func (c *listCopy) read(ctx context.Context, project int64, in createTodolistInput) (from basecamp.Todolist, groups []basecamp.Todolist, err error) {
	err = listing.Together(ctx,
		func(ctx context.Context) (err error) { from, err = c.original(ctx, in.CopyOf); return err },
		func(ctx context.Context) (err error) {
			c.people, err = c.rs.People(ctx, project, time.Minute)
			return err
		},
	)
	switch {
	case err != nil:
		return from, nil, err
	case IsGroup(from):
		return from, nil, fault.Invalid("copy_of", "%s is a group; name the list that it is in", plaintext.Quote(from.Name))
	case from.Status == lookup.Trashed:
		return from, nil, lookup.NotPutAway("copy_of", from.Recording)
	}
	ctx = c.there(ctx)
	if groups, err = c.rs.groups(ctx, from.ID); err != nil {
		return from, nil, err
	}
	holders := append([]basecamp.Todolist{from}, groups...)
	todos, err := listing.InParallel(ctx, holders, c.rs.everyTodo)
	c.lost.commented += from.CommentsCount
	for i, holder := range holders {
		if i > 0 {
			c.units = append(c.units, copyUnit{holder: from.ID, group: &groups[i-1]})
		}
		titles := map[string]int{}
		for j := range todos[i] {
			t := &todos[i][j]
			c.here(t)
			c.units = append(c.units, copyUnit{holder: holder.ID, todo: t, before: titles[t.Content]})
			titles[t.Content]++
			c.lost.of(*t, c.people)
		}
	}
	return from, groups, err
}

// everyTodo reads the open and then the completed to-dos of a list or group.
func (rs *Resolver) everyTodo(ctx context.Context, list basecamp.Todolist) ([]basecamp.Todo, error) {
	return listing.EverythingIn(ctx, []bool{false, true}, func(completed bool) listing.Source[basecamp.Todo] {
		return basecamp.TodosIn.Where(basecamp.CompletedTodos(completed)).Source(rs.BC, list.ID)
	})
}

// cost returns about how many writes the copy needs.
func (c *listCopy) cost() int {
	n := len(c.units)
	for _, u := range c.units {
		if u.todo != nil {
			n += len(u.todo.Steps) + 2*len(richtext.Files(string(u.todo.Description)))
		}
	}
	return n
}

func (c *listCopy) begin(ctx context.Context, set int64, from basecamp.Todolist, body map[string]any) (made basecamp.Todolist, err error) {
	text, err := c.text(ctx, from.Description, from.Attachments)
	if text != "" {
		body["description"] = text
	}
	if err == nil {
		made, err = basecamp.TodolistsIn.Post(ctx, c.rs.BC, body, set)
	}
	if err == nil {
		c.v.TodolistItem = c.rs.viewTodolist(made, nil)
		c.v.Trim(parts.MaxWritten)
	}
	return made, err
}

// resume finds the list, the groups and what is left of an earlier call.
func (c *listCopy) resume(ctx context.Context, from basecamp.Todolist, groups []basecamp.Todolist) (basecamp.Todolist, error) {
	made, err := basecamp.TodolistAt.Get(ctx, c.rs.BC, c.v.ID)
	if err == nil {
		err = lookup.NotPutAway("copy_of", made.Recording)
	}
	if err != nil {
		return made, err
	}
	left := c.v.NotAttempted
	c.units = slices.DeleteFunc(c.units, func(u copyUnit) bool { return !slices.Contains(left, u.reference()) })
	c.begun = len(c.units) > 0 && c.units[0].reference() == left[0]
	taken := map[int64]bool{}
	for _, group := range groups {
		for _, g := range c.v.Groups {
			if g.Name == plaintext.Clean(group.Name) && !taken[g.ID] && c.lists[group.ID] == 0 {
				c.lists[group.ID], taken[g.ID] = g.ID, true
			}
		}
	}
	c.v.Rest = listing.Rest{}
	return made, nil
}

// goOn makes one unit after the other, until the call has no time left or the next one would fail
// too.
func (c *listCopy) goOn(ctx context.Context, keyed bool) {
	for i, u := range c.units {
		err := listing.MayGoOn(ctx)
		if err == nil {
			err = c.unit(ctx, u, c.begun && i == 0)
		}
		if err == nil {
			continue
		}
		if f := fault.From(err); u.todo != nil && !passing(err) {
			c.lost.add(fmt.Sprintf("%s: %s", plaintext.Quote(lookup.Shorten(u.todo.Content)), f.Message))
			continue
		}
		for _, rest := range c.units[i:] {
			c.v.NotAttempted = append(c.v.NotAttempted, rest.reference())
		}
		c.v.HowToGoOn = "the call's time was up"
		if f := fault.From(err); fault.Is(err, fault.TokenExpired) || fault.Is(err, fault.RateLimited) || fault.Is(err, fault.PermissionDenied) {
			c.v.HowToGoOn = f.Message
		}
		c.v.HowToGoOn += "; call again with the same idempotency_key and arguments"
		if !keyed {
			c.v.HowToGoOn = "not everything was copied; add the rest with create_todos, after a look at what the new list holds"
		}
		return
	}
}

// passing reports whether a later call may do what failed, or may find that it was done.
func passing(err error) bool {
	f := fault.From(err)
	return f.MayHaveHappened || f.Retryable || f.Code == fault.InternalError || f.Code == fault.UpstreamError || listing.Hopeless(err)
}

// unit makes a group or a to-do. If it is begun, it may exist.
func (c *listCopy) unit(ctx context.Context, u copyUnit, begun bool) error {
	if u.group != nil {
		return c.group(ctx, *u.group, c.lists[u.holder], begun)
	}
	in := c.lists[u.holder]
	if in == 0 {
		return fault.New(fault.NotFound, "its group is not in the copy")
	}
	made, found := basecamp.Todo{}, false
	var err error
	if begun {
		made, found, err = c.begunTodo(ctx, *u.todo, in, u.before)
	}
	if err == nil && !found {
		made, err = c.todo(ctx, *u.todo, in)
	}
	if err != nil {
		return err
	}
	for _, step := range u.todo.Steps[min(len(made.Steps), len(u.todo.Steps)):] {
		if err := c.step(ctx, step, made.ID); err != nil {
			return err
		}
	}
	c.v.CopiedTodos++
	return nil
}

// group makes a group, or finds the one that an earlier call made.
func (c *listCopy) group(ctx context.Context, from basecamp.Todolist, list int64, begun bool) error {
	var made basecamp.Todolist
	if begun {
		groups, err := c.rs.groups(ctx, list)
		if err != nil {
			return err
		}
		for _, g := range groups {
			known := slices.ContainsFunc(c.v.Groups, func(k todoGroup) bool { return k.ID == g.ID })
			if g.Name == from.Name && !known {
				made = g
			}
		}
	}
	if made.ID == 0 {
		var err error
		body := map[string]any{"name": from.Name}
		if from.Color != "" {
			body["color"] = from.Color
		}
		if made, err = basecamp.GroupsIn.Post(ctx, c.rs.BC, body, list); err != nil {
			return err
		}
	}
	c.lists[from.ID] = made.ID
	c.v.Groups = append(c.v.Groups, todoGroup{ID: made.ID, Name: plaintext.Clean(made.Name), URL: made.AppURL})
	return nil
}

// begunTodo finds the to-do that an earlier call may have made: one more with its title than those
// that it certainly made.
func (c *listCopy) begunTodo(ctx context.Context, t basecamp.Todo, list int64, certain int) (made basecamp.Todo, found bool, err error) {
	all, err := c.rs.everyTodo(ctx, basecamp.Todolist{Recording: basecamp.Recording{ID: list}})
	same := lookup.Matching(all, func(other basecamp.Todo) bool { return other.Content == t.Content })
	if err != nil || len(same) <= certain {
		return made, false, err
	}
	return slices.MaxFunc(same, func(a, b basecamp.Todo) int { return cmp.Compare(a.ID, b.ID) }), true, nil
}

// todo makes an open to-do without its subtasks.
func (c *listCopy) todo(ctx context.Context, t basecamp.Todo, list int64) (basecamp.Todo, error) {
	notes, err := c.text(ctx, t.Description, t.Attachments)
	if err != nil {
		return basecamp.Todo{}, err
	}
	return basecamp.TodosIn.Post(ctx, c.rs.BC, basecamp.NewTodo{
		Content: t.Content, Description: notes, DueOn: c.day(ctx, t.DueOn), StartsOn: c.day(ctx, t.StartsOn),
		AssigneeIDs: c.members(t.Assignees), Subscribers: c.members(t.Subscribers),
	}, list)
}

func (c *listCopy) step(ctx context.Context, s basecamp.Subtask, todo int64) error {
	if err := listing.MayGoOn(ctx); err != nil {
		return err
	}
	_, err := basecamp.SubtasksOf.Post(ctx, c.rs.BC, basecamp.NewSubtask{Title: s.Title, DueOn: c.day(ctx, s.DueOn), AssigneeIDs: c.members(s.Assignees)}, todo)
	return err
}

func (c *listCopy) day(ctx context.Context, date string) string {
	if date == "" {
		return ""
	}
	day, err := time.Parse(time.DateOnly, date)
	if err != nil {
		mcptool.Understood(ctx, "the date "+plaintext.Quote(date)+" is not copied: it cannot be read")
		return ""
	}
	return day.AddDate(0, 0, c.shift).Format(time.DateOnly)
}

// members returns the IDs of the people who are on the project of the copy.
func (c *listCopy) members(people []basecamp.Person) []int64 {
	return lookup.PersonIDs(lookup.Matching(people, func(p basecamp.Person) bool { return lookup.IsAmong(c.people, p.ID) }))
}
