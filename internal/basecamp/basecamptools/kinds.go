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

// withArguments returns the kind with the names of a tool's arguments.
func (k kind) withArguments(argument, inProject string) kind {
	k.argument, k.inProject = argument, inProject
	return k
}

var (
	messageKind = kind{
		noun: noun{one: "message", many: "messages", kind: "message"}, argument: "message_id", inProject: "project_id",
		links: []string{"messages"}, reader: "get_message", upstream: "Message", titles: recordingTitles,
	}
	todoKind = kind{
		noun: noun{one: "to-do", many: "to-dos", kind: "todo"}, argument: "todo_id", inProject: "project_id",
		links: []string{"todos"}, reader: "get_todo", upstream: "Todo", titles: recordingTitles,
	}
	documentKind = kind{
		noun: noun{one: "document", many: "documents", kind: "document"}, argument: "document_id", inProject: "project_id",
		links: []string{"documents"}, reader: "get_document", upstream: "Document", titles: recordingTitles,
	}
	cardKind = kind{
		noun: noun{one: "card", many: "cards", kind: "card"}, argument: "card", inProject: "project",
		links: []string{"cards"}, reader: "get_card", upstream: "Kanban::Card", titles: recordingTitles,
	}
	commentKind = kind{
		noun: noun{one: "comment", many: "comments", kind: "comment"}, argument: "comment", inProject: "project",
		links: []string{"comments"}, reader: "list_comments", upstream: "Comment",
	}
	listKind = kind{
		noun: listNoun, argument: "list", inProject: "project",
		links: []string{"todolists", "groups"}, reader: "list_todos", upstream: "Todolist", titles: recordingTitles,
	}
	subtaskKind = kind{
		noun: noun{one: "subtask", many: "subtasks", kind: "subtask"}, argument: "item", inProject: "project",
		links: []string{"steps", "subtasks"}, reader: "get_todo", upstream: "Kanban::Step", titles: recordingTitles,
	}
	folderKind = kind{
		noun: noun{one: "folder", many: "folders", kind: "folder"}, argument: "folder", inProject: "project",
		links: []string{"vaults"}, reader: "list_documents", upstream: "Vault", titles: recordingTitles,
	}
	uploadKind = kind{
		noun: noun{one: "file", many: "files", kind: "upload"}, argument: "item", inProject: "project",
		links: []string{"uploads"}, reader: "get_file", upstream: "Upload", titles: recordingTitles,
	}
	lineKind = kind{
		noun: noun{one: "chat line", many: "chat lines", kind: "chat_line"}, argument: "item", inProject: "project",
		links: []string{"lines"}, reader: "list_campfire_lines",
	}
	questionKind = kind{
		noun: noun{one: "check-in question", many: "check-in questions", kind: "question"}, argument: "question", inProject: "project",
		links: []string{"questions"}, reader: "list_checkins", upstream: "Question", titles: questionTitles,
	}
	answerKind = kind{
		noun: noun{one: "check-in answer", many: "check-in answers", kind: "answer"}, argument: "item", inProject: "project",
		links: []string{"question_answers", "answers"}, reader: "list_checkin_answers", upstream: "Question::Answer",
	}
	entryKind = kind{
		noun: noun{one: "schedule entry", many: "schedule entries", kind: "schedule_entry"}, argument: "entry", inProject: "project",
		links: []string{"schedule_entries"}, reader: "list_schedule_entries", upstream: "Schedule::Entry", titles: recordingTitles,
	}
	forwardKind = kind{
		noun: noun{one: "forwarded e-mail", many: "forwarded e-mails", kind: "forward"}, argument: "item", inProject: "project",
		links: []string{"inbox_forwards", "forwards"}, reader: "list_forwards", upstream: "Inbox::Forward",
	}
	projectKind = kind{
		noun: projectNoun, argument: "project", inProject: "project",
		links: []string{"projects"}, reader: "get_project_tools", upstream: "Project",
	}
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
