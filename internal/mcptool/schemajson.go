package mcptool

import (
	"encoding/json"
	"strconv"
)

// appendJSON writes the schema as JSON Schema.
func (s *schema) appendJSON(b []byte) []byte {
	if s.nullable || s.kind == reference {
		return s.appendAnyOf(b)
	}
	b = append(b, '{')
	b = s.appendType(b)
	if s.description != "" {
		b = appendString(append(b, `"description":`...), s.description)
		b = append(b, ',')
	}
	return closeObject(b)
}

// appendAnyOf writes what has two types as a choice between them.
func (s *schema) appendAnyOf(b []byte) []byte {
	b = append(b, `{"anyOf":[`...)
	if s.kind == reference {
		b = append(b, `{"type":"integer"},{"type":"string"}`...)
	} else {
		plain := *s
		plain.nullable, plain.description = false, ""
		b = plain.appendJSON(b)
	}
	if s.nullable {
		b = append(b, `,{"type":"null"}`...)
	}
	b = append(b, `],`...)
	if s.description != "" {
		b = appendString(append(b, `"description":`...), s.description)
		b = append(b, ',')
	}
	return closeObject(b)
}

func (s *schema) appendType(b []byte) []byte {
	if s.kind != anything {
		b = append(b, `"type":"`+string(s.kind)+`",`...)
	}
	if s.items != nil {
		b = append(s.items.appendJSON(append(b, `"items":`...)), ',')
	}
	if s.properties != nil {
		b = s.appendProperties(b)
	}
	if s.enum != nil {
		b = append(b, `"enum":[`...)
		for _, choice := range s.enum {
			b = append(appendString(b, choice), ',')
		}
		b = append(b[:len(b)-1], `],`...)
	}
	if s.fallback != nil {
		b = append(append(append(b, `"default":`...), s.fallback...), ',')
	}
	b = appendLimit(b, "minimum", s.min)
	b = appendLimit(b, "maximum", s.max)
	b = appendLimit(b, "minLength", s.minLength)
	b = appendLimit(b, "maxLength", s.maxLength)
	return appendLimit(b, "maxItems", s.maxItems)
}

func (s *schema) appendProperties(b []byte) []byte {
	b = append(b, `"properties":{`...)
	for _, p := range s.properties {
		b = append(appendString(b, p.name), ':')
		b = append(p.appendJSON(b), ',')
	}
	b = append(closeObject(b), `,"required":[`...)
	for _, p := range s.properties {
		if p.required {
			b = append(appendString(b, p.name), ',')
		}
	}
	if b[len(b)-1] == '[' {
		b = b[:len(b)-len(`"required":[`)]
	} else {
		b = append(b[:len(b)-1], `],`...)
	}
	return append(b, `"additionalProperties":false,`...)
}

func appendLimit(b []byte, name string, n *int64) []byte {
	if n == nil {
		return b
	}
	b = append(b, `"`+name+`":`...)
	return append(strconv.AppendInt(b, *n, 10), ',')
}

func appendString(b []byte, s string) []byte {
	quoted, err := json.Marshal(s)
	if err != nil {
		panic(err) // strings always encode
	}
	return append(b, quoted...)
}

// closeObject ends an object whose last member, if any, was followed by a comma.
func closeObject(b []byte) []byte {
	if b[len(b)-1] == ',' {
		b = b[:len(b)-1]
	}
	return append(b, '}')
}
