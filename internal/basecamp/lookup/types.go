package lookup

import (
	"slices"
	"strings"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/toolargs"
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
