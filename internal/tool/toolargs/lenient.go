package toolargs

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"basecamp-mcp/internal/text/lazyregexp"
	"basecamp-mcp/internal/text/plaintext"
)

// lenient reads arguments that do not fit their schema in other forms, where only one meaning is
// possible: another name for a property, digits in a string, one value for a list of one, JSON in a
// string, a string for an object with one required text, a limit above the maximum. A value that
// fits the schema stays as it is, and so does a value that could mean two things.
type lenient struct {
	notes   []string
	changed bool
}

// maxNotes limits the size of an answer about a strange call.
const maxNotes = 10

// read returns arguments in the form of the schema. Values that it cannot read stay as they are;
// the validation reports them.
func (l *lenient) read(s *Schema, tree any) any {
	l.leaveOut("", s, tree)
	tree = l.value("", s, tree)
	l.leaveOut("", s, tree) // what was read may count as absent
	return tree
}

// note tells a change once, however many entries of a list have it.
func (l *lenient) note(text string) {
	l.changed = true
	if len(l.notes) < maxNotes && !slices.Contains(l.notes, text) {
		l.notes = append(l.notes, text)
	}
}

func (l *lenient) tell(path string, from, to any) {
	if path == "" {
		path = "arguments"
	}
	l.note(path + ": " + shownAs(from, to) + " -> " + show(to))
}

// shownAs returns the value that was read as another for a note. It shows a text only if it was
// read as a number or a truth value.
func shownAs(from, to any) string {
	_, isText := from.(string)
	switch to.(type) {
	case []any, map[string]any:
		if isText {
			return "a string"
		}
	}
	return show(from)
}

// value returns a value in the form of the schema if its meaning is clear.
func (l *lenient) value(path string, s *Schema, value any) any {
	if s.clears && isNone(value) {
		return value
	}
	read, ok := s.reread(path, value)
	switch {
	case ok && s.isOneWord(value):
		l.changed, value = true, read
	case ok:
		l.tell(path, value, read)
		value = read
	}
	switch s.kind {
	case object:
		if given, ok := value.(map[string]any); ok {
			l.object(path, s, given)
		}
	case array:
		if items, ok := value.([]any); ok {
			for i := range items {
				items[i] = l.value(path+"[]", s.items, items[i])
			}
		}
	}
	return value
}

func (l *lenient) object(path string, s *Schema, given map[string]any) {
	l.rename(path, s, given)
	l.enclose(s, given)
	l.gather(path, s, given)
	l.several(path, s, given)
	for _, p := range s.properties {
		if value := given[p.name]; value != nil {
			given[p.name] = l.value(join(path, p.name), p.withStrictMaximum(p.name), value)
		}
	}
}

// enclose puts arguments that are given beside the object for them into it.
func (l *lenient) enclose(s *Schema, given map[string]any) {
	inner, ok := given[s.inner].(map[string]any)
	if s.inner == "" || !ok && given[s.inner] != nil {
		return
	}
	for _, name := range s.unknown(given) {
		if _, taken := inner[name]; taken {
			continue
		}
		if inner == nil {
			inner = map[string]any{}
			given[s.inner] = inner
		}
		inner[name] = given[name]
		delete(given, name)
		l.note(plaintext.Word(name) + " -> " + s.inner + "." + plaintext.Word(name))
	}
}

// gather puts the members of an entry that are given beside its list into the list, if it is the
// only list that can mean: {"find": ..., "replace": ...} is {"edits": [{"find": ..., "replace":
// ...}]}. All that an entry requires must be given, and the list must not.
func (l *lenient) gather(path string, s *Schema, given map[string]any) {
	var list *property
	for i, p := range s.properties {
		if p.kind != array || p.items == nil || p.items.kind != object || !p.items.fits(s, given) {
			continue
		}
		if list != nil {
			return
		}
		list = &s.properties[i]
	}
	if list == nil || given[list.name] != nil {
		return
	}
	entry := map[string]any{}
	for _, p := range list.items.properties {
		if value, ok := given[p.name]; ok && s.property(p.name) == nil {
			entry[p.name] = value
			delete(given, p.name)
			l.note(join(path, p.name) + " -> " + join(path, list.name) + "[0]." + p.name)
		}
	}
	given[list.name], l.changed = []any{entry}, true
}

// several reads a list for one thing as the tool's argument for several: {"card": [1, 2]} is
// {"cards": [1, 2]}.
func (l *lenient) several(path string, s *Schema, given map[string]any) {
	for _, p := range s.properties {
		many := s.property(p.name + "s")
		list, isList := given[p.name].([]any)
		if p.kind == array || !isList || len(list) < 2 || many == nil || many.kind != array || given[p.name+"s"] != nil {
			continue
		}
		given[p.name+"s"] = list
		delete(given, p.name)
		l.note(join(path, p.name) + " -> " + join(path, p.name+"s"))
	}
}

// fits reports whether arguments have all members that an entry requires, beside the properties of
// the tool.
func (s *Schema) fits(tool *Schema, given map[string]any) bool {
	requires := false
	for _, p := range s.properties {
		if !p.required {
			continue
		}
		if requires = given[p.name] != nil && tool.property(p.name) == nil; !requires {
			return false
		}
	}
	return requires
}

// withStrictMaximum returns the schema of a property, whose maximum counts as a wish only for the
// size of an answer. A page or a position above the maximum is a mistake.
func (s *Schema) withStrictMaximum(name string) *Schema {
	if s.max == nil || name == "limit" || strings.HasPrefix(name, "per_") {
		return s
	}
	strict := *s
	strict.max = nil
	return &strict
}

// reread returns the form of a value that the schema wants, and false if the value has it already
// or has no clear meaning.
func (s *Schema) reread(path string, value any) (any, bool) {
	switch s.kind {
	case object:
		return s.asObject(path, value)
	case array:
		return s.asList(value)
	case integer:
		return s.asInteger(value)
	case boolean:
		return asBoolean(value)
	case text:
		if slices.Contains(itemTexts, path) {
			if url := linkedURL(value); url != "" {
				return url, true
			}
			if only, ok := onlyElement(value); ok {
				return fmt.Sprint(only), true
			}
		}
		if word, ok := value.(string); ok && len(s.enum) == 1 && word != s.enum[0] && plainName(word) == plainName(s.enum[0]) {
			return s.enum[0], true
		}
		if number, ok := value.(json.Number); ok && s.enum == nil && (digits.MatchString(number.String()) || s.amount && plainNumber.MatchString(number.String())) {
			return number.String(), true
		}
		if strings.HasSuffix(path, "[]") {
			return s.asWord(value)
		}
	case reference:
		if url := linkedURL(value); url != "" {
			return url, true
		}
		return onlyElement(value)
	}
	return nil, false
}

// isOneWord reports whether a value is one of the words of a list: {"scope": "today"}. Tools
// document this form, so that it needs no note.
func (s *Schema) isOneWord(value any) bool {
	word, ok := value.(string)
	return ok && s.kind == array && slices.Contains(s.items.enum, word)
}

var markdownLink = lazyregexp.New(`^\s*(?:\[[^\[\]]*\]\((https?://[^\s()]+)\)|<(https?://[^\s<>]+)>)\s*$`)

// linkedURL returns the URL of a text that is only a Markdown link, also one in angle brackets, or
// "".
func linkedURL(value any) string {
	given, _ := value.(string)
	if parts := markdownLink.FindStringSubmatch(given); parts != nil {
		return parts[1] + parts[2]
	}
	return ""
}

// itemTexts are the texts that refer to items.
var itemTexts = []string{"item", "items[]", "url"}

// asWord reads a word of an enum that has blanks or hyphens for underscores. It is for entries of
// lists, which select what an answer shows; the status of a to-do on a checklist is not read so.
func (s *Schema) asWord(value any) (any, bool) {
	given, ok := value.(string)
	word := strings.NewReplacer(" ", "_", "-", "_").Replace(given)
	return word, ok && word != given && slices.Contains(s.enum, word)
}

// IsInteger reports whether a text is an integer of at most 19 digits.
func IsInteger(text string) bool { return digits.MatchString(text) }

var digits = lazyregexp.New(`^-?[0-9]{1,19}$`)

// plainNumber matches a number that stands for itself in a text.
var plainNumber = lazyregexp.New(`^-?[0-9]{1,19}(\.[0-9]{1,9})?$`)

// asObject reads JSON in a string. It also reads a string as an object with one required text or
// reference, and an ID as one with a reference.
func (s *Schema) asObject(path string, value any) (any, bool) {
	name := s.soleText()
	if number, ok := value.(json.Number); ok && name != "" && path != "" && s.property(name).kind == reference {
		return map[string]any{name: number}, true
	}
	given, ok := value.(string)
	if !ok {
		return nil, false
	}
	if parsed, ok := fromJSON(given).(map[string]any); ok {
		return parsed, true
	}
	if name != "" && path != "" && mayBeEntry(given) {
		return map[string]any{name: given}, true
	}
	return nil, false
}

// soleText returns the name of an object's required property if there is only one and it is a text
// or a reference.
func (s *Schema) soleText() string {
	name := ""
	for _, p := range s.properties {
		if p.required && (name != "" || p.kind != text && p.kind != reference || p.enum != nil) {
			return ""
		}
		if p.required {
			name = p.name
		}
	}
	return name
}

// asList reads JSON in a string, and a single value as a list of one.
func (s *Schema) asList(value any) (any, bool) {
	given, isText := value.(string)
	if isText {
		switch parsed := fromJSON(given).(type) {
		case []any:
			return parsed, true
		case map[string]any:
			return []any{parsed}, s.items.kind == object
		}
		if given = strings.TrimSpace(given); given == "" || strings.Contains(given, "\n") { // one value, none or several
			return nil, false
		}
	}
	_, isNumber := value.(json.Number)
	_, isObject := value.(map[string]any)
	fits := false
	switch s.items.kind {
	case object:
		sole := s.items.soleText()
		fits = isObject || isText && sole != "" && mayBeEntry(given) || isNumber && sole != "" && s.items.property(sole).kind == reference
	case reference, integer:
		fits = isText || isNumber
	case text:
		fits = isText || isNumber && s.items.enum == nil
	}
	return []any{value}, fits
}

// notAnEntry matches what is not the text of one entry: a word for none at all, JSON that is cut,
// and what Python prints.
var notAnEntry = lazyregexp.New(`(?is)^\s*(none|nil|undefined|n/a|\[\s*[\[{"'].*|\{\s*["'].*)?\s*$`)

func mayBeEntry(text string) bool { return !notAnEntry.MatchString(text) }

// asInteger reads digits in a string, and lowers a number to the maximum.
func (s *Schema) asInteger(value any) (any, bool) {
	number, ok := value.(json.Number)
	if given, isText := value.(string); isText && digits.MatchString(strings.TrimSpace(given)) {
		number, ok = json.Number(strings.TrimSpace(given)), true
	}
	if !ok {
		return nil, false
	}
	n, ok := wholeNumber(number.String())
	if !ok {
		return nil, false
	}
	if s.max != nil && n > *s.max {
		return json.Number(strconv.FormatInt(*s.max, 10)), true
	}
	_, already := value.(json.Number)
	return json.Number(strconv.FormatInt(n, 10)), !already
}

func asBoolean(value any) (any, bool) {
	given, _ := value.(string)
	switch strings.ToLower(strings.TrimSpace(given)) {
	case "true":
		return true, true
	case "false":
		return false, true
	}
	return nil, false
}

// onlyElement returns the only element of a list if it is a text or a number.
func onlyElement(value any) (any, bool) {
	items, _ := value.([]any)
	if len(items) != 1 {
		return nil, false
	}
	switch items[0].(type) {
	case string, json.Number:
		return items[0], true
	}
	return nil, false
}

// fromJSON returns the list or the object that a string holds as JSON, or nil.
func fromJSON(text string) any {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, "[") && !strings.HasPrefix(text, "{") || !json.Valid([]byte(text)) {
		return nil
	}
	tree, err := parse([]byte(text))
	if err != nil {
		return nil
	}
	return tree
}
