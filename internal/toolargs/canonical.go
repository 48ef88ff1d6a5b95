package toolargs

import (
	"encoding/json"
	"strings"

	"basecamp-mcp/internal/toolanswer"
)

// Canonical returns arguments in the one form that all spellings of the same call have: without
// nulls, and with IDs as numbers.
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
			if given[p.name] == nil {
				delete(given, p.name)
				continue
			}
			given[p.name] = p.canonical(given[p.name])
		}
	case []any:
		for i := range given {
			if s.items != nil {
				given[i] = s.items.canonical(given[i])
			}
		}
	case string:
		if id := strings.TrimSpace(given); s.kind == reference && digits.MatchString(id) {
			return json.Number(id)
		}
	}
	return value
}
