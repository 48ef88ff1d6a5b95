package richtext

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"basecamp-mcp/internal/text/naming"
)

// maxNamed is the longest text, in bytes, in which a name after an "@" is searched.
const maxNamed = 200

// Addressed returns what follows each "@" that begins a word of the Markdown text, with at most 200
// bytes each. It begins with "[" if the text has "@[Name]". Addressed ignores code, links, an
// escaped "\@" and e-mail addresses, and the mentions that the Writing knows.
func (w Writing) Addressed(markdown string) []string {
	if !strings.Contains(markdown, "@") {
		return nil
	}
	var all []string
	for _, p := range w.composed(markdown).pieces {
		for at := range addresses(p.words, unicode.IsLetter) {
			rest := p.words[at+1:]
			if len(rest) > maxNamed {
				rest = strings.ToValidUTF8(rest[:maxNamed], "")
			}
			all = append(all, rest)
		}
	}
	return all
}

// addresses yields the index of each "@" at the beginning of a word, before a character that begins
// a name.
func addresses(text string, begins func(rune) bool) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for at, r := range text {
			if r != '@' {
				continue
			}
			before, _ := utf8.DecodeLastRuneInString(text[:at])
			after, _ := utf8.DecodeRuneInString(strings.TrimPrefix(text[at+1:], "["))
			if !naming.InWord(before) && begins(after) && !yield(at) {
				return
			}
		}
	}
}

// mentionNamed mentions people wherever the text has "@" and one of the names.
func (c *composer) mentionNamed(people map[string]Person) {
	var known naming.Names[Person]
	for name, p := range people {
		if p.SGID != "" {
			known.Add(name, p)
		}
	}
	c.mentionAt(known, func(Person) bool { return true })
}

// mentionAt mentions those people who are due wherever the text has "@" and one of the names.
func (c *composer) mentionAt(names naming.Names[Person], isDue func(Person) bool) {
	anyAt := func(p piece) func(yield func(int) bool) { return addresses(p.words, func(rune) bool { return true }) }
	c.replace(anyAt, func(rest string) (found []Person, length int) {
		found, length = names.Begin(rest[1:])
		if i := slices.IndexFunc(found, isDue); i >= 0 {
			return found[i:], 1 + length
		}
		return nil, 0
	})
}

// mentionPlain mentions people where the text has their names without an "@", each once. The first
// name of two of them is not enough.
func (c *composer) mentionPlain(names naming.Names[Person], isDue func(Person) bool) {
	c.replace(plainNames, func(rest string) ([]Person, int) {
		found, length := names.Begin(rest)
		if len(found) != 1 || !isDue(found[0]) || !standsAlone(rest, length, found[0]) {
			return nil, 0
		}
		return found, length
	})
}

// replace puts the mention of the first of the people who are found in place of what names them.
// starts yields where that may begin in the words of a piece.
func (c *composer) replace(starts func(piece) func(yield func(int) bool), find func(rest string) (found []Person, length int)) {
	var pieces []piece
	for _, p := range c.pieces {
		done := 0
		for at := range starts(p) {
			if at < done {
				continue
			}
			found, length := find(p.words[at:])
			if len(found) == 0 {
				continue
			}
			pieces = append(pieces, piece{p.html, p.words[done:at]})
			p.html, done = mentionOf(found[0]), at+length
			c.mentioned = append(c.mentioned, found[0].SGID)
		}
		pieces = append(pieces, piece{p.html, p.words[done:]})
	}
	c.pieces = pieces
}

// plainNames yields the index of each word that may be a name without an "@": it has no lower-case
// first letter, and is not part of an address, a path or a compound.
func plainNames(p piece) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		before, _ := utf8.DecodeLastRuneInString(p.html)
		if before != '@' { // an escaped one; else the words begin behind a tag
			before = ' '
		}
		for at, r := range p.words {
			if unicode.IsLetter(r) && !unicode.IsLower(r) && !naming.InWord(before) && !strings.ContainsRune(`@/\.-#&=`, before) && !yield(at) {
				return
			}
			before = r
		}
	}
}

// alsoWords are first names that a text may have as other words too.
const alsoWords = " april art august bill chase dawn dean drew faith frank grace grant guy hope jack joy june mark max may miles pat ray rob rose sue will "

// standsAlone reports whether the name of a person at the start of text can mean only that person:
// it is not the first name of another whole name, another word, or part of an address.
func standsAlone(text string, length int, p Person) bool {
	rest := text[length:]
	if next, more := utf8.DecodeRuneInString(rest); strings.ContainsRune("@.-", next) {
		if after, _ := utf8.DecodeRuneInString(rest[more:]); naming.InWord(after) {
			return false
		}
	}
	name := naming.Fold(text[:length])
	if name == naming.Fold(p.Name) {
		return true
	}
	blanks := blankPrefix(rest)
	next, _ := utf8.DecodeRuneInString(rest[blanks:])
	isSurname := blanks > 0 && unicode.IsUpper(next)
	return !isSurname && !strings.Contains(alsoWords, " "+name+" ")
}
