package sandbox

import (
	"encoding/json"
	"fmt"
	"slices"
)

// An input reads the fields of a body. The first field of a wrong type makes the refusal.
type input struct {
	c       *call
	refusal *reply
}

func (c *call) input() *input { return &input{c: c} }

func (in *input) refuse(field, problem string) {
	if in.refusal == nil {
		r := malformed(in.c.page(), field, problem)
		in.refusal = &r
	}
}

// sent returns a documented field.
func (in *input) sent(field string) (json.RawMessage, bool) {
	raw, ok := in.c.fields[field]
	return raw, ok && slices.Contains(in.c.route.fields, field)
}

// text returns a string, and whether it was sent. Null counts as an empty string.
func (in *input) text(field string) (value string, ok bool) {
	raw, ok := in.sent(field)
	if !ok || string(raw) == "null" {
		return "", ok
	}
	if json.Unmarshal(raw, &value) != nil {
		in.refuse(field, "the value is not a string")
	}
	return value, true
}

// texts returns a list of strings. Labels may also be objects with a name.
func (in *input) texts(field string) (values []string, ok bool) {
	raw, ok := in.sent(field)
	if !ok {
		return nil, false
	}
	var entries []json.RawMessage
	if json.Unmarshal(raw, &entries) != nil {
		in.refuse(field, "the value is not an array")
		return nil, true
	}
	for i, entry := range entries {
		var name string
		var named struct {
			Name *string `json:"name"`
		}
		switch {
		case json.Unmarshal(entry, &name) == nil && string(entry) != "null":
		case field == "labels" && json.Unmarshal(entry, &named) == nil && named.Name != nil:
			name = *named.Name
		default:
			in.refuse(fmt.Sprintf("%s/%d", field, i), "the value is not a string")
		}
		values = append(values, name)
	}
	return values, true
}

// number returns an integer, and whether it was sent. Null is 0.
func (in *input) number(field string) (value int, ok bool) {
	raw, ok := in.sent(field)
	if !ok || string(raw) == "null" {
		return 0, ok
	}
	var digits json.Number
	if json.Unmarshal(raw, &digits) == nil { // GitHub accepts a number in a string too
		if n, err := digits.Int64(); err == nil {
			return int(n), true
		}
	}
	in.refuse(field, "the value is not an integer")
	return 0, true
}
