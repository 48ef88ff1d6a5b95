package basecamptools

import (
	"context"
	"slices"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/toolargs"
)

// onKnownBoard reads a card and, at the same time, the card table that an earlier call saw it on.
// If the table is known only of the card's column, it is read afterwards. It returns false if the
// card is not on that table.
func (rs *resolver) onKnownBoard(ctx context.Context, k lookup.Kind, id int64, within lookup.Place) (c basecamp.Card, table basecamp.CardTable, found bool, err error) {
	lookup.ExpectHinted(ctx, rs.Resolver, lookup.BoardOf(id), rs.BC.CardTable)
	if c, err = lookup.ReadIn(ctx, within, k, id, rs.BC.Card); err != nil || c.Parent == nil {
		return c, table, false, err
	}
	known := rs.Hinted(ctx, lookup.BoardOf(id))
	if len(known) == 0 {
		known = rs.Hinted(ctx, lookup.BoardOf(c.Parent.ID))
	}
	for _, of := range known {
		table, err = rs.BC.CardTable(ctx, of)
		if _, ok := lookup.Dispensable(err); err != nil && !ok {
			return c, table, false, err
		}
		if err == nil && slices.ContainsFunc(table.Columns, func(column basecamp.Column) bool { return lookup.HoldsCardsOf(column, c.Parent.ID) }) {
			return c, table, true, nil
		}
	}
	return c, table, false, nil
}

// boardID returns the ID of a card table that is named by its ID or URL, otherwise 0.
func boardID(ref toolargs.Ref) int64 {
	if ref.URL == "" {
		return ref.ID
	}
	link, err := basecamp.ParseLink(ref.URL)
	if err != nil || !slices.Contains([]string{"card_tables", "boards"}, link.Type) {
		return 0
	}
	return link.ID
}

// expectTable starts to read a card table that is named by its ID or URL, while it is not yet known
// whether the project has it.
func (rs *resolver) expectTable(ctx context.Context, named toolargs.Ref) {
	if id := boardID(named); id != 0 {
		lookup.Expect(ctx, id, rs.BC.CardTable)
	}
}
