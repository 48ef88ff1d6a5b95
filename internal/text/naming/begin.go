package naming

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Names finds things by the name at the start of a text.
type Names[T any] struct {
	byFirst map[rune][]known[T] // by the first character of the folded name
}

type known[T any] struct {
	folded string
	item   T
}

// NamesOf returns the full and the first names of people.
func NamesOf[T any](people []T, nameOf func(T) string) Names[T] {
	n := Names[T]{}
	for _, p := range people {
		n.Add(nameOf(p), p)
		if first, _, more := strings.Cut(Fold(nameOf(p)), " "); more {
			n.Add(first, p)
		}
	}
	return n
}

// Add adds a name of a thing.
func (n *Names[T]) Add(name string, item T) {
	if n.byFirst == nil {
		n.byFirst = map[rune][]known[T]{}
	}
	if folded := Fold(name); folded != "" {
		first, _ := utf8.DecodeRuneInString(folded)
		n.byFirst[first] = append(n.byFirst[first], known[T]{folded, item})
	}
}

// Begin returns the things whose name begins text, by the longest name that does, and the length of
// that name in text.
func (n Names[T]) Begin(text string) (found []T, length int) {
	r, _ := utf8.DecodeRuneInString(text)
	first, _ := utf8.DecodeRuneInString(foldRune(r))
	for _, name := range n.byFirst[first] {
		size := beginning(text, name.folded)
		switch {
		case size > length:
			found, length = []T{name.item}, size
		case size == length && size > 0:
			found = append(found, name.item)
		}
	}
	return found, length
}

// beginning returns the length of the name at the start of text if it equals folded and a name can
// end after it. Otherwise it returns 0.
func beginning(text, folded string) int {
	at := 0
	for at < len(text) {
		if n := len(text[at:]) - len(strings.TrimLeftFunc(text[at:], unicode.IsSpace)); n > 0 && strings.HasPrefix(folded, " ") {
			at, folded = at+n, folded[1:]
			continue
		}
		r, size := utf8.DecodeRuneInString(text[at:])
		plain := foldRune(r)
		if folded == "" && plain != "" {
			break
		}
		if !strings.HasPrefix(folded, plain) {
			return 0
		}
		at, folded = at+size, folded[len(plain):]
	}
	if folded != "" || !endsName(text[at:]) {
		return 0
	}
	return at
}

// endsName reports whether a name can end before rest: "Ann" does not end in "Ann-Marie".
func endsName(rest string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimPrefix(rest, "-"))
	return !InWord(r)
}

// InWord reports whether a character is part of a word.
func InWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }
