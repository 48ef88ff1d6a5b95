package toolargs

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"basecamp-mcp/internal/tool/toolanswer"
)

// longText is as long as a title or a short note ever is, in characters.
const longText = 1000

// sizeJSON is more than most schemas take, in bytes.
const sizeJSON = 2048

// typeSchemas are the JSON types that an interface can have, as members of a schema.
var typeSchemas = map[string]string{
	"string": `"type":"string"`, "number": `"type":"number"`, "object": `"type":"object"`, "null": `"type":"null"`,
	"list": `"type":"array","items":{"type":"string"}`, "true": `"type":"boolean"`,
}

// JSON returns the schema as JSON Schema.
func (s *Schema) JSON() json.RawMessage {
	return slices.Clip(s.appendJSON(make([]byte, 0, sizeJSON)))
}

// Without returns the schema without a property.
func (s *Schema) Without(name string) *Schema {
	rest := *s
	rest.properties = slices.DeleteFunc(slices.Clone(s.properties), func(p property) bool { return p.name == name })
	return &rest
}

// appendJSON writes the schema as JSON Schema.
func (s *Schema) appendJSON(b []byte) []byte {
	b = append(b, '{')
	if s.nullable || s.orName || s.kind == reference || len(s.types) > 1 {
		b = s.appendAnyOf(b)
	} else {
		b = s.appendType(b)
	}
	if s.description != "" {
		b = toolanswer.AppendString(append(b, `"description":`...), s.description)
		b = append(b, ',')
	}
	return closeObject(b)
}

// appendAnyOf writes what has two types as a choice between them.
func (s *Schema) appendAnyOf(b []byte) []byte {
	b = append(b, `"anyOf":[`...)
	switch {
	case s.kind == reference:
		b = append(b, `{"type":"integer"},{"type":"string"}`...)
	case s.types != nil:
		for _, name := range s.types {
			b = append(append(append(append(b, '{'), typeSchemas[name]...), '}'), ',')
		}
		b = b[:len(b)-1]
	default:
		plain := *s
		plain.nullable, plain.orName, plain.description = false, false, ""
		b = plain.appendJSON(b)
	}
	if s.orName {
		b = append(b, `,{"type":"string"}`...)
	}
	if s.nullable {
		b = append(b, `,{"type":"null"}`...)
	}
	return append(b, `],`...)
}

func (s *Schema) appendType(b []byte) []byte {
	switch {
	case s.kind != anything:
		b = append(b, `"type":"`+string(s.kind)+`",`...)
	case len(s.types) == 1:
		b = append(append(b, typeSchemas[s.types[0]]...), ',')
	}
	switch {
	case s.items == nil:
	case s.items.kind == reference: // an ID in a list is digits in a string: a choice of two types costs tokens
		b = append(b, `"items":{"type":"string"},`...)
	default:
		b = append(s.items.appendJSON(append(b, `"items":`...)), ',')
	}
	if s.properties != nil {
		b = s.appendProperties(b)
	}
	if s.open {
		b = append(b, `"additionalProperties":true,`...)
	}
	if s.enum != nil {
		b = append(b, `"enum":[`...)
		for _, choice := range s.enum {
			b = append(toolanswer.AppendString(b, choice), ',')
		}
		b = append(b[:len(b)-1], `],`...)
	}
	if s.fallback != nil && string(s.fallback) != "false" { // which goes without saying
		b = append(append(append(b, `"default":`...), s.fallback...), ',')
	}
	b = s.appendRange(b)
	if s.items != nil && s.items.kind == reference { // lists of people are never that long
		return b
	}
	return appendLimit(b, "maxItems", s.maxItems)
}

// listMaximum is the usual maximum of a number, of the items in an answer. A larger number is read
// as the maximum.
const listMaximum = 100

// appendRange writes the limits of a number and of the length of a text. It leaves out those that
// callers do not exceed by accident, because each costs tokens in every conversation: a minimum of
// 0 or 1, a maximum from listMaximum on, and a length that has only one limit or a maximum above
// longText, unless it is at least 2. They are checked all the same.
func (s *Schema) appendRange(b []byte) []byte {
	if s.min != nil && *s.min > 1 {
		b = appendLimit(b, "minimum", s.min)
	}
	if s.max != nil && *s.max < listMaximum {
		b = appendLimit(b, "maximum", s.max)
	}
	short := s.minLength != nil && s.maxLength != nil && *s.maxLength <= longText
	if short || s.minLength != nil && *s.minLength > 1 {
		b = appendLimit(b, "minLength", s.minLength)
	}
	if short {
		b = appendLimit(b, "maxLength", s.maxLength)
	}
	return b
}

func (s *Schema) appendProperties(b []byte) []byte {
	b = append(b, `"properties":{`...)
	open := false
	for _, p := range s.properties {
		if p.unlisted {
			open = true
			continue
		}
		b = append(toolanswer.AppendString(b, p.name), ':')
		b = append(p.shownSchema().appendJSON(b), ',')
	}
	b = append(closeObject(b), `,"required":[`...)
	for _, p := range s.properties {
		if p.required {
			b = append(toolanswer.AppendString(b, p.name), ',')
		}
	}
	if b[len(b)-1] == '[' {
		b = b[:len(b)-len(`"required":[`)]
	} else {
		b = append(b[:len(b)-1], `],`...)
	}
	if s.answer || open && !s.closed { // for clients that check a call
		return b
	}
	return append(b, `"additionalProperties":false,`...)
}

// shownSchema returns the property's schema as clients see it. Only a property called _id says that
// it also takes an integer. Others take digits in a string: a choice of two types would cost tokens
// in every conversation.
func (p property) shownSchema() *Schema {
	if p.kind != reference || strings.HasSuffix(p.name, "_id") {
		return p.Schema
	}
	return &Schema{kind: text, description: p.description}
}

func appendLimit(b []byte, name string, n *int64) []byte {
	if n == nil {
		return b
	}
	b = append(b, `"`+name+`":`...)
	return append(strconv.AppendInt(b, *n, 10), ',')
}

// closeObject ends an object whose last member, if any, was followed by a comma.
func closeObject(b []byte) []byte {
	if b[len(b)-1] == ',' {
		b = b[:len(b)-1]
	}
	return append(b, '}')
}
