package basecamp

import (
	"context"
	"net/http"
)

// CardTable is a board: cards in columns. Its wormholes, which carry a card to another board, are left out.
type CardTable struct {
	Recording
	Columns []Column `json:"lists"` // as the page shows them: Triage, Not now, the team's own, Done
}

// Column is a column of a card table. Its name is its Title, its Parent the table.
type Column struct {
	Recording
	Color      string   `json:"color"` // yellow, blue, ...; "" for none
	CardsCount int      `json:"cards_count"`
	OnHold     *Section `json:"on_hold"` // nil where there is no such section
}

// Section is the part of a column for cards that are on hold. Its id serves where a column's does, for its cards.
type Section struct {
	ID         int64 `json:"id"`
	CardsCount int   `json:"cards_count"`
}

// The types of columns: a table has one of each, but of the team's own any number.
const (
	TriageColumn = "Kanban::Triage"
	OwnColumn    = "Kanban::Column"
	NotNowColumn = "Kanban::NotNowColumn"
	DoneColumn   = "Kanban::DoneColumn"
)

// Card is a card of a table. It is completed by moving it to Done. Its Parent is its column.
type Card struct {
	Recording
	Completable
	Content     HTML         `json:"content"`
	Attachments []Attachment `json:"description_attachments"`
	DueOn       string       `json:"due_on"` // YYYY-MM-DD, "" when undated
	Assignees   []Person     `json:"assignees"`
	Steps       []Subtask    `json:"steps"`
}

// CardTable is a table with its columns, without their cards.
func (c *Client) CardTable(ctx context.Context, id int64) (CardTable, error) {
	return get[CardTable](ctx, c, at("card_table", id, "card_tables/%d.json"))
}

// Column is one column, without its cards.
func (c *Client) Column(ctx context.Context, id int64) (Column, error) {
	return get[Column](ctx, c, at("column", id, "card_tables/columns/%d.json"))
}

// Cards lists the active cards of a column from the top down, those on hold apart (see [Section]).
func (c *Client) Cards(ctx context.Context, column int64, page int) (Page[Card], error) {
	return list[Card](ctx, c, at("column", column, "card_tables/lists/%d/cards.json"), page)
}

// Card is one card in full.
func (c *Client) Card(ctx context.Context, id int64) (Card, error) {
	return get[Card](ctx, c, at("card", id, "card_tables/cards/%d.json"))
}

// NewCard is what a card can be created with. Whom it is for has to be set afterwards.
type NewCard struct {
	Title   string `json:"title"`
	Content string `json:"content,omitempty"` // HTML
	DueOn   string `json:"due_on,omitempty"`
}

// CreateCard adds a card to a column.
func (c *Client) CreateCard(ctx context.Context, column int64, card NewCard) (Card, error) {
	return send[Card](ctx, c, http.MethodPost, at("column", column, "card_tables/lists/%d/cards.json"), card)
}

// CardChange is what of a card is to change; nil stays as it is.
type CardChange struct {
	Title       *string  `json:"title,omitempty"`
	Content     *string  `json:"content,omitempty"` // HTML
	DueOn       *string  `json:"due_on,omitempty"`  // "" clears it
	AssigneeIDs *[]int64 `json:"assignee_ids,omitempty"`
}

// UpdateCard changes a card in part.
func (c *Client) UpdateCard(ctx context.Context, id int64, change CardChange) (Card, error) {
	return send[Card](ctx, c, http.MethodPut, at("card", id, "card_tables/cards/%d.json"), change)
}

type placement struct {
	Column   int64 `json:"column_id"`
	Position int   `json:"position"`
}

// MoveCard puts a card into a column of its table, at a position counted from 1. In Done it is completed, and open again
// out of it.
func (c *Client) MoveCard(ctx context.Context, id, column int64, position int) error {
	_, err := send[struct{}](ctx, c, http.MethodPost, at("card", id, "card_tables/cards/%d/moves.json"), placement{column, position})
	return err
}
