package basecamptools

import (
	"context"
	"slices"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/toolargs"
)

// boardOf returns the hint to the card table that a card or a column is on.
func boardOf(id int64) hint { return hint{of: "table", item: id} }

// learnBoard keeps which card table columns and cards are on.
func (rs *resolver) learnBoard(ctx context.Context, table basecamp.CardTable, cards ...int64) {
	if table.ID == 0 { // Basecamp did not say
		return
	}
	for _, c := range table.Columns {
		rs.learn(ctx, boardOf(c.ID), table.ID)
	}
	for _, id := range cards {
		rs.learn(ctx, boardOf(id), table.ID)
	}
}

// onKnownBoard reads a card and, at the same time, the card table that an earlier call saw it on.
// If the table is known only of the card's column, it is read afterwards. It returns false if the
// card is not on that table.
func (rs *resolver) onKnownBoard(ctx context.Context, k kind, id int64, within place) (c basecamp.Card, table basecamp.CardTable, found bool, err error) {
	expectHinted(ctx, rs, boardOf(id), rs.bc.CardTable)
	if c, err = readIn(ctx, within, k, id, rs.bc.Card); err != nil || c.Parent == nil {
		return c, table, false, err
	}
	known := rs.hinted(ctx, boardOf(id))
	if len(known) == 0 {
		known = rs.hinted(ctx, boardOf(c.Parent.ID))
	}
	for _, of := range known {
		table, err = rs.bc.CardTable(ctx, of)
		if _, ok := dispensable(err); err != nil && !ok {
			return c, table, false, err
		}
		if err == nil && slices.ContainsFunc(table.Columns, func(column basecamp.Column) bool { return holdsCardsOf(column, c.Parent.ID) }) {
			return c, table, true, nil
		}
	}
	return c, table, false, nil
}

// heldIDs returns the IDs of cards.
func heldIDs(cards []heldCard) (ids []int64) {
	for _, c := range cards {
		ids = append(ids, c.ID)
	}
	return ids
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
		expect(ctx, id, rs.bc.CardTable)
	}
}
