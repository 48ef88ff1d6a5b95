package toolargs

import (
	"bytes"
	"encoding/json"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/toolanswer"
)

// Accepted are the arguments of a call after validation.
type Accepted struct {
	Schema     *Schema         // that the arguments were checked against
	Arguments  json.RawMessage // in the form of the schema, without defaults
	Understood []string        // what was read in another form than the schema's
	data       json.RawMessage // decodes into the tool's input
}

// noArguments is the same as absent arguments.
const noArguments = "{}"

// Rules are what the arguments of one toolset's tools are checked against, besides a schema.
type Rules struct {
	URLs URLs
	// Check returns what is wrong with the text of an argument, or "". It may be nil.
	Check func(argument, text string) (problem string)
}

// Accept validates arguments against the schema. It reports one violation for each wrong argument,
// in words that a model can act on. Numbers stay text until they reach their field; defaults are
// filled in. Arguments that are wrong are read in other forms whose meaning is clear; see
// [lenient].
func (r Rules) Accept(s *Schema, arguments json.RawMessage) (Accepted, error) {
	if s.empty != nil && (len(arguments) == 0 || string(arguments) == noArguments) {
		if a, err := s.empty(); err == nil {
			return a, nil
		}
	}
	if len(bytes.TrimSpace(arguments)) == 0 {
		arguments = json.RawMessage(noArguments)
	}
	a := Accepted{Schema: s, Arguments: arguments}
	if err := repeated(arguments); err != nil {
		return a, err
	}
	tree, err := parse(arguments)
	if err != nil {
		return a, fault.Invalid("arguments", "must be a JSON object").Because(err)
	}
	if tree == nil { // null counts as no arguments
		tree = map[string]any{}
	}
	var l lenient
	if tree = l.read(s, tree); l.changed {
		a.Arguments = toolanswer.MustEncode(tree)
	}
	a.Understood = l.notes
	a.data, err = r.validate(s, tree)
	return a, err
}

// validate returns the arguments as they decode into a tool's input, or what is wrong with them.
func (r Rules) validate(s *Schema, tree any) (json.RawMessage, error) {
	v := validator{rules: r}
	tree = v.object("", s, tree)
	wrong := v.found()
	if err := wrong.Err(); err != nil {
		return nil, err
	}
	return toolanswer.MustEncode(tree), nil
}

// Fill decodes accepted arguments into the input of a tool.
func (a Accepted) Fill(target any) error {
	if err := json.Unmarshal(a.data, target); err != nil {
		return fault.Invalid("arguments", "hold a value out of range").Because(err)
	}
	return nil
}

// mostItems is the maximum length of a list whose limits name none.
const mostItems = 200

type validator struct {
	Violations
	rules    Rules
	doubtful []fault.Violation // texts in which the toolset found a problem
	blank    []fault.Violation // such texts that are blank
}

// found returns what is wrong. If only texts are doubtful, a single one is left to the tool, which
// describes the problem better, and so are those in the entries of a list: a tool that takes a list
// of objects names every problem of every entry itself. Blank texts are left to the tool, too,
// unless another violation keeps it from seeing them.
func (v *validator) found() Violations {
	own := slices.DeleteFunc(slices.Clone(v.doubtful), func(d fault.Violation) bool { return strings.Contains(d.Path, "].") })
	if len(v.listed) == 0 && len(own) <= 1 {
		return Violations{}
	}
	all := slices.Concat(v.listed, v.doubtful, v.blank)
	listed := all[:min(len(all), maxViolations)]
	return Violations{listed, len(all) - len(listed) + v.unlisted}
}

// check validates a value and returns it in the form that its Go field decodes.
func (v *validator) check(path string, s *Schema, value any) any {
	switch s.kind {
	case reference:
		if problem := v.rules.URLs.badRef(value); problem != "" {
			v.Add(path, "invalid_reference", "%s", problem)
		}
		if text, ok := value.(string); ok {
			return v.rules.URLs.complete(strings.TrimSpace(text))
		}
	case object:
		return v.object(path, s, value)
	case array:
		return v.array(path, s, value)
	case integer:
		return v.integer(path, s, value)
	case text:
		v.text(path, s, value)
	case boolean:
		if _, ok := value.(bool); !ok {
			v.Add(path, "invalid_type", "must be true or false, got %s", show(value))
		}
	}
	return value
}

func (v *validator) object(path string, s *Schema, value any) any {
	given, ok := value.(map[string]any)
	if !ok {
		v.Add(path, "invalid_type", "must be an object, got %s%s", show(value), s.members("it", path == ""))
		return value
	}
	if s.properties == nil { // a map: its reader checks it
		return value
	}
	known := 0
	for _, p := range s.properties {
		if _, sent := given[p.name]; sent {
			known++
		}
	}
	if known < len(given) {
		v.AddUnknown(path, s.unknown(given), func(name string) string { return s.hint(name, given) }, "; "+s.offer())
	}
	if s.inner != "" && given[s.inner] == nil {
		given[s.inner] = map[string]any{} // so that what is missing in it is named
	}
	for _, p := range s.properties {
		value, sent := given[p.name]
		at := p.name
		if path != "" {
			at = path + "." + p.name
		}
		switch {
		case p.takesNull && sent && value == nil:
		case p.clears && isNone(value):
			given[p.name] = p.none()
		case value != nil:
			given[p.name] = v.check(at, p.Schema, value)
			if v.rules.Check != nil {
				v.look(at, p.name, value)
			}
		case p.required:
			v.Add(at, "required", "is required")
		case p.fallback != nil:
			given[p.name] = p.fallback
		}
	}
	return given
}

// isNone reports whether a value is the word that clears a field.
func isNone(value any) bool {
	word, ok := value.(string)
	return ok && strings.EqualFold(strings.TrimSpace(word), "none")
}

// none returns the value that clears a field.
func (s *Schema) none() any {
	if s.kind == array {
		return []any{}
	}
	return nil
}

// look asks the toolset about a text, or about each text of a list.
func (v *validator) look(path, argument string, value any) {
	texts, isList := value.([]any)
	if !isList {
		texts = []any{value}
	}
	for i, part := range texts {
		text, _ := part.(string)
		if text == "" {
			continue
		}
		if problem := v.rules.Check(argument, text); problem != "" {
			at := path
			if isList {
				at += "[" + strconv.Itoa(i) + "]"
			}
			in := &v.doubtful
			if strings.TrimSpace(text) == "" {
				in = &v.blank
			}
			*in = append(*in, fault.Violation{Path: at, Message: problem, Code: "invalid"})
		}
	}
}

func (v *validator) array(path string, s *Schema, value any) any {
	items, ok := value.([]any)
	if !ok {
		v.Add(path, "invalid_type", "must be a list, got %s%s", show(value), s.meaning(value))
		return value
	}
	most := int64(mostItems)
	if s.maxItems != nil {
		most = *s.maxItems
	}
	if int64(len(items)) > most {
		v.Add(path, "too_many", "must hold at most %d items, got %d", most, len(items))
		return value
	}
	for i := range items {
		items[i] = v.check(path+"["+strconv.Itoa(i)+"]", s.items, items[i])
	}
	return items
}

// members returns which arguments an object of the schema holds. It returns "" for a map, and for
// all arguments of a tool.
func (s *Schema) members(subject string, all bool) string {
	if all || s.kind != object || s.properties == nil {
		return ""
	}
	return "; " + subject + " holds " + strings.TrimPrefix(s.offer(), "there are ")
}

// meaning returns what to give for a list of objects, or for a list of references in place of true
// or false, whose meaning is unclear: true could be everyone or one person.
func (s *Schema) meaning(value any) string {
	if members := s.items.members("each entry", false); members != "" {
		return members
	}
	if _, ok := value.(bool); !ok || s.items.kind != reference || s.description == "" {
		return ""
	}
	return "; give " + s.description
}

func (v *validator) integer(path string, s *Schema, value any) any {
	number, ok := value.(json.Number)
	if !ok {
		v.Add(path, "invalid_type", "must be an integer, got %s", show(value))
		return value
	}
	n, ok := wholeNumber(number.String())
	if !ok {
		v.Add(path, "invalid_type", "must be an integer, got %s", plaintext.Word(number.String()))
		return value
	}
	below, above := s.min != nil && n < *s.min, s.max != nil && n > *s.max
	switch {
	case (below || above) && s.min != nil && s.max != nil:
		v.Add(path, "out_of_range", "must be between %d and %d, got %d", *s.min, *s.max, n)
	case below:
		v.Add(path, "out_of_range", "must be at least %d, got %d", *s.min, n)
	case above:
		v.Add(path, "out_of_range", "must be at most %d, got %d", *s.max, n)
	}
	return value
}

// wholeNumber reads a JSON number with an integer value, such as 3, 3.0 or 3e0, if it fits 64 bits.
func wholeNumber(text string) (int64, bool) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, true
	}
	if len(text) > 32 { // 1e999999999 would cost a gigabyte to expand
		return 0, false
	}
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		if exponent, err := strconv.Atoi(text[i+1:]); err != nil || exponent > 18 || exponent < -18 {
			return 0, false
		}
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok || !r.IsInt() || !r.Num().IsInt64() {
		return 0, false
	}
	return r.Num().Int64(), true
}

func (v *validator) text(path string, s *Schema, value any) {
	given, ok := value.(string)
	if !ok {
		v.Add(path, "invalid_type", "must be a string, got %s", show(value))
		return
	}
	length := int64(utf8.RuneCountInString(given))
	switch {
	case s.minLength == nil || length >= *s.minLength:
	case length == 0:
		v.Add(path, "too_short", "must not be empty")
	default:
		v.Add(path, "too_short", "must be at least %d characters, got %d", *s.minLength, length)
	}
	if s.maxLength != nil && length > *s.maxLength {
		v.Add(path, "too_long", "must be at most %d characters, got %d", *s.maxLength, length)
	}
	if s.enum != nil && !slices.Contains(s.enum, given) {
		v.Add(path, "invalid_choice", "must be one of %s, got %s", strings.Join(s.enum, ", "), show(given))
	}
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// show returns a short form of a value that its sender would recognise.
func show(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case string:
		return plaintext.Quote(v)
	case json.Number:
		return plaintext.Word(v.String())
	case bool:
		return strconv.FormatBool(v)
	case []any:
		return "a list"
	default:
		return "an object"
	}
}
