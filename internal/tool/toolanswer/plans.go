package toolanswer

import (
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Plans holds what is known about the types of a tool's results. The zero value is ready to use.
type Plans struct{ known sync.Map } // []plannedField by planKey

// fields returns the fields of a struct type that a rule shows.
func (p *Plans) fields(t reflect.Type, rule string) []plannedField {
	key := planKey{t, rule}
	if plan, ok := p.known.Load(key); ok {
		return plan.([]plannedField)
	}
	plan := plannedFields(t, rule)
	p.known.Store(key, plan)
	return plan
}

// planKey is a struct type and the rule under which it is shown: the names of the fields to keep,
// joined by +, or "" for all.
type planKey struct {
	of   reflect.Type
	rule string
}

// plannedField is a field that compact answers may show.
type plannedField struct {
	index []int
	name  string
	rule  string // see CompactTag
	kept  bool
	omits bool // omitempty or omitzero
}

// plannedFields returns the fields of a struct and of those embedded in it.
func plannedFields(t reflect.Type, rule string) []plannedField {
	if rule == "" {
		return plannedWith(t, nil, false)
	}
	keep := CompactTag{}
	for name := range strings.SplitSeq(rule, "+") {
		keep[name] = ""
	}
	return plannedWith(t, keep, true)
}

// plannedWith returns the fields under the tag of an embedding field. With only, these are just the
// fields that the tag names.
func plannedWith(t reflect.Type, tag CompactTag, only bool) (fields []plannedField) {
	for field := range t.Fields() {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		own := CompactTagOf(field)
		if field.Anonymous && name == "" {
			if own == nil {
				own = tag
			}
			for _, embedded := range plannedWith(field.Type, own, only) {
				embedded.index = append(slices.Clone(field.Index), embedded.index...)
				fields = append(fields, embedded)
			}
			continue
		}
		if !field.IsExported() || name == "-" {
			continue
		}
		rule, kept := tag[name]
		if !kept {
			rule, kept = own[""]
		}
		if rule == "-" || !kept && (only || slices.Contains(NeverBrief, name)) {
			continue
		}
		fields = append(fields, plannedField{field.Index, name, rule, kept, strings.HasPrefix(options, "omit")})
	}
	return fields
}

// CompactTag is a compact tag by name of the field. The rules of the tagged field itself have the
// name "". A rule is "" to keep a field, the fields of an object to keep, joined by +, or "-".
type CompactTag map[string]string

// CompactTagOf returns the compact tag of a field, or nil.
func CompactTagOf(field reflect.StructField) CompactTag {
	text, ok := field.Tag.Lookup("compact")
	if !ok {
		return nil
	}
	tag := CompactTag{}
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
