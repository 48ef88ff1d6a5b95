package basecamptools

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/operations"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/toolargs"
)

// projectID returns a project. An operation that changes the project itself needs its whole name.
func (p *prepared) projectID(ctx context.Context, a *operations.Arg) (any, error) {
	ref := p.ref(a.Name)
	if p.row.Changes() && !p.row.Creates() && strings.HasPrefix(p.row.Path, "projects/{project}") && ref.Name != "" {
		t, err := p.rs.Thing(ctx, a.Name, lookup.ItemInput{Item: "project:" + strings.TrimPrefix(ref.Name, "project:")}, lookup.ProjectKind)
		if err != nil {
			return nil, err
		}
		ref = toolargs.Ref{ID: t.ID}
	}
	if p.row.Arg("item") != nil && a.To == "-" { // the item is looked up in it
		return nil, nil
	}
	project, err := p.rs.Project(ctx, a.Name, ref)
	if err != nil {
		return nil, err
	}
	p.project, p.bucket = project, project.ID
	p.is(lookup.ProjectKind.Kind, project.ID, project.Name)
	return project.ID, nil
}

// is notes what the operation is about; what is named last is the most exact.
func (p *prepared) is(kind string, id int64, title string) {
	p.on = &operationOn{id, kind, plaintext.Clean(title)}
	p.about = fault.Resource{Type: kind, ID: strconv.FormatInt(id, 10)}
}

// dockKinds are the tools of a project that operations work in.
var dockKinds = []lookup.Tool{lookup.Todoset, lookup.Vault, lookup.Chat, lookup.CardTable, lookup.Schedule, lookup.Checkins, lookup.Inbox}

// tool returns a tool of the project: the named one, or the only one of its kind.
func (p *prepared) tool(ctx context.Context, a *operations.Arg) (any, error) {
	named := p.ref(a.Name)
	switch {
	case a.To == "-":
		return nil, nil
	case a.Of == lookup.Vault.Kind:
		folder, err := p.rs.folder(ctx, "project", p.ref("project"), named)
		return folder.ID, err
	case a.Of == lookup.CardTable.Kind && p.row.Arg("column") != nil:
		table, err := p.rs.board(ctx, p.project, named, p.ref("column"))
		return table.ID, err
	case a.Of == "":
		found, err := lookup.Choice[basecamp.DockItem]{
			Argument: a.Name, Noun: lookup.Noun{One: "tool", Many: "tools", Kind: "tool"}, Items: p.project.Dock, Few: true,
			Name: func(d basecamp.DockItem) string { return d.Title }, ID: func(d basecamp.DockItem) int64 { return d.ID },
			Where: func(d basecamp.DockItem) string { return d.Name },
		}.ByRef(named)
		p.is("tool", found.ID, found.Title)
		return found.ID, err
	}
	kind := slices.IndexFunc(dockKinds, func(t lookup.Tool) bool { return t.Kind == a.Of })
	dock, err := p.rs.Dock(ctx, p.project, dockKinds[kind], named)
	return dock.ID, err
}

func (p *prepared) column(ctx context.Context, a *operations.Arg) (any, error) {
	ref, err := lookup.ColumnNoun.Bare(a.Name, p.ref(a.Name))
	if err != nil {
		return nil, err
	}
	if p.project.ID == 0 {
		if ref.Name != "" {
			return nil, fault.Invalid(a.Name, "%s is a name: give its project too, or the column's id or URL", plaintext.Quote(ref.Name))
		}
		id, err := p.rs.columnID(ctx, ref)
		if err != nil {
			return nil, err
		}
		found, err := p.rs.BC.Column(ctx, id)
		p.bucket = found.Bucket.ID
		p.is(lookup.ColumnNoun.Kind, id, found.Title)
		return id, err
	}
	table, err := p.rs.board(ctx, p.project, p.ref("board"), ref)
	if err != nil {
		return nil, err
	}
	found, err := p.rs.columnOf(ctx, table, ref)
	p.is(lookup.ColumnNoun.Kind, found.ID, found.Title)
	return found.ID, err
}

// item returns an item. A comment stands for what it is on.
func (p *prepared) item(ctx context.Context, a *operations.Arg) (any, error) {
	kinds := slices.DeleteFunc(slices.Clone(lookup.ItemKinds), func(k lookup.Kind) bool {
		return k.Kind == lookup.ProjectKind.Kind || a.Of != "" && !slices.Contains(strings.Fields(a.Of), k.Kind)
	})
	in := lookup.ItemInput{Item: p.ref(a.Name).String(), Project: p.ref("project")}
	find := p.rs.Thing
	if slices.Contains(strings.Fields(a.Of), lookup.CommentKind.Kind) {
		find = func(ctx context.Context, argument string, in lookup.ItemInput, kinds ...lookup.Kind) (lookup.Thing, error) {
			return p.rs.discussed(ctx, argument, in, kinds)
		}
	}
	t, err := find(ctx, a.Name, in, kinds...)
	if err != nil {
		return nil, err
	}
	p.bucket = t.In.ID
	p.is(t.Kind.Kind, t.ID, "")
	if t.Said {
		return t.ID, nil
	}
	found, err := p.rs.Verified(ctx, t)
	if err == nil && p.row.Changes() && !p.row.Deletes() {
		err = lookup.NotPutAway(a.Name, found)
	}
	p.bucket = found.Bucket.ID
	p.is(t.Kind.Kind, t.ID, found.Title)
	return t.ID, err
}

// id returns an ID that another operation returned.
func (p *prepared) id(ctx context.Context, a *operations.Arg) (any, error) {
	ref := p.ref(a.Name)
	if ref.URL != "" {
		link, err := p.rs.Link(ctx, a.Name, ref.URL)
		if err != nil {
			return nil, err
		}
		ref.ID = link.ID
	}
	if _, digits, typed := strings.Cut(ref.Name, ":"); typed {
		ref.ID = toolargs.ParseRef(digits).ID
	}
	if ref.ID <= 0 {
		return nil, fault.Invalid(a.Name, "must be an id%s, got %s", strings.TrimSuffix(", "+a.About, ", "), plaintext.Quote(ref.String()))
	}
	p.is(a.Name, ref.ID, "")
	return ref.ID, nil
}

// named returns one of what another operation lists.
func (p *prepared) named(ctx context.Context, a *operations.Arg) (any, error) {
	ref := p.ref(a.Name)
	if ref.Name == "" {
		return p.id(ctx, a)
	}
	row := operations.Find(a.Of)
	from := basecamp.Operation{Path: p.filled(row.Path), About: p.about}
	all, err := listing.Everything(ctx, func(ctx context.Context, page int) (basecamp.Page[json.RawMessage], error) {
		return p.rs.BC.List(ctx, from, strings.TrimPrefix(row.Items, "."), page)
	})
	if err != nil {
		return nil, err
	}
	found, err := lookup.Choice[json.RawMessage]{
		Argument: a.Name, Noun: lookup.Noun{One: a.Name, Many: a.Name + "s", Kind: a.Name}, Items: all, Name: operationName, ID: operationID,
	}.ByRef(ref)
	p.is(a.Name, operationID(found), operationName(found))
	return operationID(found), err
}
