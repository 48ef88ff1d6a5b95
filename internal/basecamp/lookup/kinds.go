package lookup

import (
	"slices"
	"strings"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/toolargs"
)

// Kind is a kind of item that tools accept.
type Kind struct {
	Noun
	Argument  string   // name of the argument that holds it
	InProject string   // name of the argument that holds its project
	Links     []string // path segments of its URLs
	Reader    string   // tool that reads one
	Upstream  string   // its type at Basecamp
	titled    bool     // whether it can be found by its title
	Statuses  []string // statuses in which a title is searched; empty: active
}

// sought returns the statuses in which a title is searched.
func (k Kind) sought() []string {
	if len(k.Statuses) == 0 {
		return []string{Active}
	}
	return k.Statuses
}

// WithArguments returns the kind with the names of a tool's arguments.
func (k Kind) WithArguments(argument, inProject string) Kind {
	k.Argument, k.InProject = argument, inProject
	return k
}

// The kinds of items.
var (
	MessageKind = Kind{
		Noun: Noun{One: "message", Many: "messages", Kind: "message"}, Argument: "message_id", InProject: "project_id",
		Links: []string{"messages"}, Reader: "get_message", Upstream: "Message", titled: true,
	}
	TodoKind = Kind{
		Noun: Noun{One: "to-do", Many: "to-dos", Kind: "todo"}, Argument: "todo_id", InProject: "project_id",
		Links: []string{"todos"}, Reader: "get_todo", Upstream: "Todo", titled: true,
	}
	DocumentKind = Kind{
		Noun: Noun{One: "document", Many: "documents", Kind: "document"}, Argument: "document_id", InProject: "project_id",
		Links: []string{"documents"}, Reader: "get_document", Upstream: "Document", titled: true,
	}
	CardKind = Kind{
		Noun: Noun{One: "card", Many: "cards", Kind: "card"}, Argument: "card", InProject: "project",
		Links: []string{"cards"}, Reader: "get_item", Upstream: "Kanban::Card", titled: true,
	}
	CommentKind = Kind{
		Noun: Noun{One: "comment", Many: "comments", Kind: "comment"}, Argument: "comment", InProject: "project",
		Links: []string{"comments"}, Reader: "list_comments", Upstream: "Comment",
	}
	ListKind = Kind{
		Noun: ListNoun, Argument: "list", InProject: "project",
		Links: []string{"todolists", "groups"}, Reader: "list_todos", Upstream: "Todolist", titled: true,
	}
	SubtaskKind = Kind{
		Noun: Noun{One: "subtask", Many: "subtasks", Kind: "subtask"}, Argument: "item", InProject: "project",
		Links: []string{"steps", "subtasks"}, Reader: "get_todo", Upstream: "Kanban::Step", titled: true,
	}
	FolderKind = Kind{
		Noun: Noun{One: "folder", Many: "folders", Kind: "folder"}, Argument: "folder", InProject: "project",
		Links: []string{"vaults"}, Reader: "list_documents", Upstream: "Vault", titled: true,
	}
	UploadKind = Kind{
		Noun: Noun{One: "file", Many: "files", Kind: "upload"}, Argument: "item", InProject: "project",
		Links: []string{"uploads"}, Reader: "get_file", Upstream: "Upload", titled: true,
	}
	LineKind = Kind{
		Noun: Noun{One: "chat line", Many: "chat lines", Kind: "chat_line"}, Argument: "item", InProject: "project",
		Links: []string{"lines"}, Reader: "list_campfire_lines",
	}
	QuestionKind = Kind{
		Noun: Noun{One: "check-in question", Many: "check-in questions", Kind: "question"}, Argument: "question", InProject: "project",
		Links: []string{"questions"}, Reader: "list_checkins", Upstream: "Question", titled: true,
	}
	AnswerKind = Kind{
		Noun: Noun{One: "check-in answer", Many: "check-in answers", Kind: "answer"}, Argument: "item", InProject: "project",
		Links: []string{"question_answers", "answers"}, Reader: "list_checkins", Upstream: "Question::Answer",
	}
	EntryKind = Kind{
		Noun: Noun{One: "schedule entry", Many: "schedule entries", Kind: "schedule_entry"}, Argument: "entry", InProject: "project",
		Links: []string{"schedule_entries"}, Reader: "list_schedule_entries", Upstream: "Schedule::Entry", titled: true,
	}
	ForwardKind = Kind{
		Noun: Noun{One: "forwarded e-mail", Many: "forwarded e-mails", Kind: "forward"}, Argument: "item", InProject: "project",
		Links: []string{"inbox_forwards", "forwards"}, Reader: "get_item", Upstream: "Inbox::Forward",
	}
	ProjectKind = Kind{
		Noun: projectNoun, Argument: "project", InProject: "project",
		Links: []string{"projects"}, Reader: "get_project_tools", Upstream: "Project",
	}
)

// ItemKinds are all kinds of items.
var ItemKinds = []Kind{
	ProjectKind, MessageKind, CommentKind, ListKind, TodoKind, SubtaskKind, DocumentKind, FolderKind, UploadKind, LineKind,
	QuestionKind, AnswerKind, EntryKind, CardKind, ForwardKind,
}

// KindOf returns the kind of item with a type of Basecamp, or zero if no tool accepts it.
func KindOf(upstream string) Kind {
	if upstream == "" {
		return Kind{}
	}
	word := TypeOf(upstream)
	i := slices.IndexFunc(ItemKinds, func(k Kind) bool { return k.Kind == word })
	if i < 0 {
		return Kind{}
	}
	return ItemKinds[i]
}

// TypeOf returns the word that the tools use for one of Basecamp's types, even if no tool accepts
// items of that type.
func TypeOf(upstream string) string {
	switch {
	case upstream == "step": // as reports spell it
		return SubtaskKind.Kind
	case strings.HasPrefix(upstream, "Chat::Lines::"):
		return LineKind.Kind
	}
	for _, k := range ItemKinds {
		if k.Upstream == upstream {
			return k.Kind
		}
	}
	return strings.ToLower(strings.ReplaceAll(upstream, "::", "_"))
}

// WhatIs describes what URLs of a type point at, and names the tool that reads it.
func WhatIs(linkType string) string {
	for _, k := range ItemKinds {
		if slices.Contains(k.Links, linkType) {
			return "a " + k.One + "; " + k.Reader + " reads it"
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

// TypesOf lists the types of kinds: "todo, subtask or card".
func TypesOf(kinds []Kind) string {
	names := Mapped(kinds, func(k Kind) string { return k.Kind })
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// ColumnNoun is what a card is in.
var ColumnNoun = Noun{"column", "columns", "column"}

// The statuses that items and projects have in Basecamp.
const (
	Active   = "active"
	Drafted  = "drafted" // only for messages and documents, and visible only to their author
	Archived = "archived"
	Trashed  = "trashed"
)

// AlsoCalled maps other words for a type, used by users or in answers, to the type.
var AlsoCalled = map[string]string{
	"step": SubtaskKind.Kind, "list": ListKind.Kind, "group": ListKind.Kind, "file": UploadKind.Kind, "checkin": QuestionKind.Kind,
	"event": EntryKind.Kind, "post": MessageKind.Kind, "to-do": TodoKind.Kind, "line": LineKind.Kind, "board": CardTable.Kind,
	"card_table": CardTable.Kind, "campfire": Chat.Kind,
}

// placeTypes are the types of places and people in references. They are not items.
var placeTypes = []string{
	MessageBoard.Kind, Todoset.Kind, Vault.Kind, Chat.Kind, CardTable.Kind, Schedule.Kind, Checkins.Kind, Inbox.Kind,
	ColumnNoun.Kind, PersonNoun.Kind, PingKind,
}

// PingKind is the type of a ping, which is a private chat between people.
const PingKind = "ping"

// CutType returns the type and the rest of a reference such as todo:123. The type is "" if the text
// does not begin with one.
func CutType(text string) (word, rest string) {
	word, rest, _ = strings.Cut(text, ":")
	word, rest = strings.ToLower(strings.TrimSpace(word)), strings.TrimSpace(rest)
	if other, ok := AlsoCalled[word]; ok {
		word = other
	}
	isItem := slices.ContainsFunc(ItemKinds, func(k Kind) bool { return k.Kind == word })
	if !isItem && !slices.Contains(placeTypes, word) || !strings.Contains(text, ":") {
		return "", text
	}
	return word, rest
}

// Bare returns a reference without its type, if it has one. The type must be the noun's, but a name
// may begin with the word for another type.
func (n Noun) Bare(argument string, ref toolargs.Ref) (toolargs.Ref, error) {
	word, rest := CutType(ref.Name)
	switch word {
	case "":
		return ref, nil
	case n.Kind:
		return untyped(argument, rest)
	}
	if URLs.ParseRef(rest).ID <= 0 {
		return ref, nil
	}
	return ref, fault.Invalid(argument, "must be a %s; %s is %s", n.One, plaintext.Quote(ref.Name), whatIsTyped(word))
}

// untyped reads the id, title or URL that follows a type.
func untyped(argument, text string) (toolargs.Ref, error) {
	ref := URLs.ParseRef(strings.TrimSpace(text))
	if ref.Name == "" && ref.URL == "" && ref.ID <= 0 {
		return ref, fault.Invalid(argument, "must have a positive integer, a title or a URL after its type, got %s", plaintext.Quote(text))
	}
	return ref, nil
}

// whatIsTyped describes a type, and names the tool that reads its items.
func whatIsTyped(word string) string {
	for _, k := range ItemKinds {
		if k.Kind == word {
			return WhatIs(k.Links[0])
		}
	}
	for link, place := range map[string]string{"chats": Chat.Kind, "card_tables": CardTable.Kind, "columns": ColumnNoun.Kind, "todosets": Todoset.Kind, "people": PersonNoun.Kind} {
		if place == word {
			return WhatIs(link)
		}
	}
	return "a " + strings.ReplaceAll(word, "_", " ")
}

// URLs are the addresses that references accept.
var URLs = toolargs.URLs{Name: "a Basecamp URL", Hosts: []string{"3.basecamp.com", "app.basecamp.com"}}
