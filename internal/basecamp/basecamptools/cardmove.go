package basecamptools

import (
	"context"
	"fmt"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/toolargs"
)

type moveCardInput struct {
	Card     toolargs.Ref  `json:"card,omitzero" jsonschema:"Id, URL or title"`
	Cards    toolargs.Refs `json:"cards,omitzero" jsonschema:"Several" limits:"maxitems=50"`
	Project  toolargs.Ref  `json:"project,omitzero" jsonschema:"Its project"`
	Column   toolargs.Ref  `json:"column" jsonschema:"Id, name or URL"`
	Position int           `json:"position,omitzero" jsonschema:"1 (default) is the top" limits:"min=1"`
}

// moveAnswer holds the answer for a card, or the one for cards.
type moveAnswer struct {
	*movedCard
	*movedCards
	lookup.Gaps
}

type movedCard struct {
	writtenCard
	Moved bool        `json:"moved"`
	From  *lookup.Ref `json:"from"`
}

type movedCards struct {
	listing.Applied[movedItem]
}

// movedItem is one of several cards after they were moved.
type movedItem struct {
	lookup.Head
	lookup.Seen
	Title     string      `json:"title"`
	Column    *lookup.Ref `json:"column"`
	From      *lookup.Ref `json:"from"`
	Completed bool        `json:"completed"`
	Moved     bool        `json:"moved"`
}

func moveCard(rs *resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "move_card",
		Title:       "Move cards",
		Description: "Moves Basecamp cards to another column, or within it. Done completes them; leaving Done reopens them.",
		Effect:      mcptool.Updates,
	}, func(ctx context.Context, in moveCardInput) (moveAnswer, error) {
		switch {
		case !in.Card.IsZero() && in.Cards != nil:
			return moveAnswer{}, fault.Invalid("cards", "give either card or cards, not both")
		case in.Cards != nil:
			return rs.moveAll(ctx, in)
		case in.Card.IsZero():
			return moveAnswer{}, fault.Invalid("card", "is required, or cards for several")
		}
		plan, err := rs.planMove(ctx, lookup.CardKind, in.Card, in.Project, in, nil)
		if err != nil {
			return moveAnswer{}, err
		}
		beside := rs.Audience(ctx)
		plan.announce(beside)
		v := movedCard{From: lookup.ViewParent(plan.card.Recording)}
		c := plan.card
		if in.Position != 0 || plan.leaves() {
			v.Moved = true
			if c, err = rs.move(ctx, c, plan.to, max(1, in.Position)); err != nil {
				return moveAnswer{}, err
			}
		}
		v.writtenCard = rs.writtenCard(c)
		clients, left := beside.SeenBy(c.Recording)
		v.Seen = lookup.SeenBy(clients)
		return moveAnswer{&v, nil, left}, nil
	})
}

// moving is a card to move.
type moving struct {
	card     basecamp.Card
	table    basecamp.CardTable
	to       basecamp.Column
	position int // 0: it stays
}

func (m moving) leaves() bool { return m.card.Parent == nil || m.card.Parent.ID != m.to.ID }

func (m moving) reference() string { return fmt.Sprintf("%s:%d", lookup.CardKind.Kind, m.card.ID) }

// announce tells an audience what is about to move.
func (m moving) announce(a *lookup.Audience) {
	a.KnowTable(m.table)
	a.Start(m.card.Recording)
}

// planMove reads a card with its board, and finds the column on it.
func (rs *resolver) planMove(ctx context.Context, k lookup.Kind, ref, inProject toolargs.Ref, in moveCardInput, tables tablesOf) (m moving, err error) {
	id, within, err := rs.Item(ctx, k, ref, inProject)
	if err != nil {
		return m, err
	}
	if m.card, m.table, err = rs.cardOnBoard(ctx, k, id, within, tables); err == nil {
		err = lookup.NotPutAway(k.Argument, m.card.Recording)
	}
	if err == nil {
		m.to, err = rs.columnOf(ctx, m.table, in.Column)
	}
	return m, err
}

// moveAll moves several cards, one below the other in the order of the call. It reads all of them
// before it moves the first.
func (rs *resolver) moveAll(ctx context.Context, in moveCardInput) (moveAnswer, error) {
	if len(in.Cards) == 0 {
		return moveAnswer{}, fault.Invalid("cards", "must contain at least one card")
	}
	within, wrong := rs.SharedProject(ctx, in.Project)
	tables := rs.tablesOnce(ctx)
	planned, err := listing.Plan(ctx, wrong, "cards", in.Cards, func(ctx context.Context, path string, card toolargs.Ref) (moving, error) {
		return rs.planMove(ctx, lookup.CardKind.WithArguments(path, "project"), card, within, in, tables)
	})
	if err == nil {
		err = listing.Once("cards", planned, moving.reference)
	}
	if err != nil {
		return moveAnswer{}, err
	}
	beside := rs.Audience(ctx)
	moved := map[int64]int{}
	for i := range planned {
		m := &planned[i]
		if in.Position != 0 || m.leaves() {
			m.position = max(1, in.Position) + moved[m.to.ID]
			moved[m.to.ID]++
		}
		m.announce(beside)
	}
	var left lookup.Gaps
	all, err := listing.Apply(ctx, "cards", planned, moving.reference, func(ctx context.Context, m moving) (movedItem, error) {
		v, err := rs.applyMove(ctx, m)
		if err == nil {
			clients, gaps := beside.SeenBy(m.card.Recording)
			if v.Seen = lookup.SeenBy(clients); len(gaps.LeftOut) > 0 {
				left = gaps
			}
		}
		return v, err
	})
	return moveAnswer{nil, &movedCards{all}, left}, err
}

// applyMove moves one of several cards. It does not read the card again, because a batch has only
// seconds for all its requests.
func (rs *resolver) applyMove(ctx context.Context, m moving) (movedItem, error) {
	v := movedItem{
		Head: lookup.Head{ID: m.card.ID, Type: lookup.CardKind.Kind}, Title: plaintext.Clean(m.card.Title),
		Column: &lookup.Ref{ID: m.to.ID, Name: plaintext.Clean(m.to.Title)}, From: lookup.ViewParent(m.card.Recording),
		Completed: m.card.Completed, Moved: m.position > 0,
	}
	if !v.Moved {
		return v, nil
	}
	v.Completed = m.to.Type == basecamp.DoneColumn
	return v, rs.BC.MoveCard(ctx, m.card.ID, m.to.ID, m.position)
}

// move moves a card, and returns the card after the move.
func (rs *resolver) move(ctx context.Context, c basecamp.Card, to basecamp.Column, position int) (basecamp.Card, error) {
	if err := rs.BC.MoveCard(ctx, c.ID, to.ID, position); err != nil {
		return c, err
	}
	if moved, err := rs.BC.Card(ctx, c.ID); err == nil {
		return moved, nil
	}
	// The move succeeded, although the card cannot be read again.
	c.Parent = &basecamp.Parent{ID: to.ID, Title: to.Title, Type: to.Type, AppURL: to.AppURL}
	c.Completed = to.Type == basecamp.DoneColumn
	return c, nil
}

// tablesOf returns the card tables of a project.
type tablesOf func(ctx context.Context, project int64) ([]basecamp.CardTable, error)

// readTables reads the card tables of a project, except for those that cannot be read.
func (rs *resolver) readTables(ctx context.Context, project int64) ([]basecamp.CardTable, error) {
	tables, _, err := rs.tables(ctx, project)
	return tables, err
}

// cardOnBoard reads a card and its card table. TablesOf reads the tables of a project for a batch;
// nil means that the call is about only one card.
func (rs *resolver) cardOnBoard(ctx context.Context, k lookup.Kind, id int64, within lookup.Place, tablesOf tablesOf) (basecamp.Card, basecamp.CardTable, error) {
	if tablesOf == nil && (within.ID == 0 || len(rs.Hinted(ctx, lookup.BoardOf(id))) > 0) {
		c, table, found, err := rs.onKnownBoard(ctx, k, id, within)
		if err != nil || found {
			return c, table, err
		}
		within.Read = c
	}
	if tablesOf == nil {
		tablesOf = rs.readTables
	}
	var c basecamp.Card
	var tables []basecamp.CardTable
	project := within.ID
	readCard := func(ctx context.Context) (err error) {
		c, err = lookup.ReadIn(ctx, within, k, id, rs.BC.Card)
		return err
	}
	readTables := func(ctx context.Context) (err error) {
		tables, err = tablesOf(ctx, project)
		return err
	}
	var err error
	if project != 0 {
		err = listing.Together(ctx, readCard, readTables)
	} else if err = readCard(ctx); err == nil {
		project = c.Bucket.ID
		err = readTables(ctx)
	}
	if err != nil {
		return c, basecamp.CardTable{}, err
	}
	if c.Parent == nil {
		return c, basecamp.CardTable{}, fault.New(fault.NotFound, "%s: Basecamp does not say which column this card is in", k.Argument)
	}
	table, err := tableWith(tables, c.Parent.ID)
	if fault.Is(err, fault.NotFound) { // the card table is newer than the cached project, or could not be read
		table, err = rs.tableOf(ctx, c.Parent.ID)
	}
	if err == nil {
		rs.LearnBoard(ctx, table, c.ID)
	}
	return c, table, err
}

// tableOf reads the card table that has a column.
func (rs *resolver) tableOf(ctx context.Context, column int64) (basecamp.CardTable, error) {
	c, err := rs.BC.Column(ctx, column)
	if err != nil {
		return basecamp.CardTable{}, err
	}
	if c.Parent == nil {
		return basecamp.CardTable{}, fault.New(fault.NotFound, "Basecamp does not say which card table column %d belongs to", column)
	}
	return rs.BC.CardTable(ctx, c.Parent.ID)
}
