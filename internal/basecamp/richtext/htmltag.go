package richtext

import (
	"strings"

	"github.com/yuin/goldmark/ast"

	"basecamp-mcp/internal/text/lazyregexp"
	"basecamp-mcp/internal/text/plaintext"
)

// markupTag matches a tag that is HTML beyond doubt. Names that are also words or single letters
// count only as end tags, because "<title>" and "<a>" are also ways to write a placeholder.
var markupTag = lazyregexp.New(`(?i)^<(?:/?(?:` +
	`p|div|br|hr|h[1-6]|ul|ol|li|dl|dt|dd|table|thead|tbody|tfoot|tr|td|th|pre|blockquote|span|strong|em|strike|del|ins|sub|sup|` +
	`img|figure|figcaption|iframe|script|style|font|html|bc-attachment|action-text-attachment` +
	`)|/(?:` +
	`a|b|i|s|u|q|code|kbd|mark|small|big|center|cite|title|head|body|header|footer|main|nav|section|article|aside|` +
	`details|summary|caption|label|button|form|video|audio` +
	`))(?:\s+[a-z:-]+\s*=\s*(?:"[^"]*"|'[^']*'|[^\s<>"']+))*\s*/?>`)

// HTMLTag returns the first HTML tag in a Markdown text, or "". It ignores code and tags with a
// backslash before them.
func HTMLTag(markdown string) string {
	if !strings.Contains(markdown, "<") {
		return ""
	}
	markdown = plaintext.Clean(markdown)
	doc, err := parse(markdown, kept{})
	if err != nil {
		return ""
	}
	found := ""
	walk(doc, func(n ast.Node) bool {
		if t, ok := n.(*ast.Text); ok && n.Parent().Kind() != ast.KindCodeSpan {
			found = tagBetween(markdown, t.Segment.Start, t.Segment.Stop)
		}
		return found == ""
	})
	return found
}

// tagBetween returns the first HTML tag that begins between two positions of a Markdown text.
func tagBetween(markdown string, from, to int) string {
	for at := from; at < to; at++ {
		switch markdown[at] {
		case '\\':
			at++
		case '<':
			if tag := markupTag.FindString(markdown[at:]); tag != "" {
				return tag
			}
		}
	}
	return ""
}
