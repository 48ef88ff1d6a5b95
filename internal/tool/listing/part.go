package listing

import (
	"unicode/utf8"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
)

// MaxText is the largest part of a long text in one answer, in characters. The caller reads the
// rest with offset.
const MaxText = 40_000

// Part cuts a text in place to the part that begins at offset. It sets truncated if more text
// follows, and returns the offset of that text.
func Part(text *string, offset int, truncated *bool) (next int, err error) {
	if length := utf8.RuneCountInString(*text); offset > 0 && offset >= length {
		return 0, fault.Invalid("offset", "the offset is beyond the end: the text has %d characters", length)
	}
	*text, next = plaintext.Slice(*text, offset, MaxText)
	*truncated = next > 0
	return next, nil
}
