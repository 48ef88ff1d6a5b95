package operationtools

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/calendar"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/operations"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/memo"
	"basecamp-mcp/internal/tool/toolargs"
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
	p.on = &OperationOn{id, kind, plaintext.Clean(title)}
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
		folder, err := p.rs.Files.Folder(ctx, "project", p.ref("project"), named)
		if err == nil && p.row.Creates() {
			err = lookup.NotPutAway(a.Name, folder)
		}
		return folder.ID, err
	case a.Of == lookup.CardTable.Kind && p.row.Arg("column") != nil:
		table, err := p.rs.Work.Board(ctx, p.project, named, p.ref("column"))
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
		id, err := p.rs.Work.ColumnID(ctx, ref)
		if err != nil {
			return nil, err
		}
		found, err := basecamp.ColumnAt.Get(ctx, p.rs.BC, id)
		p.bucket = found.Bucket.ID
		p.is(lookup.ColumnNoun.Kind, id, found.Title)
		return id, err
	}
	table, err := p.rs.Work.Board(ctx, p.project, p.ref("board"), ref)
	if err != nil {
		return nil, err
	}
	found, err := p.rs.Work.ColumnOf(ctx, table, ref)
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
			return p.rs.Discussed(ctx, argument, in, kinds)
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
	from := basecamp.Raw(p.filled(row.Path), nil, p.about).Listed(strings.TrimPrefix(row.Items, "."))
	all, err := listing.Everything(ctx, from.Source(p.rs.BC))
	if err != nil {
		return nil, err
	}
	found, err := lookup.Choice[json.RawMessage]{
		Argument: a.Name, Noun: lookup.Noun{One: a.Name, Many: a.Name + "s", Kind: a.Name}, Items: all, Name: operationName, ID: operationID,
	}.ByRef(ref)
	p.is(a.Name, operationID(found), operationName(found))
	return operationID(found), err
}

// unread returns the SGIDs of unread notifications, by which Basecamp marks them as read. Answers
// show IDs instead, because an SGID is long and has no meaning to a reader.
func (p *prepared) unread(ctx context.Context, a *operations.Arg) (any, error) {
	menu, err := p.rs.BC.Readings(ctx, 1)
	if err != nil {
		return nil, err
	}
	refs := p.refs(a.Name)
	all := len(refs) == 1 && strings.EqualFold(refs[0].Name, "all")
	var sgids []string
	for _, r := range menu.Unread {
		if all || slices.ContainsFunc(refs, func(ref toolargs.Ref) bool { return ref.ID == r.ID }) {
			sgids = append(sgids, r.SGID)
		}
	}
	known := slices.Concat(menu.Unread, menu.Read.Items, menu.BubbleUps)
	unknown := make([]error, len(refs))
	for i, ref := range refs {
		if !all && !slices.ContainsFunc(known, func(r basecamp.Reading) bool { return r.ID == ref.ID }) {
			unknown[i] = fault.New(fault.NotFound, "%s[%d]: no notification has the id %s; get_notifications returns the ids", a.Name, i, plaintext.Word(ref.String()))
		}
	}
	if err = fault.All(unknown...); err == nil && len(sgids) == 0 {
		err = fault.Invalid(a.Name, "nothing to do: none of them is unread")
	}
	return sgids, err
}

// weekdays returns days as the numbers of Basecamp: 0 is Sunday.
func (p *prepared) weekdays(_ context.Context, a *operations.Arg) (any, error) {
	var names []string
	_ = json.Unmarshal(p.given[a.Name], &names) // it is checked already
	var days []string
	for i, name := range names {
		word := strings.ToLower(strings.TrimSpace(name))
		day := calendar.Weekday(word)
		if day < 0 {
			return nil, fault.Invalid(fmt.Sprintf("%s[%d]", a.Name, i), "must be a weekday such as monday, got %s", plaintext.Quote(name))
		}
		days = append(days, strconv.Itoa(day))
	}
	if len(days) == 0 {
		return nil, fault.Invalid(a.Name, "must have at least one weekday")
	}
	return days, nil
}

type invitation struct {
	Name    string `json:"name"`
	Email   string `json:"email_address"`
	Title   string `json:"title,omitempty"`
	Company string `json:"company_name,omitempty"`
}

func (p *prepared) invitations(_ context.Context, a *operations.Arg) (any, error) {
	var people []invitation
	decoder := json.NewDecoder(bytes.NewReader(p.given[a.Name]))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&people); err != nil {
		return nil, fault.Invalid(a.Name, "must be a list of {name, email_address}, with title and company_name if known").Because(err)
	}
	for i, person := range people {
		if lookup.Plainly(person.Name) == "" || !strings.Contains(person.Email, "@") {
			return nil, fault.Invalid(fmt.Sprintf("%s[%d]", a.Name, i), "must have a name and an email_address")
		}
	}
	return people, nil
}

// markdown returns a text as Basecamp's HTML, with its mentions.
func (p *prepared) markdown(ctx context.Context, a *operations.Arg, text string) (any, error) {
	old := basecamp.HTML(textIn(p.old, a.Field()))
	composed, err := p.rs.Compose(ctx, lookup.Prose{Project: p.bucket, Argument: a.Name, Markdown: text, Old: old})
	if err != nil {
		return nil, err
	}
	if a.Kind == operations.Append {
		composed.HTML = string(old) + composed.HTML
	}
	p.text, p.writes = composed, true
	return composed.HTML, nil
}

// people returns the IDs of people, and notes whom the operation notifies.
func (p *prepared) people(ctx context.Context, a *operations.Arg) (any, error) {
	project := p.bucket
	if a.Of == "account" {
		project = 0
	}
	if a.Kind == operations.People {
		people, err := p.rs.Persons(ctx, a.Name, p.refs(a.Name), project)
		return lookup.PersonIDs(people), err
	}
	refs := p.refs(a.Name)
	p.notifies = true
	if len(refs) == 1 && strings.EqualFold(refs[0].Name, "default") {
		return "default", nil
	}
	people, ids, err := p.rs.Texts.ToNotify(ctx, refs, project)
	switch {
	case err != nil || ids != nil && len(ids) == 0:
		return nil, err
	case ids == nil:
		p.notified, err = p.rs.People(ctx, project, memo.Life)
		return "everyone", err
	}
	p.notified = people
	p.set("subscriptions", ids)
	return "custom", nil
}

// several returns the IDs of projects, or of to-do lists of the project.
func (p *prepared) several(ctx context.Context, a *operations.Arg) (any, error) {
	refs := p.refs(a.Name)
	ids, problems := make([]int64, len(refs)), make([]error, len(refs))
	for i, ref := range refs {
		at := fmt.Sprintf("%s[%d]", a.Name, i)
		if a.Kind == operations.Projects {
			ids[i], problems[i] = p.rs.ProjectID(ctx, at, ref)
			continue
		}
		var list basecamp.Todolist
		in := toolargs.Ref{ID: p.bucket}
		list, problems[i] = lookup.ReadItem(ctx, p.rs.Resolver, lookup.ListKind.WithArguments(at, "project"), ref, in, basecamp.TodolistAt.Reader(p.rs.BC))
		ids[i] = list.ID
	}
	return ids, fault.All(problems...)
}
