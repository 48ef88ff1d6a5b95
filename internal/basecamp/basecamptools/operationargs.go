package basecamptools

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/operations"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/lazyregexp"
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
		case operations.Hours:
			f.Kind = toolargs.AmountField
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
	days    map[string]string // by argument

	text     lookup.Composed
	writes   bool // it has a text
	notifies bool
	notified []basecamp.Person
	old      json.RawMessage // what the operation changes, as it was
}

// prepare reads the arguments of an operation. It looks up places and items first, because people
// and mentions must be on the project.
func (rs *resolver) prepare(ctx context.Context, row *operations.Row, given map[string]json.RawMessage) (*prepared, error) {
	p := &prepared{rs: rs, row: row, given: map[string]json.RawMessage{}, path: map[string]string{}, query: url.Values{}, days: map[string]string{}}
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
	if begin, end := p.days["from"], p.days["to"]; begin != "" && end != "" && end < begin {
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

func (p *prepared) refs(name string) (refs toolargs.Refs) {
	_ = json.Unmarshal(p.given[name], &refs) // it is checked already
	return refs
}

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
		day, err := p.rs.Date(ctx, a.Name, text)
		p.days[a.Name] = day
		return day, err
	case operations.PastDate:
		day, err := p.rs.Day(ctx, a.Name, text, when.Back, lookup.DayForms)
		p.days[a.Name] = day.Format(time.DateOnly)
		return p.days[a.Name], err
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
