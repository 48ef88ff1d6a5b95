package naming

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxWords is how many words of a name are compared with those of another.
const maxWords = 15

// Nearest returns the three items whose folded names are most similar to a name, compared word by
// word. It tells look how many bytes it is about to compare. When look reports that there is no
// time left, Nearest returns those that it has found.
func Nearest[T any](items []T, name string, nameOf func(T) string, look func(bytes int) bool) (found []T) {
	type scored struct {
		item           T
		words, changes int
	}
	if !look(0) {
		return nil
	}
	distance := func(a, b string) int {
		look(10 + min(len(a), 100)*min(len(b), 100)/10)
		return Distance(a, b)
	}
	wanted := words(name)
	likely := Likeliest(items, name, nameOf)
	all := make([]scored, 0, len(likely))
	for _, item := range likely {
		if !look(0) {
			break
		}
		label := nameOf(item)
		others := words(label[:min(len(label), 200)])
		s := scored{item: item, changes: distance(label, name)}
		for _, word := range wanted {
			length := utf8.RuneCountInString(word)
			least := length // at most the length of the word
			for _, other := range others {
				if difference := length - utf8.RuneCountInString(other); max(difference, -difference) < least {
					least = min(least, distance(word, other))
				}
			}
			s.words += least
		}
		all = append(all, s)
	}
	slices.SortStableFunc(all, func(a, b scored) int { return cmp.Or(a.words-b.words, a.changes-b.changes) })
	for _, s := range all[:min(len(all), 3)] {
		found = append(found, s.item)
	}
	return found
}

// words splits a name at everything that is neither a letter nor a digit, as in names of files.
func words(name string) []string {
	all := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return all[:min(len(all), maxWords)]
}
