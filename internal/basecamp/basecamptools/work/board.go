package work

import (
	"cmp"
	"context"
	"fmt"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/basecamptools/todos"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/text/naming"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/tool/toolanswer"
	"basecamp-mcp/internal/tool/toolargs"
)

const defaultPerColumn = 10

// FullDetail measures items in full detail, for answers that are not always compact.
var FullDetail = toolanswer.DetailInput{Detail: "full"}

// columnTypes maps the types of columns to their names in answers.
var columnTypes = map[string]string{
	basecamp.TriageColumn: "triage", basecamp.OwnColumn: "column", basecamp.NotNowColumn: "not_now", basecamp.DoneColumn: "done",
}

type getBoardInput struct {
	Project   toolargs.Ref `json:"project" jsonschema:"Id, name or URL"`
	Board     toolargs.Ref `json:"board,omitzero" jsonschema:"If there are several"`
	Column    toolargs.Ref `json:"column,omitzero" jsonschema:"Only this column"`
	Assignee  toolargs.Ref `json:"assignee,omitzero" jsonschema:"Id, name, me, none or any"`
	PerColumn int          `json:"per_column,omitzero" jsonschema:"Cards per column" limits:"min=1 max=50 default=10"`
	Cursor    string       `json:"cursor,omitzero" jsonschema:"A column's next_cursor, with column" limits:"maxlen=2000"`
	toolanswer.DetailInput
}

// Board is a card table with its columns.
type Board struct {
	lookup.Head
	lookup.Seen
	Title   string            `json:"title"`
	URL     string            `json:"url"`
	Project lookup.ProjectRef `json:"project"`
	Columns []Column          `json:"columns"`
	listing.Gaps
}

// Column is a column of a board. Its cards do not repeat column and project.
type Column struct {
	ID         int64      `json:"id"`
	Name       string     `json:"name"`
	Type       string     `json:"type"`
	Color      string     `json:"color,omitempty"`
	CardsCount int        `json:"cards_count" compact:"keep"`
	OnHold     *int       `json:"on_hold_count,omitempty"`
	URL        string     `json:"url"`
	Cards      []CardItem `json:"cards"`
	More       bool       `json:"more,omitempty"`
	NextCursor string     `json:"next_cursor,omitempty"`
}

// GetBoard returns the tool get_board.
func GetBoard(rs *Resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:  "get_board",
		Title: "Show a board",
		Description: "Shows a Basecamp card table (kanban board): its columns with their cards, but only cards_count for Done " +
			"and Not now unless named as column.",
		Words: "cards on the board, card table",
	}, func(ctx context.Context, in getBoardInput) (Board, error) {
		if in.Cursor != "" && in.Column.IsZero() {
			return Board{}, listing.BadCursor("cursor needs column: the column that returned it")
		}
		want := cardsWanted{perColumn: in.PerColumn, cursor: in.Cursor}
		rs.expectTable(ctx, in.Board)
		given := boardID(in.Board)
		if given != 0 && in.Cursor == "" {
			rs.expectCards(ctx, given, columnPart(in.Column))
		}
		project, err := rs.Project(ctx, "project", in.Project)
		if err != nil {
			return Board{}, err
		}
		if dock, err := rs.Dock(ctx, project, lookup.CardTable, in.Board); err == nil && given == 0 && in.Cursor == "" {
			rs.expectCards(ctx, dock.ID, columnPart(in.Column))
		}
		var table basecamp.CardTable
		err = listing.Together(ctx,
			func(ctx context.Context) (err error) {
				table, err = rs.Board(ctx, project, in.Board, in.Column)
				return err
			},
			func(ctx context.Context) (err error) {
				want.assignee, err = rs.Todos.Assignee(ctx, in.Assignee, toolargs.Ref{ID: project.ID})
				return err
			},
		)
		if err != nil {
			return Board{}, err
		}
		if !in.Column.IsZero() {
			only, err := rs.ColumnOf(ctx, table, in.Column)
			if err != nil {
				return Board{}, err
			}
			want.only, table.Columns = true, []basecamp.Column{only}
		}
		return rs.viewBoard(ctx, table, want, columnPart(in.Column))
	})
}

// columnPart returns how a hint names the column that a call asks for.
func columnPart(ref toolargs.Ref) string {
	if ref.IsZero() {
		return ""
	}
	return naming.Fold(ref.String())
}

// CardsHint returns the hint to the columns and sections whose cards were shown of a board, or of a
// part of it.
func CardsHint(table int64, part string) lookup.Hint {
	return lookup.Hint{Of: "columns", Item: table, Name: part}
}

// expectCards starts to read the cards of the columns that an earlier call showed of a board.
func (rs *Resolver) expectCards(ctx context.Context, table int64, part string) {
	lookup.ExpectHinted(ctx, rs.Resolver, CardsHint(table, part), rs.firstCards)
}

func (rs *Resolver) firstCards(ctx context.Context, column int64) (basecamp.Page[basecamp.Card], error) {
	return basecamp.CardsIn.Page(ctx, rs.BC, 1, column)
}

// ShowBoard returns a board as get_board shows it.
func (rs *Resolver) ShowBoard(ctx context.Context, id int64) (Board, error) {
	rs.expectCards(ctx, id, "")
	table, err := basecamp.BoardAt.Get(ctx, rs.BC, id)
	if err != nil {
		return Board{}, err
	}
	return rs.viewBoard(ctx, table, cardsWanted{perColumn: defaultPerColumn}, "")
}

// ShowColumn reads a board with one of its columns.
func (rs *Resolver) ShowColumn(ctx context.Context, id int64) (Board, error) {
	listing.Expect(ctx, id, rs.firstCards)
	only, err := basecamp.ColumnAt.Get(ctx, rs.BC, id)
	if err != nil {
		return Board{}, err
	}
	table := basecamp.CardTable{Recording: basecamp.Recording{Bucket: only.Bucket}, Columns: []basecamp.Column{only}}
	if only.Parent != nil {
		table.ID, table.Title, table.AppURL = only.Parent.ID, only.Parent.Title, only.Parent.AppURL
	}
	return rs.viewBoard(ctx, table, cardsWanted{only: true, perColumn: defaultPerColumn}, fmt.Sprint(id))
}

type cardsWanted struct {
	only      bool // the call names a column: its cards are shown, even in Done and Not now
	assignee  todos.AssigneeFilter
	perColumn int
	cursor    string
}

type heldCard struct {
	basecamp.Card
	held bool
}

// columnRead is a column with the cards that the answer shows.
type columnRead struct {
	basecamp.Column
	listing *listing.List[heldCard]
	found   listing.Collected[heldCard]
}

func (rs *Resolver) viewBoard(ctx context.Context, table basecamp.CardTable, want cardsWanted, part string) (Board, error) {
	rs.Learn(ctx, CardsHint(table.ID, part), want.shown(table.Columns)...)
	read, left, err := rs.readColumns(ctx, table.Columns, want)
	if err != nil {
		return Board{}, err
	}
	v := Board{
		Seen: lookup.ViewSeen(table.Recording),
		Head: lookup.Head{ID: table.ID, Type: "board"}, Title: plaintext.Clean(table.Title), URL: table.AppURL,
		Project: lookup.ViewBucket(table.Bucket), Gaps: left,
	}
	cards := 0
	for _, r := range read {
		cards += len(r.found.Items)
	}
	for _, r := range read {
		v.Columns = append(v.Columns, rs.viewColumn(r, cards, v.Seen))
	}
	return v, nil
}

// readColumns reads the first cards of columns. For a whole board it leaves out the cards of
// columns that cannot be read, and fails if it can read none.
func (rs *Resolver) readColumns(ctx context.Context, columns []basecamp.Column, want cardsWanted) ([]columnRead, listing.Gaps, error) {
	if want.only {
		read, err := listing.InParallel(ctx, columns, func(ctx context.Context, c basecamp.Column) (columnRead, error) {
			return rs.readColumn(ctx, c, want)
		})
		return read, listing.Gaps{}, err
	}
	read, failures := make([]columnRead, len(columns)), make([]error, len(columns))
	parts := make([]listing.Extra, len(columns))
	for i, c := range columns {
		read[i] = columnRead{Column: c, found: listing.Collected[heldCard]{More: c.CardsCount > 0}}
		parts[i] = listing.Extra{Name: fmt.Sprintf("cards of %s", plaintext.Quote(c.Title)), Read: func(ctx context.Context) error {
			r, err := rs.readColumn(ctx, c, want)
			if failures[i] = err; err == nil {
				read[i] = r
			}
			return err
		}}
	}
	left, err := listing.Extras(ctx, parts...)
	if shown := lookup.Matching(read, func(r columnRead) bool { return r.listing != nil && len(r.listing.Sources) > 0 }); len(shown) == 0 && err == nil {
		err = cmp.Or(failures...)
	}
	return read, left, err
}

// readColumn reads the first cards of a column, if the answer shows them.
func (rs *Resolver) readColumn(ctx context.Context, c basecamp.Column, want cardsWanted) (columnRead, error) {
	r := columnRead{Column: c}
	if !want.shows(c) {
		r.found.More = c.CardsCount > 0
		return r, nil
	}
	r.listing = rs.cardsOf(c, want)
	var err error
	r.found, err = r.listing.Collect(ctx, listing.PageInput{Limit: want.perColumn, Cursor: want.cursor, DetailInput: FullDetail})
	return r, err
}

// shows reports whether the answer shows the cards of a column, not only their number.
func (w cardsWanted) shows(c basecamp.Column) bool {
	return w.only || c.Type != basecamp.DoneColumn && c.Type != basecamp.NotNowColumn
}

// shown returns the columns whose cards the answer shows, and their sections if there is room.
func (w cardsWanted) shown(columns []basecamp.Column) (ids []int64) {
	for _, c := range columns {
		if w.shows(c) && c.CardsCount > 0 {
			ids = append(ids, c.ID)
		}
		if w.shows(c) && c.OnHold != nil && c.OnHold.CardsCount > 0 && c.CardsCount < w.perColumn {
			ids = append(ids, c.OnHold.ID)
		}
	}
	return ids
}

// cardsOf returns the list of a column's cards, with cards on hold at the end. It sends
// no request for a column or section whose count is zero.
func (rs *Resolver) cardsOf(c basecamp.Column, want cardsWanted) *listing.List[heldCard] {
	assignee := want.assignee
	l := &listing.List[heldCard]{Of: listing.Digest("cards", c.ID, assignee.ID, assignee.Word), ID: func(card heldCard) int64 { return card.ID }}
	if c.CardsCount > 0 {
		l.Add(c.ID, -1, rs.cards(c.ID, false))
	}
	if c.OnHold != nil && c.OnHold.CardsCount > 0 {
		l.Add(c.OnHold.ID, -1, rs.cards(c.OnHold.ID, true))
	}
	if assignee.Given() {
		l.Keep = func(card heldCard) bool { return assignee.Keeps(card.Assignees) }
	}
	return l
}

func (rs *Resolver) cards(column int64, held bool) listing.Source[heldCard] {
	return func(ctx context.Context, page int) (basecamp.Page[heldCard], error) {
		cards, err := basecamp.CardsIn.Page(ctx, rs.BC, page, column)
		views := lookup.Mapped(cards.Items, func(card basecamp.Card) heldCard { return heldCard{card, held} })
		return basecamp.Page[heldCard]{Items: views, Next: cards.Next, Total: cards.Total}, err
	}
}

// viewColumn returns the view of a column. Its share of the answer's size is its share of the
// board's cards.
func (rs *Resolver) viewColumn(r columnRead, cards int, seen lookup.Seen) Column {
	v := Column{
		ID: r.ID, Name: plaintext.Clean(r.Title), Type: cmp.Or(columnTypes[r.Type], "column"), Color: r.Color, CardsCount: r.CardsCount,
		URL: r.AppURL, More: r.found.More,
	}
	if r.OnHold != nil {
		v.OnHold = &r.OnHold.CardsCount
	}
	if r.listing == nil {
		return v
	}
	r.listing.Beside = listing.MaxAnswer - listing.MaxAnswer*len(r.found.Items)/max(1, cards)
	shown := listing.Answer(r.listing, r.found, func(c heldCard) CardItem {
		card := rs.viewCard(c.Card)
		card.Seen = seen // cards inherit it
		card.OnHold = c.held
		card.Trim(parts.MaxWritten)
		return card
	})
	v.Cards, v.More = shown.Items, shown.HasMore
	if shown.NextCursor != nil {
		v.NextCursor = *shown.NextCursor
	}
	return v
}
