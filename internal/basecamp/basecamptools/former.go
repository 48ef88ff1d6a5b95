package basecamptools

import (
	"encoding/json"
	"strconv"
	"strings"

	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/mcptool"
)

// formerTool is a tool that another one replaces.
type formerTool struct {
	name, tool string
	items      []string          // arguments for what it worked on; they become item
	kind       lookup.Kind       // of that; none if its references say it
	renamed    map[string]string // other arguments by their former names
}

var formerTools = []formerTool{
	{"update_message", "edit_text", []string{"message", "message_id"}, lookup.MessageKind, map[string]string{"subject": "title", "content": "body", "text": "body"}},
	{"update_document", "edit_text", []string{"document", "document_id"}, lookup.DocumentKind, map[string]string{"content": "body", "text": "body"}},
	{"update_comment", "edit_text", []string{"comment", "comment_id"}, lookup.CommentKind, map[string]string{"content": "body", "text": "body"}},
	{"get_card", "get_item", []string{"item", "card", "card_id"}, lookup.CardKind, nil},
	{"get_by_url", "get_item", []string{"url"}, lookup.Kind{}, nil},
}

// former returns the former names of Basecamp's tools.
func former() (all []mcptool.Former) {
	for _, f := range formerTools {
		all = append(all, mcptool.Former{Name: f.name, Tool: f.tool, Rewrite: f.rewrite})
	}
	return all
}

// rewrite changes the arguments of the former tool to those of the tool that runs now.
func (f formerTool) rewrite(arguments map[string]json.RawMessage) {
	for was, is := range f.renamed {
		move(arguments, was, is)
	}
	for _, name := range f.items {
		if value, given := arguments[name]; given {
			arguments[name] = f.typed(value)
		}
		move(arguments, name, "item")
	}
}

// move renames an argument, unless the new name is given too.
func move(arguments map[string]json.RawMessage, was, is string) {
	value, given := arguments[was]
	if _, taken := arguments[is]; !given || taken || string(value) == "null" {
		return
	}
	arguments[is] = value
	delete(arguments, was)
}

// typed returns a reference with the type of the item. The former tool took an ID or a title alone.
// What is not a reference stays as it is.
func (f formerTool) typed(value json.RawMessage) json.RawMessage {
	var id int64
	var text string
	switch {
	case string(value) == "null":
		return value
	case json.Unmarshal(value, &id) == nil:
		text = f.reference(strconv.FormatInt(id, 10))
	case json.Unmarshal(value, &text) == nil:
		text = f.reference(text)
	default:
		return value
	}
	encoded, err := json.Marshal(text)
	if err != nil {
		return value
	}
	return encoded
}

// reference returns a reference with the type of the item, unless it has one or is a URL.
func (f formerTool) reference(text string) string {
	text = strings.TrimSpace(text)
	word, _ := lookup.CutType(text)
	if text == "" || f.kind.Kind == "" || word != "" || strings.Contains(text, "](http") || lookup.URLs.ParseRef(text).URL != "" {
		return text
	}
	return f.kind.Kind + ":" + text
}
