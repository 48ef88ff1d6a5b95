package plaintext

import (
	"slices"
	"strings"
	"unicode"
)

const (
	maxDroppedParagraph = 500   // characters of a paragraph in Dropped
	maxDropped          = 4_000 // characters of a text in Dropped
)

// Dropped returns the paragraphs of an old Markdown text that the new one does not have, each cut
// to maxDroppedParagraph characters. It returns "" if the new text has all of them.
func Dropped(old, now string) string {
	text, _ := Excerpt(strings.Join(OnlyIn(old, now), "\n\n"), maxDropped)
	return text
}

// OnlyIn returns the paragraphs of a Markdown text that another one does not have, each cut to
// maxDroppedParagraph characters around what differs.
func OnlyIn(text, other string) []string {
	only, instead := missing(text, other), missing(other, text)
	for i, p := range only {
		was := ""
		if i < len(instead) {
			was = instead[i]
		}
		if cut, isCut := Around(was, p, maxDroppedParagraph); isCut {
			only[i] = cut + "…"
		}
	}
	return only
}

// missing returns the paragraphs of a text that another one does not have.
func missing(text, other string) (only []string) {
	has := map[string]int{}
	for _, p := range Paragraphs(other) {
		has[p]++
	}
	for _, p := range Paragraphs(text) {
		if has[p]--; has[p] < 0 {
			only = append(only, p)
		}
	}
	return only
}

// Paragraphs returns the paragraphs of a Markdown text.
func Paragraphs(markdown string) []string {
	if markdown == "" {
		return nil
	}
	return strings.Split(markdown, "\n\n")
}

// Around returns the part of a text that differs from an old one, with some text around it, in at
// most limit characters. It reports whether that is less than the text.
func Around(old, now string, limit int) (shown string, truncated bool) {
	was, is := []rune(old), []rune(now)
	if len(is) <= limit {
		return now, false
	}
	begin := 0
	for begin < len(was) && begin < len(is) && was[begin] == is[begin] {
		begin++
	}
	after := 0 // unchanged characters after the change
	for after < min(len(was), len(is))-begin && was[len(was)-1-after] == is[len(is)-1-after] {
		after++
	}
	before := max(limit-(len(is)-after-begin), limit/5) / 2
	from := min(max(0, begin-before), len(is)-limit)
	if blank := slices.IndexFunc(is[from:], unicode.IsSpace); from > 0 && blank >= 0 && blank < limit/10 {
		from += blank + 1 // begin with a whole word
	}
	shown, _ = Excerpt(string(is[from:]), limit)
	return shown, true
}
