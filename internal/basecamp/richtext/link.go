package richtext

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"golang.org/x/net/html"

	"basecamp-mcp/internal/text/lazyregexp"
	"basecamp-mcp/internal/text/plaintext"
)

// unsafeSchemes run code or access the reader's machine. A link with such a scheme keeps its text
// and loses its target.
var unsafeSchemes = map[string]bool{
	"javascript": true, "vbscript": true, "livescript": true, "data": true, "blob": true, "file": true, "filesystem": true,
	"feed": true, "jar": true, "view-source": true, "about": true,
}

// target returns an href in the form for the parentheses of a Markdown link. It returns "" if the
// href is empty or unsafe, or would make the link a mention.
func target(href string) string {
	href = strings.TrimSpace(plaintext.Clean(href))
	if s := scheme(href); href == "" || unsafeSchemes[s] || s == "person" || s == "mention" {
		return ""
	}
	return entity.ReplaceAllStringFunc(inTarget.Replace(href), func(e string) string { return `\` + e })
}

// entity matches what a Markdown reader decodes in targets too, as in "javascript&colon;".
var entity = lazyregexp.New("&#?[0-9A-Za-z]{1,32};")

// inTarget writes the characters that end a target, and leaves out those that browsers ignore in a
// URL.
var inTarget = strings.NewReplacer("\n", "", "\t", "", " ", "%20", "<", "%3C", ">", "%3E", "(", "%28", ")", "%29", "[", "%5B", "]", "%5D",
	`\`, "%5C", "|", "%7C", "`", "%60", `"`, "%22")

// webTarget returns the target if its scheme is http or https, otherwise "".
func webTarget(src string) string {
	if s := scheme(plaintext.Clean(src)); s != "http" && s != "https" {
		return ""
	}
	return target(src)
}

// scheme returns the lower-case scheme of a URL, or "" for a relative URL. Like a lenient browser,
// it ignores blanks anywhere.
func scheme(url string) string {
	end := strings.IndexByte(url, ':')
	if end < 0 || strings.ContainsAny(url[:end], "/?#") {
		return ""
	}
	return strings.ToLower(strings.Join(strings.Fields(url[:end]), ""))
}

// bareable reports whether Markdown recognises a link's text as the whole link without brackets,
// given the text that follows.
func bareable(text, href, next string) bool {
	link := findBareLink([]byte(text + next))
	if link == nil || link.label != text || target(link.href) != href {
		return false
	}
	for i := range len(text) {
		c := text[i]
		if !isWord(c) && !strings.ContainsRune("/:.?=%&#+,;@-_()!$'", rune(c)) {
			return false
		}
		if c == '_' && (i == 0 || i+1 == len(text) || !isAlnum(text[i-1]) || !isAlnum(text[i+1])) {
			return false
		}
	}
	return true
}

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
