package basecamptools

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/operations"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/toolanswer"
)

// formerTool is a tool that another one replaces.
type formerTool struct {
	name, tool string
	items      []string          // arguments for what it worked on
	into       string            // the argument that they become; items for entries with an item each
	kind       lookup.Kind       // of those; none if their references say it
	renamed    map[string]string // other arguments by their former names
}

var formerTools = []formerTool{
	{"update_todo", "update_work", []string{"todo", "todo_id"}, "items", lookup.TodoKind, map[string]string{"content": "title", "text": "title"}},
	{"update_todos", "update_work", []string{"todos", "todo_ids"}, "items", lookup.TodoKind, nil},
	{"update_card", "update_work", []string{"card", "card_id"}, "items", lookup.CardKind, map[string]string{"body": "notes", "content": "notes", "text": "notes"}},
	{"move_card", "update_work", []string{"card", "cards", "card_id", "card_ids"}, "items", lookup.CardKind, nil},
	{"update_message", "edit_text", []string{"message", "message_id"}, "item", lookup.MessageKind, map[string]string{"subject": "title", "content": "body", "text": "body"}},
	{"update_document", "edit_text", []string{"document", "document_id"}, "item", lookup.DocumentKind, map[string]string{"content": "body", "text": "body"}},
	{"update_comment", "edit_text", []string{"comment", "comment_id"}, "item", lookup.CommentKind, map[string]string{"content": "body", "text": "body"}},
	{"get_card", "get_item", []string{"item", "card", "card_id"}, "item", lookup.CardKind, nil},
	{"get_by_url", "get_item", []string{"url"}, "item", lookup.Kind{}, nil},
	{"post_campfire_line", "post_chat_line", []string{"project"}, "to", lookup.ProjectKind, nil},
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
		move(arguments, name, f.into)
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

// typed returns a reference to an item of the kind, or references as entries of items. The former
// tool took an ID or a title alone, and JSON in a string. What is not a reference stays as it is.
func (f formerTool) typed(value json.RawMessage) json.RawMessage {
	if f.into != "items" {
		if ref, ok := f.reference(value); ok {
			return toolanswer.MustEncode(ref)
		}
		return value
	}
	var text string
	if json.Unmarshal(value, &text) == nil && json.Valid([]byte(text)) && strings.HasPrefix(text, "[") {
		value = json.RawMessage(text)
	}
	var list []json.RawMessage
	if json.Unmarshal(value, &list) != nil {
		list = []json.RawMessage{value}
	}
	entries := make([]map[string]string, len(list))
	for i, one := range list {
		ref, ok := f.reference(one)
		if !ok {
			return value
		}
		entries[i] = map[string]string{"item": ref}
	}
	return toolanswer.MustEncode(entries)
}

// reference returns a reference with the type of the item, unless it has one or is a URL. It
// reports whether the value is an ID or a text.
func (f formerTool) reference(value json.RawMessage) (ref string, ok bool) {
	var id int64
	switch {
	case string(value) == "null":
		return "", false
	case json.Unmarshal(value, &id) == nil:
		ref = strconv.FormatInt(id, 10)
	case json.Unmarshal(value, &ref) != nil:
		return "", false
	}
	ref = strings.TrimSpace(ref)
	word, _ := lookup.CutType(ref)
	if ref == "" || f.kind.Kind == "" || word != "" || strings.Contains(ref, "](http") || lookup.URLs.ParseRef(ref).URL != "" {
		return ref, true
	}
	return f.kind.Kind + ":" + ref, true
}

// formerOperations are the names of tools that are operations now.
var formerOperations = []mcptool.Former{
	{Name: "list_forwards", Tool: operations.Reader, Rewrite: asOperation("list_forwards", "limit", "cursor", "detail")},
	{Name: "create_project", Tool: operations.Changer, Rewrite: asOperation("create_project", "idempotency_key")},
	{Name: "set_subscription", Tool: operations.Changer, Rewrite: func(arguments map[string]json.RawMessage) {
		operation := "subscribed must be true, for follow, or false, for unfollow"
		switch string(arguments["subscribed"]) {
		case "true", `"true"`:
			operation = "follow"
		case "false", `"false"`:
			operation = "unfollow"
		}
		delete(arguments, "subscribed")
		asOperation(operation)(arguments)
	}},
}

// asOperation returns a function that makes the arguments of a former tool those of an operation.
// The names in kept are arguments of the tool that runs it.
func asOperation(operation string, kept ...string) func(arguments map[string]json.RawMessage) {
	return func(arguments map[string]json.RawMessage) {
		inner := map[string]json.RawMessage{}
		for name, value := range arguments {
			if !slices.Contains(kept, name) {
				inner[name] = value
				delete(arguments, name)
			}
		}
		arguments["operation"], arguments["arguments"] = toolanswer.MustEncode(operation), toolanswer.MustEncode(inner)
	}
}
