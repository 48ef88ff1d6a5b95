package parts

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"basecamp-mcp/internal/text/lazyregexp"
	"basecamp-mcp/internal/text/plaintext"
)

// Uncovered returns a clean text with marks in place of what GitHub hides.
func Uncovered(text string) string {
	if !strings.Contains(text, "<!") && !strings.Contains(text, "<?") && !strings.Contains(text, "]:") {
		return text
	}
	u := uncoverer{rest: text}
	if strings.Contains(text, "]:") {
		u.refers = labels(text)
	}
	u.all()
	return u.out.String()
}

// labels counts the references to links and footnotes in Markdown, by label.
func labels(markdown string) map[string]int {
	u := uncoverer{rest: markdown, refers: map[string]int{}, counts: true}
	u.all()
	return u.refers
}

// label returns a label as references are compared: without case and the width of spaces.
func label(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), " ")) }

// uncoverer copies Markdown line by line. Where it is unsure whether GitHub shows code or hides a
// comment, it hides the comment.
type uncoverer struct {
	out    strings.Builder
	rest   string
	fence  string // the marks that opened the fence; empty outside
	indent int    // of that fence
	html   bool   // in a block of HTML, where marks of code mean nothing
	raw    bool   // in a block of HTML that a blank line does not end
	// endless holds the ends of comments that the rest lacks. Without it, many beginnings would take
	// long.
	endless map[string]bool
	refers  map[string]int // references by label
	counts  bool           // count the references, and hide no definition
	inText  bool           // the line before is text of a paragraph, which no definition interrupts
}

var (
	fenceForm = lazyregexp.New("^( {0,3})(`{3,}|~{3,})([^\n]*)")
	htmlBlock = lazyregexp.New(`^[ \t]*((>|[-*+]|[0-9]{1,9}[.)])[ \t]*)*<[A-Za-z/?!]`)
	rawBegins = lazyregexp.New(`(?i)<(script|pre|style|textarea|\?|![A-Z[])`)
	rawEnds   = lazyregexp.New(`(?i)</(script|pre|style|textarea)>|\?>|\]\]>`)
	reference = lazyregexp.New(`^\[((?:[^\[\]\\]|\\.)+)\]`)
	defines   = lazyregexp.New(`^[ \t]*((>|[-*+]|[0-9]{1,9}[.)])[ \t]*)*\[(?:[^\[\]\\]|\\.)+\]:`)
	// definition is the definition of a link. Its title may begin in the next line.
	definition = lazyregexp.New(`^[ \t]*(?:(?:>|[-*+]|[0-9]{1,9}[.)])[ \t]*)*\[((?:[^\[\]\\]|\\.)+)\]:[ \t]*(?:\r?\n[ \t]*)?(?:<[^<>\n]*>|[^\s<]\S*)` +
		`(?:\s+(?:"(?:[^"\\\n]|\\.|\n[ \t]*[^\s"])*"|'(?:[^'\\\n]|\\.|\n[ \t]*[^\s'])*'|\((?:[^()\\\n]|\\.|\n[ \t]*[^\s()])*\)))?[ \t]*(?:\r?\n|$)`)
	// footnote is the definition of a footnote: a paragraph, and what follows indented.
	footnote = lazyregexp.New(`^[ \t]*(?:>[ \t]*)*\[(\^[^\[\]\s]+)\]:[^\n]*(?:\n[ \t]*(?:[^\s\[]|\[[^^\n])[^\n]*)*` +
		`(?:\n(?:[ \t]*\r?\n)*(?: {4}|\t)[^\n]*)*(?:\n|$)`)
	htmlTag = lazyregexp.New(`^</?[A-Za-z][A-Za-z0-9-]*(\s+[^\s<>"'=/]+(\s*=\s*("[^"]*"|'[^']*'|[^\s"'=<>` + "`" + `]+))?)*\s*/?>`)
)

// line copies one line, or more if a comment ends in a later one.
func (u *uncoverer) line() {
	text, _, _ := strings.Cut(u.rest, "\n")
	blank := strings.TrimSpace(text) == ""
	if u.fence != "" && !blank && len(text)-len(strings.TrimLeft(text, " ")) < u.indent {
		u.fence = "" // the list item that held the fence has ended
	}
	mark := fenceForm.FindStringSubmatch(text)
	interrupts := u.inText
	first, _ := utf8.DecodeRuneInString(text)
	u.inText = u.fence == "" && unicode.IsLetter(first)
	switch {
	case u.fence != "":
		if len(mark) > 0 && strings.HasPrefix(mark[2], u.fence) && strings.TrimSpace(mark[3]) == "" {
			u.fence = ""
		}
		u.copy(len(text) + 1)
		return
	case blank:
		u.html = u.raw
	case len(mark) > 0 && !u.html && !(mark[2][0] == '`' && strings.Contains(mark[3], "`")):
		u.fence, u.indent = mark[2], len(mark[1])
		if !strings.Contains(mark[3], "<!--") {
			u.copy(len(text) + 1)
			return
		}
	case htmlBlock.MatchString(text) && !beginsHidden(text):
		u.html, u.raw = true, u.raw || rawBegins.MatchString(text)
	}
	if !interrupts && strings.Contains(text, "]:") {
		if u.counts {
			u.copy(len(defines.FindString(text)))
		} else if u.unused() {
			return
		}
	}
	if u.raw && rawEnds.MatchString(text) {
		u.raw = false
	}
	u.inline(beginsHidden(text))
}

// unused hides the definition that the rest begins with, if nothing refers to it.
func (u *uncoverer) unused() bool {
	found := footnote.FindStringSubmatch(u.rest)
	if len(found) == 0 {
		found = definition.FindStringSubmatch(u.rest)
	}
	if len(found) == 0 || u.refers[label(found[1])] > 0 {
		return false
	}
	u.out.WriteString(HiddenComment)
	u.rest = u.rest[len(found[0]):]
	if strings.HasSuffix(found[0], "\n") {
		u.out.WriteString(found[0][len(strings.TrimRight(found[0], "\r\n")):])
	}
	return true
}

func (u *uncoverer) all() {
	for u.rest != "" {
		u.line()
	}
}

func (u *uncoverer) copy(n int) {
	n = min(n, len(u.rest))
	u.out.WriteString(u.rest[:n])
	u.rest = u.rest[n:]
}

// inline copies to the end of a line. first says that the line begins with a comment, which hides
// the rest of the text if it has no end.
func (u *uncoverer) inline(first bool) {
	for u.rest != "" {
		switch {
		case u.rest[0] == '\n':
			u.copy(1)
			return
		case strings.HasPrefix(u.rest, "<!--"):
			u.comment("-->", first)
		case strings.HasPrefix(u.rest, "<![CDATA["):
			u.comment("]]>", first)
		case strings.HasPrefix(u.rest, "<?"):
			u.comment("?>", first)
		case declared(u.rest):
			u.comment(">", first)
		case u.html:
			u.copy(1)
		case u.rest[0] == '[' && u.counts:
			if found := reference.FindStringSubmatch(u.rest); found != nil {
				u.refers[label(found[1])]++
			}
			u.copy(1)
		case u.rest[0] == '\\' && len(u.rest) > 1 && u.rest[1] != '\n':
			u.copy(2)
		case u.rest[0] == '`':
			u.copy(plaintext.CodeSpan(u.rest))
		case u.rest[0] == '<':
			u.copy(max(1, len(htmlTag.FindString(u.rest))))
		default:
			u.copy(1)
		}
	}
}

// beginsHidden reports whether a line begins with something like a comment.
func beginsHidden(line string) bool {
	start := strings.TrimLeft(line, " \t>")
	return strings.HasPrefix(start, "<?") || strings.HasPrefix(start, "<!")
}

// declared reports whether text begins with a declaration, such as a document type.
func declared(text string) bool {
	return len(text) > 2 && text[:2] == "<!" && (text[2]|' ' >= 'a' && text[2]|' ' <= 'z')
}

// comment hides a comment, which ends with end. One without an end hides the rest if it begins a
// line; otherwise GitHub shows it.
func (u *uncoverer) comment(end string, first bool) {
	const begin = len("<!")
	at := -1
	if !u.endless[end] {
		at = strings.Index(u.rest[begin:], end)
	}
	switch {
	case at >= 0:
		u.out.WriteString(HiddenComment)
		u.rest = u.rest[begin+at+len(end):]
		return
	case u.endless == nil:
		u.endless = map[string]bool{}
	}
	u.endless[end] = true
	if !first {
		u.copy(begin)
		return
	}
	u.out.WriteString(HiddenComment)
	u.rest = ""
}
