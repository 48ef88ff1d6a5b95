// Package toolargs reads the arguments of tools: it infers JSON Schemas from structs, validates
// arguments against them, and reads other spellings whose meaning is clear. References to items and
// fields that an update may change have types of their own.
package toolargs

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"basecamp-mcp/internal/tool/toolanswer"
)

// Schema is the part of JSON Schema that tools need. It has no references and no lists of types,
// which some clients cannot read. A general library takes longer to make the schemas at start than
// everything else together.
type Schema struct {
	kind        kind
	description string
	nullable    bool
	orName      bool       // a person, whom a compact list shows by name
	changes     bool       // of a Change
	clears      bool       // of a Change: the text "none" clears the field
	isWord      bool       // a word to look for or to put in place: the word null stands for itself
	takesNull   bool       // null is a value, and does not count as absent
	open        bool       // it says that it takes any properties
	properties  []property // of an object, in the order of its fields; nil allows any
	items       *Schema    // of an array
	enum        []string
	types       []string        // of anything: the JSON types that it may have
	fallback    json.RawMessage // the default
	min, max    *int64
	minLength   *int64 // characters
	maxLength   *int64 // characters
	maxItems    *int64

	amount bool   // of a text: a number stands for itself
	inner  string // the property that takes the arguments of an operation; see For
	closed bool   // it shows no more properties than it lists, although it accepts some
	answer bool   // of an answer: it does not say that it has no other properties

	empty func() (Accepted, error) // what Accept returns for no arguments, of a tool
}

// mostInList is the maximum length of a text in a list, in characters: that of a single one.
const mostInList = 2000

type property struct {
	name     string
	required bool
	kept     bool // a compact tag keeps it
	unlisted bool // accepted, but clients do not see it
	*Schema
}

type kind string

const (
	object    kind = "object"
	array     kind = "array"
	text      kind = "string"
	integer   kind = "integer"
	decimal   kind = "number"
	boolean   kind = "boolean"
	reference kind = "reference" // a Ref: an integer or a string
	anything  kind = ""
)

// kinds are the kinds of values that have no parts.
var kinds = map[reflect.Kind]kind{
	reflect.String: text, reflect.Int: integer, reflect.Int32: integer, reflect.Int64: integer, reflect.Float64: decimal, reflect.Bool: boolean,
	reflect.Interface: anything, reflect.Map: object,
}

// schemaFor infers the schema of a struct type. The jsonschema tag is a field's description, which
// every argument has; omitempty or omitzero makes it optional; the limits tag, separated by spaces,
// narrows it: "min=1 max=100 default=25 minlen=1 maxlen=200 maxitems=20 enum=active|archived". An
// enum of a slice is one of its items. The texts in a list have at most 2,000 characters each. A
// limits tag with "none" lets the word none clear the field; one with "word" lets the word null
// stand for itself; one with "null" makes null a value of the argument, which is then always sent.
// An interface names its JSON types, "types=string|number|list|null"; a list holds texts. Clients
// warn about a property without a type. A pointer may be null, a slice may not. The fields of an
// embedded pointer are optional. A jsonschema tag of "-" leaves a field out. With "unlisted" in the
// limits of an embedded struct, its fields are accepted but not shown: their description stands
// elsewhere in the tool. A list with "short" does not say what its items have.
func schemaFor(t reflect.Type) (*Schema, error) {
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("%v is not a struct", t)
	}
	return infer(t)
}

func infer(t reflect.Type) (*Schema, error) {
	switch t {
	case reflect.TypeFor[Ref]():
		return &Schema{kind: reference}, nil
	case reflect.TypeFor[Refs]():
		return &Schema{kind: array, items: &Schema{kind: reference}}, nil
	case reflect.TypeFor[time.Time]():
		return &Schema{kind: text}, nil
	}
	if t.Kind() == reflect.Slice && t.Elem() == reflect.TypeFor[toolanswer.Member]() {
		return &Schema{kind: object}, nil
	}
	if t.Implements(reflect.TypeFor[change]()) {
		s, err := infer(reflect.Zero(t).Interface().(change).valueType())
		if err == nil {
			s.changes = true
		}
		return s, err
	}
	if is, ok := kinds[t.Kind()]; ok {
		return &Schema{kind: is}, nil
	}
	switch t.Kind() {
	case reflect.Pointer:
		s, err := infer(t.Elem())
		if err == nil {
			s.nullable = true
		}
		return s, err
	case reflect.Slice:
		items, err := infer(t.Elem())
		if err == nil && items.kind == text {
			items.maxLength = new(int64(mostInList))
		}
		return &Schema{kind: array, items: items}, err
	case reflect.Struct:
		properties, err := inferFields(t)
		return &Schema{kind: object, properties: properties}, err
	}
	return nil, fmt.Errorf("%v has no JSON Schema here", t)
}

func inferFields(t reflect.Type) ([]property, error) {
	properties := make([]property, 0, t.NumField())
	for field := range t.Fields() {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous && name == "":
			embedded, err := inferEmbedded(field.Type)
			if err != nil {
				return nil, err
			}
			applyTags(field, embedded)
			properties = append(properties, embedded...)
			continue
		case !field.IsExported() || name == "-" || field.Tag.Get("jsonschema") == "-":
			continue
		case name == "":
			return nil, fmt.Errorf("field %s has no json tag", field.Name)
		}
		s, err := infer(field.Type)
		if err == nil {
			s.description = field.Tag.Get("jsonschema")
			err = s.limit(field.Tag.Get("limits"))
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		required := !s.changes && !strings.HasPrefix(options, "omit")
		rule, ruled := toolanswer.CompactTagOf(field)[""]
		properties = append(properties, property{name: name, required: required, kept: ruled && rule != "-", Schema: s})
	}
	return properties, distinctNames(properties)
}

// applyTags applies the tags of an embedded struct to its properties.
func applyTags(field reflect.StructField, embedded []property) {
	tag, unlisted := toolanswer.CompactTagOf(field), field.Tag.Get("limits") == "unlisted"
	for i := range embedded {
		p := &embedded[i]
		if tag != nil {
			rule, ruled := tag[p.name]
			p.kept = ruled && rule != "-"
		}
		p.unlisted = p.unlisted || unlisted
	}
}

// inferEmbedded returns the properties of an embedded struct. A pointer to a struct may be nil, so
// its properties are optional.
func inferEmbedded(t reflect.Type) ([]property, error) {
	if t.Kind() != reflect.Pointer {
		return inferFields(t)
	}
	properties, err := inferFields(t.Elem())
	for i := range properties {
		properties[i].required = false
	}
	return properties, err
}

// distinctNames returns an error if two fields have one name: encoding/json silently drops both.
func distinctNames(properties []property) error {
	for i, p := range properties {
		if slices.ContainsFunc(properties[:i], func(other property) bool { return other.name == p.name }) {
			return fmt.Errorf("two fields are called %s", p.name)
		}
	}
	return nil
}

// limit applies a limits tag.
func (s *Schema) limit(tag string) error {
	for word := range strings.FieldsSeq(tag) {
		key, value, _ := strings.Cut(word, "=")
		n, notANumber := strconv.ParseInt(value, 10, 64)
		var err error
		switch key {
		case "none":
			s.clears = true
		case "word":
			s.isWord = true
		case "null":
			s.takesNull = true
		case "min":
			s.min, err = &n, notANumber
		case "max":
			s.max, err = &n, notANumber
		case "minlen":
			s.minLength, err = &n, notANumber
		case "maxlen":
			s.maxLength, err = &n, notANumber
		case "maxitems":
			s.maxItems, err = &n, notANumber
		case "enum":
			choice := s
			if s.kind == array { // of its items
				choice = s.items
			}
			choice.enum = strings.Split(value, "|")
		case "short": // what its items have is not shown
			s.items = &Schema{kind: object}
		case "types":
			err = s.choose(strings.Split(value, "|"))
		case "default":
			s.fallback = json.RawMessage(value)
			if s.kind == text {
				s.fallback = strconv.AppendQuote(nil, value)
			}
		default:
			err = errors.New("unknown key")
		}
		if err != nil {
			return fmt.Errorf("limits tag %q: %w", word, err)
		}
	}
	return s.consistent()
}

// consistent returns an error if the limits contradict each other or the type.
func (s *Schema) consistent() error {
	if s.kind == anything && s.types == nil {
		return errors.New("an interface needs types in its limits")
	}
	if s.clears && !s.changes {
		return errors.New("only a Change can have none in its limits")
	}
	if s.changes && s.fallback != nil {
		return errors.New("a Change cannot have a default: an absent argument leaves the field unchanged")
	}
	return nil
}

// choose sets the JSON types of an interface.
func (s *Schema) choose(types []string) error {
	if s.kind != anything {
		return errors.New("only an interface can have types in its limits")
	}
	for _, name := range types {
		if _, known := typeSchemas[name]; !known {
			return fmt.Errorf("unknown type %q", name)
		}
	}
	s.types = types
	return nil
}

// property returns a property by name, or nil.
func (s *Schema) property(name string) *property {
	for i := range s.properties {
		if s.properties[i].name == name {
			return &s.properties[i]
		}
	}
	return nil
}

// unknown returns the given names that are not properties, sorted. One with a null counts as
// absent.
func (s *Schema) unknown(given map[string]any) (names []string) {
	for name, value := range given {
		if value != nil && s.property(name) == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// offer returns a text that lists the properties.
func (s *Schema) offer() string {
	names := make([]string, len(s.properties))
	for i, p := range s.properties {
		names[i] = p.name
	}
	return Offer(names)
}
