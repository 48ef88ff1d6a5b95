package sandbox

import (
	"errors"
	"fmt"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
)

// A run executes one document for one person.
type run struct {
	s         *Server
	t         *token
	schema    *ast.Schema
	origin    string
	variables map[string]any
	weight    weight
	resolved  int // fields
	problems  []*problem
	ssoURL    string     // where the person can get the single sign-on that a refusal asked for
	leftOut   []*account // owners that lists leave out for lack of single sign-on
}

// An object is a value with fields. A field is a value, or a resolver for one that needs arguments
// or is worth avoiding.
type object struct {
	kind   string
	fields map[string]any
}

type resolver func(args map[string]any) (any, error)

type fields = map[string]any

// A selected is one key of an answer: a field, and everything that is selected below it.
type selected struct {
	key   string
	field *ast.Field
	set   ast.SelectionSet
}

// maxResolved limits the fields of an answer.
const maxResolved = 200_000

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

// complain adds an error to the answer.
func (x *run) complain(err error, f *ast.Field, path []any) {
	p := &problem{Message: "Something went wrong while executing your query."}
	if known := (*problem)(nil); errors.As(err, &known) {
		p = known
	}
	p.Path = path
	x.problems = append(x.problems, p.located(f.Position))
}

// resolve returns the value of a field.
func (x *run) resolve(o *object, f *ast.Field) (value any, err error) {
	if x.resolved++; x.resolved > maxResolved {
		return nil, problemf("RESOURCE_LIMITS_EXCEEDED", "Resource limits for this query exceeded.")
	}
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

// arguments returns the arguments of a field.
func (x *run) arguments(f *ast.Field) (args map[string]any, err error) {
	defer func() {
		if recover() != nil { // gqlparser panics if a number does not fit
			err = &problem{Message: "An argument is out of range.", Extensions: map[string]any{"code": "argumentLiteralsIncompatible"}}
		}
	}()
	return f.ArgumentMap(x.variables), nil
}

// complete returns a value as the answer shows it.
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
