package basecamptools

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/hub"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/toolargs"
	requests "basecamp-mcp/internal/upstream"
)

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
		return nil, fault.Invalid(cardsBy(p), "is for cards; list and notify are for to-dos; give one of them")
	}
	plan, err := w.rs.planCard(ctx, createCardInput{Project: p.Project, Board: p.Board, Column: p.Column, Title: anyTitle, Assignees: p.Assignees, DueOn: p.DueOn})
	return func(title string) (hub.Maker, error) { return w.cardMaker(plan, title), nil }, err
}

// cardsBy returns the argument that makes a place one of cards.
func cardsBy(p Place) string {
	if p.Column.IsZero() {
		return "board"
	}
	return "column"
}

func (w *Wing) cardMaker(plan cardPlan, title string) hub.Maker {
	plan.card.Title = lookup.Plainly(title)
	finish := func(ctx context.Context, made basecamp.Card, beside *lookup.Audience) (hub.Made, error) {
		whole, err := w.rs.finishCard(ctx, made, plan)
		if err != nil {
			return hub.Made{Thing: linkedThing(lookup.CardKind.Kind, made.Recording, false)}, err
		}
		return madeOf(lookup.CardKind, whole.Recording, beside.Created(made.Recording, plan.body)), nil
	}
	audience := func(ctx context.Context) *lookup.Audience {
		beside := w.rs.AudienceBeside(ctx, plan.table.Recording)
		beside.KnowTable(plan.table)
		return beside
	}
	return hub.Maker{
		Into: fmt.Sprint("column/", plan.column),
		Make: func(ctx context.Context) (hub.Made, error) {
			beside := audience(ctx)
			made, err := w.rs.BC.CreateCard(ctx, plan.column, plan.card)
			if err != nil {
				return hub.Made{}, err
			}
			return finish(ctx, made, beside)
		},
		Finish: func(ctx context.Context, made hub.Thing) (hub.Made, error) {
			id, _ := strconv.ParseInt(strings.TrimPrefix(made.Ref.ID, lookup.CardKind.Kind+":"), 10, 64)
			card, err := w.rs.BC.Card(ctx, id)
			if err != nil {
				return hub.Made{}, err
			}
			return finish(ctx, card, audience(ctx))
		},
		Since: w.madeSince(lookup.CardKind, plan.table.Bucket.ID, title),
	}
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
			beside := w.rs.AudienceBeside(ctx, to.holder())
			made, err := w.rs.writeTodo(ctx, to, plan.fields)
			if err != nil {
				return hub.Made{}, err
			}
			w.rs.LearnList(ctx, made.Recording)
			var told []basecamp.Person
			if plan.fields.Notify {
				told = made.Assignees
			}
			return madeOf(lookup.TodoKind, made.Recording, beside.Created(made.Recording, plan.notes, told...)), nil
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
