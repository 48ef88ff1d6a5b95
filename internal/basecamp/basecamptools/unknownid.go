package basecamptools

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
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
	if notID != nil || at == "" || f.Resource.Type == lookup.PersonNoun.Kind {
		return err
	}
	asked := slices.ContainsFunc(lookup.ItemKinds, func(k lookup.Kind) bool { return k.Kind == f.Resource.Type })
	if asked && f.Upstream != nil { // not a part of an item, and not an item that is known to be elsewhere
		if found, k := rs.kindByID(ctx, id, f.Resource.Type); k.Kind != "" {
			return fault.Invalid(at, "%d is a %s%s", id, k.One, instead(tool, at, f.Resource.Type, k, found)).Because(err)
		}
	}
	told := *f
	if named, _, _ := strings.Cut(f.Message, ": "); !strings.HasPrefix(at, named) { // an entry of a batch names its index
		told.Message = at + ": " + f.Message
	}
	told.Message += "; search and the list tools return ids"
	return &told
}

// waves are the kinds that an ID may belong to, the most common first. Chat lines need their chat.
var waves = [][]lookup.Kind{
	{lookup.TodoKind, lookup.CardKind, lookup.MessageKind, lookup.DocumentKind, lookup.CommentKind, lookup.ProjectKind},
	{lookup.UploadKind, lookup.ListKind, lookup.EntryKind, lookup.SubtaskKind},
	{lookup.QuestionKind, lookup.AnswerKind, lookup.FolderKind, lookup.ForwardKind},
}

// kindByID finds the kind of the item with an ID, other than the one that was asked for. Basecamp
// has no request that returns it, so it asks for several kinds at once. It returns no kind if it
// finds no item: this is only advice, so its own failures do not matter.
func (rs *resolver) kindByID(ctx context.Context, id int64, asked string) (basecamp.Recording, lookup.Kind) {
	for _, wave := range waves {
		found := make([]basecamp.Recording, len(wave))
		ask := make([]func(context.Context) error, len(wave))
		for i, k := range wave {
			ask[i] = func(ctx context.Context) error {
				if k.Kind != asked {
					found[i] = rs.recordingAs(ctx, k, id)
				}
				return nil
			}
		}
		if listing.Together(ctx, ask...) != nil || ctx.Err() != nil {
			return basecamp.Recording{}, lookup.Kind{}
		}
		if i := slices.IndexFunc(found, func(r basecamp.Recording) bool { return r.ID == id }); i >= 0 {
			return found[i], wave[i]
		}
	}
	return basecamp.Recording{}, lookup.Kind{}
}

// recordingAs reads an item of a kind, and returns zero if that fails or if it is of another kind.
func (rs *resolver) recordingAs(ctx context.Context, k lookup.Kind, id int64) basecamp.Recording {
	if k.Kind == lookup.ProjectKind.Kind {
		p, err := rs.BC.Project(ctx, id)
		if err != nil {
			return basecamp.Recording{}
		}
		return basecamp.Recording{ID: p.ID, AppURL: p.AppURL}
	}
	item, err := rs.BC.Item(ctx, k.Kind, id)
	if r := item.Common(); err == nil && lookup.KindOf(r.Type).Kind == k.Kind {
		return r
	}
	return basecamp.Recording{}
}

// instead says how to act on an item whose kind a tool did not expect in an argument. A list, a
// folder or a project is only the place of what the tool acts on, so no other tool helps there.
func instead(tool mcptool.Spec, argument, asked string, k lookup.Kind, item basecamp.Recording) string {
	accepted := acceptedBy(tool.Name)
	switch {
	case slices.ContainsFunc(accepted, func(a lookup.Kind) bool { return a.Kind == k.Kind }):
		return fmt.Sprintf(": give it as %s:%d", k.Kind, item.ID)
	case accepted != nil:
		return fmt.Sprintf(": %s takes %s", tool.Name, lookup.TypesOf(accepted))
	case slices.Contains([]string{lookup.ListKind.Kind, lookup.FolderKind.Kind, lookup.ProjectKind.Kind}, asked) && tool.Name != "get_item":
		return ", not a " + strings.ReplaceAll(strings.ReplaceAll(asked, "todolist", lookup.ListKind.One), "_", " ") + placeOf(asked, item)
	}
	if names := writers[k.Kind]; names != "" && tool.Effect != mcptool.Reads {
		return ": use " + names
	}
	switch k.Kind {
	case lookup.CommentKind.Kind, lookup.SubtaskKind.Kind, lookup.EntryKind.Kind, lookup.QuestionKind.Kind, lookup.AnswerKind.Kind, lookup.ForwardKind.Kind:
		return ": use get_item with " + item.AppURL
	}
	return ": use " + k.Reader
}

// placeOf says what to give for the place of items of a kind, instead of an item.
func placeOf(asked string, item basecamp.Recording) string {
	if item.Parent != nil && lookup.KindOf(item.Parent.Type).Kind == asked {
		return fmt.Sprintf("; it is in %s: give %s:%d", plaintext.Quote(item.Parent.Title), asked, item.Parent.ID)
	}
	lister := map[string]string{lookup.ListKind.Kind: "list_todolists", lookup.FolderKind.Kind: "list_documents", lookup.ProjectKind.Kind: "list_projects"}[asked]
	return "; " + lister + " returns ids"
}

// writers are the tools that change items of a kind.
var writers = map[string]string{
	lookup.TodoKind.Kind: "update_work or set_completed", lookup.CardKind.Kind: "update_work or set_completed", lookup.MessageKind.Kind: "edit_text",
	lookup.DocumentKind.Kind: "edit_text", lookup.CommentKind.Kind: "edit_text", lookup.EntryKind.Kind: "update_schedule_entry",
	lookup.SubtaskKind.Kind: "update_work or set_completed", lookup.ListKind.Kind: "update_work", lookup.UploadKind.Kind: "update_work", lookup.FolderKind.Kind: "update_work", lookup.QuestionKind.Kind: "answer_checkin", lookup.AnswerKind.Kind: "edit_text", lookup.LineKind.Kind: "edit_text",
}

// acceptedBy returns the kinds of a tool that takes items of several kinds, and nil for others.
func acceptedBy(tool string) []lookup.Kind {
	switch tool {
	case "set_completed":
		return completableKinds
	case "update_work":
		return kindsOfWork()
	case "add_subtasks":
		return []lookup.Kind{lookup.TodoKind, lookup.CardKind}
	case "create_comment", "list_comments":
		return commentable
	case "get_history":
		return historyKinds
	case "set_item_status", "get_item":
		return lookup.ItemKinds
	case "edit_text":
		return textItems
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
