package sandbox

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// A run executes one document for one person.
type run struct {
	s         *Server
	t         *token
	schema    *ast.Schema
	origin    string
	variables map[string]any
	weight    int // fields of the document
	problems  []*problem
}

// An object is a value with fields. A field is a value, or a resolver for one that needs arguments
// or is worth avoiding.
type object struct {
	kind   string
	fields map[string]any
}

type resolver func(args map[string]any) (any, error)

func lazy(show func() *object) resolver {
	return func(map[string]any) (any, error) { return show(), nil }
}

type fields = map[string]any

// A selected is one key of an answer: a field, and everything that is selected below it.
type selected struct {
	key   string
	field *ast.Field
	set   ast.SelectionSet
}

// object returns the selected fields of an object. It returns false if one of them must not be null
// and is, so that the object is null too.
func (x *run) object(o *object, set ast.SelectionSet, path []any) (map[string]any, bool) {
	out := map[string]any{}
	for _, s := range x.collect(nil, o.kind, set) {
		if s.field.Name == "__typename" {
			out[s.key] = o.kind
			continue
		}
		path := append(slices.Clip(path), s.key)
		value, err := x.resolve(o, s.field)
		if err != nil {
			x.complain(err, s.field, path)
		}
		kind := s.field.Definition.Type
		if own := x.schema.Types[o.kind].Fields.ForName(s.field.Name); own != nil {
			kind = own.Type
		}
		completed, ok := x.complete(kind, value, s, path)
		if !ok {
			return nil, false
		}
		out[s.key] = completed
	}
	return out, true
}

func (x *run) complain(err error, f *ast.Field, path []any) {
	p := &problem{Message: "Something went wrong while executing your query."}
	if known := (*problem)(nil); errors.As(err, &known) {
		p = known
	}
	p.Path = path
	x.problems = append(x.problems, p.located(f.Position))
}

// resolve returns the value of a field. A refusal of its resolver is its error.
func (x *run) resolve(o *object, f *ast.Field) (value any, err error) {
	defer func() {
		switch ended := recover().(type) {
		case nil:
		case *problem:
			value, err = nil, ended
		default:
			panic(ended)
		}
	}()
	value, ok := o.fields[f.Name]
	if !ok {
		return nil, fmt.Errorf("%s.%s has no resolver", o.kind, f.Name)
	}
	resolve, ok := value.(resolver)
	if !ok {
		return value, nil
	}
	args, err := x.arguments(f)
	if err != nil {
		return nil, err
	}
	return resolve(args)
}

func (x *run) arguments(f *ast.Field) (args map[string]any, err error) {
	defer func() {
		if recover() != nil { // gqlparser panics if a number does not fit
			err = &problem{Message: "An argument is out of range.", Extensions: map[string]any{"code": "argumentLiteralsIncompatible"}}
		}
	}()
	return f.ArgumentMap(x.variables), nil
}

func (x *run) complete(t *ast.Type, value any, s selected, path []any) (any, bool) {
	switch v := value.(type) {
	case nil:
		return nil, !t.NonNull
	case *object:
		if v == nil {
			return nil, !t.NonNull
		}
		made, ok := x.object(v, s.set, path)
		if !ok {
			return nil, !t.NonNull
		}
		return made, true
	case []any:
		list := make([]any, len(v))
		for i, entry := range v {
			made, ok := x.complete(t.Elem, entry, s, append(slices.Clip(path), i))
			if !ok {
				return nil, !t.NonNull
			}
			list[i] = made
		}
		return list, true
	}
	return value, true
}

// collect adds the fields that a selection set asks of a type to out, in their order.
func (x *run) collect(out []selected, kind string, set ast.SelectionSet) []selected {
	for _, selection := range set {
		switch s := selection.(type) {
		case *ast.Field:
			if x.skips(s.Directives) {
				continue
			}
			i := slices.IndexFunc(out, func(other selected) bool { return other.key == s.Alias })
			if i < 0 {
				out = append(out, selected{key: s.Alias, field: s, set: slices.Clone(s.SelectionSet)})
				continue
			}
			out[i].set = append(out[i].set, s.SelectionSet...)
		case *ast.InlineFragment:
			if !x.skips(s.Directives) && x.isA(kind, s.TypeCondition) {
				out = x.collect(out, kind, s.SelectionSet)
			}
		case *ast.FragmentSpread:
			if !x.skips(s.Directives) && x.isA(kind, s.Definition.TypeCondition) {
				out = x.collect(out, kind, s.Definition.SelectionSet)
			}
		}
	}
	return out
}

// isA reports whether a type is the one of a condition, or one of those that it stands for.
func (x *run) isA(kind, condition string) bool {
	return condition == "" || kind == condition || slices.ContainsFunc(x.schema.PossibleTypes[condition], func(d *ast.Definition) bool {
		return d.Name == kind
	})
}

// skips reports whether @skip or @include leave a selection out.
func (x *run) skips(directives ast.DirectiveList) bool {
	set := func(name string, otherwise bool) bool {
		d := directives.ForName(name)
		if d == nil {
			return otherwise
		}
		value, ok := d.ArgumentMap(x.variables)["if"].(bool)
		return ok && value
	}
	return set("skip", false) || !set("include", true)
}

// connect returns a resolver for a connection of a kind: UserConnection. Cursors have the node IDs
// of entries, so that one still leads to the right place after another entry was removed.
func connect[T keyed](kind string, items []T, show func(T) *object) resolver {
	return func(args map[string]any) (any, error) {
		keys := apply(items, T.key)
		from := begin(keys, args["after"])
		to := len(items)
		if first, ok := integer(args["first"]); ok {
			to = min(to, from+first)
		} else if last, ok := integer(args["last"]); ok {
			from = max(from, to-last)
		}
		entries := func(wrap func(i int) any) resolver {
			return func(map[string]any) (any, error) {
				list := []any{}
				for i := from; i < to; i++ {
					list = append(list, wrap(i))
				}
				return list, nil
			}
		}
		entry := func(i int) any { return show(items[i]) }
		info := &object{"PageInfo", fields{"hasNextPage": to < len(items), "endCursor": nil}}
		if to > from {
			info.fields["endCursor"] = cursor(keys, to-1)
		}
		return &object{kind, fields{
			"totalCount": len(items), "pageInfo": info, "nodes": entries(entry),
			"edges": entries(func(i int) any {
				return &object{strings.TrimSuffix(kind, "Connection") + "Edge", fields{"cursor": cursor(keys, i), "node": entry(i)}}
			}),
		}}, nil
	}
}

func cursor(keys []string, i int) string {
	return base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "cursor:%d:%s", i, keys[i]))
}

// begin returns the index of the entry after the one that a cursor names. If that one is gone, it
// returns the index that it had.
func begin(keys []string, after any) int {
	text, given := after.(string)
	if !given {
		return 0
	}
	raw, _ := base64.StdEncoding.DecodeString(text)
	parts := strings.SplitN(string(raw), ":", 3)
	if len(parts) == 3 && parts[0] == "cursor" {
		if i := slices.Index(keys, parts[2]); i >= 0 {
			return i + 1
		}
		if n, err := strconv.Atoi(parts[1]); err == nil && n >= 0 {
			return min(n, len(keys))
		}
	}
	panic(problemf("INVALID_CURSOR_ARGUMENTS", "`%s` does not appear to be a valid cursor.", text))
}

func integer(v any) (int, bool) {
	switch n := v.(type) {
	case int64:
		return int(n), true
	case json.Number:
		i, err := n.Int64()
		return int(i), err == nil
	}
	return 0, false
}

// ordered returns a list in the order of the argument orderBy, which names one field only: that by
// which compare compares.
func ordered[T any](items []T, args map[string]any, compare func(a, b T) int) []T {
	order, ok := args["orderBy"].(map[string]any)
	if !ok {
		return items
	}
	sign := 1
	if order["direction"] == "DESC" {
		sign = -1
	}
	return slices.SortedStableFunc(slices.Values(items), func(a, b T) int { return sign * compare(a, b) })
}
