package mcptool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"basecamp-mcp/internal/fault"
)

// decode validates arguments against the schema and decodes them into target. It reports one
// violation for each wrong argument, in words that a model can act on. Numbers stay text until they
// reach their field; a null counts as an absent argument; defaults are filled in.
func decode(s *schema, urls URLs, arguments json.RawMessage, target any) error {
	if len(bytes.TrimSpace(arguments)) == 0 {
		arguments = json.RawMessage("{}")
	}
	decoder := json.NewDecoder(bytes.NewReader(arguments))
	decoder.UseNumber()
	var tree any
	if err := decoder.Decode(&tree); err != nil {
		return fault.Invalid("arguments", "must be a JSON object").Because(err)
	}
	if tree == nil {
		tree = map[string]any{}
	}
	v := validator{urls: urls}
	tree = v.check("", s, tree)
	if len(v.violations) > 0 {
		return fault.InvalidInputs(v.violations...)
	}
	data, err := json.Marshal(tree)
	if err != nil {
		return fmt.Errorf("encode validated arguments: %w", err)
	}
	if err := json.Unmarshal(data, target); err != nil {
		return fault.Invalid("arguments", "hold a value out of range").Because(err)
	}
	return nil
}

// maxViolations limits the size of an answer about hopeless input.
const maxViolations = 10

type validator struct {
	urls       URLs
	violations []fault.Violation
}

func (v *validator) fail(path, code, format string, args ...any) {
	if len(v.violations) == maxViolations {
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
	s.respell(given)
	v.unknown(path, maps.Keys(given), func(name string) bool { return s.property(name) != nil }, "; "+s.offer())
	for _, p := range s.properties {
		value, named := given[p.name]
		switch {
		case value != nil:
			given[p.name] = v.check(join(path, p.name), p.schema, value)
		case p.clears && named: // null clears the field
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

// respell accepts project for project_id and the reverse. Tools differ in it, and the meaning is
// clear.
func (s *schema) respell(given map[string]any) {
	for _, p := range s.properties {
		other, isID := strings.CutSuffix(p.name, "_id")
		if !isID {
			other += "_id"
		}
		value, named := given[other]
		if p.kind != reference || !named || given[p.name] != nil || s.property(other) != nil {
			continue
		}
		given[p.name] = value
		delete(given, other)
	}
}

// unknown reports unknown names. Only the first violation lists the known names, because the list
// is long.
func (v *validator) unknown(path string, given iter.Seq[string], known func(string) bool, offer string) {
	for _, name := range slices.Sorted(given) {
		if !known(name) {
			v.fail(join(path, shorten(name)), "unknown_argument", "is not an argument%s", offer)
			offer = ""
		}
	}
}

func (v *validator) array(path string, s *schema, value any) any {
	items, ok := value.([]any)
	if !ok && (s.items.kind == reference || s.items.enum != nil) { // a single value
		return []any{v.check(path, s.items, value)}
	}
	if !ok {
		v.fail(path, "invalid_type", "must be a list, got %s", show(value))
		return value
	}
	if s.maxItems != nil && int64(len(items)) > *s.maxItems {
		v.fail(path, "too_many", "must hold at most %d items, got %d", *s.maxItems, len(items))
		return value
	}
	for i := range items {
		items[i] = v.check(path+"["+strconv.Itoa(i)+"]", s.items, items[i])
	}
	return items
}

func (v *validator) integer(path string, s *schema, value any) any {
	number, ok := value.(json.Number)
	if !ok {
		v.fail(path, "invalid_type", "must be an integer, got %s", show(value))
		return value
	}
	n, ok := wholeNumber(number.String())
	if !ok {
		v.fail(path, "invalid_type", "must be an integer, got %s", shorten(number.String()))
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
		return strconv.Quote(shorten(v))
	case json.Number:
		return shorten(v.String())
	case bool:
		return strconv.FormatBool(v)
	case []any:
		return "a list"
	default:
		return "an object"
	}
}

func shorten(text string) string {
	const most = 60
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most]) + "…"
}
