package plaintext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Excerpt cuts Markdown to at most limit characters (runes) and reports whether it cut. It keeps
// characters, combining sequences, escapes, links, images, labels and URLs whole: the excerpt ends
// before one that does not fit. If a part of a code fence fits, the excerpt ends in that fence and
// closes it.
func Excerpt(markdown string, limit int) (cut string, truncated bool) {
	end := runeIndex(markdown, limit)
	if end == len(markdown) {
		return markdown, false
	}
	cut = markdown[:breakable(markdown, end)]
	if f, open := OpenFence(cut); open {
		return excerptCode(markdown, limit, f), true
	}
	return cut, true
}

// excerptCode returns an excerpt that ends in fence f and closes it. If not one line of code fits,
// the excerpt ends before the fence.
func excerptCode(markdown string, limit int, f Fence) string {
	closing := "\n" + f.prefix + f.mark
	end := runeIndex(markdown, limit-utf8.RuneCountInString(closing))
	if end <= f.body {
		return strings.TrimRight(markdown[:f.start], "\n")
	}
	end = wholeCharacter(markdown, end)
	if line := strings.LastIndexByte(markdown[:end], '\n'); line+1 > f.body || f.closes(markdown[line+1:end]) {
		end = line
	}
	if end < f.body {
		return strings.TrimRight(markdown[:f.start], "\n")
	}
	return markdown[:end] + closing
}

// runeIndex returns the byte index of the nth rune, or the length if there are fewer.
func runeIndex(s string, n int) int {
	if n <= 0 {
		return 0
	}
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}

// breakable returns the last index up to end where a cut keeps all units of the Markdown whole.
func breakable(markdown string, end int) int {
	end = wholeCharacter(markdown, end)
	start := strings.LastIndex(markdown[:end], "\n\n") + 1
	return start + unitStart(markdown[start:], end-start)
}

// wholeCharacter returns the last index up to end that is not inside a character as shown.
func wholeCharacter(s string, end int) int {
	at := end
	for at > 0 {
		prev, size := utf8.DecodeLastRuneInString(s[:at])
		next, _ := utf8.DecodeRuneInString(s[at:])
		if !joins(prev, next) && !(isFlag(next) && flagsBefore(s[:at])%2 == 1) {
			return at
		}
		at -= size
	}
	if end > 0 && at == 0 {
		return end // the text consists of marks only, so any index splits it
	}
	return at
}

// joins reports whether prev and next are shown as one character.
func joins(prev, next rune) bool {
	return prev == zeroWidthJoiner || prev == '\r' && next == '\n' ||
		next == zeroWidthJoiner || IsVariation(next) || unicode.Is(unicode.M, next) || next >= 0x1f3fb && next <= 0x1f3ff || next >= 0xe0020 && next <= 0xe007f
}

// isFlag reports whether r is a regional indicator: two of them make a flag.
func isFlag(r rune) bool { return r >= 0x1f1e6 && r <= 0x1f1ff }

// flagsBefore returns the number of regional indicators at the end of s.
func flagsBefore(s string) (n int) {
	for len(s) > 0 {
		r, size := utf8.DecodeLastRuneInString(s)
		if !isFlag(r) {
			break
		}
		n++
		s = s[:len(s)-size]
	}
	return n
}

// Slice returns the part of a long Markdown text that starts at character offset and holds at most
// limit characters, and the offset of the next part, or 0 after the last. The parts, joined, are
// the text byte for byte. Offsets count runes. A limit below 1 counts as 1. A part ends after a
// line or a word if one ends near the limit.
func Slice(markdown string, offset, limit int) (part string, next int) {
	offset = max(offset, 0)
	rest := markdown[runeIndex(markdown, offset):]
	end := runeIndex(rest, max(limit, 1))
	if end == len(rest) {
		return rest, 0
	}
	end = partEnd(rest, end)
	return rest[:end], offset + utf8.RuneCountInString(rest[:end])
}

// partEnd returns the best index to end a part at, in the last quarter before end.
func partEnd(rest string, end int) int {
	near := end * 3 / 4
	if line := strings.LastIndexByte(rest[:end], '\n') + 1; line > near {
		return line
	}
	unit := breakable(rest, end)
	if word := strings.LastIndexByte(rest[:unit], ' ') + 1; word > near && breakable(rest, word) == word {
		return word
	}
	if unit > near {
		return unit
	}
	return wholeCharacter(rest, end)
}
