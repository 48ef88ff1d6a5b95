package plaintext

import (
	"strings"
	"unicode/utf8"
)

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
