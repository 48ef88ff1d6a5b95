package basecamptools

import (
	"slices"
	"strings"
	"unicode"

	"basecamp-mcp/internal/plaintext"
)

const (
	maxPreviousParagraph = 500   // characters of a changed paragraph in an answer
	maxPrevious          = 4_000 // characters of all changed paragraphs of a text
)

// previousText returns the paragraphs of an old Markdown text that the new one does not have, each
// cut to maxPreviousParagraph characters. It returns "" if the new text has all of them.
func previousText(old, now string) string {
	text, _ := joined(changedParagraphs(old, now))
	return text
}

// joined returns paragraphs as one text, and whether it had to be cut.
func joined(paragraphs []string) (text string, truncated bool) {
	return plaintext.Excerpt(strings.Join(paragraphs, "\n\n"), maxPrevious)
}

// changedParagraphs returns the paragraphs of a Markdown text that another one does not have. Of a
// long one, it returns the part around what differs.
func changedParagraphs(text, other string) []string {
	only, instead := onlyIn(text, other), onlyIn(other, text)
	for i, p := range only {
		was := ""
		if i < len(instead) {
			was = instead[i]
		}
		if cut, truncated := aroundChange(was, p, maxPreviousParagraph); truncated {
			only[i] = cut + "…"
		}
	}
	return only
}

// onlyIn returns the paragraphs of a text that another one does not have.
func onlyIn(text, other string) (only []string) {
	has := map[string]int{}
	for _, p := range paragraphsOf(other) {
		has[p]++
	}
	for _, p := range paragraphsOf(text) {
		if has[p]--; has[p] < 0 {
			only = append(only, p)
		}
	}
	return only
}

// paragraphsOf returns the paragraphs of a Markdown text.
func paragraphsOf(markdown string) []string {
	if markdown == "" {
		return nil
	}
	return strings.Split(markdown, "\n\n")
}

// aroundChange returns the part of a long text that an edit has changed, with some text around it.
func aroundChange(old, now string, characters int) (shown string, truncated bool) {
	was, is := []rune(old), []rune(now)
	if len(is) <= characters {
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
	before := max(characters-(len(is)-after-begin), characters/5) / 2
	from := min(max(0, begin-before), len(is)-characters)
	if blank := slices.IndexFunc(is[from:], unicode.IsSpace); from > 0 && blank >= 0 && blank < characters/10 {
		from += blank + 1 // begin with a whole word
	}
	shown, _ = plaintext.Excerpt(string(is[from:]), characters)
	return shown, true
}
