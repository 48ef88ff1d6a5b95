package mcptool

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// DetailInput is the argument with which a caller chooses how much a list shows. Every list tool
// embeds it in its input, and then answers compactly unless the caller asks for full detail.
//
// A compact answer leaves out empty fields, e-mail addresses, updated_at, and the URL of an item
// that has an ID. It shows people by their names, and says once what all items share. A compact tag
// makes exceptions: "keep" on a field, or a list of names on an embedded struct, keeps fields in
// every item; "keep:name+email" keeps two fields of an object, and "-" drops a field.
type DetailInput struct {
	Detail string `json:"detail,omitzero" jsonschema:"full: all" limits:"enum=compact|full"`
}

func (d DetailInput) compact() bool { return d.Detail != "full" }

// detailed is implemented by the inputs of list tools.
type detailed interface{ compact() bool }

// shortened is the result of a call that asked for a compact list.
type shortened struct{ out any }

// These tables hold names of fields, which mean the same in every list.
var (
	neverBrief = []string{"email", "updated_at"}
	peopleKeys = []string{"assignees", "author", "by", "creator", "participants", "people", "person", "who"}
	sharedKeys = []string{
		"type", "project", "list", "group", "todoset", "column", "part_of", "question", "section",
		"author", "creator", "who", "assignees",
	}
	itemArrays = []string{"items", "cards"}
)

const sharedPrefix = "all_"

// compactJSON returns the compact form of a list's result. Its outermost fields stay, except null.
func compactJSON(result any) ([]byte, error) {
	root, err := briefOf(reflect.ValueOf(result), scope{root: true})
	if err != nil {
		return nil, err
	}
	if object, ok := root.(*briefObject); ok {
		object.shareFields()
	}
	return root.append(nil), nil
}

// brief is a value of a compact answer.
type brief interface {
	append(b []byte) []byte
	empty(name string) bool
}

type (
	briefLeaf   []byte // JSON
	briefArray  []brief
	briefObject struct{ members []briefMember }
	briefMember struct {
		name  string
		kept  bool // a compact tag keeps it in every item
		value brief
	}
)

func (l briefLeaf) append(b []byte) []byte { return append(b, l...) }

func (l briefLeaf) empty(name string) bool {
	switch string(l) {
	case "null", "false", `""`, "{}":
		return true
	case "0":
		return strings.HasSuffix(name, "_count")
	}
	return false
}

func (a briefArray) append(b []byte) []byte {
	b = append(b, '[')
	for i, element := range a {
		if i > 0 {
			b = append(b, ',')
		}
		b = element.append(b)
	}
	return append(b, ']')
}

func (a briefArray) empty(string) bool { return len(a) == 0 }

func (o *briefObject) append(b []byte) []byte {
	b = append(b, '{')
	for i, m := range o.members {
		if i > 0 {
			b = append(b, ',')
		}
		b = m.value.append(append(appendString(b, m.name), ':'))
	}
	return append(b, '}')
}

func (o *briefObject) empty(string) bool { return len(o.members) == 0 }

func (o *briefObject) member(name string) (briefMember, bool) {
	i := slices.IndexFunc(o.members, func(m briefMember) bool { return m.name == name })
	if i < 0 {
		return briefMember{}, false
	}
	return o.members[i], true
}

func (o *briefObject) remove(name string) {
	o.members = slices.DeleteFunc(o.members, func(m briefMember) bool { return m.name == name })
}

var marshalers = reflect.TypeFor[json.Marshaler]()

// scope says how a struct is shown: as the answer itself, or with the rules of a tag. If only is
// set, it has just the fields that the tag names.
type scope struct {
	root, only bool
	tag        compactTag
}

// briefOf returns the compact form of a value.
func briefOf(v reflect.Value, in scope) (brief, error) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return briefLeaf("null"), nil
		}
		return briefOf(v.Elem(), in)
	case reflect.String:
		if text := v.String(); plain(text) {
			return briefLeaf(appendString(nil, text)), nil
		}
	case reflect.Bool:
		return briefLeaf(strconv.AppendBool(nil, v.Bool())), nil
	case reflect.Int, reflect.Int32, reflect.Int64:
		return briefLeaf(strconv.AppendInt(nil, v.Int(), 10)), nil
	case reflect.Struct:
		if !v.Type().Implements(marshalers) {
			return briefStruct(v, in)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.Uint8 {
			return briefSlice(v, in)
		}
	}
	encoded, err := encode(v.Interface())
	return briefLeaf(encoded), err
}

func briefSlice(v reflect.Value, in scope) (brief, error) {
	array := make(briefArray, v.Len())
	for i := range v.Len() {
		var err error
		if array[i], err = briefOf(v.Index(i), in); err != nil {
			return nil, err
		}
	}
	return array, nil
}

func briefStruct(v reflect.Value, in scope) (brief, error) {
	object := &briefObject{members: make([]briefMember, 0, v.NumField())}
	if err := object.add(v, in); err != nil {
		return nil, err
	}
	_, identified := object.member("id")
	if url, ok := object.member("url"); ok && identified && !url.kept && !in.root {
		object.remove("url")
	}
	return object, nil
}

// add appends the fields of a struct.
func (o *briefObject) add(v reflect.Value, in scope) error {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		var err error
		switch {
		case field.Anonymous && name == "":
			err = o.add(v.Field(i), in.embedding(field))
		case !field.IsExported() || name == "-" || strings.HasPrefix(options, "omit") && v.Field(i).IsZero():
		default:
			err = o.addField(name, field, v.Field(i), in)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (o *briefObject) addField(name string, field reflect.StructField, v reflect.Value, in scope) error {
	rule, ruled := in.rule(field, name)
	if rule == "-" || !ruled && (in.only || slices.Contains(neverBrief, name)) {
		return nil
	}
	value, err := briefOf(v, within(rule))
	if err != nil {
		return err
	}
	if !ruled {
		value = byName(name, value)
		if isNull(value) || !in.root && value.empty(name) {
			return nil
		}
	}
	o.members = append(o.members, briefMember{name, ruled, value})
	return nil
}

// embedding returns the scope of an embedded struct.
func (in scope) embedding(field reflect.StructField) scope {
	if own := compactTagOf(field); own != nil {
		in.tag = own
	}
	return in
}

// rule returns the rule of a field, from its own tag or from that of an embedding field.
func (in scope) rule(field reflect.StructField, name string) (rule string, ruled bool) {
	if rule, ruled = in.tag[name]; ruled {
		return rule, true
	}
	rule, ruled = compactTagOf(field)[""]
	return rule, ruled
}

// within returns the scope of an object. A rule names the fields that it keeps.
func within(rule string) scope {
	if rule == "" {
		return scope{}
	}
	kept := scope{only: true, tag: compactTag{}}
	for name := range strings.SplitSeq(rule, "+") {
		kept.tag[name] = ""
	}
	return kept
}

// byName returns the value of a field with people shown by their names.
func byName(name string, value brief) brief {
	if !slices.Contains(peopleKeys, name) {
		return value
	}
	switch value := value.(type) {
	case briefArray:
		for i := range value {
			value[i] = byName(name, value[i])
		}
	case *briefObject:
		if person, ok := value.member("name"); ok {
			return person.value
		}
	}
	return value
}

func isNull(value brief) bool {
	leaf, ok := value.(briefLeaf)
	return ok && string(leaf) == "null"
}

// shareFields moves what all items of the answer share into one object in front of them.
func (o *briefObject) shareFields() {
	for _, array := range itemArrays {
		items := o.under(array, nil)
		if len(items) < 2 {
			continue
		}
		shared := &briefObject{}
		for _, name := range sharedKeys {
			if value, ok := sharedBy(items, name); ok {
				shared.members = append(shared.members, briefMember{name: name, value: value})
				for _, item := range items {
					item.remove(name)
				}
			}
		}
		if len(shared.members) > 0 {
			o.members = slices.Insert(o.members, 0, briefMember{name: sharedPrefix + array, value: shared})
		}
	}
}

// under returns the objects in all arrays of a name, at any depth.
func (o *briefObject) under(name string, found []*briefObject) []*briefObject {
	for _, m := range o.members {
		array, ok := m.value.(briefArray)
		if !ok {
			continue
		}
		for _, element := range array {
			object, ok := element.(*briefObject)
			switch {
			case !ok:
			case m.name == name:
				found = append(found, object)
			default:
				found = object.under(name, found)
			}
		}
	}
	return found
}

// sharedBy returns the value of a field if all items have the same.
func sharedBy(items []*briefObject, name string) (brief, bool) {
	first, ok := items[0].member(name)
	if !ok || first.kept {
		return nil, false
	}
	text := string(first.value.append(nil))
	for _, item := range items[1:] {
		if m, ok := item.member(name); !ok || m.kept || string(m.value.append(nil)) != text {
			return nil, false
		}
	}
	return first.value, true
}

// compactTag is a compact tag by name of the field. The rules of the tagged field itself have the
// name "". A rule is "" to keep a field, the fields of an object to keep, joined by +, or "-".
type compactTag map[string]string

func compactTagOf(field reflect.StructField) compactTag {
	text, ok := field.Tag.Lookup("compact")
	if !ok {
		return nil
	}
	tag := compactTag{}
	for word := range strings.FieldsSeq(text) {
		name, rule, _ := strings.Cut(word, ":")
		switch {
		case word == "-":
			name, rule = "", "-"
		case strings.HasPrefix(word, "-"):
			name, rule = word[1:], "-"
		case name == "keep" && !field.Anonymous:
			name = ""
		}
		tag[name] = rule
	}
	return tag
}
