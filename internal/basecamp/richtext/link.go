package richtext

import (
	"strings"

	"basecamp-mcp/internal/plaintext"
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
	var b strings.Builder
	for i := range len(href) {
		switch c := href[i]; c {
		case '\n', '\t':
			// Browsers ignore these characters inside a URL.
		case ' ', '<', '>', '(', ')', '[', ']', '\\', '|', '`', '"':
			b.WriteByte('%')
			b.WriteByte("0123456789ABCDEF"[c>>4])
			b.WriteByte("0123456789ABCDEF"[c&15])
		case '&':
			// A Markdown reader decodes entities in targets, so "javascript&colon;" must be escaped.
			if startsEntity(href[i:]) {
				b.WriteByte('\\')
			}
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

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
