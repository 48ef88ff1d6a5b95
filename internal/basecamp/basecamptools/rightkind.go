package basecamptools

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/plaintext"
)

// explained returns the tools with errors that name the right tool if an ID belongs to an item of
// another kind, and the argument in any case.
func (rs *resolver) explained(tools []mcptool.Tool) []mcptool.Tool {
	for i, tool := range tools {
		tools[i] = tool.Explained(func(ctx context.Context, arguments json.RawMessage, err error) error {
			return rs.explain(ctx, tool.Spec, arguments, err)
		})
	}
	return tools
}

// explain replaces NOT_FOUND for an ID in the arguments. Other errors stay as they are.
func (rs *resolver) explain(ctx context.Context, tool mcptool.Spec, arguments json.RawMessage, err error) error {
	f := fault.From(err)
	if f.Code != fault.NotFound || f.Resource == nil {
		return err
	}
	id, notID := strconv.ParseInt(f.Resource.ID, 10, 64)
	at := whereID(arguments, f.Resource.ID)
	if notID != nil || at == "" || f.Resource.Type == personNoun.kind {
		return err
	}
	asked := slices.ContainsFunc(itemKinds, func(k kind) bool { return k.kind == f.Resource.Type })
	if asked && f.Upstream != nil { // not a part of an item, and not an item that is known to be elsewhere
		if found, k := rs.kindByID(ctx, id, f.Resource.Type); k.kind != "" {
			return fault.Invalid(at, "%d is a %s%s", id, k.one, instead(tool, at, f.Resource.Type, k, found)).Because(err)
		}
	}
	told := *f
	if !strings.HasPrefix(f.Message, at+": ") {
		told.Message = at + ": " + f.Message
	}
	told.Message += "; search and the list tools return ids"
	return &told
}

// waves are the kinds that an ID may belong to, the most common first. Chat lines need their chat.
var waves = [][]kind{
	{todoKind, cardKind, messageKind, documentKind, commentKind, projectKind},
	{uploadKind, listKind, entryKind, subtaskKind},
	{questionKind, answerKind, folderKind, forwardKind},
}

// kindByID finds the kind of the item with an ID, other than the one that was asked for. Basecamp
// has no request that returns it, so it asks for several kinds at once. It returns no kind if it
// finds no item: this is only advice, so its own failures do not matter.
func (rs *resolver) kindByID(ctx context.Context, id int64, asked string) (basecamp.Recording, kind) {
	for _, wave := range waves {
		found := make([]basecamp.Recording, len(wave))
		ask := make([]func(context.Context) error, len(wave))
		for i, k := range wave {
			ask[i] = func(ctx context.Context) error {
				if k.kind != asked {
					found[i] = rs.recordingAs(ctx, k, id)
				}
				return nil
			}
		}
		if listing.Together(ctx, ask...) != nil || ctx.Err() != nil {
			return basecamp.Recording{}, kind{}
		}
		if i := slices.IndexFunc(found, func(r basecamp.Recording) bool { return r.ID == id }); i >= 0 {
			return found[i], wave[i]
		}
	}
	return basecamp.Recording{}, kind{}
}

// recordingAs reads an item of a kind, and returns zero if that fails or if it is of another kind.
func (rs *resolver) recordingAs(ctx context.Context, k kind, id int64) basecamp.Recording {
	if k.kind == projectKind.kind {
		p, err := rs.bc.Project(ctx, id)
		if err != nil {
			return basecamp.Recording{}
		}
		return basecamp.Recording{ID: p.ID, AppURL: p.AppURL}
	}
	item, err := rs.bc.Item(ctx, k.kind, id)
	if r := item.Common(); err == nil && kindOf(r.Type).kind == k.kind {
		return r
	}
	return basecamp.Recording{}
}

// instead says how to act on an item whose kind a tool did not expect in an argument. A list, a
// folder or a project is only the place of what the tool acts on, so no other tool helps there.
func instead(tool mcptool.Spec, argument, asked string, k kind, item basecamp.Recording) string {
	accepted := acceptedBy(tool.Name)
	switch {
	case slices.ContainsFunc(accepted, func(a kind) bool { return a.kind == k.kind }):
		return fmt.Sprintf(": give it as %s:%d", k.kind, item.ID)
	case accepted != nil:
		return fmt.Sprintf(": %s takes %s", tool.Name, typesOf(accepted))
	case slices.Contains([]string{listKind.kind, folderKind.kind, projectKind.kind}, asked) && argument != "url":
		return ", not a " + strings.ReplaceAll(strings.ReplaceAll(asked, "todolist", listKind.one), "_", " ") + placeOf(asked, item)
	}
	if names := writers[k.kind]; names != "" && tool.Effect != mcptool.Reads {
		return ": use " + names
	}
	switch k.kind {
	case commentKind.kind, subtaskKind.kind, entryKind.kind, questionKind.kind, answerKind.kind, forwardKind.kind:
		return ": use get_by_url with " + item.AppURL
	}
	return ": use " + k.reader
}

// placeOf says what to give for the place of items of a kind, instead of an item.
func placeOf(asked string, item basecamp.Recording) string {
	if item.Parent != nil && kindOf(item.Parent.Type).kind == asked {
		return fmt.Sprintf("; it is in %s: give %s:%d", plaintext.Quote(item.Parent.Title), asked, item.Parent.ID)
	}
	lister := map[string]string{listKind.kind: "list_todolists", folderKind.kind: "list_documents", projectKind.kind: "list_projects"}[asked]
	return "; " + lister + " returns ids"
}

// writers are the tools that change items of a kind.
var writers = map[string]string{
	todoKind.kind: "update_todo or set_completed", cardKind.kind: "update_card, move_card or set_completed", messageKind.kind: "update_message",
	documentKind.kind: "update_document", commentKind.kind: "update_comment", entryKind.kind: "update_schedule_entry",
	subtaskKind.kind: "set_completed", questionKind.kind: "answer_checkin", answerKind.kind: "update_comment",
}

// acceptedBy returns the kinds of a tool that takes items of several kinds, and nil for others.
func acceptedBy(tool string) []kind {
	switch tool {
	case "set_completed":
		return completableKinds
	case "add_subtasks":
		return []kind{todoKind, cardKind}
	case "create_comment", "list_comments":
		return commentable
	case "get_history", "set_subscription":
		return historyKinds
	case "set_item_status":
		return itemKinds
	}
	return nil
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
