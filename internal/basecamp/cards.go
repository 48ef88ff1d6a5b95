package basecamp

import (
	"context"
	"net/http"
)

// CardTable is a board: cards in columns. It omits wormholes, which move a card to another board.
type CardTable struct {
	Recording
	Columns []Column `json:"lists"` // in the order of the page: Triage, Not now, the team's own, Done
}

// Column is a column of a card table. Title is its name, and Parent is the table.
type Column struct {
	Recording
	Color      string   `json:"color"` // yellow, blue, ...; empty for none
	CardsCount int      `json:"cards_count"`
	OnHold     *Section `json:"on_hold"` // nil if the column has no such section
}

// Section is the part of a column with the cards that are on hold. Methods that list the cards of a
// column also accept its ID.
type Section struct {
	ID         int64 `json:"id"`
	CardsCount int   `json:"cards_count"`
}

// The types of columns. A table has one column of each type, except that it has any number of own
// columns.
const (
	TriageColumn = "Kanban::Triage"
	OwnColumn    = "Kanban::Column"
	NotNowColumn = "Kanban::NotNowColumn"
	DoneColumn   = "Kanban::DoneColumn"
)

// Card is a card of a table. Moving it to Done completes it. Parent is its column.
type Card struct {
	Recording
	Completable
	Content     HTML         `json:"content"`
	Attachments []Attachment `json:"description_attachments"`
	DueOn       string       `json:"due_on"` // YYYY-MM-DD; empty without a date
	Assignees   []Person     `json:"assignees"`
	Subscribers []Person     `json:"completion_subscribers"` // people that Basecamp notifies of its completion
	Steps       []Subtask    `json:"steps"`
}

// CardTable returns a table with its columns, without their cards.
func (c *Client) CardTable(ctx context.Context, id int64) (CardTable, error) {
	return get[CardTable](ctx, c, requestAt("card_table", id, "card_tables/%d.json"))
}

// Column returns one column, without its cards.
func (c *Client) Column(ctx context.Context, id int64) (Column, error) {
	return get[Column](ctx, c, requestAt("column", id, "card_tables/columns/%d.json"))
}

// Cards lists the active cards of a column, the top one first. It does not list cards that are on
// hold (see [Section]).
func (c *Client) Cards(ctx context.Context, column int64, page int) (Page[Card], error) {
	return list[Card](ctx, c, requestAt("column", column, "card_tables/lists/%d/cards.json"), page)
}

// Card returns one card in full.
func (c *Client) Card(ctx context.Context, id int64) (Card, error) {
	one := func(ctx context.Context) (Card, error) {
		return get[Card](ctx, c, requestAt("card", id, "card_tables/cards/%d.json"))
	}
	s := siblingsOf(ctx)
	if s == nil {
		return one(ctx)
	}
	return s.cards.get(ctx, id, one, func(card Card) (int64, func(context.Context, int) (Page[Card], error)) {
		if card.Parent == nil {
			return 0, nil
		}
		return card.Parent.ID, func(ctx context.Context, page int) (Page[Card], error) { return c.Cards(ctx, card.Parent.ID, page) }
	})
}

// NewCard has the fields for a new card. Assignees must be set afterwards.
type NewCard struct {
	Title   string `json:"title"`
	Content string `json:"content,omitempty"` // HTML
	DueOn   string `json:"due_on,omitempty"`
}

// CreateCard adds a card to a column.
func (c *Client) CreateCard(ctx context.Context, column int64, card NewCard) (Card, error) {
	return send[Card](ctx, c, http.MethodPost, requestAt("column", column, "card_tables/lists/%d/cards.json"), card)
}

// CardChange has the new values of a card. A nil field stays as it is.
type CardChange struct {
	Title       *string  `json:"title,omitempty"`
	Content     *string  `json:"content,omitempty"` // HTML
	DueOn       *string  `json:"due_on,omitempty"`  // empty clears it
	AssigneeIDs *[]int64 `json:"assignee_ids,omitempty"`
}

// UpdateCard changes some fields of a card and returns the changed card.
func (c *Client) UpdateCard(ctx context.Context, id int64, change CardChange) (Card, error) {
	return send[Card](ctx, c, http.MethodPut, requestAt("card", id, "card_tables/cards/%d.json"), change)
}

// MoveCard moves a card to a column of its table, at a position that counts from 1. Moving it to
// Done completes it; moving it out of Done reopens it.
func (c *Client) MoveCard(ctx context.Context, id, column int64, position int) error {
	return c.write(ctx, http.MethodPost, requestAt("card", id, "card_tables/cards/%d/moves.json"), fields{"column_id": column, "position": position})
}
