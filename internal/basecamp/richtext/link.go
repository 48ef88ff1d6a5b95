package richtext

import (
	"strings"

	"basecamp-mcp/internal/plaintext"
)

// unsafeSchemes run code or reach into the reader's machine; a link with one keeps its text and loses its target (B-57).
var unsafeSchemes = map[string]bool{
	"javascript": true, "vbscript": true, "livescript": true, "data": true, "blob": true, "file": true, "filesystem": true,
	"feed": true, "jar": true, "view-source": true, "about": true,
}

// target prepares an href for the parentheses of a Markdown link. It is empty when there is none or it is unsafe.
func target(href string) string {
	href = strings.TrimSpace(plaintext.Clean(href))
	if href == "" || unsafeSchemes[scheme(href)] {
		return ""
	}
	var b strings.Builder
	for i := range len(href) {
		switch c := href[i]; c {
		case '\n', '\t':
			// Browsers drop these inside a URL.
		case ' ', '<', '>', '(', ')', '[', ']', '\\', '|', '`', '"':
			b.WriteByte('%')
			b.WriteByte("0123456789ABCDEF"[c>>4])
			b.WriteByte("0123456789ABCDEF"[c&15])
		case '&':
			// A Markdown reader decodes entities in targets: "javascript&colon;" must stay what it is.
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

// webTarget is target for what a reader would fetch: http and https alone.
func webTarget(src string) string {
	if s := scheme(plaintext.Clean(src)); s != "http" && s != "https" {
		return ""
	}
	return target(src)
}

// scheme is the lower-case scheme of a URL as a lenient browser would see it, ignoring blanks anywhere; empty if relative.
func scheme(url string) string {
	end := strings.IndexByte(url, ':')
	if end < 0 || strings.ContainsAny(url[:end], "/?#") {
		return ""
	}
	return strings.ToLower(strings.Join(strings.Fields(url[:end]), ""))
}

// bareable reports whether a link's text can stand as it is and be recognised, whole, as that link, before what follows it.
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
