package basecamptools

import (
	"slices"
	"strings"

	"basecamp-mcp/internal/basecamp/lookup"
)

// changeKind is a kind of item that can change.
type changeKind struct {
	word     string // the value of the argument kinds, and the type of its items
	upstream string // its type in Basecamp's lists of items; "" without one
	feed     string // what the feed's types begin with; "" if the feed does not have it
	trashed  bool   // whether its trash is read
}

const (
	chatWord    = "chat"
	pingWord    = "ping"
	boostWord   = "boost"
	projectWord = "project"
)

// changeKinds has all kinds, in the order in which their lists are read.
func changeKinds() []changeKind {
	return []changeKind{
		{lookup.TodoKind.Kind, lookup.TodoKind.Upstream, "todo.", true},
		{lookup.CardKind.Kind, lookup.CardKind.Upstream, "card.", true},
		{lookup.CommentKind.Kind, lookup.CommentKind.Upstream, "comment.", false},
		{lookup.MessageKind.Kind, lookup.MessageKind.Upstream, "message.", true},
		{lookup.AnswerKind.Kind, lookup.AnswerKind.Upstream, "question.answer.", false},
		{lookup.DocumentKind.Kind, lookup.DocumentKind.Upstream, "", true},
		{lookup.UploadKind.Kind, lookup.UploadKind.Upstream, "", true},
		{lookup.ListKind.Kind, lookup.ListKind.Upstream, "", true},
		{lookup.EntryKind.Kind, lookup.EntryKind.Upstream, "", false},
		{lookup.SubtaskKind.Kind, lookup.SubtaskKind.Upstream, "", false},
		{lookup.FolderKind.Kind, lookup.FolderKind.Upstream, "", false},
		{lookup.QuestionKind.Kind, "", "question.", false},
		{chatWord, "", "chat.line.", false},
		{pingWord, "", "chat.line.", false},
		{boostWord, "", "boost.", false},
		{lookup.ForwardKind.Kind, "", "", false},
		{projectWord, "", "", false},
	}
}

// wants reports whether changes of a kind are asked for. Pings are only if they are named, or with
// mine.
func (f changeFilter) wants(kind string) bool {
	if len(f.Kinds) == 0 {
		return kind != pingWord || f.Mine
	}
	return slices.Contains(f.Kinds, kind)
}

// wanted returns the kinds that are asked for and pass a test.
func (f changeFilter) wanted(test func(changeKind) bool) (kinds []changeKind) {
	for _, k := range changeKinds() {
		if f.wants(k.word) && test(k) {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// feedKind returns the kind of a type of the feed, or "". Pings have the type of chat lines.
func feedKind(eventType string) string {
	for _, k := range changeKinds() {
		if k.feed != "" && strings.HasPrefix(eventType, k.feed) {
			return k.word
		}
	}
	return ""
}

// feedTypes has the types of the event feed that this server knows (event_feed.md, "Event types"),
// with what they say. A to-do's content is its name.
func feedTypes() map[string]string {
	return map[string]string{
		"comment.created": "commented", "comment.content_changed": "comment edited",
		"message.created": "created", "message.content_changed": "edited", "message.subject_changed": "renamed",
		"todo.created": "created", "todo.completed": "completed", "todo.moved": "moved", "todo.content_changed": "renamed",
		"todo.description_changed": "edited", "todo.scheduled": "dated", "todo.rescheduled": "dated", "todo.unscheduled": "undated",
		"todo.assignment_changed": "assigned",
		"card.created":            "created", "card.completed": "completed", "card.moved": "moved", "card.content_changed": "edited",
		"card.title_changed": "renamed", "card.due_on_changed": "dated", "card.assignment_changed": "assigned",
		"chat.line.created": "chatted", "boost.created": "boosted", "question.created": "created", "question.answer.created": "answered",
	}
}

// timelineKinds has the kinds of entries of a timeline with the types of the feed that say the
// same, or a kind of item and what happened to it. Basecamp may add more.
func timelineKinds() map[string]string {
	return map[string]string{
		"message_created": "message.created", "comment_created": "comment.created", "todo_created": "todo.created",
		"todo_completed": "todo.completed", "kanban_card_created": "card.created", "kanban_card_completed": "card.completed",
		"question_created": "question.created", "question_answer_created": "question.answer.created", "chat_transcript_rollup": "chat.line.created",
		"document_created": "document created", "upload_created": "upload created", "schedule_entry_created": "schedule_entry created",
		"schedule_entry_rescheduled": "schedule_entry dated", "inbox_forward_created": "forward created",
		"project_access_changed": "project people changed",
	}
}
