package mcptool

import (
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"
)

func prefixed(by, text string) string {
	if text == "" {
		return ""
	}
	return by + text
}

func bracketed(text string) string {
	if text == "" {
		return ""
	}
	return " (" + text + ")"
}

// plainText returns the text of a leaf. It is empty for null and for anything else.
func plainText(value brief) string {
	leaf, ok := value.(briefLeaf)
	if !ok || string(leaf) == "null" {
		return ""
	}
	var text string
	if json.Unmarshal(leaf, &text) == nil {
		return text
	}
	return string(leaf)
}

// shortTime returns a time without its seconds, and any other text unchanged.
func shortTime(text string) string {
	if len(text) == len("2026-01-02T15:04:05Z") && text[10] == 'T' && text[19] == 'Z' {
		return text[:10] + " " + text[11:16] + "Z"
	}
	return text
}

// clip cuts a text to a number of characters.
func clip(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return string([]rune(text)[:max(0, limit-1)]) + "…"
}

// visible replaces control characters and line separators.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, text)
}

// escapeMarkdown returns a one-line text in which no character means anything in Markdown.
func escapeMarkdown(text string) string {
	var b strings.Builder
	runes := []rune(visible(text))
	at := func(i int) rune {
		if i < 0 || i >= len(runes) {
			return ' '
		}
		return runes[i]
	}
	word := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	for i, r := range runes {
		switch {
		case strings.ContainsRune("\\`*[]<>|~", r),
			r == '_' && !(word(at(i-1)) && word(at(i+1))),
			r == '&' && (at(i+1) == '#' || word(at(i+1))):
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
