package mcptool

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// inputSchema is the schema of a tool's arguments; every property must say what it is.
func inputSchema[In any](tool string) *jsonschema.Schema {
	s := schemaFor(reflect.TypeFor[In](), tool)
	for name, property := range s.Properties {
		if property.Description == "" {
			panic(fmt.Sprintf("tool %s: argument %s has no description", tool, name))
		}
	}
	return s
}

func outputSchema[Out any](tool string) *jsonschema.Schema {
	return schemaFor(reflect.TypeFor[Out](), tool)
}

// schemaFor infers the schema of a struct. The jsonschema tag is a field's description; omitempty or omitzero makes it
// optional; the limits tag, blank-separated, narrows it: "min=1 max=100 default=25 maxlen=200 maxitems=20
// enum=active|archived". The result uses no $ref and no list of types, which some clients cannot read.
func schemaFor(t reflect.Type, tool string) *jsonschema.Schema {
	if t.Kind() != reflect.Struct {
		panic(fmt.Sprintf("tool %s: %v is not a struct", tool, t))
	}
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: customSchemas})
	if err != nil {
		panic(fmt.Sprintf("tool %s: %v", tool, err))
	}
	if err := refine(t, s); err != nil {
		panic(fmt.Sprintf("tool %s: %v", tool, err))
	}
	if s.Properties == nil {
		s.Properties = map[string]*jsonschema.Schema{}
	}
	return s
}

// refine applies limits tags and rewrites "null or X": a slice is never null, a pointer is anyOf.
func refine(t reflect.Type, s *jsonschema.Schema) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if _, custom := customSchemas[t]; custom {
		return nil
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		return refineInner(t.Elem(), s.Items)
	case reflect.Map:
		return refineInner(t.Elem(), s.AdditionalProperties)
	case reflect.Struct:
		for _, field := range reflect.VisibleFields(t) {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			property := s.Properties[name]
			if property == nil || field.Anonymous {
				continue
			}
			if err := refineInner(field.Type, property); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			if err := limit(property, field.Tag.Get("limits")); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return nil
}

func refineInner(t reflect.Type, s *jsonschema.Schema) error {
	if s == nil {
		return nil
	}
	if err := refine(t, s); err != nil {
		return err
	}
	if !slices.Contains(s.Types, "null") {
		return nil
	}
	inner := *s
	inner.Types, inner.Description = nil, ""
	inner.Type = s.Types[len(s.Types)-1]
	if t.Kind() == reflect.Slice {
		inner.Description = s.Description
		*s = inner
		return nil
	}
	*s = jsonschema.Schema{
		Description: s.Description,
		AnyOf:       []*jsonschema.Schema{&inner, {Type: "null"}},
	}
	return nil
}

func limit(s *jsonschema.Schema, tag string) error {
	for word := range strings.FieldsSeq(tag) {
		key, value, _ := strings.Cut(word, "=")
		if key == "enum" {
			for choice := range strings.SplitSeq(value, "|") {
				s.Enum = append(s.Enum, choice)
			}
			continue
		}
		if key == "default" {
			s.Default = json.RawMessage(value)
			if s.Type == "string" {
				s.Default, _ = json.Marshal(value)
			}
			continue
		}
		n, err := strconv.Atoi(value)
		if err != nil {
			return fmt.Errorf("limits tag %q: %w", word, err)
		}
		f := float64(n)
		switch key {
		case "min":
			s.Minimum = &f
		case "max":
			s.Maximum = &f
		case "maxlen":
			s.MaxLength = &n
		case "maxitems":
			s.MaxItems = &n
		default:
			return fmt.Errorf("limits tag %q: unknown key", word)
		}
	}
	return nil
}

func encodeSchema(s *jsonschema.Schema) json.RawMessage {
	data, err := json.Marshal(s)
	if err != nil {
		panic(fmt.Sprintf("encode schema: %v", err))
	}
	if s.Type == "object" && len(s.Properties) == 0 { // the library drops an empty map; some clients insist on it
		data = append([]byte(`{"properties":{},`), data[1:]...)
	}
	return data
}

// customSchemas are the types that are more on the wire than their Go kind says.
var customSchemas = map[reflect.Type]*jsonschema.Schema{
	reflect.TypeFor[Ref](): {
		AnyOf: []*jsonschema.Schema{{Type: "integer"}, {Type: "string"}},
	},
}
