package basecamptools

import (
	"context"
	"slices"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/hub"
	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/toolargs"
)

func completionTools(rs *resolver) []mcptool.Tool {
	return []mcptool.Tool{setCompleted(rs), addSubtasks(rs)}
}

type setCompletedInput struct {
	Item      string       `json:"item,omitzero" jsonschema:"URL, type:id (todo:123), or title; this or items is required" limits:"minlen=1 maxlen=2000"`
	Items     []string     `json:"items,omitzero" jsonschema:"Several" limits:"maxitems=50"`
	Project   toolargs.Ref `json:"project,omitzero" jsonschema:""`
	Completed bool         `json:"completed" jsonschema:"false reopens"`
	everywhereInput
}

// everywhereInput is part of every tool that can complete what is linked, too.
type everywhereInput struct {
	Everywhere bool `json:"everywhere,omitzero" jsonschema:"Also what is linked"`
}

// check returns an error if a call does not complete anything, or if it acts where nothing is
// linked.
func (in everywhereInput) check(ctx context.Context, completes bool) error {
	if caller, _ := identity.From(ctx); in.Everywhere && !caller.IsHome() {
		return fault.Invalid("everywhere", "links are those of the default account; leave it out, and complete what is linked by calls of its own")
	}
	if in.Everywhere && !completes {
		return fault.Invalid("everywhere", "completes what is linked, too; leave it out of a call that completes nothing")
	}
	return nil
}

// everywhereAnswer is what became of what is linked to items that were completed.
type everywhereAnswer struct {
	Everywhere []hub.Finished `json:"everywhere,omitempty"`
}

// setCompletedAnswer holds the answer for an item, or the one for items.
type setCompletedAnswer struct {
	*completion
	*completions
	Notified []string `json:"notified" jsonschema:"Known to be notified, without the caller"`
	lookup.Seen
	lookup.Gaps
	everywhereAnswer
}

// completion is an item in the answer of set_completed.
type completion struct {
	lookup.Head
	Title       string          `json:"title"`
	Completed   bool            `json:"completed"`
	CompletedAt *time.Time      `json:"completed_at"`
	Changed     bool            `json:"changed"`
	List        *lookup.Ref     `json:"list,omitempty"`    // list of a to-do
	Todoset     *lookup.Ref     `json:"todoset,omitempty"` // set of a to-do without a list
	Column      *lookup.Ref     `json:"column,omitempty"`  // column of a card
	Parent      *owner          `json:"parent,omitempty"`  // item of a subtask
	Assignees   []lookup.Person `json:"assignees"`
	lookup.Origin
}

func setCompleted(rs *resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:  "set_completed",
		Title: "Complete or reopen",
		Description: "Marks Basecamp to-dos, cards, subtasks or steps as done (ticks them off), or reopens them. A card moves to Done, " +
			"or back.",
		Effect: mcptool.Updates,
	}, func(ctx context.Context, in setCompletedInput) (setCompletedAnswer, error) {
		if err := in.check(ctx, in.Completed); err != nil {
			return setCompletedAnswer{}, err
		}
		switch {
		case in.Item != "" && in.Items != nil:
			return setCompletedAnswer{}, fault.Invalid("items", "give either item or items, not both")
		case in.Items != nil:
			return rs.completeAll(ctx, in)
		case in.Item == "":
			return setCompletedAnswer{}, fault.Invalid("item", "is required, or items for several")
		}
		t, err := rs.Thing(ctx, "item", lookup.ItemInput{Item: in.Item, Project: in.Project}, completableKinds...)
		if err != nil {
			return setCompletedAnswer{}, err
		}
		planned, err := rs.planCompletion(ctx, t, in.Completed, nil)
		if err != nil {
			return setCompletedAnswer{}, err
		}
		beside := rs.Audience(ctx)
		planned.announce(beside)
		one, err := planned.make(ctx)
		r := planned.reached(beside)
		v := setCompletedAnswer{&one, nil, r.Notified, r.ViewClients(), r.Gaps, everywhereAnswer{}}
		if err == nil {
			v.everywhereAnswer, err = rs.finish(ctx, in.Everywhere, planned.thing(rs))
		}
		return v, err
	})
}

var completableKinds = []lookup.Kind{lookup.TodoKind, lookup.SubtaskKind, lookup.CardKind}

// completing is a planned change of one item's completion.
type completing struct {
	then  completion                                // the item after the change
	item  basecamp.Recording                        // as it was read
	whole interface{ Common() basecamp.Recording }  // the item itself
	table basecamp.CardTable                        // of a card
	by    int64                                     // the caller, if the change notifies people
	told  []basecamp.Person                         // the people whom the change notifies if they see the item
	left  lookup.Gaps                               // what is not known about the change
	write func(ctx context.Context) error           // makes the change
	read  func(context.Context) (completion, error) // reads the item again
}

// announce tells an audience what is about to change.
func (c completing) announce(a *lookup.Audience) {
	a.KnowTable(c.table)
	a.Start(c.item)
}

// reached returns whom the change reached.
func (c completing) reached(a *lookup.Audience) lookup.Reach {
	return a.Reached(c.by, c.item, lookup.Composed{}, c.told...).Without(c.left)
}

// thing returns the item as the hub knows it, once it is completed.
func (c completing) thing(rs *resolver) hub.Thing { return rs.wholeThing(c.then.Type, c.whole, true) }

// make makes the change unless the item already is as wanted, and reads the item again. The change
// succeeded even if that read fails.
func (c completing) make(ctx context.Context) (completion, error) {
	if !c.then.Changed {
		return c.then, nil
	}
	if err := c.write(ctx); err != nil {
		return completion{}, err
	}
	then := c.then
	if now, err := c.read(ctx); err == nil {
		then = now
	}
	then.Completed, then.Changed = c.then.Completed, true
	if !then.Completed {
		then.CompletedAt = nil
	}
	return then, nil
}

// planCompletion reads an item and plans the change of its completion.
func (rs *resolver) planCompletion(ctx context.Context, t lookup.Thing, completed bool, tables tablesOf) (completing, error) {
	var c completing
	var err error
	switch t.Kind.Kind {
	case lookup.TodoKind.Kind:
		c, err = rs.planTodoCompletion(ctx, t, completed)
	case lookup.CardKind.Kind:
		c, err = rs.planCardCompletion(ctx, t, completed, tables)
	default:
		c, err = rs.planSubtaskCompletion(ctx, t, completed)
	}
	return c, err
}

// becoming returns the plan for an item that was read as now.
func becoming(item interface{ Common() basecamp.Recording }, now completion, completed bool) completing {
	now.Changed = now.Completed != completed
	if now.Changed {
		now.Completed, now.CompletedAt = completed, nil
	}
	return completing{then: now, item: item.Common(), whole: item}
}

func viewCompletion(k lookup.Kind, r basecamp.Recording, c basecamp.Completable, assignees []basecamp.Person) completion {
	v := completion{
		Head: lookup.Head{ID: r.ID, Type: k.Kind}, Title: plaintext.Clean(r.Title), Completed: c.Completed, CompletedAt: lookup.CompletedAt(c), Assignees: lookup.ViewPeople(assignees), Origin: lookup.ViewMeta(r).Origin,
	}
	return v
}

func (rs *resolver) planTodoCompletion(ctx context.Context, t lookup.Thing, completed bool) (completing, error) {
	todo, err := lookup.ReadIn(ctx, t.In, t.Kind, t.ID, rs.BC.Todo)
	if err != nil {
		return completing{}, err
	}
	if step, ok := scrolledTo(t, todo.Steps); ok {
		return rs.planSubtaskCompletion(ctx, step, completed)
	}
	c := becoming(todo, todoCompletion(todo), completed)
	if err := lookup.NotPutAway(t.Argument, todo.Recording); err != nil || !c.then.Changed {
		return c, err
	}
	if completed {
		c.by, c.told, c.left, err = rs.ToldOfCompletion(ctx, todo)
	}
	c.write = func(ctx context.Context) error { return rs.BC.SetTodoCompleted(ctx, t.ID, completed) }
	c.read = func(ctx context.Context) (completion, error) {
		todo, err := rs.BC.Todo(ctx, t.ID)
		return todoCompletion(todo), err
	}
	return c, err
}

func todoCompletion(todo basecamp.Todo) completion {
	v := viewCompletion(lookup.TodoKind, todo.Recording, todo.Completable, todo.Assignees)
	v.List, v.Todoset = lookup.ViewTodoParent(todo.Recording)
	return v
}

// scrolledTo returns the subtask that the URL of a to-do or card scrolls to. Subtasks have no pages
// of their own.
func scrolledTo(t lookup.Thing, steps []basecamp.Subtask) (lookup.Thing, bool) {
	isIt := func(s basecamp.Subtask) bool { return s.ID == t.Link.Comment }
	if t.Link.Comment == 0 || !slices.ContainsFunc(steps, isIt) {
		return lookup.Thing{}, false
	}
	return lookup.Thing{Kind: lookup.SubtaskKind.WithArguments(t.Argument, t.InProject), ID: t.Link.Comment, In: t.In}, true
}

func (rs *resolver) planSubtaskCompletion(ctx context.Context, t lookup.Thing, completed bool) (completing, error) {
	step, err := lookup.ReadIn(ctx, t.In, t.Kind, t.ID, rs.BC.Subtask)
	if err != nil {
		return completing{}, err
	}
	c := becoming(step, subtaskCompletion(step), completed)
	c.write = func(ctx context.Context) error { return rs.BC.SetSubtaskCompleted(ctx, t.ID, completed) }
	c.read = func(ctx context.Context) (completion, error) {
		step, err := rs.BC.Subtask(ctx, t.ID)
		return subtaskCompletion(step), err
	}
	return c, lookup.NotPutAway(t.Argument, step.Recording)
}

func subtaskCompletion(step basecamp.Subtask) completion {
	v := viewCompletion(lookup.SubtaskKind, step.Recording, step.Completable, step.Assignees)
	v.Parent = viewOwner(step.Parent)
	return v
}

// planCardCompletion plans to complete or reopen a card by moving it. Basecamp has no other way.
func (rs *resolver) planCardCompletion(ctx context.Context, t lookup.Thing, completed bool, tables tablesOf) (completing, error) {
	c, table, err := rs.cardOnBoard(ctx, t.Kind, t.ID, t.In, tables)
	if err != nil {
		return completing{}, err
	}
	if step, ok := scrolledTo(t, c.Steps); ok {
		return rs.planSubtaskCompletion(ctx, step, completed)
	}
	planned := becoming(c, cardCompletion(c), completed)
	planned.table = table
	if err := lookup.NotPutAway(t.Argument, c.Recording); err != nil || !planned.then.Changed {
		return planned, err
	}
	to, err := rs.columnWhen(ctx, c, table, completed)
	planned.then.Column = &lookup.Ref{ID: to.ID, Name: plaintext.Clean(to.Title)}
	planned.write = func(ctx context.Context) error { return rs.BC.MoveCard(ctx, c.ID, to.ID, 1) }
	planned.read = func(ctx context.Context) (completion, error) {
		c, err := rs.BC.Card(ctx, c.ID)
		return cardCompletion(c), err
	}
	return planned, err
}

func cardCompletion(c basecamp.Card) completion {
	v := viewCompletion(lookup.CardKind, c.Recording, c.Completable, c.Assignees)
	v.Column = lookup.ViewParent(c.Recording)
	return v
}

// columnWhen returns the column for a card: Done if it is completed, or its column before Done. If
// that column is unknown or deleted, the card goes to Triage.
func (rs *resolver) columnWhen(ctx context.Context, c basecamp.Card, table basecamp.CardTable, completed bool) (basecamp.Column, error) {
	if completed {
		return columnOfType(table, basecamp.DoneColumn)
	}
	done, err := rs.findMove(ctx, c.ID)
	if err != nil {
		return basecamp.Column{}, err
	}
	from := slices.IndexFunc(table.Columns, func(column basecamp.Column) bool { return lookup.HoldsCardsOf(column, done.Details.From) })
	if done.ID != 0 && from >= 0 {
		return table.Columns[from], nil
	}
	return columnOfType(table, basecamp.TriageColumn)
}
