package basecamptools

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/accounts"
	"basecamp-mcp/internal/basecamp/basecamptools/overview"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/basecamptools/todos"
	"basecamp-mcp/internal/basecamp/basecamptools/work"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/own/hub"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/toolargs"
	requests "basecamp-mcp/internal/wire/upstream"
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
	rs.Links = links
	return &Wing{rs}
}

// Beside makes get_changes show, if a call asks for it, what changed on GitHub.
func (w *Wing) Beside(read hub.ReadChanges) { w.rs.Changes.GitHub = read }

// Date reads a day as people write it, and returns it as YYYY-MM-DD, or "" if the text says that
// there is none. The time zone is that of the caller's profile; a date needs no request.
func (w *Wing) Date(ctx context.Context, argument, text string) (string, error) {
	return w.rs.DateOrNone(ctx, argument, text)
}

// Side is the name of Basecamp in references.
const Side = parts.Side

// Name returns the name of the side.
func (w *Wing) Name() string { return parts.Side }

// Names reports whether a text is a number, type:id or a URL of Basecamp.
func (w *Wing) Names(text string) bool {
	ref := lookup.URLs.ParseRef(text)
	if ref.URL != "" {
		_, err := basecamp.ParseLink(ref.URL)
		return err == nil
	}
	bare, _, _ := accounts.CutAccount(ref.Name)
	word, rest := lookup.CutType(bare)
	return ref.ID > 0 || word != "" && lookup.URLs.ParseRef(rest).ID > 0
}

// Find reads the item that a text names.
func (w *Wing) Find(ctx context.Context, argument, text string) (hub.Thing, error) {
	text, err := accounts.InHome(ctx, argument, text)
	if err != nil {
		return hub.Thing{}, err
	}
	t, err := w.rs.Thing(ctx, argument, lookup.ItemInput{Item: text}, parts.LinkableKinds()...)
	if err != nil {
		return hub.Thing{}, err
	}
	item, done, err := w.rs.Whole(ctx, t)
	if err != nil {
		return hub.Thing{}, err
	}
	return parts.LinkedThing(t.Kind.Kind, item.Common(), done), nil
}

// Complete completes an item.
func (w *Wing) Complete(ctx context.Context, id string) (hub.Completed, error) {
	planned, one, r, err := w.rs.Work.CompleteOne(ctx, "everywhere", lookup.ItemInput{Item: id}, true)
	if err != nil {
		return hub.Completed{}, err
	}
	return hub.Completed{Thing: parts.LinkedThing(planned.Then.Type, planned.Item.Common(), true), Changed: one.Changed, Notified: r.Notified, ClientsSee: r.ViewClients().ClientsSee}, nil
}

// CallToComplete returns the call that completes an item.
func (w *Wing) CallToComplete(id string) hub.Call {
	return hub.Call{Tool: "set_completed", Arguments: map[string]any{"item": id, "completed": true}}
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
	plan, err := w.rs.Work.PlanCard(ctx, work.CreateCardInput{Project: p.Project, Board: p.Board, Column: p.Column, Title: anyTitle, Assignees: p.Assignees, DueOn: p.DueOn})
	return func(title string) (hub.Maker, error) { return w.cardMaker(plan, title), nil }, err
}

func (w *Wing) cardMaker(plan work.CardPlan, title string) hub.Maker {
	plan.Card.Title = lookup.Plainly(title)
	return hub.Maker{
		Into: fmt.Sprint("column/", plan.Column),
		Make: func(ctx context.Context) (hub.Made, error) {
			return madeCard(w.rs.Work.MakeCard(ctx, plan, basecamp.Card{}))
		},
		Finish: func(ctx context.Context, made hub.Thing) (hub.Made, error) {
			id, _ := strconv.ParseInt(strings.TrimPrefix(made.Ref.ID, lookup.CardKind.Kind+":"), 10, 64)
			card, err := basecamp.CardAt.Get(ctx, w.rs.BC, id)
			if err != nil {
				return hub.Made{}, err
			}
			return madeCard(w.rs.Work.MakeCard(ctx, plan, card))
		},
		Since: w.madeSince(lookup.CardKind, plan.Table.Bucket.ID, title),
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
	t := todos.NewTodo{Content: anyTitle, Assignees: p.Assignees, DueOn: p.DueOn, Notify: p.Notify}
	to, wrong := w.rs.Todos.WhereToCreate(ctx, todos.CreateTodosInput{Project: p.Project, List: p.List, Todos: []todos.NewTodo{t}})
	if wrong != nil {
		return nil, wrong
	}
	plan, err := w.rs.Todos.PlanTodo(ctx, to, t)
	return func(title string) (hub.Maker, error) { return w.todoMaker(to, plan, title), nil }, err
}

func (w *Wing) todoMaker(to todos.Destination, plan todos.PlannedTodo, title string) hub.Maker {
	plan.Fields.Content = lookup.Plainly(title)
	return hub.Maker{
		Into: fmt.Sprint("list/", to.List.ID, "/", to.Set),
		Make: func(ctx context.Context) (hub.Made, error) {
			made, reached, err := w.rs.Todos.MakeTodo(ctx, to, plan, w.rs.AudienceBeside(ctx, to.Holder()))
			if err != nil {
				return hub.Made{}, err
			}
			return madeOf(lookup.TodoKind, made.Recording, reached), nil
		},
		Since: w.madeSince(lookup.TodoKind, to.Project, title),
	}
}

func madeOf(k lookup.Kind, r basecamp.Recording, reached lookup.Reach) hub.Made {
	return hub.Made{Thing: parts.LinkedThing(k.Kind, r, false), Notified: reached.Notified, ClientsSee: reached.ViewClients().ClientsSee}
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
			all, err := basecamp.RecordingsIn[basecamp.Listed](k.Upstream, project, lookup.Active, basecamp.Sorted("updated_at", "desc")).Page(ctx, w.rs.BC, page)
			if err != nil {
				return nil, err
			}
			for _, r := range all.Items {
				if r.UpdatedAt.Before(since) {
					return found, nil
				}
				if r.Creator.ID == me.ID && !r.CreatedAt.Before(since) && plaintext.Clean(r.Title) == plaintext.Clean(title) {
					found = append(found, parts.LinkedThing(k.Kind, r.Recording, r.Completed))
				}
			}
			if len(all.Items) == 0 {
				break
			}
		}
		return found, nil
	}
}

// Waiting returns what waits for a person, and whom the person waits for, in the accounts that a
// call names.
func (w *Wing) Waiting(ctx context.Context, argument string, person toolargs.Ref, account string) (overview.Waiting, error) {
	return w.rs.Overview.Waiting(ctx, argument, person, account)
}
