package toolargs

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"basecamp-mcp/internal/own/calls"
	"basecamp-mcp/internal/text/lazyregexp"
)

// Auditable returns the names of the given arguments in the order of the schema, with the values
// that are IDs. It leaves out unknown names, which the caller invented.
func (s *Schema) Auditable(arguments json.RawMessage) []calls.Argument {
	named := []calls.Argument{}
	var given map[string]json.RawMessage
	if string(arguments) == noArguments || json.Unmarshal(arguments, &given) != nil {
		return named
	}
	for _, p := range s.properties {
		value, ok := given[p.name]
		switch {
		case !ok || string(value) == "null":
		case p.name == s.inner && p.properties != nil:
			named = append(named, p.Auditable(value)...)
		default:
			named = append(named, calls.Argument{Name: p.name, Value: p.auditable(p.name, value)})
		}
	}
	return named
}

// wordless are the texts that hold no word of the caller's: days and spans, and one of the caller's
// own accounts.
var wordless = []string{"since", "until", "from", "to", "date", "due_on", "account"}

// placeText matches the address of a thing, and a repository, an issue or a board of GitHub.
var placeText = lazyregexp.New(`^"(https://[^" ]+|[\w.-]+/[\w.-]+(#[0-9]+)?)"$`)

// HasWords reports whether an argument holds words that the caller chose: what to look for, or a
// title or name. IDs, addresses, days and what the schema enumerates are none. A cursor may stand
// for words.
func (s *Schema) HasWords(arguments json.RawMessage) bool {
	var given map[string]json.RawMessage
	_ = json.Unmarshal(arguments, &given) // they are valid
	return slices.ContainsFunc(s.properties, func(p property) bool {
		value, ok := given[p.name]
		switch {
		case !ok, string(value) == "null", slices.Contains(wordless, p.name), p.enum != nil, p.items != nil && p.items.enum != nil:
			return false
		case p.name == s.inner && p.properties != nil:
			return p.HasWords(value)
		case slices.Contains([]string{"project", "repo", "item"}, p.name) && placeText.MatchString(string(value)):
			return false
		}
		return p.auditable(p.name, value) == ""
	})
}

// mostValues is the maximum number of values kept of a list.
const mostValues = 20

var (
	uuidText = lazyregexp.New(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
	itemText = lazyregexp.New(`^(project|message|comment|todolist|todo|subtask|document|folder|upload|chat_line|question|answer|schedule_entry|card|forward):[0-9]{1,19}$`)
)

// auditable returns the value if the trail may keep it, otherwise "". It keeps integers, booleans,
// UUIDs in arguments for IDs, and references by digits, also those of the items in a batch. Digits
// or UUIDs in any other text may be a code or a key that a user posts.
func (s *Schema) auditable(name string, value json.RawMessage) string {
	written := string(value)
	var said string
	isText := json.Unmarshal(value, &said) == nil
	said = strings.TrimSpace(said)
	item := s.property("item")
	switch {
	case s.kind == array:
		return s.items.auditableAll(name, value)
	case isText && len(s.enum) == 1 && said == s.enum[0]: // the operation
		return said
	case s.kind == object && item != nil && item.kind == reference:
		var entry map[string]json.RawMessage
		if json.Unmarshal(value, &entry) != nil || entry["item"] == nil {
			return ""
		}
		return item.auditable("item", entry["item"])
	case isText && (s.kind == reference || strings.HasSuffix(name, "_id")) && uuidText.MatchString(said):
		return said
	case isText && s.kind == reference && (digits.MatchString(said) || itemText.MatchString(said)):
		return said
	case s.kind == boolean && (written == "true" || written == "false"):
		return written
	case s.kind == integer || s.kind == reference:
		if n, ok := wholeNumber(written); ok {
			return strconv.FormatInt(n, 10)
		}
	}
	return ""
}

// auditableAll joins the values of a list if the trail may keep each of them. A single value counts
// as a list.
func (s *Schema) auditableAll(name string, list json.RawMessage) string {
	var values []json.RawMessage
	if json.Unmarshal(list, &values) != nil {
		values = []json.RawMessage{list}
	}
	if len(values) > mostValues {
		return ""
	}
	kept := make([]string, len(values))
	for i, value := range values {
		if kept[i] = s.auditable(name, value); kept[i] == "" {
			return ""
		}
	}
	return strings.Join(kept, ",")
}
