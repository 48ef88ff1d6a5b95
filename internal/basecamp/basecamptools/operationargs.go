package basecamptools

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/operations"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/memo"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/toolargs"
	"basecamp-mcp/internal/when"
)

// maxMarkdown is the length of a text, in characters.
const maxMarkdown = 500_000

// fieldsOf returns the fields of a row's arguments, by which they are checked as those of tools.
func fieldsOf(row *operations.Row) []toolargs.Field {
	fields := make([]toolargs.Field, len(row.Args))
	for i, a := range row.Args {
		f := toolargs.Field{Name: a.Name, Kind: toolargs.TextField, Required: a.Need, Min: a.Min, Max: a.Max}
		switch a.Kind {
		case operations.Text, operations.Texts:
			f.Max = cmp.Or(a.Max, 2000)
			if a.Of != "" {
				f.Choices = strings.Split(a.Of, "|")
			}
			if a.Kind == operations.Texts {
				f.Kind = toolargs.TextsField
			}
		case operations.Markdown, operations.Append:
			f.Max = maxMarkdown
		case operations.Weekdays:
			f.Kind = toolargs.TextsField
		case operations.Number:
			f.Kind = toolargs.IntegerField
		case operations.Flag:
			f.Kind = toolargs.BooleanField
		case operations.Projects, operations.People, operations.Notice, operations.Lists:
			f.Kind = toolargs.ReferencesField
		case operations.Invitations:
			f.Kind = toolargs.ObjectsField
		case operations.Project, operations.Person, operations.Item, operations.Tool, operations.Column, operations.Named, operations.ID:
			f.Kind = toolargs.ReferenceField
		}
		fields[i] = f
	}
	return fields
}

// prepared is the request of an operation, with what its arguments mean.
type prepared struct {
	rs    *resolver
	row   *operations.Row
	given map[string]json.RawMessage

	project basecamp.Project // zero if none is named
	bucket  int64            // the project of what the operation is about; 0 if it is unknown
	on      *operationOn     // what the operation is about
	about   fault.Resource
	path    map[string]string
	query   url.Values
	body    map[string]any

	text     lookup.Composed
	writes   bool // it has a text
	notifies bool
	notified []basecamp.Person
	old      json.RawMessage // what the operation changes, as it was
}

// prepare reads the arguments of an operation. It looks up places and items first, because people
// and mentions must be on the project.
func (rs *resolver) prepare(ctx context.Context, row *operations.Row, given map[string]json.RawMessage) (*prepared, error) {
	p := &prepared{rs: rs, row: row, given: map[string]json.RawMessage{}, path: map[string]string{}, query: url.Values{}}
	for name, value := range given {
		if string(value) != "null" {
			p.given[name] = value
		}
	}
	if err := p.mates(); err != nil {
		return nil, err
	}
	for _, places := range []bool{true, false} {
		for i := range row.Args {
			if a := &row.Args[i]; isPlace(a.Kind) == places {
				if err := p.read(ctx, a); err != nil {
					return nil, err
				}
			}
		}
		if places && p.path["project"] == "" && p.bucket != 0 {
			p.path["project"] = strconv.FormatInt(p.bucket, 10)
		}
		if err := p.readOld(ctx); err != nil {
			return nil, err
		}
	}
	if begin, end := p.query.Get("from")+p.query.Get("start_date"), p.query.Get("to")+p.query.Get("end_date"); begin != "" && end != "" && end < begin {
		return nil, fault.Invalid("to", "must not be before from: %s is before %s", end, begin)
	}
	return p, nil
}

// isPlace reports whether arguments of a kind say what an operation is about.
func isPlace(k operations.Kind) bool {
	switch k {
	case operations.Project, operations.Tool, operations.Column, operations.Item, operations.Named, operations.ID:
		return true
	}
	return false
}

// mates returns an error unless the arguments that belong together are all given, or none.
func (p *prepared) mates() error {
	mates := strings.Fields(p.row.Mates)
	missing := slices.DeleteFunc(slices.Clone(mates), func(name string) bool { return p.given[name] != nil })
	if len(missing) == 0 || len(missing) == len(mates) {
		return nil
	}
	return fault.Invalid(missing[0], "is required too: give %s together", strings.Join(mates, ", "))
}

// ref returns a reference among the arguments, or zero.
func (p *prepared) ref(name string) (ref toolargs.Ref) {
	if value := p.given[name]; value != nil {
		_ = json.Unmarshal(value, &ref) // it is checked already
		ref = lookup.URLs.ParseRef(ref.String())
	}
	return ref
}

// refs returns references among the arguments.
func (p *prepared) refs(name string) (refs toolargs.Refs) {
	_ = json.Unmarshal(p.given[name], &refs) // it is checked already
	return refs
}

// read reads one argument and puts it where it goes.
func (p *prepared) read(ctx context.Context, a *operations.Arg) error {
	if p.given[a.Name] == nil && a.Default != "" {
		p.given[a.Name] = json.RawMessage(strconv.Quote(a.Default))
	}
	if p.given[a.Name] == nil && a.Kind != operations.Tool {
		return nil
	}
	value, err := p.value(ctx, a)
	if err == nil && value != nil {
		p.put(a, value)
	}
	return err
}

// value returns what an argument means, as it is sent.
func (p *prepared) value(ctx context.Context, a *operations.Arg) (any, error) {
	switch a.Kind {
	case operations.Project:
		return p.projectID(ctx, a)
	case operations.Tool:
		return p.tool(ctx, a)
	case operations.Column:
		return p.column(ctx, a)
	case operations.Item:
		return p.item(ctx, a)
	case operations.Named:
		return p.named(ctx, a)
	case operations.ID:
		return p.id(ctx, a)
	case operations.Person:
		person, err := p.rs.Person(ctx, a.Name, p.ref(a.Name), p.bucket)
		return person.ID, err
	case operations.People, operations.Notice:
		return p.people(ctx, a)
	case operations.Projects, operations.Lists:
		return p.several(ctx, a)
	case operations.Weekdays:
		return p.weekdays(a)
	case operations.Invitations:
		return p.invitations(a)
	case operations.Number, operations.Flag, operations.Texts:
		var value any
		err := json.Unmarshal(p.given[a.Name], &value)
		return value, err
	}
	var text string
	if err := json.Unmarshal(p.given[a.Name], &text); err != nil {
		return nil, err
	}
	return p.written(ctx, a, text)
}

// written returns what a text means, as it is sent.
func (p *prepared) written(ctx context.Context, a *operations.Arg, text string) (any, error) {
	switch a.Kind {
	case operations.Markdown, operations.Append:
		return p.markdown(ctx, a, text)
	case operations.Date:
		return p.rs.Date(ctx, a.Name, text)
	case operations.PastDate:
		day, err := p.rs.Day(ctx, a.Name, text, when.Back, lookup.DayForms)
		return day.Format(time.DateOnly), err
	case operations.Clock:
		at, err := p.rs.Clock(ctx, a.Name, text, "", time.Time{})
		return at.Format("3:04pm"), err
	case operations.Hours:
		if text = strings.TrimSpace(text); !hoursText.MatchString(text) {
			return nil, fault.Invalid(a.Name, "must be hours such as 1.5 or 1:30, got %s", plaintext.Quote(text))
		}
		return text, nil
	}
	plain := lookup.Plainly(text)
	if plain == "" && a.Need {
		return nil, fault.Invalid(a.Name, "must not be blank")
	}
	return plain, nil
}

var hoursText = regexp.MustCompile(`^\d{1,3}([.,]\d{1,2}|:[0-5]\d)?$`)

// weekdays returns days as the numbers of Basecamp: 0 is Sunday.
func (p *prepared) weekdays(a *operations.Arg) (any, error) {
	var names []string
	_ = json.Unmarshal(p.given[a.Name], &names) // it is checked already
	var days []string
	for i, name := range names {
		word := strings.ToLower(strings.TrimSpace(name))
		day := slices.IndexFunc(dayNames, func(day string) bool { return len(word) >= 3 && strings.HasPrefix(day, word) })
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

var dayNames = []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}

// invitation is a new person.
type invitation struct {
	Name    string `json:"name"`
	Email   string `json:"email_address"`
	Title   string `json:"title,omitempty"`
	Company string `json:"company_name,omitempty"`
}

// invitations returns new people.
func (p *prepared) invitations(a *operations.Arg) (any, error) {
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

// projectID returns a project. An operation that changes the project itself needs its whole name.
func (p *prepared) projectID(ctx context.Context, a *operations.Arg) (any, error) {
	ref := p.ref(a.Name)
	if p.row.Changes() && p.row.Method != "POST" && strings.HasPrefix(p.row.Path, "projects/{project}") && ref.Name != "" {
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

// column returns a column of a card table.
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
	if err == nil && p.row.Changes() && p.row.Method != "DELETE" {
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
	people, ids, err := p.rs.toNotify(ctx, refs, project)
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
		list, problems[i] = lookup.ReadItem(ctx, p.rs.Resolver, lookup.ListKind.WithArguments(at, "project"), ref, in, p.rs.BC.Todolist)
		ids[i] = list.ID
	}
	return ids, fault.All(problems...)
}

// put puts a value where its argument goes: into the path, the query or the body.
func (p *prepared) put(a *operations.Arg, value any) {
	for _, to := range strings.Fields(cmp.Or(a.To, a.Name)) {
		query, isQuery := strings.CutPrefix(to, "?")
		switch {
		case to == "-":
		case strings.HasPrefix(to, "{"):
			text := fmt.Sprint(value)
			p.path[strings.Trim(to, "{}")] = text
		case isQuery:
			p.ask(query, value)
		default:
			p.set(to, value)
		}
	}
}

// ask adds a parameter to the query. Several values are repeated if the name ends in [], and
// otherwise separated by commas.
func (p *prepared) ask(name string, value any) {
	texts := []string{fmt.Sprint(value)}
	switch list := value.(type) {
	case []int64:
		texts = nil
		for _, id := range list {
			texts = append(texts, strconv.FormatInt(id, 10))
		}
	case []any:
		texts = nil
		for _, text := range list {
			texts = append(texts, fmt.Sprint(text))
		}
	}
	if !strings.HasSuffix(name, "[]") {
		texts = []string{strings.Join(texts, ",")}
	}
	p.query[name] = texts
}

// set sets a field of the body. A name with dots is a field of an object in the body.
func (p *prepared) set(name string, value any) {
	if p.body == nil {
		p.body = map[string]any{}
	}
	at := p.body
	for {
		outer, inner, nested := strings.Cut(name, ".")
		if !nested {
			at[name] = value
			return
		}
		if at[outer] == nil {
			at[outer] = map[string]any{}
		}
		at, name = at[outer].(map[string]any), inner
	}
}

// filled returns a path with its placeholders filled in.
func (p *prepared) filled(path string) string {
	for name, value := range p.path {
		path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(value))
	}
	return path
}
