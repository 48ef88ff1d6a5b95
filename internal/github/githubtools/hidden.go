package githubtools

import (
	"strings"

	"basecamp-mcp/internal/plaintext"
)

const hiddenComment = "[hidden comment]"

// shown returns Markdown that other people may have written, as a reader on GitHub's site sees it:
// without invisible characters, and with a mark in place of each HTML comment outside code.
func shown(markdown string) string {
	text := plaintext.Clean(markdown)
	if !strings.Contains(text, "<!--") {
		return text
	}
	u := uncoverer{rest: text}
	for u.rest != "" {
		u.line()
	}
	return u.out.String()
}

// uncoverer copies Markdown line by line. Where it is unsure whether GitHub shows code or hides a
// comment, it hides the comment.
type uncoverer struct {
	out    strings.Builder
	rest   string
	fence  string // the marks that opened the fence; empty outside
	indent int    // of that fence
	html   bool   // in a block of HTML, where marks of code mean nothing
	raw    bool   // in a block of HTML that a blank line does not end
	// endless says that no comment ends in the rest. Without it, many beginnings would take long.
	endless bool
}

var (
	fenceForm = form("^( {0,3})(`{3,}|~{3,})([^\n]*)")
	htmlBlock = form(`^[ \t]*((>|[-*+]|[0-9]{1,9}[.)])[ \t]*)*<[A-Za-z/?!]`)
	rawBegins = form(`(?i)<(script|pre|style|textarea|\?|![A-Z[])`)
	rawEnds   = form(`(?i)</(script|pre|style|textarea)>|\?>|\]\]>`)
	htmlTag   = form(`^</?[A-Za-z][A-Za-z0-9-]*(\s+[^\s<>"'=/]+(\s*=\s*("[^"]*"|'[^']*'|[^\s"'=<>` + "`" + `]+))?)*\s*/?>`)
)

// line copies one line, or more if a comment ends in a later one.
func (u *uncoverer) line() {
	text, _, _ := strings.Cut(u.rest, "\n")
	blank := strings.TrimSpace(text) == ""
	if u.fence != "" && !blank && len(text)-len(strings.TrimLeft(text, " ")) < u.indent {
		u.fence = "" // the list item that held the fence has ended
	}
	mark := fenceForm.FindStringSubmatch(text)
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
	case htmlBlock.MatchString(text) && !strings.HasPrefix(strings.TrimLeft(text, " "), "<!--"):
		u.html, u.raw = true, u.raw || rawBegins.MatchString(text)
	}
	if u.raw && rawEnds.MatchString(text) {
		u.raw = false
	}
	u.inline(strings.HasPrefix(strings.TrimLeft(text, " \t>"), "<!--"))
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
			u.comment(first)
		case u.html:
			u.copy(1)
		case u.rest[0] == '\\' && len(u.rest) > 1 && u.rest[1] != '\n':
			u.copy(2)
		case u.rest[0] == '`':
			u.copy(codeSpan(u.rest))
		case u.rest[0] == '<':
			u.copy(max(1, len(htmlTag.FindString(u.rest))))
		default:
			u.copy(1)
		}
	}
}

// comment hides a comment. One without an end hides the rest if it begins a line; otherwise GitHub
// shows it.
func (u *uncoverer) comment(first bool) {
	end := -1
	if !u.endless {
		end = strings.Index(u.rest[2:], "-->")
		u.endless = end < 0
	}
	switch {
	case end >= 0:
		u.out.WriteString(hiddenComment)
		u.rest = u.rest[2+end+3:]
	case first:
		u.out.WriteString(hiddenComment)
		u.rest = ""
	default:
		u.copy(4)
	}
}

// codeSpan returns the length of the code span that text begins with, within its line, or of its
// marks if they open none.
func codeSpan(text string) int {
	line, _, _ := strings.Cut(text, "\n")
	marks := len(line) - len(strings.TrimLeft(line, "`"))
	for at := marks; at < len(line); {
		if line[at] != '`' {
			at++
			continue
		}
		run := len(line[at:]) - len(strings.TrimLeft(line[at:], "`"))
		if at += run; run == marks {
			return at
		}
	}
	return marks
}
