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
			if !isWordRune(before) && begins(after) && !yield(at) {
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
	slices.SortFunc(known, func(a, b personName) int { return strings.Compare(a.folded, b.folded) })
	if len(known) > 0 {
		c.mentionAt(namesOf(known), false)
	}
}

// mentionAt mentions people wherever the text has "@" and one of the names, or only once.
func (c *composer) mentionAt(names Names, once bool) {
	done := false
	anyAt := func(p piece) func(yield func(int) bool) { return addresses(p.words, func(rune) bool { return true }) }
	c.replace(anyAt, func(rest string) (found []Person, length int) {
		if done {
			return nil, 0
		}
		found, length = names.Begin(rest[1:])
		done = once && len(found) > 0
		return found, 1 + length
	})
}

// mentionPlain mentions people where the text has their names without an "@", each once. The first
// name of two of them is not enough.
func (c *composer) mentionPlain(people []Person, isDue func(Person) bool) {
	names := NamesOf(people)
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
			if unicode.IsLetter(r) && !unicode.IsLower(r) && !isWordRune(before) && !strings.ContainsRune(`@/\.-#&=`, before) && !yield(at) {
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
		if after, _ := utf8.DecodeRuneInString(rest[more:]); isWordRune(after) {
			return false
		}
	}
	name := fold(text[:length])
	if name == fold(p.Name) {
		return true
	}
	blanks := blankPrefix(rest)
	next, _ := utf8.DecodeRuneInString(rest[blanks:])
	isSurname := blanks > 0 && unicode.IsUpper(next)
	return !isSurname && !strings.Contains(alsoWords, " "+name+" ")
}
