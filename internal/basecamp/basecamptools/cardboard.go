package basecamptools

import (
	"context"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
)

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
