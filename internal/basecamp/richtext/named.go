package richtext

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
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
		for at := range addresses(p.words) {
			rest := p.words[at+1:]
			if len(rest) > maxNamed {
				rest = strings.ToValidUTF8(rest[:maxNamed], "")
			}
			all = append(all, rest)
		}
	}
	return all
}

// addresses yields the index of each "@" that begins a word.
func addresses(text string) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for at := 0; ; at++ {
			next := strings.IndexByte(text[at:], '@')
			if next < 0 {
				return
			}
			at += next
			before, _ := utf8.DecodeLastRuneInString(text[:at])
			after, _ := utf8.DecodeRuneInString(strings.TrimPrefix(text[at+1:], "["))
			if !isWordRune(before) && unicode.IsLetter(after) && !yield(at) {
				return
			}
		}
	}
}

// Names finds people by the name at the start of a text.
type Names struct {
	byFirst map[rune][]personName // by the first character of the folded name, the longest names first
}

// NamesOf returns the full and the first names of people.
func NamesOf(people []Person) Names { return namesOf(personNames(people)) }

func namesOf(names []personName) Names {
	n := Names{map[rune][]personName{}}
	for _, name := range names {
		first, _ := utf8.DecodeRuneInString(name.folded)
		n.byFirst[first] = append(n.byFirst[first], name)
	}
	return n
}

// Begin returns the people whose full or first name begins text, by the longest name that does, and
// the length of that name in text.
func (n Names) Begin(text string) (found []Person, length int) {
	r, _ := utf8.DecodeRuneInString(text)
	first, _ := utf8.DecodeRuneInString(foldRune(r))
	for _, name := range n.byFirst[first] {
		size := called(text, name.folded)
		switch {
		case size > length:
			found, length = []Person{name.person}, size
		case size == length && size > 0:
			found = append(found, name.person)
		}
	}
	return found, length
}

// mentionNamed mentions people wherever the text has "@" and one of the names.
func (c *composer) mentionNamed(people map[string]Person) {
	var known []personName
	for name, p := range people {
		if p.SGID != "" {
			known = append(known, personName{fold(name), p})
		}
	}
	if len(known) == 0 {
		return
	}
	slices.SortFunc(known, func(a, b personName) int { return strings.Compare(a.folded, b.folded) })
	names := namesOf(known)
	var pieces []piece
	for _, p := range c.pieces {
		done := 0
		for at := range addresses(p.words) {
			found, length := names.Begin(p.words[at+1:])
			if len(found) == 0 {
				continue
			}
			pieces = append(pieces, piece{p.html, p.words[done:at]})
			p.html, done = mentionOf(found[0]), at+1+length
			c.mentioned = append(c.mentioned, found[0].SGID)
		}
		pieces = append(pieces, piece{p.html, p.words[done:]})
	}
	c.pieces = pieces
}
