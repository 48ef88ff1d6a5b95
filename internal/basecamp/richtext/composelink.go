package richtext

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"golang.org/x/net/html"

	"basecamp-mcp/internal/plaintext"
)

// link writes a link or a picture. Basecamp shows no picture from another site, so a picture
// becomes a link to it. A link that would run code becomes its text. A link with an unknown scheme
// stays as it was written, because it may be text such as f[0](x).
func (c *composer) link(target string, n ast.Node) {
	attributes := href(target)
	fill := func() { c.inline(n) }
	if n.FirstChild() == nil && attributes != "" {
		fill = func() { c.text(target) }
	}
	switch {
	case attributes != "":
		c.format("a", attributes, fill)
	case unsafeSchemes[scheme(plaintext.Clean(target))]:
		fill()
	default:
		c.text("[")
		c.within("a", fill) // a name in it mentions no one
		c.within("a", func() { c.text("](" + target + ")") })
	}
}

// angleLink writes a link of the form "<URL>".
func (c *composer) angleLink(n *ast.AutoLink) {
	label := string(n.Label(c.source))
	attributes := href(label)
	if n.AutoLinkType == ast.AutoLinkEmail {
		attributes = href("mailto:" + label)
	}
	if attributes == "" {
		c.text("<" + label + ">")
		return
	}
	c.format("a", attributes, func() { c.text(label) })
}

// href returns the attribute of a link, or "" if Basecamp must not receive the target.
func href(target string) string {
	target = strings.Join(strings.Fields(plaintext.Clean(target)), "%20")
	switch scheme(target) {
	case "http", "https", "mailto", "tel":
		return ` href="` + html.EscapeString(target) + `"`
	}
	return ""
}
