package main

import "strings"

// checkDocument reports the words of a document, and long comment lines of YAML,
// TOML, shell and make. Code blocks and inline code are not checked.
func checkDocument(src string, kind kind, words dictionary, report reporter) {
	fenced := false
	var text strings.Builder
	line := 0
	for content := range strings.Lines(src) {
		line++
		content = strings.TrimRight(content, "\r\n")
		trimmed := strings.TrimSpace(content)
		if kind == hashed && strings.HasPrefix(trimmed, "#") {
			checkColumns(content, line, maxColumns, report)
			content = strings.TrimLeft(trimmed, "#")
		}
		if kind == markup && strings.HasPrefix(trimmed, "```") {
			fenced = !fenced
			content = ""
		}
		if !fenced {
			text.WriteString(content)
		}
		text.WriteByte('\n')
	}
	tokens := tokenize(unquote(text.String(), '`'), 1)
	words.check(tokens, inDocument, report)
}
