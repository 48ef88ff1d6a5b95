package toolargs

import (
	"fmt"
	"reflect"
	"slices"
	"sync"

	"basecamp-mcp/internal/tool/toolanswer"
)

const (
	// KeyArgument is the argument with which a caller repeats a call safely. The server handles it.
	KeyArgument = "idempotency_key"
	maxKey      = 64 // characters
)

// InputSchema returns the schema of a tool's arguments, with the idempotency key if keyed. The
// tool's own input has no such field. [schemaFor] explains the tags.
func InputSchema(in reflect.Type, keyed bool) (*Schema, error) {
	s, err := schemaFor(in)
	if err != nil {
		return nil, err
	}
	if err := s.described(); err != nil {
		return nil, err
	}
	if keyed && s.property(KeyArgument) != nil {
		return nil, fmt.Errorf("argument %s is reserved for the server", KeyArgument)
	}
	if keyed {
		s.properties = append(s.properties, property{name: KeyArgument, Schema: &Schema{
			kind: text, maxLength: new(int64(maxKey)), description: "Makes a repeat safe",
		}})
	}
	s.closed = true
	plain := *s
	s.empty = sync.OnceValues(func() (Accepted, error) { return Rules{}.Accept(&plain, nil) })
	return s, nil
}

// described returns an error unless every argument that clients see has a description, at any
// depth. It lets objects without fields say that they take any: a strict client would close them.
func (s *Schema) described() error {
	s.open = s.kind == object && s.properties == nil
	for _, p := range s.properties {
		if p.description == "" && !p.unlisted {
			return fmt.Errorf("argument %s has no description", p.name)
		}
		if err := p.described(); err != nil {
			return err
		}
	}
	if s.items == nil {
		return nil
	}
	return s.items.described()
}

// OutputSchema returns the schema of a tool's result. If compact, it allows both the compact form
// and the full one: what a compact answer may leave out is optional, and a person may be a name.
// The answer says how a call that writes is undone, and of one that repeats whether it was a
// repeat.
func OutputSchema(out reflect.Type, compact, writes, repeats bool) (*Schema, error) {
	s, err := schemaFor(out)
	if err != nil {
		return nil, err
	}
	own := []property{
		{name: toolanswer.UnderstoodField, Schema: &Schema{kind: array, items: &Schema{kind: text}}},
		{name: toolanswer.FencedField, Schema: &Schema{kind: integer}},
	}
	if writes {
		own = append(own, property{name: toolanswer.UndoField, Schema: &Schema{kind: text}}, property{name: toolanswer.NoUndoField, Schema: &Schema{kind: text}},
			property{name: toolanswer.NotAsAskedField, Schema: &Schema{kind: array, items: &Schema{kind: text}}})
	}
	if repeats {
		own = append(own, property{name: toolanswer.RepeatedField, Schema: &Schema{kind: text}})
	}
	for _, field := range own {
		if s.property(field.name) != nil {
			return nil, fmt.Errorf("the field %s is reserved for the server", field.name)
		}
	}
	s.properties = append(s.properties, own...)
	s.answers()
	if !compact {
		return s, nil
	}
	root := s.loosened(true)
	for _, array := range toolanswer.ItemArrays {
		if s.holds(array) {
			root.properties = slices.Insert(root.properties, 0, property{name: toolanswer.SharedPrefix + array, Schema: &Schema{kind: object}})
		}
	}
	return root, nil
}

// answers makes the schema that of an answer, at any depth.
func (s *Schema) answers() {
	s.answer = true
	if s.items != nil {
		s.items.answers()
	}
	for _, p := range s.properties {
		p.answers()
	}
}

// WithAccounts returns the schema of an answer that may name accounts: its own and, if the call can
// be carried out in several, that of each object in its lists.
func (s *Schema) WithAccounts(in *Schema) *Schema {
	one := s
	if in.property(toolanswer.AccountField) != nil {
		one = s.labelled()
		if one.property("left_out") == nil {
			one.properties = append(one.properties, property{name: "left_out", Schema: &Schema{kind: array, items: &Schema{kind: text}}})
		}
	}
	with := *one
	with.properties = slices.Clone(one.properties)
	for _, name := range []string{toolanswer.AccountField, toolanswer.ReferenceField} {
		if with.property(name) == nil {
			with.properties = append(with.properties, property{name: name, Schema: &Schema{kind: text}})
		}
	}
	return &with
}

// labelled returns the schema of an object with an account in each object of its lists, and of
// theirs.
func (s *Schema) labelled() *Schema {
	with := *s
	with.properties = slices.Clone(s.properties)
	for i, p := range with.properties {
		if p.kind != array || p.items == nil || p.items.kind != object || p.items.properties == nil {
			continue
		}
		list, items := *p.Schema, p.items.labelled()
		if items.property(toolanswer.AccountField) == nil {
			items.properties = append(items.properties, property{name: toolanswer.AccountField, Schema: &Schema{kind: text}})
		}
		list.items = items
		with.properties[i].Schema = &list
	}
	return &with
}

// loosened returns the schema with what a compact answer may leave out as optional.
func (s *Schema) loosened(root bool) *Schema {
	loose := *s
	if s.items != nil {
		loose.items = s.items.loosened(false)
	}
	if s.properties == nil {
		return &loose
	}
	loose.properties = make([]property, len(s.properties))
	for i, p := range s.properties {
		q := property{name: p.name, kept: p.kept, Schema: p.loosened(false)}
		q.required = p.required && (p.kept || root && !p.nullable && !slices.Contains(toolanswer.NeverBrief, p.name))
		if slices.Contains(toolanswer.PeopleKeys, p.name) {
			q.Schema = q.orNames()
		}
		loose.properties[i] = q
	}
	return &loose
}

// orNames returns the schema of people that also allows their names.
func (s *Schema) orNames() *Schema {
	people := *s
	switch {
	case s.kind == array:
		people.items = s.items.orNames()
	case s.kind == object && s.property("name") != nil:
		people.orName = true
	}
	return &people
}

// holds reports whether the result has an array of objects with a name, at any depth.
func (s *Schema) holds(name string) bool {
	if s.kind == array {
		return s.items.holds(name)
	}
	return slices.ContainsFunc(s.properties, func(p property) bool {
		return p.name == name && p.kind == array && p.items.kind == object || p.holds(name)
	})
}

// Field is an argument that stands in a table, not in a struct.
type Field struct {
	Name     string
	Kind     FieldKind
	Required bool
	Choices  []string // of a text or of texts; nil allows any
	Min, Max int      // of an integer, or the longest length of a text; 0 for none
}

// FieldKind is the type of a Field.
type FieldKind string

// The types of fields.
const (
	TextField       FieldKind = "text"
	AmountField     FieldKind = "amount" // a text that may also be a number
	TextsField      FieldKind = "texts"
	IntegerField    FieldKind = "integer"
	BooleanField    FieldKind = "boolean"
	ReferenceField  FieldKind = "reference"
	ReferencesField FieldKind = "references"
	ObjectsField    FieldKind = "objects" // a list of objects with texts
)

// The properties of a tool that does several things.
const (
	operationArgument  = "operation"
	operationArguments = "arguments"
)

// For returns the schema of a tool for one of its operations: the argument operation must name it,
// and arguments holds the fields. Arguments that the tool itself does not have are read as theirs.
func (s *Schema) For(operation string, fields []Field) *Schema {
	one := *s
	one.inner, one.empty = operationArguments, nil
	one.properties = slices.Clone(s.properties)
	for i, p := range one.properties {
		switch p.name {
		case operationArgument:
			named := *p.Schema
			named.enum = []string{operation}
			one.properties[i].Schema = &named
		case operationArguments:
			one.properties[i].Schema = &Schema{kind: object, description: p.description, properties: propertiesOf(fields)}
		}
	}
	return &one
}

func propertiesOf(fields []Field) []property {
	properties := make([]property, len(fields))
	for i, f := range fields {
		properties[i] = property{name: f.Name, required: f.Required, Schema: f.schema()}
	}
	return properties
}

// schema returns the schema of a field.
func (f Field) schema() *Schema {
	switch f.Kind {
	case IntegerField:
		s := &Schema{kind: integer, min: new(int64(f.Min))}
		if f.Max > 0 {
			s.max = new(int64(f.Max))
		}
		return s
	case BooleanField:
		return &Schema{kind: boolean}
	case ReferenceField:
		return &Schema{kind: reference}
	case ReferencesField:
		return &Schema{kind: array, items: &Schema{kind: reference}, maxItems: new(int64(mostReferences))}
	case TextsField:
		return &Schema{kind: array, items: &Schema{kind: text, enum: f.Choices, maxLength: new(int64(mostInList))}}
	case ObjectsField:
		return &Schema{kind: array, items: &Schema{kind: object}, maxItems: new(int64(mostReferences))}
	}
	s := &Schema{kind: text, enum: f.Choices, amount: f.Kind == AmountField}
	if f.Max > 0 {
		s.maxLength = new(int64(f.Max))
	}
	return s
}

// mostReferences is the maximum number of references in a field.
const mostReferences = 100
