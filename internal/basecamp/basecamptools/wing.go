package basecamptools

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/hub"
	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/toolargs"
	requests "basecamp-mcp/internal/upstream"
)

// Wing is Basecamp as the server's own tools see it. It is a side of the hub.
type Wing struct{ rs *resolver }

var _ hub.Side = (*Wing)(nil)

// New returns the wing of a client. If now is nil, its clock is time.Now. The tools ask links what
// is linked; it may be nil.
func New(bc *basecamp.Client, now func() time.Time, links *hub.Hub) *Wing {
	if now == nil {
		now = time.Now
	}
	rs := newResolver(bc, now)
	rs.links = links
	return &Wing{rs}
}

// Beside makes get_changes show, if a call asks for it, what changed on GitHub.
func (w *Wing) Beside(read hub.ReadChanges) { w.rs.github = read }

// Date reads a day as people write it, and returns it as YYYY-MM-DD, or "" if the text says that
// there is none. The time zone is that of the caller's profile; a date needs no request.
func (w *Wing) Date(ctx context.Context, argument, text string) (string, error) {
	return w.rs.DateOrNone(ctx, argument, text)
}

// Side is the name of Basecamp in references.
const Side = "basecamp"

// Name returns the name of the side.
func (w *Wing) Name() string { return Side }

func linkableKinds() []lookup.Kind {
	return []lookup.Kind{
		lookup.TodoKind, lookup.CardKind, lookup.SubtaskKind, lookup.ListKind, lookup.MessageKind, lookup.DocumentKind,
		lookup.UploadKind, lookup.QuestionKind, lookup.EntryKind,
	}
}

// Names reports whether a text is a number, type:id or a URL of Basecamp.
func (w *Wing) Names(text string) bool {
	ref := lookup.URLs.ParseRef(text)
	if ref.URL != "" {
		_, err := basecamp.ParseLink(ref.URL)
		return err == nil
	}
	bare, _, _ := cutAccount(ref.Name)
	word, rest := lookup.CutType(bare)
	return ref.ID > 0 || word != "" && lookup.URLs.ParseRef(rest).ID > 0
}

// Find reads the item that a text names.
func (w *Wing) Find(ctx context.Context, argument, text string) (hub.Thing, error) {
	text, err := inHome(ctx, argument, text)
	if err != nil {
		return hub.Thing{}, err
	}
	t, err := w.rs.Thing(ctx, argument, lookup.ItemInput{Item: text}, linkableKinds()...)
	if err != nil {
		return hub.Thing{}, err
	}
	item, done, err := w.rs.Whole(ctx, t)
	if err != nil {
		return hub.Thing{}, err
	}
	return linkedThing(t.Kind.Kind, item.Common(), done), nil
}

// refOfLink returns the item that can be linked at an address.
func refOfLink(link basecamp.Link) (hub.Ref, bool) {
	for _, k := range linkableKinds() {
		if slices.Contains(k.Links, link.Type) {
			return refOf(k.Kind, link.ID), true
		}
	}
	return hub.Ref{}, false
}

func refOf(kind string, id int64) hub.Ref {
	return hub.Ref{Side: Side, ID: fmt.Sprintf("%s:%d", kind, id)}
}

func linkedThing(kind string, item basecamp.Recording, done bool) hub.Thing {
	v := hub.Thing{Ref: refOf(kind, item.ID), Title: plaintext.Clean(item.Title), URL: item.AppURL, State: hub.Open}
	switch {
	case item.Status == lookup.Trashed || item.Status == lookup.Archived:
		v.State = hub.Trashed
	case done:
		v.State = hub.Done
	}
	return v
}

// Complete completes an item.
func (w *Wing) Complete(ctx context.Context, id string) (hub.Completed, error) {
	planned, one, r, err := w.rs.completeOne(ctx, "everywhere", lookup.ItemInput{Item: id}, true)
	if err != nil {
		return hub.Completed{}, err
	}
	return hub.Completed{Thing: linkedThing(planned.then.Type, planned.item.Common(), true), Changed: one.Changed, Notified: r.Notified, ClientsSee: r.ViewClients().ClientsSee}, nil
}

// CallToComplete returns the call that completes an item.
func (w *Wing) CallToComplete(id string) hub.Call {
	return hub.Call{Tool: "set_completed", Arguments: map[string]any{"item": id, "completed": true}}
}

// finish completes what is linked to items that the call has completed. It drops what the hub has
// read of all of them.
func (rs *resolver) finish(ctx context.Context, everywhere bool, done ...hub.Ref) (hub.Everywhere, error) {
	if rs.links != nil {
		rs.links.Forget(ctx)
	}
	if caller, _ := identity.From(ctx); !everywhere || !caller.IsHome() {
		return hub.Everywhere{}, nil
	}
	return rs.links.Finish(ctx, done...)
}

// Place is where something is made in Basecamp, and how.
type Place struct {
	Project, List toolargs.Ref
	Board, Column toolargs.Ref // of cards
	Assignees     toolargs.Refs
	DueOn         string
	Notify        bool
}

// anyTitle stands for the titles that come once the place is resolved.
const anyTitle = "-"

// Making returns what makes to-dos, or cards if the place is a board or a column. It resolves
// everything.
func (w *Wing) Making(ctx context.Context, p Place) (hub.Making, error) {
	if p.Column.IsZero() && p.Board.IsZero() {
		return w.makingTodos(ctx, p)
	}
	if p.Notify || !p.List.IsZero() {
		by := "column"
		if p.Column.IsZero() {
			by = "board"
		}
		return nil, fault.Invalid(by, "is for cards; list and notify are for to-dos; give one of them")
	}
	plan, err := w.rs.planCard(ctx, createCardInput{Project: p.Project, Board: p.Board, Column: p.Column, Title: anyTitle, Assignees: p.Assignees, DueOn: p.DueOn})
	return func(title string) (hub.Maker, error) { return w.cardMaker(plan, title), nil }, err
}

func (w *Wing) cardMaker(plan cardPlan, title string) hub.Maker {
	plan.card.Title = lookup.Plainly(title)
	return hub.Maker{
		Into: fmt.Sprint("column/", plan.column),
		Make: func(ctx context.Context) (hub.Made, error) {
			return madeCard(w.rs.makeCard(ctx, plan, basecamp.Card{}))
		},
		Finish: func(ctx context.Context, made hub.Thing) (hub.Made, error) {
			id, _ := strconv.ParseInt(strings.TrimPrefix(made.Ref.ID, lookup.CardKind.Kind+":"), 10, 64)
			card, err := w.rs.BC.Card(ctx, id)
			if err != nil {
				return hub.Made{}, err
			}
			return madeCard(w.rs.makeCard(ctx, plan, card))
		},
		Since: w.madeSince(lookup.CardKind, plan.table.Bucket.ID, title),
	}
}

// madeCard returns a card that was made, also if a part of it failed.
func madeCard(made basecamp.Card, reached lookup.Reach, err error) (hub.Made, error) {
	if made.ID == 0 {
		return hub.Made{}, err
	}
	return madeOf(lookup.CardKind, made.Recording, reached), err
}

func (w *Wing) makingTodos(ctx context.Context, p Place) (hub.Making, error) {
	t := newTodo{Content: anyTitle, Assignees: p.Assignees, DueOn: p.DueOn, Notify: p.Notify}
	to, wrong := w.rs.whereToCreate(ctx, createTodosInput{Project: p.Project, List: p.List, Todos: []newTodo{t}})
	if wrong != nil {
		return nil, wrong
	}
	plan, err := w.rs.planTodo(ctx, to, t)
	return func(title string) (hub.Maker, error) { return w.todoMaker(to, plan, title), nil }, err
}

func (w *Wing) todoMaker(to destination, plan plannedTodo, title string) hub.Maker {
	plan.fields.Content = lookup.Plainly(title)
	return hub.Maker{
		Into: fmt.Sprint("list/", to.list.ID, "/", to.set),
		Make: func(ctx context.Context) (hub.Made, error) {
			made, reached, err := w.rs.makeTodo(ctx, to, plan, w.rs.AudienceBeside(ctx, to.holder()))
			if err != nil {
				return hub.Made{}, err
			}
			return madeOf(lookup.TodoKind, made.Recording, reached), nil
		},
		Since: w.madeSince(lookup.TodoKind, to.project, title),
	}
}

func madeOf(k lookup.Kind, r basecamp.Recording, reached lookup.Reach) hub.Made {
	return hub.Made{Thing: linkedThing(k.Kind, r, false), Notified: reached.Notified, ClientsSee: reached.ViewClients().ClientsSee}
}

// mostPagesMade is how many pages are read to find what an earlier call made. Items that were
// changed last come first.
const mostPagesMade = 10

// madeSince returns a function that finds what the caller made in a project with a title.
func (w *Wing) madeSince(k lookup.Kind, project int64, title string) func(context.Context, time.Time) ([]hub.Thing, error) {
	return func(ctx context.Context, since time.Time) (found []hub.Thing, err error) {
		ctx = requests.Afresh(ctx)
		me, err := w.rs.Me(ctx)
		if err != nil {
			return nil, err
		}
		for page := 1; page <= mostPagesMade; page++ {
			all, err := w.rs.BC.Recordings(ctx, k.Upstream, project, lookup.Active, page)
			if err != nil {
				return nil, err
			}
			for _, r := range all.Items {
				if r.UpdatedAt.Before(since) {
					return found, nil
				}
				if r.Creator.ID == me.ID && !r.CreatedAt.Before(since) && plaintext.Clean(r.Title) == plaintext.Clean(title) {
					found = append(found, linkedThing(k.Kind, r.Recording, r.Completed))
				}
			}
			if len(all.Items) == 0 {
				break
			}
		}
		return found, nil
	}
}
