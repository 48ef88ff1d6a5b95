package tools

import "strings"

// Texts that others wrote stand in pages and prompts of ours, which have a structure. A heading or a comment that such a text
// imitates must not pass for ours.

// lineEnds are all characters that a reader may take for the end of a line.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\x1c", "\n", "\x1d", "\n", "\x1e", "\n",
	"\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

// quoted returns a text as a quotation: every line of it begins with a mark.
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

// inQuotes returns a title or a name in quotation marks that it cannot end itself.
func inQuotes(text string) string { return `"` + escaped(text) + `"` }

// escaped returns what may stand between quotation marks on one line.
func escaped(text string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(oneLine(text))
}
