package basecamptools

import (
	"slices"
	"strings"

	"basecamp-mcp/internal/plaintext"
)

// kind is a kind of item that tools accept.
type kind struct {
	noun
	argument  string   // name of the argument that holds it
	inProject string   // name of the argument that holds its project
	links     []string // path segments of its URLs
	reader    string   // tool that reads one
	upstream  string   // its type at Basecamp
	titles    titles   // reads the titles in a project; nil: it has no title
	statuses  []string // statuses in which a title is searched; empty: active
}

// sought returns the statuses in which a title is searched.
func (k kind) sought() []string {
	if len(k.statuses) == 0 {
		return []string{active}
	}
	return k.statuses
}

// as returns the kind with the names of a tool's arguments.
func (k kind) as(argument, inProject string) kind {
	k.argument, k.inProject = argument, inProject
	return k
}

var (
	messageKind  = kind{noun{"message", "messages", "message"}, "message_id", "project_id", []string{"messages"}, "get_message", "Message", recordingTitles, nil}
	todoKind     = kind{noun{"to-do", "to-dos", "todo"}, "todo_id", "project_id", []string{"todos"}, "get_todo", "Todo", recordingTitles, nil}
	documentKind = kind{noun{"document", "documents", "document"}, "document_id", "project_id", []string{"documents"}, "get_document", "Document", recordingTitles, nil}
	cardKind     = kind{noun{"card", "cards", "card"}, "card", "project", []string{"cards"}, "get_card", "Kanban::Card", recordingTitles, nil}
	commentKind  = kind{noun{"comment", "comments", "comment"}, "comment", "project", []string{"comments"}, "list_comments", "Comment", nil, nil}
	listKind     = kind{listNoun, "list", "project", []string{"todolists", "groups"}, "list_todos", "Todolist", recordingTitles, nil}
	subtaskKind  = kind{noun{"subtask", "subtasks", "subtask"}, "item", "project", []string{"steps", "subtasks"}, "get_todo", "Kanban::Step", recordingTitles, nil}
	folderKind   = kind{noun{"folder", "folders", "folder"}, "folder", "project", []string{"vaults"}, "list_documents", "Vault", recordingTitles, nil}
	uploadKind   = kind{noun{"file", "files", "upload"}, "item", "project", []string{"uploads"}, "get_file", "Upload", recordingTitles, nil}
	lineKind     = kind{noun{"chat line", "chat lines", "chat_line"}, "item", "project", []string{"lines"}, "list_campfire_lines", "", nil, nil}
	questionKind = kind{noun{"check-in question", "check-in questions", "question"}, "question", "project", []string{"questions"}, "list_checkins", "Question", questionTitles, nil}
	answerKind   = kind{noun{"check-in answer", "check-in answers", "answer"}, "item", "project", []string{"question_answers", "answers"}, "list_checkin_answers", "Question::Answer", nil, nil}
	entryKind    = kind{noun{"schedule entry", "schedule entries", "schedule_entry"}, "entry", "project", []string{"schedule_entries"}, "list_schedule_entries", "Schedule::Entry", recordingTitles, nil}
	forwardKind  = kind{noun{"forwarded e-mail", "forwarded e-mails", "forward"}, "item", "project", []string{"inbox_forwards", "forwards"}, "list_forwards", "Inbox::Forward", nil, nil}
	projectKind  = kind{projectNoun, "project", "project", []string{"projects"}, "get_project_tools", "Project", nil, nil}
)

// itemKinds are all kinds of items.
var itemKinds = []kind{
	projectKind, messageKind, commentKind, listKind, todoKind, subtaskKind, documentKind, folderKind, uploadKind, lineKind,
	questionKind, answerKind, entryKind, cardKind, forwardKind,
}

// kindOf returns the kind of item with a type of Basecamp, or zero if no tool accepts it.
func kindOf(upstream string) kind {
	if upstream == "" {
		return kind{}
	}
	word := typeOf(upstream)
	i := slices.IndexFunc(itemKinds, func(k kind) bool { return k.kind == word })
	if i < 0 {
		return kind{}
	}
	return itemKinds[i]
}

// typeOf returns the word that the tools use for one of Basecamp's types, even if no tool accepts
// items of that type.
func typeOf(upstream string) string {
	switch {
	case upstream == "step": // as reports spell it
		return subtaskKind.kind
	case strings.HasPrefix(upstream, "Chat::Lines::"):
		return lineKind.kind
	}
	for _, k := range itemKinds {
		if k.upstream == upstream {
			return k.kind
		}
	}
	return strings.ToLower(strings.ReplaceAll(upstream, "::", "_"))
}

// whatIs describes what URLs of a type point at, and names the tool that reads it.
func whatIs(linkType string) string {
	for _, k := range itemKinds {
		if slices.Contains(k.links, linkType) {
			return "a " + k.one + "; " + k.reader + " reads it"
		}
	}
	switch linkType {
	case "chats":
		return "a chat; list_campfire_lines reads it"
	case "card_tables", "columns", "lists":
		return "a card table; get_board reads it"
	case "todosets":
		return "a to-do set; list_todos reads its to-dos"
	case "people":
		return "a person; list_people shows people"
	}
	return "something else (" + plaintext.Quote(linkType) + ")"
}

// typesOf lists the types of kinds: "todo, subtask or card".
func typesOf(kinds []kind) string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.kind
	}
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
