package toolanswer

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// DetailInput is the argument with which a caller chooses how much a list shows. Every list tool
// embeds it in its input, and then answers compactly unless the caller asks for full detail.
//
// A compact answer leaves out empty fields, e-mail addresses, updated_at, and the URL of an item
// that has an ID. It shows people by their names, and says once what all items share. A compact tag
// makes exceptions: "keep" on a field, or a list of names on an embedded struct, keeps fields in
// every item; "keep:name+email" keeps two fields of an object, and "-" drops a field.
type DetailInput struct {
	Detail string `json:"detail,omitzero" jsonschema:"How much" limits:"enum=compact|full"`
}

// Compact reports whether the caller asks for a compact list.
func (d DetailInput) Compact() bool { return d.Detail != "full" }

// These tables hold names of fields, which mean the same in every list.
var (
	NeverBrief = []string{"email", "updated_at"}
	PeopleKeys = []string{"assignees", "author", "by", "creator", "participants", "people", "person", "who"}
	sharedKeys = []string{
		"type", "project", "list", "group", "todoset", "column", "part_of", "question", "section",
		"author", "creator", "who", "assignees", "clients_see",
	}
	ItemArrays = []string{"items", "cards"}
)

const (
	// SharedPrefix begins the name of the object that says what all items of a list share.
	SharedPrefix = "all_"
	// mostLeaves is the capacity of the largest buffer that is kept for the next answer, in bytes.
	mostLeaves = 256 << 10
)

var shorteners = sync.Pool{New: func() any { return new(shortener) }}

// encodeCompact returns the compact form of a list's result. Its outermost fields stay, except
// null.
func encodeCompact(out any, plans *Plans) ([]byte, error) {
	s := shorteners.Get().(*shortener)
	s.plans, s.buf, s.leaves = plans, s.buf[:0], s.leaves[:0]
	root, err := s.brief(reflect.ValueOf(out), "", true)
	if err != nil {
		return nil, err
	}
	if object, ok := root.(*briefObject); ok {
		object.shareFields()
	}
	s.out = root.append(s.out[:0])
	encoded := bytes.Clone(s.out)
	if cap(s.buf)+cap(s.out) <= mostLeaves {
		shorteners.Put(s)
	}
	return encoded, nil
}

// itemPlans are the plans of measured items.
var itemPlans Plans

// ItemSizes returns the number of bytes that each item of a list takes in an answer. In a compact
// answer it is less if the item shares fields with all others.
func ItemSizes[V any](items []V, compact bool) []int {
	sizes := make([]int, len(items))
	s := &shortener{plans: &itemPlans}
	var text []byte
	for i := range items {
		if !compact {
			sizes[i] = Size(items[i])
			continue
		}
		s.buf, s.leaves = s.buf[:0], s.leaves[:0]
		object, err := s.brief(reflect.ValueOf(&items[i]), "", false)
		if err != nil {
			sizes[i] = math.MaxInt
			continue
		}
		text = object.append(text[:0])
		sizes[i] = len(text)
	}
	return sizes
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
		b = m.value.append(append(AppendString(b, m.name), ':'))
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

// shortener makes compact values. It holds the JSON of all leaves in one buffer.
type shortener struct {
	plans  *Plans
	buf    []byte
	leaves []briefLeaf
	out    []byte
}

// brief returns the compact form of a value under a rule.
func (s *shortener) brief(v reflect.Value, rule string, root bool) (brief, error) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return s.leaf(append(s.buf, "null"...)), nil
		}
		return s.brief(v.Elem(), rule, root)
	case reflect.String:
		if text := v.String(); needsNoEscape(text) {
			return s.leaf(append(append(append(s.buf, '"'), text...), '"')), nil
		}
	case reflect.Bool:
		return s.leaf(strconv.AppendBool(s.buf, v.Bool())), nil
	case reflect.Int, reflect.Int32, reflect.Int64:
		return s.leaf(strconv.AppendInt(s.buf, v.Int(), 10)), nil
	case reflect.Struct:
		if at, ok := reflect.TypeAssert[time.Time](v); ok {
			return s.leaf(append(at.AppendFormat(append(s.buf, '"'), time.RFC3339Nano), '"')), nil
		}
		if !v.Type().Implements(reflect.TypeFor[json.Marshaler]()) {
			return s.object(v, rule, root)
		}
	case reflect.Slice:
		if v.Type().Elem() == reflect.TypeFor[Member]() {
			return s.members(v.Convert(reflect.TypeFor[Object]()).Interface().(Object))
		}
		if v.Type().Elem().Kind() != reflect.Uint8 {
			return s.array(v, rule)
		}
	}
	encoded, err := Encode(v.Interface())
	if err != nil {
		return nil, err
	}
	return s.leaf(append(s.buf, encoded...)), nil
}

// leaf returns what was appended to the buffer. It allocates leaves together: most answers have
// hundreds.
func (s *shortener) leaf(appended []byte) *briefLeaf {
	added := appended[len(s.buf):len(appended):len(appended)]
	s.buf = appended
	if len(s.leaves) == cap(s.leaves) {
		s.leaves = make([]briefLeaf, 0, max(16, min(2*cap(s.leaves), 512)))
	}
	s.leaves = append(s.leaves, added)
	return &s.leaves[len(s.leaves)-1]
}

func (s *shortener) array(v reflect.Value, rule string) (brief, error) {
	array := make(briefArray, v.Len())
	for i := range v.Len() {
		var err error
		if array[i], err = s.brief(v.Index(i), rule, false); err != nil {
			return nil, err
		}
	}
	return array, nil
}

func (s *shortener) object(v reflect.Value, rule string, root bool) (brief, error) {
	plan := s.plans.fields(v.Type(), rule)
	object := &briefObject{members: make([]briefMember, 0, len(plan))}
	for _, field := range plan {
		held := v.FieldByIndex(field.index)
		if field.omits && held.IsZero() {
			continue
		}
		value, err := s.brief(held, field.rule, false)
		if err != nil {
			return nil, err
		}
		if !field.kept {
			value = shownByName(field.name, value)
			if isNull(value) || !root && value.empty(field.name) {
				continue
			}
		}
		object.members = append(object.members, briefMember{field.name, field.kept, value})
	}
	if !root {
		object.dropURL()
	}
	return object, nil
}

// dropURL removes the URL of an item that has an ID.
func (o *briefObject) dropURL() {
	_, identified := o.member("id")
	if url, ok := o.member("url"); ok && identified && !url.kept {
		o.remove("url")
	}
}

// needsNoEscape reports whether a text is the same in a JSON string.
func needsNoEscape(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c == '"' || c == '\\' {
			return false
		}
	}
	return utf8.ValidString(text) && !strings.ContainsAny(text, "\u2028\u2029")
}

// shownByName returns the value of a field with people shown by their names.
func shownByName(name string, value brief) brief {
	if !slices.Contains(PeopleKeys, name) {
		return value
	}
	switch value := value.(type) {
	case briefArray:
		for i := range value {
			value[i] = shownByName(name, value[i])
		}
	case *briefObject:
		if person, ok := value.member("name"); ok {
			return person.value
		}
	}
	return value
}

func isNull(value brief) bool {
	leaf, ok := value.(*briefLeaf)
	return ok && string(*leaf) == "null"
}

// shareFields moves what all items of the answer share into one object in front of them.
func (o *briefObject) shareFields() {
	for _, array := range ItemArrays {
		items := o.elements(array, nil)
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
			o.members = slices.Insert(o.members, 0, briefMember{name: SharedPrefix + array, value: shared})
		}
	}
}

// elements returns the objects in all arrays of a name, at any depth, but not those inside items:
// what an item holds is its own.
func (o *briefObject) elements(name string, found []*briefObject) []*briefObject {
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
			case !slices.Contains(ItemArrays, m.name):
				found = object.elements(name, found)
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
	text := first.value.append(nil)
	var other []byte
	for _, item := range items[1:] {
		m, ok := item.member(name)
		if !ok || m.kept {
			return nil, false
		}
		if other = m.value.append(other[:0]); !bytes.Equal(other, text) {
			return nil, false
		}
	}
	return first.value, true
}
