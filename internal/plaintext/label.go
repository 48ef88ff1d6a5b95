package plaintext

import (
	"strings"
	"unicode"
)

// Label returns a name from a user or client in a form that is safe to store, log and show: one
// line of at most limit characters (runes), without characters that are invisible or change the
// direction of text. Unlike Clean it also removes the characters that join an emoji: two labels
// that look the same should be the same.
func Label(name string, limit int) string {
	if isLabel(name, limit) {
		return name
	}
	visible := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == unicode.ReplacementChar, !unicode.IsPrint(r), unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector):
			return -1
		}
		return r
	}, name)
	line := strings.Join(strings.Fields(visible), " ")
	return strings.TrimSpace(line[:runeIndex(line, limit)])
}

// isLabel reports whether a name is a label already. It knows only ASCII: most names need no more.
func isLabel(name string, limit int) bool {
	space := true // before this character
	for i := range len(name) {
		c := name[i]
		if c < ' ' || c > '~' || c == ' ' && space {
			return false
		}
		space = c == ' '
	}
	return len(name) <= limit && (name == "" || !space)
}
