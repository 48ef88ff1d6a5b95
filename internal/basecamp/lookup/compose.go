package lookup

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/richtext"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/naming"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/memo"
	"basecamp-mcp/internal/tool/toolargs"
)

// MentionsInput is part of every tool that writes rich text.
type MentionsInput struct {
	Mentions toolargs.Refs `json:"mentions,omitzero" jsonschema:"People" limits:"maxitems=20"`
}

// Prose is a Markdown text to write.
type Prose struct {
	Project  int64         // the project whose people it may mention
	Argument string        // the argument that holds it, for errors
	Markdown string        // the text
	Mentions toolargs.Refs // people that it must mention
	Old      basecamp.HTML // the text that it replaces
	Said     bool          // it is said to others, who are mentioned first; in other texts, last

	InPing []basecamp.Person // of a ping: the only people whom it may mention; nil for a text in a project
}

// Composed is a text as Basecamp's HTML, with what the "@" words in it mean.
type Composed struct {
	HTML      string
	Mentioned []basecamp.Person // people whom it mentions and the replaced text did not
	Places    int               // of the replaced text that edits have changed
	Literal
}

// Compose turns Markdown into Basecamp's HTML. It returns an error if the text contains HTML, if a
// mentioned person is not on the project, or if the result would show nothing. A blank text
// without mentions becomes "".
func (rs *Resolver) Compose(ctx context.Context, p Prose) (Composed, error) {
	if tag := richtext.HTMLTag(p.Markdown); tag != "" {
		return Composed{}, fault.Invalid(p.Argument, "must be Markdown, but contains the HTML tag %s; write Markdown instead, or put HTML that readers should see into backticks", plaintext.Quote(tag))
	}
	if Plainly(p.Markdown) == "" && len(p.Mentions) == 0 {
		return Composed{}, nil
	}
	text, err := rs.html(ctx, p)
	if err == nil && Plainly(rs.Markdown(basecamp.HTML(text.HTML))) == "" {
		err = fault.Invalid(p.Argument, "must not be blank; Basecamp would show an empty text")
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
func (rs *Resolver) html(ctx context.Context, p Prose) (Composed, error) {
	w := richtext.Writing{Old: string(p.Old), Last: !p.Said}
	people, err := rs.asked(ctx, p)
	if err != nil {
		return Composed{}, err
	}
	w.Mention = Mapped(people, mentionable)
	words := addressed(w, p)
	if len(words) > maxMentions {
		return Composed{}, tooManyMentions(p.Argument)
	}
	refs := richtext.ReadRefs(p.Markdown, string(p.Old))
	if len(refs.People)+len(refs.Called)+len(words) > 0 {
		if slices.ContainsFunc(words, isFirstName) {
			listing.ReadAhead(ctx, rs.namesakes)
		}
		everyone, err := rs.readers(ctx, p, memo.Life)
		if err != nil {
			return Composed{}, err
		}
		err = rs.mentionIn(ctx, &w, everyone, p, refs)
		if fault.Is(err, fault.InvalidInput) { // the person may be new
			if everyone, err = rs.readers(ctx, p, justRead); err == nil {
				err = rs.mentionIn(ctx, &w, everyone, p, refs)
			}
		}
		if err != nil {
			return Composed{}, err
		}
		people = append(people, everyone...)
	}
	if w.Files, err = rs.copyFiles(ctx, p, refs.Files); err != nil {
		return Composed{}, err
	}
	html := w.HTML(p.Markdown)
	if len(richtext.Attached(html)) > maxMentions+len(richtext.Attached(string(p.Old))) {
		return Composed{}, tooManyMentions(p.Argument)
	}
	text := newText(html, people).Without(p.Old)
	text.NotLinked = Matching(refs.Links, func(target string) bool { word, _ := CutType(target); return word != "" })
	return text, nil
}

// readers returns the people whom a text may mention, from a list read within maxAge.
func (rs *Resolver) readers(ctx context.Context, p Prose, maxAge time.Duration) ([]basecamp.Person, error) {
	if p.InPing != nil {
		return p.InPing, nil
	}
	return rs.People(ctx, p.Project, maxAge)
}

// among returns the choice between people whom a text may mention.
func (p Prose) among(argument string, people []basecamp.Person) Choice[basecamp.Person] {
	among := PersonAmong(argument, people, p.Project)
	if p.InPing != nil {
		among.Noun = Noun{One: "person in the ping", Many: "people in the ping", Kind: PersonNoun.Kind}
	}
	return among
}

// asked resolves the people whom the caller asks to mention.
func (rs *Resolver) asked(ctx context.Context, p Prose) ([]basecamp.Person, error) {
	if p.InPing == nil {
		return rs.Persons(ctx, "mentions", p.Mentions, p.Project)
	}
	people, problems := make([]basecamp.Person, len(p.Mentions)), make([]error, len(p.Mentions))
	for i, ref := range p.Mentions {
		people[i], problems[i] = p.among(fmt.Sprintf("mentions[%d]", i), p.InPing).ByRef(ref)
	}
	return people, fault.All(problems...)
}

// newText returns a written text. People are all whom it may mention.
func newText(html string, people []basecamp.Person) Composed {
	bySGID := map[string]basecamp.Person{}
	for _, p := range people {
		bySGID[p.AttachableSGID] = p
	}
	text := Composed{HTML: html, Literal: Literal{NotMentioned: richtext.Unmentioned(html)}}
	for _, sgid := range richtext.Attached(html) {
		if p, ok := bySGID[sgid]; ok && sgid != "" && !IsAmong(text.Mentioned, p.ID) {
			text.Mentioned = append(text.Mentioned, p)
		}
	}
	return text
}

// And returns a text that was composed after c, with what both mention.
func (c Composed) And(later Composed) Composed {
	again := func(p basecamp.Person) bool { return IsAmong(c.Mentioned, p.ID) }
	later.Mentioned = append(slices.Clone(c.Mentioned), slices.DeleteFunc(later.Mentioned, again)...)
	later.Literal = c.and(later.Literal)
	later.Places += c.Places
	return later
}

// Without returns the text without the people whom the old one mentions: Basecamp told them then.
func (c Composed) Without(old basecamp.HTML) Composed {
	told := richtext.Attached(string(old))
	c.Mentioned = Matching(c.Mentioned, func(p basecamp.Person) bool { return !slices.Contains(told, p.AttachableSGID) })
	return c
}

// Published returns the text of a draft that is about to be published: Basecamp notifies everyone
// whom it mentions.
func (rs *Resolver) Published(ctx context.Context, project int64, text Composed) (Composed, error) {
	if len(richtext.Attached(text.HTML)) == 0 {
		return text, nil
	}
	people, err := rs.People(ctx, project, memo.Life)
	if err != nil {
		return Composed{}, err
	}
	whole := newText(text.HTML, people)
	whole.Literal = text.Literal
	return whole, nil
}

// addressed returns what follows each "@" of a text that begins a word. A word with an "@" that is
// text in the replaced field too remains text: the caller has only copied it.
func addressed(w richtext.Writing, p Prose) []string {
	copied := richtext.Unmentioned(string(p.Old))
	return slices.DeleteFunc(w.Addressed(p.Markdown), func(rest string) bool {
		return slices.Contains(copied, "@"+richtext.FirstWord(rest))
	})
}

// mentionIn finds the people whom the text names and adds them to w. It returns an error for a
// name of several people, and for a name with a capital letter that no person on the project has.
func (rs *Resolver) mentionIn(ctx context.Context, w *richtext.Writing, people []basecamp.Person, p Prose, refs richtext.Refs) error {
	among := p.among(p.Argument, people)
	w.Inline, w.Called, w.Named = nil, map[string]richtext.Person{}, map[string]richtext.Person{}
	for _, id := range refs.People {
		i := slices.IndexFunc(people, func(someone basecamp.Person) bool { return someone.ID == id })
		if i < 0 {
			return fault.Invalid(p.Argument, "the text mentions person %d, who is not %s; list_people shows people", id, strings.TrimPrefix(among.Noun.One, "person "))
		}
		w.Inline = append(w.Inline, mentionable(people[i]))
	}
	for _, name := range refs.Called {
		switch found := calledBy(people, name); {
		case len(found) > 1:
			return among.Ambiguous(found, "%s matches %d people; write @[Name](person:ID) to choose one", plaintext.Quote("[@"+name+"]"), len(found))
		case len(found) == 1:
			w.Called[name] = mentionable(found[0])
			if err := rs.TakenFor(ctx, p.Argument, name, found[0]); err != nil {
				return err
			}
		}
	}
	found := namedPeople{among, namesOf(people), w.Mention}
	for _, rest := range addressed(*w, p) {
		name, who, err := found.begin(rest)
		if err == nil && name != "" {
			err = rs.notAnother(ctx, found.among, rest, name, who)
		}
		if err != nil {
			return rs.calledElsewhere(ctx, p.Argument, rest, err)
		}
		if name == "" {
			continue
		}
		w.Named[name] = mentionable(who)
		if err := rs.TakenFor(ctx, p.Argument, name, who); err != nil {
			return err
		}
	}
	return nil
}

// namedPeople finds the people on a project by the name at the start of a text.
type namedPeople struct {
	among    Choice[basecamp.Person]
	everyone naming.Names[basecamp.Person]
	asked    []richtext.Person // the people in mentions, who decide between people with the same name
}

// begin returns the name at the start of rest, and its person. The name is "" if rest begins with a
// lower-case word that matches none.
func (n namedPeople) begin(rest string) (name string, who basecamp.Person, err error) {
	if inside, ok := strings.CutPrefix(rest, "["); ok {
		if inside, _, _ = strings.Cut(inside, "]"); isName(inside) {
			return "", who, notNamed(n.among, inside)
		}
		return "", who, nil
	}
	found, length := n.everyone.Begin(rest)
	if asked := Matching(found, n.isAsked); len(asked) > 0 {
		found = asked
	}
	switch name = rest[:length]; {
	case len(found) > 1:
		return "", who, n.among.Ambiguous(found, "%s matches %d people on the project; write the full name, or @[Name](person:ID) to choose one", plaintext.Quote("@"+name), len(found))
	case len(found) == 1:
		return name, found[0], nil
	case isName(rest):
		return "", who, notNamed(n.among, richtext.FirstWord(rest))
	}
	return "", who, nil
}

func (n namedPeople) isAsked(p basecamp.Person) bool {
	return slices.ContainsFunc(n.asked, func(asked richtext.Person) bool { return asked.ID == p.ID })
}

// notAnother returns an error if rest begins with the whole name of a person who is not on the
// project, and name is only its first word: "@Sam Lee" must not mention another Sam.
func (rs *Resolver) notAnother(ctx context.Context, among Choice[basecamp.Person], rest, name string, who basecamp.Person) error {
	next := strings.TrimLeftFunc(rest[len(name):], unicode.IsSpace)
	if naming.Fold(name) == naming.Fold(who.Name) || len(next) == len(rest)-len(name) || !isName(next) {
		return nil
	}
	everyone, err := rs.People(ctx, 0, memo.Life)
	if _, ok := listing.Dispensable(err); err != nil {
		if ok {
			return nil
		}
		return err
	}
	_, length := namesOf(everyone).Begin(rest)
	if length <= len(name) {
		return nil
	}
	return notNamed(among, rest[:length])
}

// isFirstName reports whether a text begins with one capitalized word, and not with two.
func isFirstName(text string) bool {
	_, next, _ := strings.Cut(text, " ")
	return isName(text) && !isName(next)
}

func isName(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return unicode.IsUpper(first) || unicode.IsTitle(first)
}

// notNamed returns the error for a name after an "@" that no person on the project has.
func notNamed(among Choice[basecamp.Person], name string) error {
	unknown := among.Unknown(name)
	f := fault.Invalid(among.Argument, "%s matches no %s%s; correct the name, or put a literal @ into backticks",
		plaintext.Quote("@"+name), among.Noun.One, namesBehind("; the nearest: ", unknown.Nearest))
	f.Nearest = unknown.Nearest
	return f
}

// calledBy returns the people whose first name or whole name is name.
func calledBy(people []basecamp.Person, name string) []basecamp.Person {
	return Matching(people, func(p basecamp.Person) bool {
		full := naming.Fold(p.Name)
		first, _, _ := strings.Cut(full, " ")
		return naming.Fold(name) == full || naming.Fold(name) == first
	})
}

func mentionable(p basecamp.Person) richtext.Person {
	return richtext.Person{ID: p.ID, Name: p.Name, SGID: p.AttachableSGID}
}

// namesOf returns the full and the first names of people.
func namesOf(people []basecamp.Person) naming.Names[basecamp.Person] {
	return naming.NamesOf(people, func(p basecamp.Person) string { return plaintext.Clean(p.Name) })
}

// Plainly returns a plain text as it is sent to Basecamp: without blanks around it and without
// invisible characters.
func Plainly(text string) string { return strings.TrimSpace(plaintext.Clean(text)) }
