package basecamptools

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/richtext"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/toolargs"
)

// mentionsInput is part of every tool that writes rich text.
type mentionsInput struct {
	Mentions toolargs.Refs `json:"mentions,omitzero" jsonschema:"People to mention" limits:"maxitems=20"`
}

// prose is a Markdown text to write.
type prose struct {
	project  int64         // the project whose people it may mention
	argument string        // the argument that holds it, for errors
	markdown string        // the text
	mentions toolargs.Refs // people that it must mention
	old      basecamp.HTML // the text that it replaces
}

// noHTML returns an error if a Markdown text contains HTML tags outside code.
func noHTML(argument, markdown string) error {
	tag := richtext.HTMLTag(markdown)
	if tag == "" {
		return nil
	}
	return fault.Invalid(argument, "must be Markdown, but contains the HTML tag %s; write Markdown instead, or put HTML that readers should see into backticks", plaintext.Quote(tag))
}

// composed is a text as Basecamp's HTML, with what the "@" words in it mean.
type composed struct {
	html        string
	mentioned   []basecamp.Person // people whom it mentions and the replaced text did not
	unmentioned []string          // words with an "@" that mention no one
}

// compose turns Markdown into Basecamp's HTML. It returns an error if the text contains HTML, if a
// mentioned person is not on the project, or if the result would show nothing. A blank text
// without mentions becomes "".
func (rs *resolver) compose(ctx context.Context, p prose) (composed, error) {
	if err := noHTML(p.argument, p.markdown); err != nil {
		return composed{}, err
	}
	if plainly(p.markdown) == "" && len(p.mentions) == 0 {
		return composed{}, nil
	}
	text, err := rs.html(ctx, p)
	if err == nil && plainly(rs.markdown(basecamp.HTML(text.html))) == "" {
		err = fault.Invalid(p.argument, "must not be blank; Basecamp would show an empty text")
	}
	return text, err
}

// maxMentions is the largest number of mentions in a text, and of words with an "@" that are looked
// up. A mention takes Basecamp much more space than its name.
const maxMentions = 1000

func tooManyMentions(argument string) error {
	return fault.Invalid(argument, "has more than %d mentions or words with an @; split the text, or put an @ that mentions no one into backticks", maxMentions)
}

// html turns Markdown into HTML, with the mentions in arguments and in the text.
func (rs *resolver) html(ctx context.Context, p prose) (composed, error) {
	w := richtext.Writing{Old: string(p.old)}
	people, err := rs.persons(ctx, "mentions", p.mentions, p.project)
	if err != nil {
		return composed{}, err
	}
	w.Mention = mentionables(people)
	if len(addressed(w, p)) > maxMentions {
		return composed{}, tooManyMentions(p.argument)
	}
	if namesPeople(w, p) {
		everyone, err := rs.people(ctx, p.project, remembered)
		if err != nil {
			return composed{}, err
		}
		err = rs.mentionIn(ctx, &w, everyone, p)
		if fault.Is(err, fault.InvalidInput) { // the person may be new
			if everyone, err = rs.people(ctx, p.project, justRead); err == nil {
				err = rs.mentionIn(ctx, &w, everyone, p)
			}
		}
		if err != nil {
			return composed{}, err
		}
		people = append(people, everyone...)
	}
	if w.Files, err = rs.copyFiles(ctx, p); err != nil {
		return composed{}, err
	}
	html := w.HTML(p.markdown)
	if len(richtext.Attached(html)) > maxMentions+len(richtext.Attached(string(p.old))) {
		return composed{}, tooManyMentions(p.argument)
	}
	return newText(html, people).without(p.old), nil
}

// newText returns a written text. People are all whom it may mention.
func newText(html string, people []basecamp.Person) composed {
	bySGID := map[string]basecamp.Person{}
	for _, p := range people {
		bySGID[p.AttachableSGID] = p
	}
	text := composed{html: html, unmentioned: richtext.Unmentioned(html)}
	for _, sgid := range richtext.Attached(html) {
		if p, ok := bySGID[sgid]; ok && sgid != "" && !isAmong(text.mentioned, p.ID) {
			text.mentioned = append(text.mentioned, p)
		}
	}
	return text
}

// without returns the text without the people whom the old one mentions: Basecamp told them then.
func (c composed) without(old basecamp.HTML) composed {
	told := richtext.Attached(string(old))
	c.mentioned = matching(c.mentioned, func(p basecamp.Person) bool { return !slices.Contains(told, p.AttachableSGID) })
	return c
}

// published returns the text of a draft that is about to be published: Basecamp notifies everyone
// whom it mentions.
func (rs *resolver) published(ctx context.Context, project int64, text composed) (composed, error) {
	if len(richtext.Attached(text.html)) == 0 {
		return text, nil
	}
	people, err := rs.people(ctx, project, remembered)
	if err != nil {
		return composed{}, err
	}
	whole := newText(text.html, people)
	whole.unmentioned = text.unmentioned
	return whole, nil
}

// namesPeople reports whether a text may mention people by itself.
func namesPeople(w richtext.Writing, p prose) bool {
	return len(richtext.Mentions(p.markdown))+len(richtext.Called(p.markdown, string(p.old)))+len(addressed(w, p)) > 0
}

// addressed returns what follows each "@" of a text that begins a word. A word with an "@" that is
// text in the replaced field too remains text: the caller has only copied it.
func addressed(w richtext.Writing, p prose) []string {
	copied := richtext.Unmentioned(string(p.old))
	return slices.DeleteFunc(w.Addressed(p.markdown), func(rest string) bool {
		return slices.Contains(copied, "@"+richtext.FirstWord(rest))
	})
}

// mentionIn finds the people whom the text names and adds them to w. It returns an error for a
// name of several people, and for a name with a capital letter that no person on the project has.
func (rs *resolver) mentionIn(ctx context.Context, w *richtext.Writing, people []basecamp.Person, p prose) error {
	among := personAmong(p.argument, people, p.project)
	w.Inline, w.Called, w.Named = nil, map[string]richtext.Person{}, map[string]richtext.Person{}
	for _, id := range richtext.Mentions(p.markdown) {
		i := slices.IndexFunc(people, func(someone basecamp.Person) bool { return someone.ID == id })
		if i < 0 {
			return fault.Invalid(p.argument, "the text mentions person %d, who is not on the project; list_people shows its people", id)
		}
		w.Inline = append(w.Inline, mentionable(people[i]))
	}
	for _, name := range richtext.Called(p.markdown, string(p.old)) {
		switch found := calledBy(people, name); {
		case len(found) > 1:
			return among.ambiguous(found, "%s matches %d people; write @[Name](person:ID) to choose one", plaintext.Quote("[@"+name+"]"), len(found))
		case len(found) == 1:
			w.Called[name] = mentionable(found[0])
		}
	}
	found := namedPeople{among, richtext.NamesOf(mentionables(people)), richtext.NamesOf(w.Mention)}
	for _, rest := range addressed(*w, p) {
		name, who, err := found.begin(rest)
		if err == nil && name != "" {
			err = rs.notAnother(ctx, found.among, rest, name, who)
		}
		if err != nil {
			return err
		}
		if name != "" {
			w.Named[name] = who
		}
	}
	return nil
}

// namedPeople finds the people on a project by the name at the start of a text.
type namedPeople struct {
	among    choice[basecamp.Person]
	everyone richtext.Names
	asked    richtext.Names // the people in mentions, who decide between people with the same name
}

// begin returns the name at the start of rest, and its person. The name is "" if rest begins with a
// lower-case word that matches none.
func (n namedPeople) begin(rest string) (name string, who richtext.Person, err error) {
	if inside, ok := strings.CutPrefix(rest, "["); ok {
		if inside, _, _ = strings.Cut(inside, "]"); isName(inside) {
			return "", who, notNamed(n.among, inside)
		}
		return "", who, nil
	}
	found, length := n.everyone.Begin(rest)
	if len(found) > 1 {
		if asked, size := n.asked.Begin(rest); size == length {
			found = asked
		}
	}
	switch name = rest[:length]; {
	case len(found) > 1:
		all := matching(n.among.items, func(p basecamp.Person) bool {
			return slices.ContainsFunc(found, func(f richtext.Person) bool { return f.ID == p.ID })
		})
		return "", who, n.among.ambiguous(all, "%s matches %d people on the project; write the full name, or @[Name](person:ID) to choose one", plaintext.Quote("@"+name), len(all))
	case len(found) == 1:
		return name, found[0], nil
	case isName(rest):
		return "", who, notNamed(n.among, richtext.FirstWord(rest))
	}
	return "", who, nil
}

// notAnother returns an error if rest begins with the whole name of a person who is not on the
// project, and name is only its first word: "@Sam Lee" must not mention another Sam.
func (rs *resolver) notAnother(ctx context.Context, among choice[basecamp.Person], rest, name string, who richtext.Person) error {
	next := strings.TrimLeftFunc(rest[len(name):], unicode.IsSpace)
	if fold(name) == fold(who.Name) || len(next) == len(rest)-len(name) || !isName(next) {
		return nil
	}
	everyone, err := rs.people(ctx, 0, remembered)
	if _, ok := dispensable(err); err != nil {
		if ok {
			return nil
		}
		return err
	}
	_, length := richtext.NamesOf(mentionables(everyone)).Begin(rest)
	if length <= len(name) {
		return nil
	}
	return notNamed(among, rest[:length])
}

// isName reports whether a text begins with a capital letter.
func isName(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return unicode.IsUpper(first) || unicode.IsTitle(first)
}

// notNamed returns the error for a name after an "@" that no person on the project has.
func notNamed(among choice[basecamp.Person], name string) error {
	unknown := among.unknown(name)
	f := fault.Invalid(among.argument, "%s matches no person on this project%s; correct the name, or put a literal @ into backticks",
		plaintext.Quote("@"+name), namesBehind("; the nearest: ", unknown.Nearest))
	f.Nearest = unknown.Nearest
	return f
}

// calledBy returns the people whose first name or whole name is name.
func calledBy(people []basecamp.Person, name string) []basecamp.Person {
	return matching(people, func(p basecamp.Person) bool {
		full := fold(p.Name)
		first, _, _ := strings.Cut(full, " ")
		return fold(name) == full || fold(name) == first
	})
}

func mentionable(p basecamp.Person) richtext.Person {
	return richtext.Person{ID: p.ID, Name: p.Name, SGID: p.AttachableSGID}
}

func mentionables(people []basecamp.Person) []richtext.Person {
	all := make([]richtext.Person, len(people))
	for i, p := range people {
		all[i] = mentionable(p)
	}
	return all
}
