package operationtools

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/operations"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/lazyregexp"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/text/when"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/tool/toolargs"
	"basecamp-mcp/internal/wire/writeplan"
)

// maxMarkdown is the length of a text, in characters.
const maxMarkdown = 500_000

// argKind says how arguments of a kind are checked, and how they are read.
type argKind struct {
	field toolargs.FieldKind
	place bool // it says what the operation is about
	value func(*prepared, context.Context, *operations.Arg) (any, error)
}

// argKinds returns the table of the kinds of arguments. Their values are what is sent.
func argKinds() map[operations.Kind]argKind {
	text := argKind{toolargs.TextField, false, (*prepared).written}
	return map[operations.Kind]argKind{
		operations.Project:       {toolargs.ReferenceField, true, (*prepared).projectID},
		operations.Tool:          {toolargs.ReferenceField, true, (*prepared).tool},
		operations.Column:        {toolargs.ReferenceField, true, (*prepared).column},
		operations.Item:          {toolargs.ReferenceField, true, (*prepared).item},
		operations.Named:         {toolargs.ReferenceField, true, (*prepared).named},
		operations.ID:            {toolargs.ReferenceField, true, (*prepared).id},
		operations.Person:        {toolargs.ReferenceField, false, (*prepared).person},
		operations.People:        {toolargs.ReferencesField, false, (*prepared).people},
		operations.Notice:        {toolargs.ReferencesField, false, (*prepared).people},
		operations.Projects:      {toolargs.ReferencesField, false, (*prepared).several},
		operations.Lists:         {toolargs.ReferencesField, false, (*prepared).several},
		operations.Notifications: {toolargs.ReferencesField, false, (*prepared).unread},
		operations.Weekdays:      {toolargs.TextsField, false, (*prepared).weekdays},
		operations.Invitations:   {toolargs.ObjectsField, false, (*prepared).invitations},
		operations.Number:        {toolargs.IntegerField, false, (*prepared).asGiven},
		operations.Flag:          {toolargs.BooleanField, false, (*prepared).asGiven},
		operations.Texts:         {toolargs.TextsField, false, (*prepared).asGiven},
		operations.Hours:         {toolargs.AmountField, false, (*prepared).written},
		operations.Text:          text, operations.Markdown: text, operations.Append: text, operations.Date: text, operations.PastDate: text, operations.Clock: text,
	}
}

// fieldsOf returns the fields of a row's arguments, by which they are checked as those of tools.
func fieldsOf(row *operations.Row) []toolargs.Field {
	kinds := argKinds()
	return lookup.Mapped(row.Args, func(a operations.Arg) toolargs.Field {
		f := toolargs.Field{Name: a.Name, Kind: kinds[a.Kind].field, Required: a.Need, Min: a.Min, Max: a.Max}
		switch a.Kind {
		case operations.Text, operations.Texts:
			f.Max = cmp.Or(a.Max, 2000)
			if a.Of != "" {
				f.Choices = strings.Split(a.Of, "|")
			}
		case operations.Markdown, operations.Append:
			f.Max = maxMarkdown
		}
		return f
	})
}

// prepared is the request of an operation, with what its arguments mean.
type prepared struct {
	rs    *Resolver
	row   *operations.Row
	given map[string]json.RawMessage

	project basecamp.Project // zero if none is named
	bucket  int64            // the project of what the operation is about; 0 if it is unknown
	on      *OperationOn     // what the operation is about
	about   fault.Resource
	path    map[string]string
	query   url.Values
	body    map[string]any
	days    map[string]string // by argument

	text     lookup.Composed
	writes   bool // it has a text
	notifies bool
	notified []basecamp.Person
	old      json.RawMessage // what the operation changes, as it was
}

// prepare reads the arguments of an operation. It looks up places and items first, because people
// and mentions must be on the project.
func (rs *Resolver) prepare(ctx context.Context, row *operations.Row, given map[string]json.RawMessage) (*prepared, error) {
	p := &prepared{rs: rs, row: row, given: map[string]json.RawMessage{}, path: map[string]string{}, query: url.Values{}, days: map[string]string{}}
	maps.Copy(p.given, given)
	if err := p.together(); err != nil {
		return nil, err
	}
	kinds := argKinds()
	for _, places := range []bool{true, false} {
		for i := range row.Args {
			if a := &row.Args[i]; kinds[a.Kind].place == places {
				if err := p.read(ctx, a, kinds[a.Kind]); err != nil {
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
	if begin, end := p.days["from"], p.days["to"]; begin != "" && end != "" && end < begin {
		return nil, fault.Invalid("to", "must not be before from: %s is before %s", end, begin)
	}
	return p, nil
}

// together returns an error unless the arguments that belong together are all given, or none.
func (p *prepared) together() error {
	together := strings.Fields(p.row.Together)
	missing := slices.DeleteFunc(slices.Clone(together), func(name string) bool { return p.given[name] != nil })
	if len(missing) == 0 || len(missing) == len(together) {
		return nil
	}
	return fault.Invalid(missing[0], "is required too: give %s together", strings.Join(together, ", "))
}

// ref returns a reference among the arguments, or zero.
func (p *prepared) ref(name string) (ref toolargs.Ref) {
	if value := p.given[name]; value != nil {
		_ = json.Unmarshal(value, &ref) // it is checked already
		ref = lookup.URLs.ParseRef(ref.String())
	}
	return ref
}

func (p *prepared) refs(name string) (refs toolargs.Refs) {
	_ = json.Unmarshal(p.given[name], &refs) // it is checked already
	return refs
}

func (p *prepared) read(ctx context.Context, a *operations.Arg, k argKind) error {
	if p.given[a.Name] == nil && a.Default != "" {
		p.given[a.Name] = json.RawMessage(strconv.Quote(a.Default))
	}
	if p.given[a.Name] == nil && a.Kind != operations.Tool {
		return nil
	}
	value, err := k.value(p, ctx, a)
	if err == nil && value != nil {
		p.put(a, value)
	}
	return err
}

func (p *prepared) person(ctx context.Context, a *operations.Arg) (any, error) {
	person, err := p.rs.Person(ctx, a.Name, p.ref(a.Name), p.bucket)
	return person.ID, err
}

func (p *prepared) asGiven(_ context.Context, a *operations.Arg) (any, error) {
	return writeplan.Decode(p.given[a.Name])
}

// day keeps the day that an argument means, and tells it if the argument says it in words.
func (p *prepared) day(ctx context.Context, a *operations.Arg, text, day string) string {
	if p.days[a.Name] = day; day != "" && !strings.HasPrefix(text, day) {
		mcptool.Understood(ctx, fmt.Sprintf("%s: %s -> %s", a.Name, plaintext.Quote(text), day))
	}
	return day
}

func (p *prepared) written(ctx context.Context, a *operations.Arg) (any, error) {
	var text string
	if err := json.Unmarshal(p.given[a.Name], &text); err != nil {
		return nil, err
	}
	switch a.Kind {
	case operations.Markdown, operations.Append:
		return p.markdown(ctx, a, text)
	case operations.Date:
		day, err := p.rs.Date(ctx, a.Name, text)
		return p.day(ctx, a, text, day), err
	case operations.PastDate:
		day, err := p.rs.Day(ctx, a.Name, text, when.Back, lookup.DayForms)
		return p.day(ctx, a, text, day.Format(time.DateOnly)), err
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

var hoursText = lazyregexp.New(`^\d{1,3}([.,]\d{1,2}|:[0-5]\d)?$`)

// put puts a value where its argument goes: into the path, the query or the body.
func (p *prepared) put(a *operations.Arg, value any) {
	for to := range strings.FieldsSeq(cmp.Or(a.To, a.Name)) {
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

func (p *prepared) filled(path string) string {
	for name, value := range p.path {
		path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(value))
	}
	return path
}
