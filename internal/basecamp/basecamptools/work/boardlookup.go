package work

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/toolargs"
)

// Board reads the card table that the call means: the one named, the one with the column given by
// id or URL, or the project's only one.
func (rs *Resolver) Board(ctx context.Context, project basecamp.Project, named, inColumn toolargs.Ref) (basecamp.CardTable, error) {
	docks, err := rs.Docks(project, lookup.CardTable)
	if err != nil {
		return basecamp.CardTable{}, err
	}
	if inColumn, err = lookup.ColumnNoun.Bare("column", inColumn); err != nil {
		return basecamp.CardTable{}, err
	}
	if named.IsZero() && len(docks) > 1 && inColumn.Name == "" && !inColumn.IsZero() {
		id, err := rs.ColumnID(ctx, inColumn)
		if err != nil {
			return basecamp.CardTable{}, err
		}
		tables, unread, err := rs.tables(ctx, project.ID)
		if err != nil {
			return basecamp.CardTable{}, err
		}
		table, err := tableWith(tables, id)
		if err != nil && unread != nil { // the column may be on the table that could not be read
			return basecamp.CardTable{}, unread
		}
		return table, err
	}
	dock, err := rs.Dock(ctx, project, lookup.CardTable, named)
	if err != nil {
		return basecamp.CardTable{}, err
	}
	return basecamp.BoardAt.Get(ctx, rs.BC, dock.ID)
}

// tables reads all card tables of a project, including disabled ones: their cards can still be
// reached. If a table cannot be read, tables returns the others, and the failure as unread.
func (rs *Resolver) tables(ctx context.Context, projectID int64) (tables []basecamp.CardTable, unread, err error) {
	project, err := rs.ProjectByID(ctx, projectID)
	if err != nil {
		return nil, nil, err
	}
	docks := lookup.Matching(project.Dock, func(d basecamp.DockItem) bool { return d.Name == lookup.CardTable.Kind })
	tables, failures := make([]basecamp.CardTable, len(docks)), make([]error, len(docks))
	reads := make([]func(context.Context) error, len(docks))
	for i, dock := range docks {
		reads[i] = func(ctx context.Context) (err error) {
			tables[i], err = listing.FailOnce(ctx, dock.ID, basecamp.BoardAt.Reader(rs.BC))
			f, ok := listing.Dispensable(err)
			if !ok {
				return err
			}
			if f.Code != fault.NotFound { // not found: it was deleted after the project was read
				failures[i] = f
			}
			return nil
		}
	}
	err = listing.Together(ctx, reads...)
	return tables, cmp.Or(failures...), err
}

func tableWith(tables []basecamp.CardTable, column int64) (basecamp.CardTable, error) {
	for _, table := range tables {
		if slices.ContainsFunc(table.Columns, func(c basecamp.Column) bool { return holdsCardsOf(c, column) }) {
			return table, nil
		}
	}
	f := fault.New(fault.NotFound, "column: no card table of the project has a column %d; get_board shows the columns", column)
	f.Resource = &fault.Resource{Type: lookup.ColumnNoun.Kind, ID: fmt.Sprint(column)}
	return basecamp.CardTable{}, f
}

// ColumnOf returns the column of a board that a reference names.
func (rs *Resolver) ColumnOf(ctx context.Context, table basecamp.CardTable, ref toolargs.Ref) (basecamp.Column, error) {
	options := lookup.Choice[basecamp.Column]{
		Argument: "column", Noun: lookup.ColumnNoun, Items: table.Columns,
		Name:  func(c basecamp.Column) string { return c.Title },
		ID:    func(c basecamp.Column) int64 { return c.ID },
		Where: func(c basecamp.Column) string { return fmt.Sprintf("%s, %d cards", table.Title, c.CardsCount) },
		Few:   true,
	}
	if ref.Name != "" {
		return options.ByRef(ref)
	}
	id, err := rs.ColumnID(ctx, ref)
	if err != nil {
		return basecamp.Column{}, err
	}
	return options.ByRef(toolargs.Ref{ID: id})
}

// ColumnID returns the ID of the column that a reference names.
func (rs *Resolver) ColumnID(ctx context.Context, ref toolargs.Ref) (int64, error) {
	if ref.URL == "" {
		return ref.ID, nil
	}
	link, err := rs.Link(ctx, "column", ref.URL)
	if err != nil {
		return 0, err
	}
	if link.Type != "columns" && link.Type != "lists" {
		return 0, fault.Invalid("column", "must be the URL of a column; this is the URL of %s", lookup.WhatIs(link.Type))
	}
	return link.ID, nil
}

// columnOfType returns the column of a type that each table has once.
func columnOfType(table basecamp.CardTable, kind string) (basecamp.Column, error) {
	for _, c := range table.Columns {
		if c.Type == kind {
			return c, nil
		}
	}
	return basecamp.Column{}, fault.New(fault.NotFound, "the card table %s has no column of type %s; get_board shows its columns",
		plaintext.Quote(table.Title), columnTypes[kind])
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
func (rs *Resolver) expectTable(ctx context.Context, named toolargs.Ref) {
	if id := boardID(named); id != 0 {
		listing.Expect(ctx, id, basecamp.BoardAt.Reader(rs.BC))
	}
}

// holdsCardsOf reports whether id is the column or its section for cards on hold.
func holdsCardsOf(c basecamp.Column, id int64) bool {
	return c.ID == id || c.OnHold != nil && c.OnHold.ID == id
}

// Holders returns the names of the columns, lists or folders that an item was moved from and to.
// Events have only their ids. A deleted holder has no name. The item's present parent needs no
// request.
func (rs *Resolver) Holders(ctx context.Context, k lookup.Kind, item basecamp.Recording, events []basecamp.Event) (map[int64]string, error) {
	names := map[int64]string{0: ""}
	if item.Parent != nil {
		names[item.Parent.ID] = plaintext.Clean(item.Parent.Title)
	}
	var unread []int64
	for _, e := range events {
		for _, id := range []int64{e.Details.From, e.Details.To} {
			if _, known := names[id]; !known && len(unread) < maxHolders {
				names[id], unread = "", append(unread, id)
			}
		}
	}
	titles, err := listing.InParallel(ctx, unread, func(ctx context.Context, id int64) (string, error) {
		title, err := rs.holderTitle(ctx, k, id)
		if fault.Is(err, fault.NotFound) {
			return "", nil
		}
		return title, err
	})
	for i, id := range unread {
		names[id] = plaintext.Clean(titles[i])
	}
	return names, err
}

// maxHolders is the number of columns, lists or folders that one call reads to find their names.
const maxHolders = 10

// holderTitle reads the title of a column, list or folder that holds items of a kind. It returns ""
// for kinds that cannot be moved.
func (rs *Resolver) holderTitle(ctx context.Context, k lookup.Kind, id int64) (string, error) {
	switch k.Kind {
	case lookup.CardKind.Kind:
		column, err := basecamp.ColumnAt.Get(ctx, rs.BC, id)
		return column.Title, err
	case lookup.TodoKind.Kind:
		list, err := basecamp.TodolistAt.Get(ctx, rs.BC, id)
		return list.Name, err
	case lookup.DocumentKind.Kind, lookup.UploadKind.Kind, lookup.FolderKind.Kind:
		folder, err := basecamp.FolderAt.Get(ctx, rs.BC, id)
		return folder.Title, err
	}
	return "", nil
}
