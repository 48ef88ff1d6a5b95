package richtext

import (
	"cmp"
	"iter"
	"strings"

	"golang.org/x/net/html"

	"basecamp-mcp/internal/plaintext"
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

// blankPrefix returns the length of the blanks at the start of text. A no-break space counts as a
// blank: Basecamp's editor writes every second space as one.
func blankPrefix(text string) int {
	n := 0
	for n < len(text) {
		size := blank(text[n:])
		if size == 0 {
			break
		}
		n += size
	}
	return n
}

// pieces returns the words of a text in order, and "" for the blanks between two of them.
func pieces(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for len(text) > 0 {
			word, n := "", blankPrefix(text)
			if n == 0 {
				for n < len(text) && blank(text[n:]) == 0 {
					n++
				}
				word = text[:n]
			}
			if !yield(word) {
				return
			}
			text = text[n:]
		}
	}
}

// blank returns the size of the blank at the start of text, or 0.
func blank(text string) int {
	switch text[0] {
	case ' ', '\n', '\t', '\r', '\f':
		return 1
	case 0xc2:
		if strings.HasPrefix(text, "\u00a0") {
			return 2
		}
	case 0xe2:
		if strings.HasPrefix(text, "\u2028") || strings.HasPrefix(text, "\u2029") {
			return 3
		}
	}
	return 0
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
		if n.Type != html.ElementNode || isHidden(n.Data) {
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
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type != html.ElementNode {
			continue
		}
		if match(c.Data) {
			return c
		}
		if found := find(c, match); found != nil {
			return found
		}
	}
	return nil
}

func named(name string) func(string) bool {
	return func(s string) bool { return s == name }
}

// isHidden reports whether readers do not see the content of an element.
func isHidden(name string) bool {
	switch name {
	case "script", "style", "iframe", "noembed", "noframes":
		return true
	}
	return false
}

// isBlock reports whether an element starts on a new line.
func isBlock(name string) bool {
	switch name {
	case "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dialog", "dir", "div", "dl",
		"dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr",
		"html", "legend", "li", "listing", "main", "menu", "nav", "ol", "optgroup", "option", "p", "plaintext", "pre", "search",
		"section", "select", "summary", "table", "tbody", "td", "textarea", "tfoot", "th", "thead", "title", "tr", "ul", "xmp":
		return true
	}
	return false
}

// isStructure reports whether an element is a block that would lose its meaning in a heading or
// table cell.
func isStructure(name string) bool {
	switch name {
	case "blockquote", "dl", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "ol", "pre", "table", "ul":
		return true
	}
	return false
}
