package basecamptools

import (
	"encoding/json"
	"strconv"
	"strings"

	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/toolargs"
)

// formerTool is a tool that another one replaces.
type formerTool struct {
	name, tool string
	items      []string          // arguments for what it worked on; they become items
	kind       lookup.Kind       // of those
	renamed    map[string]string // other arguments by their former names
	place      string            // the argument that its project becomes
}

var formerTools = []formerTool{
	{"update_todo", "update_work", []string{"todo", "todo_id"}, lookup.TodoKind, map[string]string{"content": "title", "text": "title"}, ""},
	{"update_todos", "update_work", []string{"todos", "todo_ids"}, lookup.TodoKind, nil, ""},
	{"update_card", "update_work", []string{"card", "card_id"}, lookup.CardKind, map[string]string{"body": "notes", "content": "notes", "text": "notes"}, ""},
	{"move_card", "update_work", []string{"card", "cards", "card_id", "card_ids"}, lookup.CardKind, nil, ""},
	{"post_campfire_line", "post_chat_line", nil, lookup.ProjectKind, nil, "to"},
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
		move(arguments, name, "items")
	}
	var place toolargs.Ref
	if f.place != "" && json.Unmarshal(arguments["project"], &place) == nil {
		arguments["project"], _ = json.Marshal(f.reference(place.String())) // a string always has JSON
		move(arguments, "project", f.place)
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

// typed returns references to items of a kind as entries of items. The former tool took an ID or a
// title alone, and JSON in a string. What is not a reference stays as it is.
func (f formerTool) typed(value json.RawMessage) json.RawMessage {
	var text string
	if json.Unmarshal(value, &text) == nil && json.Valid([]byte(text)) && strings.HasPrefix(text, "[") {
		value = json.RawMessage(text)
	}
	var list []json.RawMessage
	if json.Unmarshal(value, &list) != nil {
		list = []json.RawMessage{value}
	}
	entries := make([]string, len(list))
	for i, one := range list {
		var id int64
		switch {
		case json.Unmarshal(one, &id) == nil:
			entries[i] = f.reference(strconv.FormatInt(id, 10))
		case json.Unmarshal(one, &text) == nil:
			entries[i] = f.reference(text)
		default:
			return value
		}
	}
	encoded, err := json.Marshal(workEntries(entries))
	if err != nil {
		return value
	}
	return encoded
}

// reference returns a reference with the type of the item, unless it has one or is a URL.
func (f formerTool) reference(text string) string {
	text = strings.TrimSpace(text)
	word, _ := lookup.CutType(text)
	if text == "" || word != "" || strings.Contains(text, "](http") || lookup.URLs.ParseRef(text).URL != "" {
		return text
	}
	return f.kind.Kind + ":" + text
}

func workEntries(references []string) (entries []map[string]string) {
	for _, ref := range references {
		entries = append(entries, map[string]string{"item": ref})
	}
	return entries
}
