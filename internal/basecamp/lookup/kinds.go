package lookup

import (
	"cmp"
	"slices"
	"strings"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/toolargs"
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
	searched  string   // word for it in Basecamp's search; empty: its type
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

// The kinds of items, and the usual names of their arguments.
var (
	MessageKind  = Kind{Noun: Noun{"message", "messages", "message"}, Upstream: "Message", Links: []string{"messages"}, Reader: "get_message", Argument: "message_id", InProject: "project_id", titled: true}
	TodoKind     = Kind{Noun: Noun{"to-do", "to-dos", "todo"}, Upstream: "Todo", Links: []string{"todos"}, Reader: "get_todo", Argument: "todo_id", InProject: "project_id", titled: true}
	DocumentKind = Kind{Noun: Noun{"document", "documents", "document"}, Upstream: "Document", Links: []string{"documents"}, Reader: "get_document", Argument: "document_id", InProject: "project_id", titled: true}
	CardKind     = Kind{Noun: Noun{"card", "cards", "card"}, Upstream: "Kanban::Card", Links: []string{"cards"}, Reader: "get_item", Argument: "card", InProject: "project", titled: true}
	CommentKind  = Kind{Noun: Noun{"comment", "comments", "comment"}, Upstream: "Comment", Links: []string{"comments"}, Reader: "list_comments", Argument: "comment", InProject: "project"}
	ListKind     = Kind{Noun: ListNoun, Upstream: "Todolist", Links: []string{"todolists", "groups"}, Reader: "list_todos", Argument: "list", InProject: "project", titled: true, searched: "Todo"}
	SubtaskKind  = Kind{Noun: Noun{"subtask", "subtasks", "subtask"}, Upstream: "Kanban::Step", Links: []string{"steps", "subtasks"}, Reader: "get_todo", Argument: "item", InProject: "project", titled: true, searched: "Kanban::Card"}
	FolderKind   = Kind{Noun: Noun{"folder", "folders", "folder"}, Upstream: "Vault", Links: []string{"vaults"}, Reader: "list_documents", Argument: "folder", InProject: "project", titled: true}
	UploadKind   = Kind{Noun: Noun{"file", "files", "upload"}, Upstream: "Upload", Links: []string{"uploads"}, Reader: "get_file", Argument: "item", InProject: "project", titled: true, searched: "Attachment"}
	LineKind     = Kind{Noun: Noun{"chat line", "chat lines", "chat_line"}, Links: []string{"lines"}, Reader: "list_campfire_lines", Argument: "item", InProject: "project"}
	QuestionKind = Kind{Noun: Noun{"check-in question", "check-in questions", "question"}, Upstream: "Question", Links: []string{"questions"}, Reader: "list_checkins", Argument: "question", InProject: "project", titled: true}
	AnswerKind   = Kind{Noun: Noun{"check-in answer", "check-in answers", "answer"}, Upstream: "Question::Answer", Links: []string{"question_answers", "answers"}, Reader: "list_checkins", Argument: "item", InProject: "project"}
	EntryKind    = Kind{Noun: Noun{"schedule entry", "schedule entries", "schedule_entry"}, Upstream: "Schedule::Entry", Links: []string{"schedule_entries"}, Reader: "list_schedule_entries", Argument: "entry", InProject: "project", titled: true}
	ForwardKind  = Kind{Noun: Noun{"forwarded e-mail", "forwarded e-mails", "forward"}, Upstream: "Inbox::Forward", Links: []string{"inbox_forwards", "forwards"}, Reader: "get_item", Argument: "item", InProject: "project"}
	ProjectKind  = Kind{Noun: projectNoun, Upstream: "Project", Links: []string{"projects"}, Reader: "get_project_tools", Argument: "project", InProject: "project"}
)

// ItemKinds are all kinds of items.
var ItemKinds = []Kind{
	ProjectKind, MessageKind, CommentKind, ListKind, TodoKind, SubtaskKind, DocumentKind, FolderKind, UploadKind, LineKind,
	QuestionKind, AnswerKind, EntryKind, CardKind, ForwardKind,
}

// KindOf returns the kind of item with a type of Basecamp, or the tools' word for it. It is zero if
// no tool accepts such items.
func KindOf(upstream string) Kind {
	if upstream == "" {
		return Kind{}
	}
	word := TypeOf(upstream)
	if i := slices.IndexFunc(ItemKinds, func(k Kind) bool { return k.Kind == word }); i >= 0 {
		return ItemKinds[i]
	}
	return Kind{}
}

// KindAt returns the kind of item that an address names. It is zero if there is none.
func KindAt(link basecamp.Link) Kind {
	i := slices.IndexFunc(ItemKinds, func(k Kind) bool { return slices.Contains(k.Links, link.Type) })
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

// places are what references and URLs name besides items: the type, the path segments of the URLs,
// and what they point at. The type of a project's tool is that of its dock.
var places = []struct {
	kind  string
	links []string
	is    string
}{
	{Chat.Kind, []string{"chats"}, "a chat; list_campfire_lines reads it"},
	{CardTable.Kind, []string{"card_tables", "lists"}, "a card table; get_board reads it"},
	{ColumnNoun.Kind, []string{"columns"}, "a card table; get_board reads it"},
	{Todoset.Kind, []string{"todosets"}, "a to-do set; list_todos reads its to-dos"},
	{PersonNoun.Kind, []string{"people"}, "a person; list_people shows people"},
	{MessageBoard.Kind, nil, "a message board"},
	{Vault.Kind, nil, "a vault"},
	{Schedule.Kind, nil, "a schedule"},
	{Checkins.Kind, nil, "a questionnaire"},
	{Inbox.Kind, nil, "a inbox"},
	{PingKind, nil, "a ping"},
}

// what describes the item or the place that a function accepts by its type and the path segments of
// its URLs, and names the tool that reads it. It returns "" if there is none.
func what(accepts func(kind string, links []string) bool) string {
	for _, k := range ItemKinds {
		if accepts(k.Kind, k.Links) {
			return "a " + k.One + "; " + k.Reader + " reads it"
		}
	}
	for _, p := range places {
		if accepts(p.kind, p.links) {
			return p.is
		}
	}
	return ""
}

// WhatIs describes what URLs of a type point at, and names the tool that reads it.
func WhatIs(linkType string) string {
	is := what(func(_ string, links []string) bool { return slices.Contains(links, linkType) })
	return cmp.Or(is, "something else ("+plaintext.Quote(linkType)+")")
}

// whatIsTyped describes a type, and names the tool that reads its items. It returns "" for a word
// that is none.
func whatIsTyped(word string) string {
	return what(func(kind string, _ []string) bool { return kind == word })
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

// PingKind is the type of a ping, which is a private chat between people.
const PingKind = "ping"

// CutType returns the type and the rest of a reference such as todo:123. The type is "" if the text
// does not begin with one.
func CutType(text string) (word, rest string) {
	word, rest, isTyped := strings.Cut(text, ":")
	word, rest = strings.ToLower(strings.TrimSpace(word)), strings.TrimSpace(rest)
	word = cmp.Or(AlsoCalled[word], word)
	if !isTyped || whatIsTyped(word) == "" {
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

// URLs are the addresses that references accept.
var URLs = toolargs.URLs{Name: "a Basecamp URL", Hosts: []string{"3.basecamp.com", "app.basecamp.com"}}
