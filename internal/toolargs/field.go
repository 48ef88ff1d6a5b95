package toolargs

import "slices"

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
