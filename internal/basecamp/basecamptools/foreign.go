package basecamptools

import (
	"strings"

	"basecamp-mcp/internal/plaintext"
)

// Resources and prompts have a structure, and they contain texts that users wrote. A heading or a
// comment in a user's text must not look like part of the structure.

// lineEnds replaces all characters that a reader may take for the end of a line.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\x1c", "\n", "\x1d", "\n", "\x1e", "\n",
	"\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

// quoted returns a text as a quotation: each line begins with ">".
func quoted(text string) string {
	var b strings.Builder
	for i, line := range strings.Split(lineEnds.Replace(text), "\n") {
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

// oneLine returns a title or a name on one line.
func oneLine(text string) string { return strings.Join(strings.Fields(lineEnds.Replace(text)), " ") }

// lineOf returns the beginning of a text on one line. It ends in … if more follows.
func lineOf(text string, characters int) string {
	line, cut := plaintext.Excerpt(oneLine(plaintext.Clean(text)), characters)
	if cut {
		line = strings.TrimSpace(line) + "…"
	}
	return line
}

// escaped returns a text on one line, with quotation marks and backslashes escaped.
func escaped(text string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(oneLine(text))
}
