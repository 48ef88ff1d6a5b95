package plaintext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Excerpt cuts Markdown to at most limit characters (runes) and reports whether it cut (B-31). It cuts no character or combining
// sequence in two, and no escape, link, image, label, URL or code fence (B-32): those end the excerpt before them, but for a
// fence that leaves room for a part of its code and is closed.
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

// excerptCode ends the excerpt in fence f, closed, or before it where not a line of code fits.
func excerptCode(markdown string, limit int, f fence) string {
	closing := "\n" + f.closing()
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

// runeIndex is the byte index of the nth rune, or the length if there are fewer.
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

// breakable is the last index up to end where Markdown can be cut without cutting what belongs together.
func breakable(markdown string, end int) int {
	end = wholeCharacter(markdown, end)
	start := strings.LastIndex(markdown[:end], "\n\n") + 1
	return start + unitStart(markdown[start:], end-start)
}

// wholeCharacter is the last index up to end that is not inside what shows as one character.
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
		return end // nothing but marks: there is no better place
	}
	return at
}

// joins reports whether next shows as a part of what prev belongs to.
func joins(prev, next rune) bool {
	return prev == zeroWidthJoiner || prev == '\r' && next == '\n' ||
		next == zeroWidthJoiner || IsVariation(next) || unicode.Is(unicode.M, next) || next >= 0x1f3fb && next <= 0x1f3ff
}

// isFlag reports the letters of which two make a flag.
func isFlag(r rune) bool { return r >= 0x1f1e6 && r <= 0x1f1ff }

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
