package basecamptools

import (
	"context"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/toolargs"
)

type moveCardInput struct {
	Card     toolargs.Ref `json:"card" jsonschema:"Id, URL or title"`
	Project  toolargs.Ref `json:"project,omitzero" jsonschema:"Its project"`
	Column   toolargs.Ref `json:"column" jsonschema:"Id, name or URL"`
	Position int          `json:"position,omitzero" jsonschema:"1 (default) is the top" limits:"min=1"`
}

type movedCard struct {
	writtenCard
	Moved bool        `json:"moved"`
	From  *lookup.Ref `json:"from"`
	lookup.Gaps
}

func moveCard(rs *resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "move_card",
		Title:       "Move a card",
		Description: "Moves a Basecamp card to another column, or within its column. Done completes it; leaving Done reopens it.",
		Effect:      mcptool.Updates,
	}, func(ctx context.Context, in moveCardInput) (movedCard, error) {
		id, within, err := rs.Item(ctx, lookup.CardKind, in.Card, in.Project)
		if err != nil {
			return movedCard{}, err
		}
		c, table, err := rs.cardOnBoard(ctx, lookup.CardKind, id, within, nil)
		if err == nil {
			err = lookup.NotPutAway("card", c.Recording)
		}
		if err != nil {
			return movedCard{}, err
		}
		to, err := rs.columnOf(ctx, table, in.Column)
		if err != nil {
			return movedCard{}, err
		}
		beside := rs.Audience(ctx)
		beside.KnowTable(table)
		beside.Start(c.Recording)
		v := movedCard{From: lookup.ViewParent(c.Recording)}
		if in.Position != 0 || v.From.ID != to.ID {
			v.Moved = true
			if c, err = rs.move(ctx, c, to, max(1, in.Position)); err != nil {
				return movedCard{}, err
			}
		}
		v.writtenCard = rs.writtenCard(c)
		clients, left := beside.SeenBy(c.Recording)
		v.Seen, v.Gaps = lookup.SeenBy(clients), left
		return v, nil
	})
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
