package basecamptools

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/tool/mcptool"
)

// explained returns the tools with errors that name the argument with an ID that does not exist.
func explained(tools []mcptool.Tool) []mcptool.Tool {
	for i, tool := range tools {
		tools[i] = tool.Explained(func(_ context.Context, arguments json.RawMessage, err error) error {
			return explain(arguments, err)
		})
	}
	return tools
}

// explain replaces NOT_FOUND for an ID in the arguments. Other errors stay as they are.
func explain(arguments json.RawMessage, err error) error {
	f := fault.From(err)
	if f.Code != fault.NotFound || f.Resource == nil {
		return err
	}
	_, notID := strconv.ParseInt(f.Resource.ID, 10, 64)
	at := whereID(arguments, f.Resource.ID)
	if notID != nil || at == "" || f.Resource.Type == lookup.PersonNoun.Kind {
		return err
	}
	told := *f
	if named, _, _ := strings.Cut(f.Message, ": "); !strings.HasPrefix(at, named) { // an entry of a batch names its index
		told.Message = at + ": " + f.Message
	}
	told.Message += "; search and the list tools return ids"
	return &told
}

// whereID returns the path of the argument that refers to an ID: by only the ID, as type:id, or by
// a URL. It returns "" if there is none, or several.
func whereID(arguments json.RawMessage, id string) string {
	var given map[string]any
	decoder := json.NewDecoder(strings.NewReader(string(arguments)))
	decoder.UseNumber()
	if decoder.Decode(&given) != nil {
		return ""
	}
	var found []string
	collectID("", given, id, &found)
	if len(found) != 1 {
		return ""
	}
	return found[0]
}

func collectID(path string, value any, id string, found *[]string) {
	switch v := value.(type) {
	case map[string]any:
		for name, part := range v {
			collectID(strings.TrimPrefix(path+"."+name, "."), part, id, found)
		}
	case []any:
		for i, part := range v {
			collectID(path+"["+strconv.Itoa(i)+"]", part, id, found)
		}
	case json.Number:
		if v.String() == id {
			*found = append(*found, path)
		}
	case string:
		if refersTo(strings.TrimSpace(v), id) {
			*found = append(*found, path)
		}
	}
}

// refersTo reports whether a text without spaces has an ID among its numbers, and the ID, a type or
// a URL around it.
func refersTo(text, id string) bool {
	if text == id {
		return true
	}
	if !strings.ContainsAny(text, ":/") || strings.ContainsAny(text, " \n\t") || len(text) > 2000 {
		return false
	}
	numbers := strings.FieldsFunc(text, func(r rune) bool { return r < '0' || r > '9' })
	return slices.Contains(numbers, id)
}
