package toolargs

import (
	"encoding/json"
	"slices"
	"strings"

	"basecamp-mcp/internal/text/lazyregexp"
	"basecamp-mcp/internal/text/naming"
	"basecamp-mcp/internal/text/plaintext"
)

// titles and texts are the names that a title and a longer text have in tools.
var (
	titles = []string{"title", "subject", "summary", "name", "content"}
	texts  = []string{"body", "text", "notes", "description"}
)

// aliases are the properties that other names can mean. The first list with a property of the
// schema counts: a tool with a body calls that content, and a tool without one may call its title
// content.
var aliases = []struct {
	names []string // without case and separators
	mean  [][]string
	// must says that only a required property is meant, and only by a value that does not refer to
	// an item: the message of a card that is updated could be a comment.
	must bool
}{
	{names: []string{"content"}, mean: [][]string{{"body", "text"}, slices.Concat(titles, texts)}},
	{names: []string{"text"}, mean: [][]string{{"body"}, {"content"}, slices.Concat(titles, texts)}},
	{names: []string{"body"}, mean: [][]string{texts}},
	{names: []string{"description"}, mean: [][]string{{"body", "notes"}}},
	{names: []string{"notes"}, mean: [][]string{{"body", "description"}}},
	{names: []string{"title", "subject", "name"}, mean: [][]string{titles}},
	{names: []string{"summary"}, mean: [][]string{{"title", "subject", "name"}}},
	{names: []string{"subtasks"}, mean: [][]string{{"steps"}}},
	{names: []string{"done"}, mean: [][]string{{"completed"}}},
	{names: []string{"due", "duedate", "deadline"}, mean: [][]string{{"due_on"}}},
	{names: []string{"startdate", "start"}, mean: [][]string{{"starts_on", "starts_at"}}},
	{names: []string{"starttime"}, mean: [][]string{{"starts_at"}}},
	{names: []string{"end", "endtime"}, mean: [][]string{{"ends_at"}}},
	{names: []string{"attendees", "invitees"}, mean: [][]string{{"participants"}}},
	{names: []string{"from", "after"}, mean: [][]string{{"since"}}},
	{names: []string{"before"}, mean: [][]string{{"until"}}},
	{names: []string{"since"}, mean: [][]string{{"from"}}},
	{names: []string{"until", "recipient", "recipients"}, mean: [][]string{{"to"}}},
	{names: []string{"q", "keyword", "keywords"}, mean: [][]string{{"query"}}},
	{names: []string{"status"}, mean: [][]string{{"state"}}},
	{names: []string{"state"}, mean: [][]string{{"status"}}},
	{names: []string{"assignee", "assigneeid", "assigneeids", "assignees", "assignedto"}, mean: [][]string{{"assignees", "assignee", "add_assignees"}}},
	{names: []string{"list", "listid", "todolist", "todolistid"}, mean: [][]string{{"list", "todolist_id"}}},
	{names: []string{"project"}, mean: [][]string{{"project", "project_id"}, {"to"}}},
	{names: []string{"projectid", "projectname", "bucketid"}, mean: [][]string{{"project", "project_id"}}},
	{names: []string{"emoji", "reaction"}, mean: [][]string{{"text"}}},
	{names: []string{"date", "day"}, mean: [][]string{{"on"}}},
	{names: []string{"recurrence", "repeat"}, mean: [][]string{{"repeats"}}},
	{names: []string{"parent"}, mean: [][]string{{"folder"}}},
	{names: []string{"query"}, mean: [][]string{{"words"}}},
	{names: []string{"op"}, mean: [][]string{{"operation"}}},
	{names: []string{"args", "params", "parameters"}, mean: [][]string{{"arguments"}}},
	{names: []string{"commentscursor", "nextcursor"}, mean: [][]string{{"cursor"}}},
	{names: []string{"nextoffset"}, mean: [][]string{{"offset"}}},
	{names: []string{"message", "comment", "reply", "answer"}, mean: [][]string{texts}, must: true},
	{names: []string{"task", "card", "event", "meeting"}, mean: [][]string{titles}, must: true},
}

// itemWords are the types of items by the names that clients give an argument for an item. The
// empty type is any.
var itemWords = map[string]string{
	"card": "card", "todo": "todo", "file": "upload", "upload": "upload", "message": "message", "document": "document", "comment": "comment",
	"todolist": "todolist", "subtask": "subtask", "step": "subtask", "question": "question", "answer": "answer", "entry": "schedule_entry",
	"scheduleentry": "schedule_entry", "folder": "folder", "item": "", "id": "", "url": "", "link": "",
}

// titledWords are those whose value can also be a title. That of other words may be a text to
// write.
var titledWords = []string{"card", "todo", "file", "document", "item"}

// isTitle reports whether a value can be the title of an item.
func isTitle(value any) bool {
	title, ok := value.(string)
	return ok && strings.TrimSpace(title) != "" && !strings.Contains(title, "\n")
}

// plainName returns a name without case and separators.
func plainName(name string) string {
	return strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(name))
}

// meanings returns the properties that an unknown name with a value can mean.
func (s *Schema) meanings(name string, value any) []string {
	plain := plainName(name)
	for _, p := range s.properties {
		if is := plainName(p.name); is == plain || p.isReference() && (is == plain+"id" || is+"id" == plain) {
			return []string{p.name}
		}
	}
	text, isText := value.(string)
	for _, a := range aliases {
		if !slices.Contains(a.names, plain) || a.must && (!isText || refersToItem(text)) {
			continue
		}
		for _, choice := range a.mean {
			found := s.knownNames(choice)
			if a.must {
				found = slices.DeleteFunc(found, func(name string) bool { return !s.property(name).required })
			}
			if len(found) > 0 {
				return found
			}
		}
	}
	for _, p := range s.properties {
		if is := plainName(p.name); p.kind == array && is == plain+"s" {
			return []string{p.name}
		}
	}
	return s.itemMeant(plain, value)
}

// isReference reports whether a property refers to an item.
func (p property) isReference() bool { return p.kind == reference || strings.HasSuffix(p.name, "_id") }

// knownNames returns those of the names that the schema has. The title and the texts of a file are
// left out: its content is something else.
func (s *Schema) knownNames(names []string) []string {
	var found []string
	isFile := s.property("filename") != nil
	for _, name := range names {
		if s.property(name) != nil && !(isFile && (slices.Contains(titles, name) || slices.Contains(texts, name))) {
			found = append(found, name)
		}
	}
	return found
}

// itemMeant returns the argument for an item: item, items, or the tool's required reference except
// its project, or else one that is named for a kind of item. A list of items is for items. The
// value must be an ID, a URL or type:id, because the same word may stand for the text of a message
// or a comment. It can be a title if the word is one of titledWords.
func (s *Schema) itemMeant(plain string, value any) []string {
	kind, isItem := itemWords[itemWord(plain)]
	list, isList := value.([]any)
	switch {
	case isList && isItem && len(list) > 0 && allReferToItems(list):
		return s.knownNames([]string{"items"})
	case !isItem || !refersToItem(value) && !(isTitle(value) && slices.Contains(titledWords, plain)):
		return nil
	}
	if found := s.knownNames([]string{"item", "items"}); len(found) > 0 {
		return found[:1]
	}
	if kind != "" {
		return nil
	}
	if own := s.references(func(p property) bool { return p.required && !strings.HasPrefix(p.name, "project") }); len(own) > 0 {
		return own
	}
	return s.references(func(p property) bool { return itemWords[itemWord(p.name)] != "" })
}

// references returns the names of the references that fit.
func (s *Schema) references(fit func(property) bool) (names []string) {
	for _, p := range s.properties {
		if p.isReference() && fit(p) {
			names = append(names, p.name)
		}
	}
	return names
}

// itemWord returns the word of an argument's name that says which items it is for: todo for todo_id
// and todo_ids.
func itemWord(name string) string {
	plain := plainName(name)
	for _, suffix := range []string{"", "id", "s", "ids"} {
		word := strings.TrimSuffix(plain, suffix)
		if _, ok := itemWords[word]; ok && word+suffix == plain {
			return word
		}
	}
	return ""
}

func allReferToItems(values []any) bool {
	return !slices.ContainsFunc(values, func(value any) bool { return !refersToItem(value) })
}

var itemReference = lazyregexp.New(`^([0-9]{1,19}|https?://\S+|[a-z0-9]+(\.[a-z0-9-]+)+/\S+|\[.*\]\(https?://\S+\)|[a-z_]+:.+)$`)

func refersToItem(value any) bool {
	switch v := value.(type) {
	case json.Number:
		return digits.MatchString(v.String())
	case string:
		return itemReference.MatchString(strings.TrimSpace(v))
	}
	return false
}

// typedReference returns a reference to an item with the type that its name says: todo 12 becomes
// todo:12.
func typedReference(name string, value any) any {
	if list, ok := value.([]any); ok {
		all := make([]any, len(list))
		for i := range list {
			all[i] = typedReference(name, list[i])
		}
		return all
	}
	kind := itemWords[itemWord(name)]
	text, isText := value.(string)
	if number, ok := value.(json.Number); ok {
		text = number.String()
	}
	isTitle := slices.Contains(titledWords, plainName(name)) && !refersToItem(value)
	if kind == "" || !isTitle && !digits.MatchString(strings.TrimSpace(text)) {
		if isText {
			return value
		}
		return text
	}
	return kind + ":" + strings.TrimSpace(text)
}

// maxNames is more than the number of arguments that a client sends by mistake.
const maxNames = 100

// rename replaces unknown names by the names of the properties that they mean.
func (l *lenient) rename(path string, s *Schema, given map[string]any) {
	if len(given) > maxNames {
		return
	}
	for _, name := range s.unknown(given) {
		value := given[name]
		meant := s.meanings(name, value)
		if len(meant) != 1 || given[meant[0]] != nil || s.meantTwice(meant[0], given) {
			continue
		}
		if meant[0] == "item" || meant[0] == "items" {
			value = typedReference(name, value)
		}
		delete(given, name)
		given[meant[0]] = value
		l.note(join(path, plaintext.Word(name)) + " -> " + join(path, meant[0]))
	}
}

// meantTwice reports whether several unknown names mean one property.
func (s *Schema) meantTwice(property string, given map[string]any) bool {
	count := 0
	for _, name := range s.unknown(given) {
		if slices.Equal(s.meanings(name, given[name]), []string{property}) {
			count++
		}
	}
	return count > 1
}

// hint returns what a client should know about an unknown name: what it could mean, or the most
// similar property.
func (s *Schema) hint(name string, given map[string]any) string {
	meant := s.meanings(name, given[name])
	switch {
	case len(meant) > 1:
		return "; it could mean " + strings.Join(meant, " or ")
	case len(meant) == 1:
		return "; send its value only once, as " + meant[0]
	}
	if near := s.nearest(name); near != "" {
		return "; the nearest is " + near
	}
	return s.partOf(name)
}

// partOf says which list has entries with such a member, and what an entry needs, or returns "".
func (s *Schema) partOf(name string) string {
	for _, p := range s.properties {
		if p.kind != array || p.items.kind != object || p.items.property(name) == nil {
			continue
		}
		var needs []string
		for _, part := range p.items.properties {
			if part.required {
				needs = append(needs, part.name)
			}
		}
		return "; give it in " + p.name + ", whose entries need " + strings.Join(needs, " and ")
	}
	return ""
}

// nearest returns the property whose name differs from a name by at most two letters, or "".
func (s *Schema) nearest(name string) string {
	const most = 2
	found, least := "", most+1
	plain := plainName(name)
	for _, p := range s.properties {
		is := plainName(p.name)
		for _, spelling := range []string{is, strings.TrimSuffix(is, "id")} {
			if d := naming.Distance(plain, spelling); d < least && d < len(spelling)-1 {
				found, least = p.name, d
			}
		}
	}
	return found
}
