package basecamptools

import (
	"slices"
	"strings"
	"time"
	"unicode"
)

// check returns what is plainly wrong with the text of an argument, or "". It needs no request. A
// call with several problems gets all of them at once; the tool itself reports a single one, and
// what only the tool can find.
func check(argument, text string) string {
	switch argument {
	case "due_on", "starts_on", "starts_at", "ends_at", "since", "until", "date", "from", "to":
		if !mayBeDate(text) {
			return "must be a date or a time such as 2026-01-31, tomorrow or friday 10:00, got " + inQuotes(shorten(text))
		}
	case "time_zone":
		if _, err := time.LoadLocation(text); err != nil || text == "Local" {
			return "must be an IANA name such as Europe/Berlin, got " + inQuotes(shorten(text))
		}
	case "types":
		if _, _, err := searchKeys([]string{text}); err != nil {
			return "must be one of " + searchWords() + ", got " + inQuotes(shorten(text))
		}
	}
	return ""
}

// dateWords are beginnings of words in dates that have no digit.
var dateWords = []string{
	"today", "tonight", "tomorrow", "yesterday", "now", "noon", "midnight", "none", "never", "next", "last", "this", "end", "week", "month", "year", "day",
	"mon", "tue", "wed", "thu", "fri", "sat", "sun",
	"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
}

// mayBeDate reports whether a text has a digit or a word of a date. The tools read it in full.
func mayBeDate(text string) bool {
	word := strings.ToLower(text)
	words := strings.FieldsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) })
	return strings.TrimSpace(word) == "" || strings.ContainsAny(word, "0123456789") || slices.ContainsFunc(words, func(word string) bool {
		return slices.ContainsFunc(dateWords, func(start string) bool { return strings.HasPrefix(word, start) })
	})
}
