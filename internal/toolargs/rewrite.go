package toolargs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"basecamp-mcp/internal/toolanswer"
)

// Text returns the text of an argument, or "".
func (a Accepted) Text(name string) string {
	if !bytes.Contains(a.data, []byte(name)) {
		return ""
	}
	var given map[string]json.RawMessage
	var text string
	if json.Unmarshal(a.data, &given) == nil {
		_ = json.Unmarshal(given[name], &text) // "" if it is no text
	}
	return text
}

// With returns the arguments with another text for one of them, or without it if the text is "".
func (a Accepted) With(name, text string) Accepted {
	return a.rewritten(func(tree map[string]any) bool {
		_, had := tree[name]
		delete(tree, name)
		if text != "" {
			tree[name] = text
		}
		return had || text != ""
	})
}

// WithReferences returns the arguments with what change returns for each reference, at any depth.
// It gets the path and the text of a reference; that of an ID are its digits. Texts are references
// too if their argument has one of the names.
func (a Accepted) WithReferences(names []string, change func(path, text string) string) Accepted {
	return a.rewritten(func(tree map[string]any) bool {
		w := referenceWalk{names: names, change: change}
		w.value(a.Schema, "", "", tree)
		return w.changed
	})
}

// rewritten applies a change to both forms of the arguments, and keeps those that it does not
// change.
func (a Accepted) rewritten(change func(tree map[string]any) (changed bool)) Accepted {
	for _, form := range []*json.RawMessage{&a.Arguments, &a.data} {
		tree, _ := parse(*form)
		if object, ok := tree.(map[string]any); ok && change(object) {
			*form = toolanswer.MustEncode(object)
		}
	}
	return a
}

// referenceWalk changes references.
type referenceWalk struct {
	names   []string
	change  func(path, text string) string
	changed bool
}

// value returns a value of the argument with a name, changed.
func (w *referenceWalk) value(s *Schema, name, path string, value any) any {
	switch v := value.(type) {
	case map[string]any:
		for _, p := range s.properties {
			if given, ok := v[p.name]; ok && given != nil {
				v[p.name] = w.value(p.Schema, p.name, join(path, p.name), given)
			}
		}
	case []any:
		for i := range v {
			if s.items != nil {
				v[i] = w.value(s.items, name, fmt.Sprintf("%s[%d]", path, i), v[i])
			}
		}
	case string, json.Number:
		if s.kind != reference && (s.kind != text || !slices.Contains(w.names, name)) {
			return value
		}
		if given := fmt.Sprint(v); w.change(path, given) != given {
			w.changed = true
			return w.change(path, given)
		}
	}
	return value
}

// Canonical returns accepted arguments in the one form that all spellings of the same call have,
// with IDs as numbers.
func (s *Schema) Canonical(arguments json.RawMessage) json.RawMessage {
	tree, err := parse(arguments)
	if err != nil {
		return arguments
	}
	return toolanswer.MustEncode(s.canonical(tree))
}

func (s *Schema) canonical(value any) any {
	switch given := value.(type) {
	case map[string]any:
		for _, p := range s.properties {
			if value, sent := given[p.name]; sent {
				given[p.name] = p.canonical(value)
			}
		}
	case []any:
		for i := range given {
			if s.items != nil {
				given[i] = s.items.canonical(given[i])
			}
		}
	case string:
		if id := ParseRef(strings.TrimSpace(given)).ID; s.kind == reference && id != 0 {
			return json.Number(strconv.FormatInt(id, 10))
		}
	}
	return value
}
