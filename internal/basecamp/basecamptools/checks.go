package basecamptools

import (
	"errors"
	"strings"
	"time"

	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/when"
)

// check returns what is plainly wrong with the text of an argument, or "". It needs no request. A
// call with several problems gets all of them at once; the tool itself reports a single one, and
// what only the tool can find.
func check(argument, text string) string {
	switch argument {
	case "due_on", "starts_on", "starts_at", "ends_at", "since", "until", "date", "from":
		if !mayBeDate(text) {
			return "must be a date or a time such as 2026-01-31, tomorrow or friday 10:00, got " + plaintext.Quote(text)
		}
	case "body", "append", "content", "text", "subject", "title", "name", "summary":
		if lookup.Plainly(text) == "" {
			return "must not be blank"
		}
	case "repeats":
		if _, err := parseRepetition(text); err != nil {
			return err.Error()
		}
	case "time_zone":
		if _, err := time.LoadLocation(text); err != nil || text == "Local" {
			return "must be an IANA name such as Europe/Berlin, got " + plaintext.Quote(text)
		}
	case "types":
		_, _, unknown := searchKeys([]string{text})
		if _, err := putAway([]string{text}); err != nil && unknown != nil {
			return "must be one of " + searchWords() + ", got " + plaintext.Quote(text)
		}
	}
	return ""
}

// mayBeDate reports whether a tool may read a text as a date, a time or a period. The tools read it
// in full.
func mayBeDate(text string) bool {
	word := strings.TrimSpace(text)
	_, err := when.Parse(word)
	return word == "" || strings.EqualFold(word, "none") || lookup.CalendarWord(word) != "" || !errors.Is(err, when.ErrUnknown)
}
