package pages

import (
	"strings"
	"unicode"
)

// claim is what somebody says of themselves, fit to be shown: at most limit characters on one line, none that cannot be seen
// or turns the direction of what stands around it. It is "" when there is nothing to be seen.
func claim(limit int, s string) string {
	seen := strings.Map(func(c rune) rune {
		switch {
		case unicode.IsSpace(c):
			return ' '
		case strings.ContainsRune(joiners, c):
			return c
		case strings.ContainsRune(quotes, c):
			return '\''
		case !unicode.IsGraphic(c), unicode.Is(unicode.Other_Default_Ignorable_Code_Point, c):
			return -1
		}
		return c
	}, s)
	line := []rune(strings.Join(strings.Fields(seen), " "))
	switch {
	case strings.Trim(string(line), " "+joiners) == "":
		return ""
	case len(line) > limit:
		return string(line[:limit]) + "…"
	}
	return string(line)
}

// quotes are what claims stand between on a page, and would end there.
const quotes = "\"“”„‟«»"

// joiners join letters or keep them apart, as Persian and Hindi names need it.
const joiners = "\u200c\u200d"
