package mcptool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/plaintext"
)

// accepted are the arguments of a call after validation.
type accepted struct {
	data       json.RawMessage // decodes into the tool's input
	arguments  json.RawMessage // in the form of the schema, without defaults
	understood []string        // what was read in another form than the schema's
}

// noArguments is the same as absent arguments.
const noArguments = "{}"

// validation is what the arguments of one toolset's tools are checked against, besides a schema.
type validation struct {
	urls  URLs
	check func(argument, text string) (problem string) // may be nil
}

// accept validates arguments against the schema. It reports one violation for each wrong argument,
// in words that a model can act on. Numbers stay text until they reach their field; a null counts
// as an absent argument; defaults are filled in. Only arguments that are wrong are read again in
// other forms whose meaning is clear; see [lenient].
func (w validation) accept(s *schema, arguments json.RawMessage) (accepted, error) {
	if len(bytes.TrimSpace(arguments)) == 0 {
		arguments = json.RawMessage(noArguments)
	}
	if err := repeated(arguments); err != nil {
		return accepted{arguments: arguments}, err
	}
	data, wrong, err := w.validate(s, arguments)
	a := accepted{data: data, arguments: arguments}
	if err == nil && (len(wrong.listed) > 0 || hasLink(arguments)) {
		if again, notes, changed := leniently(s, arguments); changed {
			a.arguments, a.understood = again, notes
			a.data, wrong, err = w.validate(s, again)
		}
	}
	if err == nil && len(wrong.listed) > 0 {
		err = fault.FirstOf(wrong.all, wrong.listed...)
	}
	return a, err
}

// violations are what is wrong with arguments.
type violations struct {
	listed []fault.Violation // at most maxViolations
	all    int
}

// validate returns the arguments as they decode into a tool's input, or what is wrong with them.
func (w validation) validate(s *schema, arguments json.RawMessage) (json.RawMessage, violations, error) {
	tree, err := parse(arguments)
	if err != nil {
		return nil, violations{}, fault.Invalid("arguments", "must be a JSON object").Because(err)
	}
	if tree == nil {
		tree = map[string]any{}
	}
	v := validator{validation: w}
	tree = v.check("", s, tree)
	if wrong := v.found(); wrong.all > 0 {
		return nil, wrong, nil
	}
	data, err := json.Marshal(tree)
	if err != nil {
		return nil, violations{}, fmt.Errorf("encode validated arguments: %w", err)
	}
	return data, violations{}, nil
}

// parse reads JSON, with numbers as text.
func parse(data []byte) (tree any, err error) {
	if members, ok := flat(data); ok {
		object := make(map[string]any, len(members))
		for _, m := range members {
			object[m.name] = m.tree()
		}
		return object, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	err = decoder.Decode(&tree)
	return tree, err
}

// fill decodes accepted arguments into the input of a tool.
func (a accepted) fill(target any) error {
	if err := json.Unmarshal(a.data, target); err != nil {
		return fault.Invalid("arguments", "hold a value out of range").Because(err)
	}
	return nil
}

// mostItems is the maximum length of a list whose limits name none.
const mostItems = 200

// maxViolations limits the size of an answer about hopeless input.
const maxViolations = 10

type validator struct {
	validation
	violations []fault.Violation
	unlisted   int               // further violations
	doubtful   []fault.Violation // texts in which the toolset found a problem
	blank      []fault.Violation // such texts that are blank
}

// found returns what is wrong. If only texts are doubtful, a single one is left to the tool, which
// describes the problem better, and so are those in the entries of a list: a tool that takes a list
// of objects names every problem of every entry itself. Blank texts are left to the tool, too,
// unless another violation keeps it from seeing them.
func (v *validator) found() violations {
	own := slices.DeleteFunc(slices.Clone(v.doubtful), func(d fault.Violation) bool { return strings.Contains(d.Path, "].") })
	if len(v.violations) == 0 && len(own) <= 1 {
		return violations{}
	}
	all := slices.Concat(v.violations, v.doubtful, v.blank)
	return violations{all[:min(len(all), maxViolations)], len(all) + v.unlisted}
}

func (v *validator) fail(path, code, format string, args ...any) {
	if len(v.violations) == maxViolations {
		v.unlisted++
		return
	}
	if path == "" {
		path = "arguments"
	}
	v.violations = append(v.violations, fault.Violation{Path: path, Message: fmt.Sprintf(format, args...), Code: code})
}

// check validates a value and returns it in the form that its Go field decodes.
func (v *validator) check(path string, s *schema, value any) any {
	switch s.kind {
	case reference:
		if problem := v.urls.badRef(value); problem != "" {
			v.fail(path, "invalid_reference", "%s", problem)
		}
		if text, ok := value.(string); ok {
			return v.urls.complete(strings.TrimSpace(text))
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
			v.fail(path, "invalid_type", "must be true or false, got %s", show(value))
		}
	}
	return value
}

func (v *validator) object(path string, s *schema, value any) any {
	given, ok := value.(map[string]any)
	if !ok {
		v.fail(path, "invalid_type", "must be an object, got %s", show(value))
		return value
	}
	v.unknown(path, s.unknown(given), func(name string) string { return s.hint(name, given) }, "; "+s.offer())
	for _, p := range s.properties {
		value, sent := given[p.name]
		switch {
		case p.takesNull && sent && value == nil:
		case p.clears && (isNone(value) || p.emptyClears && value == ""):
			given[p.name] = p.none()
		case value != nil:
			given[p.name] = v.check(join(path, p.name), p.schema, value)
			v.look(join(path, p.name), p.name, value)
		case p.required:
			v.fail(join(path, p.name), "required", "is required")
		case p.fallback != nil:
			given[p.name] = p.fallback
		default:
			delete(given, p.name)
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
func (s *schema) none() any {
	if s.kind == array {
		return []any{}
	}
	return nil
}

// look asks the toolset about a text, or about each text of a list.
func (v *validator) look(path, argument string, value any) {
	if v.validation.check == nil {
		return
	}
	texts, isList := value.([]any)
	if !isList {
		texts = []any{value}
	}
	for i, part := range texts {
		text, _ := part.(string)
		if text == "" {
			continue
		}
		if problem := v.validation.check(argument, text); problem != "" {
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

// unknown reports unknown names, each with a hint. Only the first violation lists the known names,
// because the list is long.
func (v *validator) unknown(path string, names iter.Seq[string], hint func(name string) string, offer string) {
	for _, name := range slices.Sorted(names) {
		if len(v.violations) == maxViolations { // a hint costs time
			v.unlisted++
			continue
		}
		v.fail(join(path, plaintext.Word(name)), "unknown_argument", "is not an argument%s%s", hint(name), offer)
		offer = ""
	}
}

func (v *validator) array(path string, s *schema, value any) any {
	items, ok := value.([]any)
	if !ok {
		v.fail(path, "invalid_type", "must be a list, got %s%s", show(value), s.meaning(value))
		return value
	}
	most := int64(mostItems)
	if s.maxItems != nil {
		most = *s.maxItems
	}
	if int64(len(items)) > most {
		v.fail(path, "too_many", "must hold at most %d items, got %d", most, len(items))
		return value
	}
	for i := range items {
		items[i] = v.check(path+"["+strconv.Itoa(i)+"]", s.items, items[i])
	}
	return items
}

// meaning returns what to give for a list of references in place of true or false, whose meaning is
// unclear: true could be everyone or one person.
func (s *schema) meaning(value any) string {
	if _, ok := value.(bool); !ok || s.items.kind != reference || s.description == "" {
		return ""
	}
	return "; give " + s.description
}

func (v *validator) integer(path string, s *schema, value any) any {
	number, ok := value.(json.Number)
	if !ok {
		v.fail(path, "invalid_type", "must be an integer, got %s", show(value))
		return value
	}
	n, ok := wholeNumber(number.String())
	if !ok {
		v.fail(path, "invalid_type", "must be an integer, got %s", plaintext.Word(number.String()))
		return value
	}
	below, above := s.min != nil && n < *s.min, s.max != nil && n > *s.max
	switch {
	case (below || above) && s.min != nil && s.max != nil:
		v.fail(path, "out_of_range", "must be between %d and %d, got %d", *s.min, *s.max, n)
	case below:
		v.fail(path, "out_of_range", "must be at least %d, got %d", *s.min, n)
	case above:
		v.fail(path, "out_of_range", "must be at most %d, got %d", *s.max, n)
	}
	return json.Number(strconv.FormatInt(n, 10))
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

func (v *validator) text(path string, s *schema, value any) {
	given, ok := value.(string)
	if !ok {
		v.fail(path, "invalid_type", "must be a string, got %s", show(value))
		return
	}
	length := int64(utf8.RuneCountInString(given))
	switch {
	case s.minLength == nil || length >= *s.minLength:
	case length == 0:
		v.fail(path, "too_short", "must not be empty")
	default:
		v.fail(path, "too_short", "must be at least %d characters, got %d", *s.minLength, length)
	}
	if s.maxLength != nil && length > *s.maxLength {
		v.fail(path, "too_long", "must be at most %d characters, got %d", *s.maxLength, length)
	}
	if s.enum != nil && !slices.Contains(s.enum, given) {
		v.fail(path, "invalid_choice", "must be one of %s, got %s", strings.Join(s.enum, ", "), show(given))
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
