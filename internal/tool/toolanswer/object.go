package toolanswer

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"

	"basecamp-mcp/internal/text/rawjson"
)

// Object is a JSON object whose fields are known only when a call runs. Compact answers shorten it
// as they shorten structs. A value is nil, a bool, an int64, a string, an Object, []Object or
// []any.
type Object []Member

// Member is a field of an Object.
type Member struct {
	Name  string
	Value any
}

// MarshalJSON writes the fields in their order.
func (o Object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(AppendString(nil, m.Name))
		b.WriteByte(':')
		value, err := Encode(m.Value)
		if err != nil {
			return nil, err
		}
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// Get returns the value of a field, or nil.
func (o Object) Get(name string) any {
	for _, m := range o {
		if m.Name == name {
			return m.Value
		}
	}
	return nil
}

// Decode decodes valid JSON: to an Object, whose fields keep their order, to []any, or to a leaf,
// whose number stays as it is written.
func Decode(raw json.RawMessage) (value any) {
	if raw = bytes.TrimSpace(raw); len(raw) == 0 {
		return nil
	}
	switch raw[0] {
	case '{':
		object := Object{}
		for name, value := range rawjson.Members(raw) {
			field, _ := Decode(name).(string)
			object = append(object, Member{field, Decode(value)})
		}
		return object
	case '[':
		list := []any{}
		for element := range rawjson.Elements(raw) {
			list = append(list, Decode(element))
		}
		return list
	case '"', 't', 'f', 'n':
		_ = json.Unmarshal(raw, &value) // the JSON is valid
		return value
	}
	return json.Number(raw)
}

// members returns the compact form of an Object. An Object of which nothing would be left keeps its
// false and empty values, because {} says nothing.
func (s *shortener) members(o Object) (brief, error) {
	object := &briefObject{members: make([]briefMember, 0, len(o))}
	for _, m := range o {
		if m.Value == nil || slices.Contains(NeverBrief, m.Name) {
			continue
		}
		value, err := s.brief(reflect.ValueOf(m.Value), "", false)
		if err != nil {
			return nil, err
		}
		if value = shownByName(m.Name, value); value.empty(m.Name) {
			continue
		}
		object.members = append(object.members, briefMember{m.Name, false, value})
	}
	if len(object.members) == 0 {
		known := slices.DeleteFunc(slices.Clone(o), func(m Member) bool { return m.Value == nil || slices.Contains(NeverBrief, m.Name) })
		encoded, err := Encode(known)
		return s.leaf(append(s.buf, encoded...)), err
	}
	object.dropURL()
	return object, nil
}
