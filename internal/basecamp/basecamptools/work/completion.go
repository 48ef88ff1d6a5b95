package work

import (
	"cmp"
	"context"
	"slices"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/own/hub"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/tool/toolargs"
)

type setCompletedInput struct {
	Item      string       `json:"item,omitzero" jsonschema:"This or items: URL, type:id (todo:123), or title" limits:"minlen=1 maxlen=2000"`
	Items     []string     `json:"items,omitzero" jsonschema:"Several" limits:"maxitems=50"`
	Project   toolargs.Ref `json:"project,omitzero" jsonschema:"Project of the title"`
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

// setCompletedAnswer holds the answer for an item, or the one for items.
type setCompletedAnswer struct {
	*Completion
	*Completions
	Notified []string `json:"notified" jsonschema:"Without the caller"`
	lookup.Seen
	listing.Gaps
	hub.Everywhere
}

// Completion is an item in the answer of set_completed.
type Completion struct {
	lookup.Head
	Title       string     `json:"title"`
	Completed   bool       `json:"completed"`
	CompletedAt *time.Time `json:"completed_at"`
	Changed     bool       `json:"changed"`
	itemPlace
	Assignees []lookup.Person `json:"assignees"`
	lookup.Origin
}

// itemPlace is what an item is in.
type itemPlace struct {
	List    *lookup.Ref    `json:"list,omitempty"`    // of a to-do
	Todoset *lookup.Ref    `json:"todoset,omitempty"` // of a to-do without a list
	Column  *lookup.Ref    `json:"column,omitempty"`  // of a card
	Parent  *parts.ActedOn `json:"parent,omitempty"`  // of a subtask
}

// Completions is the answer for several items.
type Completions = listing.Applied[completedItem]

// completedItem is one of several items that were completed or reopened.
type completedItem struct {
	lookup.Head
	Title     string `json:"title"`
	Completed bool   `json:"completed"`
	Changed   bool   `json:"changed"`
	itemPlace
}

// SetCompleted returns the tool set_completed.
func SetCompleted(rs *Resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:  "set_completed",
		Title: "Complete or reopen",
		Description: "Marks Basecamp to-dos, cards, subtasks or steps as done (ticks them off), or reopens them. A card moves to Done, " +
			"or back.",
		Words:  "mark a to-do as done, tick off, complete",
		Effect: mcptool.Updates,
	}, func(ctx context.Context, in setCompletedInput) (setCompletedAnswer, error) {
		if err := cmp.Or(in.check(ctx, in.Completed), parts.ItemOrItems(in.Item, in.Items)); err != nil {
			return setCompletedAnswer{}, err
		}
		if in.Items != nil {
			return rs.completeAll(ctx, in)
		}
		planned, one, r, err := rs.CompleteOne(ctx, "item", lookup.ItemInput{Item: in.Item, Project: in.Project}, in.Completed)
		v := setCompletedAnswer{&one, nil, r.Notified, r.ViewClients(), r.Gaps, hub.Everywhere{}}
		if err == nil {
			v.Everywhere, err = rs.Finish(ctx, in.Everywhere, planned.ref())
		}
		return v, err
	})
}

// CompletableKinds are the kinds of items that can be completed.
var CompletableKinds = []lookup.Kind{lookup.TodoKind, lookup.SubtaskKind, lookup.CardKind}

// Completing is a planned change of one item's completion.
type Completing struct {
	rs       *Resolver
	kind     ItemKind
	Item     HeldItem           // as it was read
	Then     Completion         // the item after the change
	table    basecamp.CardTable // of a card
	by       int64              // the caller, if the change notifies people
	notified []basecamp.Person  // the people whom the change notifies if they see the item
	left     listing.Gaps       // what is not known about the change
}

func (c Completing) reached(a *lookup.Audience) lookup.Reach {
	return a.Reached(c.by, c.Item.Common(), lookup.Composed{}, c.notified...).Without(c.left)
}

func (c Completing) ref() hub.Ref { return parts.RefOf(c.Then.Type, c.Item.Common().ID) }

// make makes the change unless the item already is as wanted, and reads the item again. The change
// succeeded even if that read fails.
func (c Completing) make(ctx context.Context) (Completion, error) {
	if !c.Then.Changed {
		return c.Then, nil
	}
	if err := c.write(ctx); err != nil {
		return Completion{}, err
	}
	then := c.Then
	if now, err := c.kind.Read(ctx, c.rs.BC, lookup.Thing{Kind: c.kind.Kind, ID: c.Item.ID}); err == nil {
		then = viewCompletion(c.kind.Kind, now)
	}
	then.Completed, then.Changed = c.Then.Completed, true
	if !then.Completed {
		then.CompletedAt = nil
	}
	return then, nil
}

// CompleteOne completes or reopens an item that an argument names. It returns the item after the
// change, and whom that reached.
func (rs *Resolver) CompleteOne(ctx context.Context, argument string, in lookup.ItemInput, completed bool) (c Completing, now Completion, r lookup.Reach, err error) {
	t, err := rs.Thing(ctx, argument, in, CompletableKinds...)
	if err == nil {
		c, err = rs.planCompletion(ctx, t, completed)
	}
	if err != nil {
		return c, now, r, err
	}
	beside := rs.Audience(ctx)
	beside.KnowTable(c.table)
	beside.Start(c.Item.Common())
	now, err = c.make(ctx)
	return c, now, c.reached(beside), err
}

// planCompletion reads an item and plans the change of its completion.
func (rs *Resolver) planCompletion(ctx context.Context, t lookup.Thing, completed bool) (c Completing, err error) {
	c = Completing{rs: rs, kind: RowOf(t.Kind)}
	var item HeldItem
	if t.Kind.Kind == lookup.CardKind.Kind {
		var card basecamp.Card
		card, c.table, err = rs.cardOnBoard(ctx, t.Kind, t.ID, t.In)
		item = holdCard(card)
		item.Recording = card.Recording
	} else {
		item, err = c.kind.Read(ctx, rs.BC, t)
	}
	if err != nil {
		return Completing{}, err
	}
	if step, ok := scrolledTo(t, item.steps); ok {
		return rs.planCompletion(ctx, step, completed)
	}
	c.Item, c.Then = item, viewCompletion(t.Kind, item)
	c.Then.Changed = c.Then.Completed != completed
	if err := lookup.NotPutAway(t.Argument, item.Recording); err != nil || !c.Then.Changed {
		return c, err
	}
	c.Then.Completed, c.Then.CompletedAt = completed, nil
	if c.moves() {
		var to basecamp.Column
		to, err = rs.columnWhen(ctx, item.ID, c.table, completed)
		c.Then.Column = &lookup.Ref{ID: to.ID, Name: plaintext.Clean(to.Title)}
	}
	if err == nil && completed {
		c.by, c.notified, c.left, err = rs.notifiedOfCompletion(ctx, item.notified)
	}
	return c, err
}

// write completes or reopens the item. A card moves: Basecamp has no other way.
func (c Completing) write(ctx context.Context) error {
	switch {
	case c.moves():
		_, err := basecamp.CardMoves.Post(ctx, c.rs.BC, map[string]any{"column_id": c.Then.Column.ID, "position": 1}, c.Item.ID)
		return err
	case c.Then.Type == lookup.TodoKind.Kind:
		return basecamp.TodoDone.Turn(ctx, c.rs.BC, c.Then.Completed, c.Item.ID)
	}
	return basecamp.SubtaskDone.Turn(ctx, c.rs.BC, c.Then.Completed, c.Item.ID)
}

func viewCompletion(k lookup.Kind, item HeldItem) Completion {
	v := Completion{
		Head: lookup.Head{ID: item.ID, Type: k.Kind}, Title: plaintext.Clean(item.Title), Completed: item.done.Completed, CompletedAt: lookup.CompletedAt(item.done),
		Assignees: lookup.ViewPeople(item.assignees), Origin: lookup.ViewMeta(item.Recording).Origin,
	}
	switch k.Kind {
	case lookup.TodoKind.Kind:
		v.List, v.Todoset = lookup.ViewTodoParent(item.Recording)
	case lookup.CardKind.Kind:
		v.Column = lookup.ViewParent(item.Recording)
	default:
		v.Parent = parts.ViewHolder(item.Parent)
	}
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

// columnWhen returns the column for a card: Done if it is completed, or its column before Done. If
// that column is unknown or deleted, the card goes to Triage.
func (rs *Resolver) columnWhen(ctx context.Context, card int64, table basecamp.CardTable, completed bool) (basecamp.Column, error) {
	if completed {
		return columnOfType(table, basecamp.DoneColumn)
	}
	done, err := rs.findMove(ctx, card)
	if err != nil {
		return basecamp.Column{}, err
	}
	from := slices.IndexFunc(table.Columns, func(column basecamp.Column) bool { return holdsCardsOf(column, done.Details.From) })
	if done.ID != 0 && from >= 0 {
		return table.Columns[from], nil
	}
	return columnOfType(table, basecamp.TriageColumn)
}

// completeAll completes or reopens several items. It reads all of them before it changes the first.
func (rs *Resolver) completeAll(ctx context.Context, in setCompletedInput) (setCompletedAnswer, error) {
	planned, err := parts.PlanItems(basecamp.WithSiblings(ctx, len(in.Items)), rs.Base, in.Items, in.Project, func(ctx context.Context, path string, item lookup.ItemInput) (Completing, error) {
		t, err := rs.Thing(ctx, path, item, CompletableKinds...)
		if err != nil {
			return Completing{}, err
		}
		c, err := rs.planCompletion(ctx, t, in.Completed)
		if err == nil {
			err = rs.BC.PermitWrite(ctx, c.Item.Common().Bucket.ID)
		}
		return c, err
	})
	if err != nil {
		return setCompletedAnswer{}, err
	}
	beside := rs.Audience(ctx)
	for _, c := range planned {
		beside.KnowTable(c.table)
	}
	beside.Start(lookup.Mapped(planned, func(c Completing) basecamp.Recording { return c.Item.Common() })...)
	all := lookup.Reach{Notified: []string{}}
	order := listing.Order(!slices.ContainsFunc(planned, Completing.moves))
	results, err := listing.Apply(ctx, "items", planned, order, Completing.Reference, applyCompletion)
	var done []hub.Ref
	for _, r := range results.Results {
		if r.OK {
			all.Add(planned[r.Index].reached(beside))
			done = append(done, planned[r.Index].ref())
		}
	}
	v := setCompletedAnswer{nil, &results, all.Notified, all.ViewClients(), all.Gaps, hub.Everywhere{}}
	if err != nil {
		return v, err
	}
	v.Everywhere, err = rs.Finish(ctx, in.Everywhere, done...)
	return v, err
}

// Reference returns a reference that means the same item in a later call.
func (c Completing) Reference() string { return c.Then.Reference() }

// moves reports whether the change moves a card, to the top of its column.
func (c Completing) moves() bool { return c.Then.Type == lookup.CardKind.Kind }

// applyCompletion makes the change. It does not read the item again, because a batch has only
// seconds for all its requests.
func applyCompletion(ctx context.Context, c Completing) (completedItem, error) {
	if c.Then.Changed {
		if err := c.write(ctx); err != nil {
			return completedItem{}, err
		}
	}
	v := c.Then
	return completedItem{v.Head, v.Title, v.Completed, v.Changed, v.itemPlace}, nil
}

// notifiedOfCompletion returns the caller and the people whom Basecamp notifies when the caller
// completes a to-do or a card with these subscribers.
func (rs *Resolver) notifiedOfCompletion(ctx context.Context, subscribers []basecamp.Person) (by int64, notified []basecamp.Person, left listing.Gaps, err error) {
	if len(subscribers) == 0 {
		return 0, nil, listing.Gaps{}, nil
	}
	var me basecamp.Person
	left, err = listing.Extras(ctx, listing.Into("notified", &me, rs.Me))
	if err != nil || me.ID == 0 {
		return 0, nil, left, err
	}
	return me.ID, subscribers, left, nil
}
