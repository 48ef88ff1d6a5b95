package richtext

import (
	"cmp"
	"iter"
	"strings"

	"golang.org/x/net/html"

	"basecamp-mcp/internal/text/plaintext"
)

// cleanText returns the cleaned text without the one character that the converter reserves for its
// own use.
func cleanText(s string) string {
	const newlineInCode = "\uf002"
	s = plaintext.Clean(s)
	if strings.Contains(s, newlineInCode) {
		s = strings.ReplaceAll(s, newlineInCode, "\ufffd")
	}
	return s
}

// squeeze returns text on one line with single blanks.
func squeeze(text string) string {
	return strings.Join(strings.Fields(cleanText(text)), " ")
}

// squeezeLines squeezes each line, and removes empty lines at the beginning and end.
func squeezeLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		lines[i] = squeeze(line)
	}
	return strings.Join(lines, "\n")
}

// isBlankRune reports whether r is a blank in a line. A no-break space is one: Basecamp's editor
// writes every second space so.
func isBlankRune(r rune) bool {
	switch r {
	case ' ', '\n', '\t', '\r', '\f', '\u00a0', '\u2028', '\u2029':
		return true
	}
	return false
}

// blankPrefix returns the length of the blanks at the start of text.
func blankPrefix(text string) int { return len(text) - len(strings.TrimLeftFunc(text, isBlankRune)) }

// pieces returns the words of a text in order, and "" for the blanks between two of them.
func pieces(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for text != "" {
			n := strings.IndexFunc(text, isBlankRune)
			if n < 0 {
				n = len(text)
			}
			word := text[:n]
			if n == 0 {
				n = blankPrefix(text)
			}
			if !yield(word) {
				return
			}
			text = text[n:]
		}
	}
}

// code returns the text of n as code, with line feeds for its line breaks and blocks. If keepBlanks
// is false, as outside pre, line feeds in the HTML source are blanks.
func code(n *html.Node, keepBlanks bool) string {
	var b strings.Builder
	due := false // a line feed must be written before the next text
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.TextNode {
			text := strings.ReplaceAll(cleanText(n.Data), "\u00a0", " ")
			if !keepBlanks {
				text = collapse(text)
			}
			if due && text != "" {
				b.WriteByte('\n')
				due = false
			}
			b.WriteString(text)
		}
		if n.Type != html.ElementNode || is(n.Data, hides) {
			return
		}
		edge := func() { due = due || isBlock(n.Data) && b.Len() > 0 && !strings.HasSuffix(b.String(), "\n") }
		edge()
		if n.Data == "br" {
			b.WriteByte('\n')
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
		edge()
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		walk(c)
	}
	return b.String()
}

// collapse replaces each sequence of blanks by a single space.
func collapse(text string) string {
	var b strings.Builder
	for word := range pieces(text) {
		b.WriteString(cmp.Or(word, " "))
	}
	return b.String()
}

// words returns the text of n on one line.
func words(n *html.Node) string { return squeeze(code(n, false)) }

// attr returns an attribute's value, or "". The parser has lower-cased the names.
func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// find returns the first element below n that match accepts, or nil.
func find(n *html.Node, match func(name string) bool) *html.Node {
	for c := range n.Descendants() {
		if c.Type == html.ElementNode && match(c.Data) {
			return c
		}
	}
	return nil
}

func named(name string) func(string) bool {
	return func(s string) bool { return s == name }
}
