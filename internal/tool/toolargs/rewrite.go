package toolargs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"basecamp-mcp/internal/tool/toolanswer"
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
	return a.rewritten(func(tree map[string]any) (changed bool) {
		a.Schema.replace("", "", tree, func(s *Schema, name, path string, value any) any {
			given, refers := "", s.kind == reference || s.kind == text && slices.Contains(names, name)
			switch value.(type) {
			case string, json.Number:
				given = fmt.Sprint(value)
			default:
				refers = false
			}
			if !refers || change(path, given) == given {
				return value
			}
			changed = true
			return change(path, given)
		})
		return changed
	})
}

// replace puts what change returns in the place of each single value in arguments, and returns the
// arguments. name is that of the argument to which a value belongs.
func (s *Schema) replace(name, path string, value any, change func(s *Schema, name, path string, value any) any) any {
	switch given := value.(type) {
	case map[string]any:
		for _, p := range s.properties {
			if value := given[p.name]; value != nil {
				given[p.name] = p.replace(p.name, join(path, p.name), value, change)
			}
		}
	case []any:
		for i := range given {
			if s.items != nil {
				given[i] = s.items.replace(name, fmt.Sprintf("%s[%d]", path, i), given[i], change)
			}
		}
	default:
		return change(s, name, path, value)
	}
	return value
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

// Canonical returns accepted arguments in the one form that all spellings of the same call have,
// with IDs as numbers.
func (s *Schema) Canonical(arguments json.RawMessage) json.RawMessage {
	tree, err := parse(arguments)
	if err != nil {
		return arguments
	}
	return toolanswer.MustEncode(s.replace("", "", tree, func(s *Schema, _, _ string, value any) any {
		given, _ := value.(string)
		if id := ParseRef(strings.TrimSpace(given)).ID; s.kind == reference && id != 0 {
			return json.Number(strconv.FormatInt(id, 10))
		}
		return value
	}))
}
