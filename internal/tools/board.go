package tools

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/plaintext"
)

const defaultPerColumn = 10

var columnNoun = noun{"column", "columns", "column"}

// columnTypes are what the types of columns are called in answers.
var columnTypes = map[string]string{
	basecamp.TriageColumn: "triage", basecamp.OwnColumn: "column", basecamp.NotNowColumn: "not_now", basecamp.DoneColumn: "done",
}

type getBoardInput struct {
	Project   mcptool.Ref `json:"project" jsonschema:"Id, name or URL"`
	Board     mcptool.Ref `json:"board,omitzero" jsonschema:"Which card table, if there are several"`
	Column    mcptool.Ref `json:"column,omitzero" jsonschema:"Only this column: id, name or URL"`
	Assignee  mcptool.Ref `json:"assignee,omitzero" jsonschema:"Only cards assigned to this person: id, name or me"`
	PerColumn int         `json:"per_column,omitzero" jsonschema:"At most this many cards of a column" limits:"min=1 max=50 default=10"`
	Cursor    string      `json:"cursor,omitzero" jsonschema:"From next_cursor of a column; name the column too" limits:"maxlen=2000"`
}

type board struct {
	head
	Title   string     `json:"title"`
	URL     string     `json:"url"`
	Project projectRef `json:"project"`
	Columns []column   `json:"columns"`
	gaps
}

// column is a part of a board. Its cards' column and project are its own.
type column struct {
	ID         int64      `json:"id"`
	Name       string     `json:"name"`
	Type       string     `json:"type"`
	Color      string     `json:"color,omitempty"`
	CardsCount int        `json:"cards_count"`
	OnHold     *int       `json:"on_hold_count,omitempty"`
	URL        string     `json:"url"`
	Cards      []cardItem `json:"cards"`
	More       bool       `json:"more,omitempty"`
	NextCursor string     `json:"next_cursor,omitempty"`
}

func getBoard(ws *workspace) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:  "get_board",
		Title: "Read a card table",
		Description: "Reads a Basecamp card table: its columns in order with their cards; of Done and Not now only cards_count. " +
			"Where a column has more, name it as column, with its next_cursor if it has one.",
	}, func(ctx context.Context, in getBoardInput) (board, error) {
		if in.Cursor != "" && in.Column.IsZero() {
			return board{}, listing.BadCursor("goes together with the column it came from")
		}
		project, err := ws.project(ctx, "project", in.Project)
		if err != nil {
			return board{}, err
		}
		var table basecamp.CardTable
		want := cardsWanted{perColumn: in.PerColumn, cursor: in.Cursor}
		err = listing.Together(ctx,
			func(ctx context.Context) (err error) {
				table, err = ws.board(ctx, project, in.Board, in.Column)
				return err
			},
			func(ctx context.Context) error {
				if in.Assignee.IsZero() {
					return nil
				}
				who, err := ws.person(ctx, "assignee", in.Assignee, project.ID)
				want.assignee = who.ID
				return err
			},
		)
		if err != nil {
			return board{}, err
		}
		if !in.Column.IsZero() {
			only, err := ws.columnOf(ctx, table, in.Column)
			if err != nil {
				return board{}, err
			}
			want.only, table.Columns = true, []basecamp.Column{only}
		}
		return ws.viewBoard(ctx, table, want)
	})
}

// showBoard is a board as get_board shows it.
func (ws *workspace) showBoard(ctx context.Context, id int64) (board, error) {
	table, err := ws.bc.CardTable(ctx, id)
	if err != nil {
		return board{}, err
	}
	return ws.viewBoard(ctx, table, cardsWanted{perColumn: defaultPerColumn})
}

// showColumn is a board of that one column.
func (ws *workspace) showColumn(ctx context.Context, id int64) (board, error) {
	only, err := ws.bc.Column(ctx, id)
	if err != nil {
		return board{}, err
	}
	table := basecamp.CardTable{Recording: basecamp.Recording{Bucket: only.Bucket}, Columns: []basecamp.Column{only}}
	if only.Parent != nil {
		table.ID, table.Title, table.AppURL = only.Parent.ID, only.Parent.Title, only.Parent.AppURL
	}
	return ws.viewBoard(ctx, table, cardsWanted{only: true, perColumn: defaultPerColumn})
}

// board finds the card table a call is about: the one named, the one with a column that was given by id or URL, or the
// project's only one.
func (ws *workspace) board(ctx context.Context, project basecamp.Project, named, inColumn mcptool.Ref) (basecamp.CardTable, error) {
	docks, err := ws.docks(project, cardTable)
	if err != nil {
		return basecamp.CardTable{}, err
	}
	if named.IsZero() && len(docks) > 1 && inColumn.Name == "" && !inColumn.IsZero() {
		id, err := ws.columnID(ctx, inColumn)
		if err != nil {
			return basecamp.CardTable{}, err
		}
		tables, unread, err := ws.tables(ctx, project.ID)
		if err != nil {
			return basecamp.CardTable{}, err
		}
		table, err := tableWith(tables, id)
		if err != nil && unread != nil { // the column may be on the one that could not be read
			return basecamp.CardTable{}, unread
		}
		return table, err
	}
	dock, err := ws.dock(ctx, project, cardTable, named)
	if err != nil {
		return basecamp.CardTable{}, err
	}
	return ws.bc.CardTable(ctx, dock.ID)
}

// tables reads all card tables of a project, those switched off too: what is on them can still be reached. It can do without one that
// is not the one looked for; unread says why.
func (ws *workspace) tables(ctx context.Context, projectID int64) (tables []basecamp.CardTable, unread, err error) {
	project, err := ws.projectByID(ctx, projectID)
	if err != nil {
		return nil, nil, err
	}
	docks := matching(project.Dock, func(d basecamp.DockItem) bool { return d.Name == cardTable.kind })
	tables, failures := make([]basecamp.CardTable, len(docks)), make([]error, len(docks))
	reads := make([]func(context.Context) error, len(docks))
	for i, dock := range docks {
		reads[i] = func(ctx context.Context) (err error) {
			tables[i], err = ws.bc.CardTable(ctx, dock.ID)
			f, ok := dispensable(err)
			if !ok {
				return err
			}
			if f.Code != fault.NotFound { // else it is gone since the project was read
				failures[i] = f
			}
			return nil
		}
	}
	err = listing.Together(ctx, reads...)
	return tables, cmp.Or(failures...), err
}

// tableWith is the one of card tables that has a column.
func tableWith(tables []basecamp.CardTable, column int64) (basecamp.CardTable, error) {
	for _, table := range tables {
		if slices.ContainsFunc(table.Columns, func(c basecamp.Column) bool { return holdsCardsOf(c, column) }) {
			return table, nil
		}
	}
	f := fault.New(fault.NotFound, "column: no card table of the project has a column %d; get_board shows the columns", column)
	f.Resource = &fault.Resource{Type: columnNoun.kind, ID: fmt.Sprint(column)}
	return basecamp.CardTable{}, f
}

// holdsCardsOf reports whether an id is the column's, or that of its section for cards on hold.
func holdsCardsOf(c basecamp.Column, id int64) bool {
	return c.ID == id || c.OnHold != nil && c.OnHold.ID == id
}

// columnOf finds a column of a table.
func (ws *workspace) columnOf(ctx context.Context, table basecamp.CardTable, ref mcptool.Ref) (basecamp.Column, error) {
	options := choice[basecamp.Column]{
		argument: "column", noun: columnNoun, items: table.Columns,
		name:  func(c basecamp.Column) string { return c.Title },
		id:    func(c basecamp.Column) int64 { return c.ID },
		where: func(c basecamp.Column) string { return fmt.Sprintf("%s, %d cards", table.Title, c.CardsCount) },
		few:   true,
	}
	if ref.Name != "" {
		return options.byRef(ref)
	}
	id, err := ws.columnID(ctx, ref)
	if err != nil {
		return basecamp.Column{}, err
	}
	return options.byRef(mcptool.Ref{ID: id})
}

// columnID is the id of a column that was given by id or URL.
func (ws *workspace) columnID(ctx context.Context, ref mcptool.Ref) (int64, error) {
	if ref.URL == "" {
		return ref.ID, nil
	}
	link, err := ws.link(ctx, "column", ref.URL)
	if err != nil {
		return 0, err
	}
	if link.Type != "columns" && link.Type != "lists" {
		return 0, fault.Invalid("column", "is not the URL of a column but of %s", whatIs(link.Type))
	}
	return link.ID, nil
}

// columnOfType is a table's column of a type of which each table has one.
func columnOfType(table basecamp.CardTable, kind string) (basecamp.Column, error) {
	for _, c := range table.Columns {
		if c.Type == kind {
			return c, nil
		}
	}
	return basecamp.Column{}, fault.New(fault.NotFound, "the card table %q has no column of the type %s; get_board shows the columns it has",
		plaintext.Clean(table.Title), columnTypes[kind])
}

// cardsWanted says which cards of a board are shown.
type cardsWanted struct {
	only      bool // a column was asked for by itself: its cards are shown even in Done and Not now
	assignee  int64
	perColumn int
	cursor    string
}

// heldCard is a card as a column lists it: with the others, or among those on hold.
type heldCard struct {
	basecamp.Card
	held bool
}

// columnRead is a column with as many of its cards as are shown.
type columnRead struct {
	basecamp.Column
	listing *listing.List[heldCard]
	found   listing.Collected[heldCard]
}

func (ws *workspace) viewBoard(ctx context.Context, table basecamp.CardTable, want cardsWanted) (board, error) {
	read, left, err := ws.readColumns(ctx, table.Columns, want)
	if err != nil {
		return board{}, err
	}
	v := board{
		head: head{table.ID, "board"}, Title: plaintext.Clean(table.Title), URL: table.AppURL,
		Project: viewBucket(table.Bucket), gaps: left,
	}
	cards := 0
	for _, r := range read {
		cards += len(r.found.Items)
	}
	for _, r := range read {
		v.Columns = append(v.Columns, ws.viewColumn(r, cards))
	}
	return v, nil
}

// readColumns reads the first cards of columns. A whole board can do without the cards of some, but not of all.
func (ws *workspace) readColumns(ctx context.Context, columns []basecamp.Column, want cardsWanted) ([]columnRead, gaps, error) {
	if want.only {
		read, err := listing.InParallel(ctx, columns, func(ctx context.Context, c basecamp.Column) (columnRead, error) {
			return ws.readColumn(ctx, c, want)
		})
		return read, gaps{}, err
	}
	read, failures := make([]columnRead, len(columns)), make([]error, len(columns))
	parts := make([]extra, len(columns))
	for i, c := range columns {
		read[i] = columnRead{Column: c, found: listing.Collected[heldCard]{More: c.CardsCount > 0}}
		parts[i] = extra{fmt.Sprintf("cards of %q", plaintext.Clean(c.Title)), func(ctx context.Context) error {
			r, err := ws.readColumn(ctx, c, want)
			if err == nil {
				read[i] = r
			} else {
				failures[i] = err
			}
			return err
		}}
	}
	left, err := extras(ctx, parts...)
	if shown := matching(read, func(r columnRead) bool { return r.listing != nil && len(r.listing.Sources) > 0 }); len(shown) == 0 && err == nil {
		err = cmp.Or(failures...)
	}
	return read, left, err
}

// readColumn reads the first cards of a column, if they are shown at all.
func (ws *workspace) readColumn(ctx context.Context, c basecamp.Column, want cardsWanted) (columnRead, error) {
	r := columnRead{Column: c}
	aside := c.Type == basecamp.DoneColumn || c.Type == basecamp.NotNowColumn
	if aside && !want.only {
		r.found.More = c.CardsCount > 0
		return r, nil
	}
	r.listing = ws.cardsOf(c, want.assignee)
	var err error
	r.found, err = r.listing.Collect(ctx, listing.PageInput{Limit: want.perColumn, Cursor: want.cursor})
	return r, err
}

// cardsOf lists a column's cards, those on hold at the end. What is known to be empty is not asked for.
func (ws *workspace) cardsOf(c basecamp.Column, assignee int64) *listing.List[heldCard] {
	l := &listing.List[heldCard]{Of: listing.Digest("cards", c.ID, assignee), ID: func(card heldCard) int64 { return card.ID }}
	if c.CardsCount > 0 {
		l.Add(c.ID, ws.cards(c.ID, false))
	}
	if c.OnHold != nil && c.OnHold.CardsCount > 0 {
		l.Add(c.OnHold.ID, ws.cards(c.OnHold.ID, true))
	}
	if assignee != 0 {
		l.Keep = func(card heldCard) bool { return isAmong(card.Assignees, assignee) }
	}
	return l
}

func (ws *workspace) cards(column int64, held bool) listing.Source[heldCard] {
	return func(ctx context.Context, page int) (basecamp.Page[heldCard], error) {
		cards, err := ws.bc.Cards(ctx, column, page)
		views := basecamp.Page[heldCard]{Next: cards.Next, Total: cards.Total}
		for _, card := range cards.Items {
			views.Items = append(views.Items, heldCard{card, held})
		}
		return views, err
	}
}

// viewColumn shows a column within its share of the answer: as much of it as it has of the board's cards.
func (ws *workspace) viewColumn(r columnRead, cards int) column {
	v := column{
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
	shown := listing.Answer(r.listing, r.found, func(c heldCard) cardItem {
		card := ws.viewCard(c.Card)
		card.OnHold = c.held
		card.Trim(maxWritten)
		return card
	})
	v.Cards, v.More = shown.Items, shown.HasMore
	if shown.NextCursor != nil {
		v.NextCursor = *shown.NextCursor
	}
	return v
}
