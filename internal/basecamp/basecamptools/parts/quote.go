package parts

import (
	"basecamp-mcp/internal/basecamp/richtext"
	"basecamp-mcp/internal/text/plaintext"
	"strings"
)

// LineEnds replaces all characters that a reader may take for the end of a line.
var LineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\x1c", "\n", "\x1d", "\n", "\x1e", "\n",
	"\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

// Quoted returns a text as a quotation: each line begins with ">".
func Quoted(text string) string {
	var b strings.Builder
	for i, line := range strings.Split(LineEnds.Replace(text), "\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteByte('>')
		if line != "" {
			b.WriteString(" " + line)
		}
	}
	return b.String()
}

// OneLine returns a title or a name on one line.
func OneLine(text string) string { return strings.Join(strings.Fields(LineEnds.Replace(text)), " ") }

// LineOf returns the beginning of a text on one line. It ends in … if more follows.
func LineOf(text string, characters int) string {
	line, cut := plaintext.Excerpt(OneLine(plaintext.Clean(text)), characters)
	if cut {
		line = strings.TrimSpace(line) + "…"
	}
	return line
}

// Escaped returns a text on one line, with quotation marks and backslashes escaped.
func Escaped(text string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(OneLine(text))
}

const maxSaid = 160 // characters of what someone says

// Saying returns an excerpt as an answer quotes it.
func Saying(excerpt string) string {
	said, _ := plaintext.Excerpt(richtext.Plain(excerpt), maxSaid)
	return said
}
