package pages

import (
	"fmt"
	"strings"
	"unicode"
)

// claim returns a name that users or clients chose themselves in a form that is safe to show: at
// most limit characters on one line, without invisible characters and without characters that
// change the direction of the text around them. It returns "" if nothing visible remains.
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

// text returns a text of any length in a form that is safe to show. What cannot be seen, or changes
// the direction of the text around it, is shown as its code.
func text(s string) string {
	var b strings.Builder
	for _, c := range s {
		switch {
		case c == '\n', c == '\t', strings.ContainsRune(joiners, c), unicode.IsGraphic(c) && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, c):
			b.WriteRune(c)
		default:
			fmt.Fprintf(&b, "\\u{%X}", c)
		}
	}
	return strings.TrimSpace(b.String())
}

// quotes are the quotation marks that pages put around claims. Inside a claim they would end it.
const quotes = "\"“”„‟«»"

// joiners join letters or keep them apart. Persian and Hindi names need them.
const joiners = "\u200c\u200d"
