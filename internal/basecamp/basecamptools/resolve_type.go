package basecamptools

import (
	"slices"
	"strings"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/toolargs"
)

// alsoCalled maps other words for a type, used by users or in answers, to the type.
var alsoCalled = map[string]string{
	"step": subtaskKind.kind, "list": listKind.kind, "group": listKind.kind, "file": uploadKind.kind, "checkin": questionKind.kind,
	"event": entryKind.kind, "post": messageKind.kind, "to-do": todoKind.kind, "line": lineKind.kind, "board": cardTable.kind,
	"card_table": cardTable.kind, "campfire": chat.kind,
}

// placeTypes are the types of places and people in references. They are not items.
var placeTypes = []string{
	messageBoard.kind, todoset.kind, vault.kind, chat.kind, cardTable.kind, schedule.kind, checkins.kind, inbox.kind,
	columnNoun.kind, personNoun.kind,
}

// cutType returns the type and the rest of a reference such as todo:123. The type is "" if the text
// does not begin with one.
func cutType(text string) (word, rest string) {
	word, rest, _ = strings.Cut(text, ":")
	word, rest = strings.ToLower(strings.TrimSpace(word)), strings.TrimSpace(rest)
	if other, ok := alsoCalled[word]; ok {
		word = other
	}
	isItem := slices.ContainsFunc(itemKinds, func(k kind) bool { return k.kind == word })
	if !isItem && !slices.Contains(placeTypes, word) || !strings.Contains(text, ":") {
		return "", text
	}
	return word, rest
}

// bare returns a reference without its type, if it has one. The type must be the noun's, but a name
// may begin with the word for another type.
func (n noun) bare(argument string, ref toolargs.Ref) (toolargs.Ref, error) {
	word, rest := cutType(ref.Name)
	switch word {
	case "":
		return ref, nil
	case n.kind:
		return untyped(argument, rest)
	}
	if urls.ParseRef(rest).ID <= 0 {
		return ref, nil
	}
	return ref, fault.Invalid(argument, "must be a %s; %s is %s", n.one, plaintext.Quote(ref.Name), whatIsTyped(word))
}

// untyped reads the id, title or URL that follows a type.
func untyped(argument, text string) (toolargs.Ref, error) {
	ref := urls.ParseRef(strings.TrimSpace(text))
	if ref.Name == "" && ref.URL == "" && ref.ID <= 0 {
		return ref, fault.Invalid(argument, "must have a positive integer, a title or a URL after its type, got %s", plaintext.Quote(text))
	}
	return ref, nil
}

// whatIsTyped describes a type, and names the tool that reads its items.
func whatIsTyped(word string) string {
	for _, k := range itemKinds {
		if k.kind == word {
			return whatIs(k.links[0])
		}
	}
	for link, place := range map[string]string{"chats": chat.kind, "card_tables": cardTable.kind, "columns": columnNoun.kind, "todosets": todoset.kind, "people": personNoun.kind} {
		if place == word {
			return whatIs(link)
		}
	}
	return "a " + strings.ReplaceAll(word, "_", " ")
}
