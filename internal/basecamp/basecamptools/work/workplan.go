package work

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/basecamptools/todos"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/toolargs"
)

// workBatch is a call of update_work.
type workBatch struct {
	*Resolver
	in      updateWorkInput
	entries []workEntry
	rest    []string // references of further work, which the call does not reach

	within toolargs.Ref // the project of all items; zero if the call names none
}

type workPlan struct {
	ItemKind
	own    workEntry // what the call gives for the item alone
	texts  workTexts
	change workChange
	now    HeldItem
	since  time.Time // when it was read

	fields   ItemFields // after the change
	text     lookup.Composed
	to       basecamp.Recording // the list, column or folder after the change
	list     *basecamp.Todolist // the new list
	column   *basecamp.Column   // the new column
	table    basecamp.CardTable // of a card, if it moves
	moves    bool
	position int // where it moves to; 0: Basecamp chooses
	complete *Completing
	toDone   Completing // whom a card's move to Done notifies
	checked  bool       // with what stands beside the items
	beside   error      // what is wrong for the item with that
}

// leaves reports whether the item moves to another list, column or folder.
func (p *workPlan) leaves() bool { return p.now.Parent == nil || p.now.Parent.ID != p.to.ID }

// reference returns a reference that means the same item in a later call.
func (p workPlan) reference() string { return lookup.Head{ID: p.now.ID, Type: p.Kind.Kind}.Reference() }

// after returns the item as it is after the change, as far as that decides who sees it.
func (p workPlan) after() basecamp.Recording {
	r := p.now.Recording
	if p.to.ID != 0 && p.leaves() {
		r.Parent = &basecamp.Parent{ID: p.to.ID, Type: p.to.Type}
	}
	if p.change.VisibleToClients.Given {
		r.VisibleToClients = &p.change.VisibleToClients.To
	}
	return r
}

// blame separates the problems of what an item gives itself from those of what stands beside the
// items: these have an index only if they differ by item.
type blame struct{ own, shared error }

func (b *blame) add(own bool, err error) {
	if own || !fault.OfArguments(err) {
		b.own = fault.All(b.own, err)
		return
	}
	b.shared = fault.All(b.shared, err)
}

func (b blame) all() error { return fault.All(b.own, b.shared) }

func (w *workBatch) plan(ctx context.Context) ([]workPlan, error) {
	var wrong error
	w.within, wrong = w.SharedProject(ctx, w.in.Project)
	planned, err := listing.Plan(ctx, wrong, "items", w.entries, func(ctx context.Context, path string, e workEntry) (workPlan, error) {
		p, b := w.planItem(ctx, path, e)
		p.beside = b.shared
		return p, b.own
	})
	found := lookup.Matching(planned, func(p workPlan) bool { return p.checked })
	if len(found) == 0 && fault.OfArguments(err) {
		err = fault.All(err, w.withoutItems(ctx))
	}
	differ := w.in.Items != nil && slices.ContainsFunc(found, func(p workPlan) bool { return fmt.Sprint(p.beside) != fmt.Sprint(found[0].beside) })
	for i, p := range planned {
		if differ {
			p.beside = fault.Within(fmt.Sprintf("items[%d]", i), p.beside)
		}
		if err == nil || fault.OfArguments(err) {
			err = fault.All(err, p.beside)
		}
	}
	if err == nil {
		err = listing.Once("items", planned, workPlan.reference)
	}
	if err != nil {
		return nil, listing.Unwritten(len(w.entries), err)
	}
	placeAll(planned)
	return planned, nil
}

// withoutItems returns what is wrong with the arguments beside the items if no item fits them.
func (w *workBatch) withoutItems(ctx context.Context) error {
	p := workPlan{texts: w.in.workTexts, change: w.in.workChange}
	p.texts.Edits = nil // which need a text
	if !w.within.IsZero() {
		p.now.Bucket.ID, _ = w.ProjectID(ctx, "project", w.within) // it was found before
	}
	wrong := w.setFields(ctx, &p, nil).shared
	if p.now.Bucket.ID == 0 {
		return fault.Unambiguous(wrong)
	}
	p.change.Column = toolargs.Ref{} // which needs a board
	return fault.All(wrong, w.setPlace(ctx, &p).shared)
}

func (w *workBatch) planItem(ctx context.Context, path string, e workEntry) (p workPlan, b blame) {
	p = workPlan{own: e, texts: e.workTexts.over(w.in.workTexts), change: e.workChange.over(w.in.workChange)}
	given := p.given()
	if len(given) == 0 {
		return p, blame{own: parts.NothingToChange("title, notes, edits, assignees, add_assignees, remove_assignees, due_on, starts_on, list, column, folder, " +
			"position, completed or visible_to_clients")}
	}
	t, err := w.thing(ctx, path, e.Item, given)
	if err == nil {
		err = w.readItem(ctx, t, &p)
	}
	if err == nil {
		err = cmp.Or(lookup.NotPutAway(path, p.now.Recording), w.BC.PermitWrite(ctx, p.now.Bucket.ID))
	}
	if err == nil {
		err = fault.All(p.misfits(given), p.contradictions())
	}
	if err != nil {
		return p, blame{own: err}
	}
	p.checked = true
	var fields, place blame
	b.add(true, listing.Together(ctx,
		func(ctx context.Context) error { fields = w.setFields(ctx, &p, nil); return nil },
		func(ctx context.Context) error { place = w.setPlace(ctx, &p); return nil },
	))
	b.add(true, fault.All(fields.own, place.own))
	b.add(false, fault.All(fields.shared, place.shared))
	if p.change.Completed.Given && b.all() == nil {
		b.add(true, w.setCompletion(ctx, t, &p))
	}
	if p.change.VisibleToClients.Given && b.all() == nil {
		b.add(true, w.decides(ctx, p))
	}
	return p, b
}

// given returns the names of the arguments that the call gives for an item.
func (p workPlan) given() (names []string) {
	for _, a := range p.change.workArguments(p.texts) {
		if a.given {
			names = append(names, a.name)
		}
	}
	return names
}

// thing resolves a reference to an item. A title alone is looked for among the kinds that the
// arguments fit.
func (w *workBatch) thing(ctx context.Context, path string, item toolargs.Ref, given []string) (lookup.Thing, error) {
	kinds := kindsOfWork()
	if word, _ := lookup.CutType(item.Name); item.Name != "" && word == "" {
		if fitting := kindsOfWork(given...); len(fitting) > 0 {
			kinds = fitting
		}
	}
	return w.Thing(ctx, path, lookup.ItemInput{Item: item.String(), Project: w.within}, kinds...)
}

// readItem reads an item: a card that moves together with its board, and for the address of a
// subtask, that subtask.
func (w *workBatch) readItem(ctx context.Context, t lookup.Thing, p *workPlan) (err error) {
	p.ItemKind, p.since = RowOf(t.Kind), time.Now()
	if t.Kind.Kind == lookup.CardKind.Kind && (!p.change.Column.IsZero() || p.change.Position != 0 || p.change.Completed.Given) {
		if _, p.table, err = w.cardOnBoard(ctx, t.Kind, t.ID, t.In); err != nil {
			return err
		}
	}
	if p.now, err = p.Read(ctx, w.BC, t); err != nil {
		return err
	}
	if step, ok := scrolledTo(t, p.now.steps); ok {
		p.ItemKind = RowOf(step.Kind)
		p.now, err = p.Read(ctx, w.BC, step)
	}
	return err
}

// misfits returns an error for the arguments that the kind of an item does not have.
func (p workPlan) misfits(given []string) (wrong error) {
	for _, name := range given {
		if slices.Contains(p.work, name) {
			continue
		}
		what := "a " + p.One
		if p.now.IsGroup() {
			what = "a group, which stays in its list"
		}
		title, fitting := plaintext.Quote(p.now.Title), lookup.TypesOf(kindsOfWork(name))
		wrong = fault.All(wrong, fault.Invalid(name, "does not fit %s, which is %s; it fits %s", title, what, fitting))
	}
	return wrong
}

// contradictions returns an error for arguments that exclude each other, or that an item cannot
// have by its place.
func (p workPlan) contradictions() (wrong error) {
	isCard := p.Kind.Kind == lookup.CardKind.Kind
	if p.texts.Notes.Given && len(p.texts.Edits) > 0 {
		wrong = fault.All(wrong, fault.Invalid("edits", "give either notes or edits, not both"))
	}
	if !p.texts.Notes.Given && len(p.texts.Edits) == 0 && len(p.texts.Mentions) > 0 {
		wrong = fault.All(wrong, parts.NowhereToMention("notes or edits"))
	}
	if isCard && p.change.Completed.Given && (!p.change.Column.IsZero() || p.change.Position != 0) {
		wrong = fault.All(wrong, fault.Invalid("completed", "a card is completed by moving it to Done; leave column and position out, or completed"))
	}
	if p.Kind.Kind == lookup.FolderKind.Kind && p.now.Parent == nil {
		wrong = fault.All(wrong, fault.Invalid("item", "is the top folder of its project, which stays as it is"))
	}
	return fault.All(wrong, p.change.check())
}

// setFields sets the fields after the change. Those that the call does not name keep their values.
// Read is the text from which p.text was made, or nil.
func (w *workBatch) setFields(ctx context.Context, p *workPlan, read *basecamp.HTML) (b blame) {
	own, c, project := p.own, p.change, p.now.Bucket.ID
	p.fields = p.now.Fields
	if p.texts.Title.Given {
		p.fields.Title = p.newTitle()
		b.add(own.Title.Given, parts.NotBlank("title", p.fields.Title))
	}
	for _, day := range []struct {
		name  string
		to    toolargs.Change[string]
		own   bool
		field *string
	}{{"due_on", c.DueOn, own.DueOn.Given, &p.fields.dueOn}, {"starts_on", c.StartsOn, own.StartsOn.Given, &p.fields.startsOn}} {
		if day.to.Given {
			on, err := w.DateOrNone(ctx, day.name, day.to.To)
			b.add(day.own, err)
			*day.field = on
		}
	}
	if b.all() == nil {
		b.add(true, todos.RightOrder(p.fields.startsOn, p.fields.dueOn))
	}
	if c.asked() {
		ids, err := w.reassigned(ctx, project, p.now.assignees, c.assigneesInput)
		b.add(own.asked(), err)
		p.fields.assignees = ids
	}
	if read == nil || *read != p.now.Text() {
		text, err := w.newText(ctx, p)
		b.add(own.Notes.Given || len(own.Edits) > 0, err)
		p.text = text
	}
	if p.texts.Notes.Given || len(p.texts.Edits) > 0 {
		p.fields.Text = p.text.HTML
	}
	return b
}

// newTitle returns the new title of an item. The name of a file may have its extension.
func (p *workPlan) newTitle() string {
	title := lookup.Plainly(p.texts.Title.To)
	if file, ok := p.now.Read.(basecamp.Upload); ok {
		return strings.TrimSuffix(title, path.Ext(file.Filename))
	}
	return title
}

// newText composes the new text of an item, if the call changes it.
func (w *workBatch) newText(ctx context.Context, p *workPlan) (lookup.Composed, error) {
	project, old := p.now.Bucket.ID, p.now.Text()
	switch {
	case p.texts.Notes.Given:
		return w.Compose(ctx, lookup.Prose{Project: project, Argument: "notes", Markdown: p.texts.Notes.To, Mentions: p.texts.Mentions, Old: old})
	case len(p.texts.Edits) > 0:
		e := parts.EditInput{Edits: p.texts.Edits, MentionsInput: p.texts.MentionsInput}
		if err := e.Check(); err != nil {
			return lookup.Composed{}, err
		}
		return w.Edited(ctx, project, old, e)
	}
	return lookup.Composed{}, nil
}

// setCompletion plans to complete or reopen an item, as set_completed does.
func (w *workBatch) setCompletion(ctx context.Context, t lookup.Thing, p *workPlan) error {
	t.Kind, t.ID = p.WithArguments(t.Argument, t.InProject), p.now.ID
	c, err := w.planCompletion(ctx, t, p.change.Completed.To)
	p.complete = &c
	return err
}

// decides returns an error if an item inherits whether clients see it.
func (w *workBatch) decides(ctx context.Context, p workPlan) error {
	by, err := w.Audience(ctx).Decider(p.after())
	title := plaintext.Quote(p.now.Title)
	switch {
	case err != nil && !fault.Is(err, fault.NotFound):
		return err
	case err == nil && by.ID == p.now.ID:
		return nil
	case err != nil || by.Title == "":
		return fault.Invalid("visible_to_clients", "%s inherits this from what it is in", title)
	}
	k := lookup.KindOf(by.Type)
	if k.Kind == "" {
		return fault.Invalid("visible_to_clients", "%s inherits this from the board %s, which decides and is changed in Basecamp", title, plaintext.Quote(by.Title))
	}
	return fault.Invalid("visible_to_clients", "%s inherits this from the %s %s (%s:%d), which decides; set it there",
		title, k.One, plaintext.Quote(by.Title), k.Kind, by.ID)
}
