package changes

import (
	"slices"

	"basecamp-mcp/internal/basecamp/lookup"
)

// Kind is a kind of item that can change.
type Kind struct {
	Word     string // the value of the argument kinds, and the type of its items
	upstream string // its type in Basecamp's lists of items; "" without one
	trashed  bool   // whether its trash is read
	timeline string // the kind of its entries in a timeline, if only that has it
}

const projectWord = "project"

// Kinds has all kinds, in the order in which their lists are read.
func Kinds() []Kind {
	return []Kind{
		{lookup.TodoKind.Kind, lookup.TodoKind.Upstream, true, ""},
		{lookup.CardKind.Kind, lookup.CardKind.Upstream, true, ""},
		{lookup.CommentKind.Kind, lookup.CommentKind.Upstream, false, ""},
		{lookup.MessageKind.Kind, lookup.MessageKind.Upstream, true, ""},
		{lookup.AnswerKind.Kind, lookup.AnswerKind.Upstream, false, ""},
		{lookup.DocumentKind.Kind, lookup.DocumentKind.Upstream, true, ""},
		{lookup.UploadKind.Kind, lookup.UploadKind.Upstream, true, ""},
		{lookup.ListKind.Kind, lookup.ListKind.Upstream, true, ""},
		{lookup.EntryKind.Kind, lookup.EntryKind.Upstream, false, ""},
		{lookup.SubtaskKind.Kind, lookup.SubtaskKind.Upstream, false, ""},
		{lookup.FolderKind.Kind, lookup.FolderKind.Upstream, false, ""},
		{lookup.QuestionKind.Kind, "", false, "question_created"},
		{lookup.Chat.Kind, "", false, "chat_transcript_rollup"},
		{lookup.PingKind, "", false, ""},
		{lookup.ForwardKind.Kind, "", false, "inbox_forward_created"},
		{projectWord, "", false, "project_access_changed"},
	}
}

// wants reports whether changes of a kind are asked for. Pings are only if they are named, or with
// mine.
func (f changeFilter) wants(kind string) bool {
	if len(f.Kinds) == 0 {
		return kind != lookup.PingKind || f.Mine
	}
	return slices.Contains(f.Kinds, kind)
}

// wanted returns the kinds that are asked for and pass a test.
func (f changeFilter) wanted(test func(Kind) bool) (kinds []Kind) {
	for _, k := range Kinds() {
		if f.wants(k.Word) && test(k) {
			kinds = append(kinds, k)
		}
	}
	return kinds
}
