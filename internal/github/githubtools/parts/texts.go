package parts

import (
	"strings"
	"unicode/utf8"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
)

// The most characters of texts.
const (
	MaxTitle   = 256
	MaxBody    = 65_536 // characters of a body on GitHub
	maxPart    = 40_000 // characters of a body in one answer
	MaxWritten = 10_000 // characters of a text in an answer that has other parts
	MaxComment = 4000   // characters of a comment in a list
)

// Part cuts a text to the part that begins at an offset.
func Part(text *string, offset int, truncated *bool) (next int, err error) {
	if length := utf8.RuneCountInString(*text); offset > 0 && offset >= length {
		return 0, fault.Invalid("offset", "must be less than %d, the length of the body", length)
	}
	*text, next = plaintext.Slice(*text, offset, maxPart)
	*truncated = next > 0 || offset > 0
	return next, nil
}

// NotBlank returns an error for a text without a visible character.
func NotBlank(argument, text string) error {
	if strings.TrimSpace(plaintext.Clean(text)) == "" {
		return fault.Invalid(argument, "must not be blank")
	}
	return nil
}

// HiddenComment stands for a text that GitHub does not show.
const HiddenComment = "[hidden comment]"

// Shown returns Markdown that other people may have written, as a reader on GitHub's site sees it:
// without invisible characters, and with a mark in place of each HTML comment outside code. GitHub
// hides processing instructions, declarations, CDATA sections, and definitions of links and
// footnotes that nothing refers to, as it hides comments. An "@" that may mention someone has a
// backslash, and so has a link that would mention someone in Basecamp. So a copy of the text in
// another system mentions no one; [sent] removes the backslashes.
func Shown(markdown string) string {
	return mentionLinks.Replace(plaintext.EscapeAt(Uncovered(Cleaned(markdown))))
}

// Cleaned returns a text without invisible characters, with the line breaks that GitHub has.
func Cleaned(text string) string {
	lines := strings.Split(text, "\r\n")
	for i, line := range lines {
		lines[i] = plaintext.Clean(line)
	}
	return strings.Join(lines, "\r\n")
}

// Sent returns Markdown of the caller as GitHub gets it: without the backslashes of [shown].
func Sent(markdown string) string { return plainLinks.Replace(plaintext.UnescapeAt(markdown)) }

var (
	mentionLinks = strings.NewReplacer("](person:", `]\(person:`, "](mention:", `]\(mention:`)
	plainLinks   = strings.NewReplacer(`]\(person:`, "](person:", `]\(mention:`, "](mention:")
)
