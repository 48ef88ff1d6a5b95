package richtext

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"basecamp-mcp/internal/text/lazyregexp"
)

// bareLink is a URL or e-mail address in the text, without brackets around it.
type bareLink struct {
	own
	label, href string
}

var (
	bareURL  = lazyregexp.New(`^(?:https?://|www\.[\w-]+\.)[\pL\pN][\pL\pN\pM!"#$%&'()+,./:;=?@[\]^_{|}~-]*`)
	bareMail = lazyregexp.New(`^[a-zA-Z0-9.%+_-]+@[a-zA-Z0-9-]+(?:\.[a-zA-Z0-9-]+)+`)
)

// bareLinkParser finds URLs and addresses at the start of a word. One with a backslash in it stays
// text: Markdown writes a backslash only into text that was not a link.
type bareLinkParser struct{}

func (bareLinkParser) Trigger() []byte { return []byte{' ', '('} } // blanks, the beginning of a line, and "("

func (bareLinkParser) Parse(parent ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, segment := block.PeekLine()
	skip := 0
	if c := line[0]; c == ' ' || c == '\t' || c == '(' {
		skip = 1
	} else if !strings.ContainsRune(" \t\n(*_~", block.PrecendingCharacter()) {
		return nil
	}
	n := findBareLink(line[skip:min(len(line), skip+maxTarget)])
	if n == nil {
		return nil
	}
	if skip > 0 {
		ast.MergeOrAppendTextSegment(parent, segment.WithStop(segment.Start+skip))
	}
	block.Advance(skip + len(n.label))
	return n
}

// maxTarget is the longest URL, in bytes, that bareLinkParser finds.
const maxTarget = 4096

// findBareLink returns the link at the start of text, or nil if there is no link.
func findBareLink(text []byte) *bareLink {
	var found []byte
	prefix, no := "", `\`
	if len(text) > 0 && (text[0] == 'h' || text[0] == 'w') { // most words are not links, and a regular expression is slow
		found = bareURL.Find(text)
	}
	if bytes.HasPrefix(found, []byte("www.")) {
		prefix = "http://"
	}
	if found == nil && bytes.IndexByte(text, '@') > 0 {
		found = bareMail.Find(text)
		prefix, no = "mailto:", `\@_/`
	}
	rest := text[len(found):]
	if found == nil || len(rest) > 0 && strings.IndexByte(no, rest[0]) >= 0 {
		return nil
	}
	label := withoutPunctuation(unbracketed(string(found)))
	return &bareLink{label: label, href: prefix + label}
}

// unbracketed returns the part of a URL before the first "~~", unbalanced square bracket or other
// link. These cannot be part of the URL.
func unbracketed(url string) string {
	url, _, _ = strings.Cut(url, "~~")
	open := -1
	for i := range len(url) {
		switch {
		case url[i] == '[' && open < 0:
			open = i
		case url[i] == ']' && open < 0:
			return url[:i]
		case url[i] == ']' && strings.HasPrefix(url[i:], "]("):
			return url[:open]
		case url[i] == ']':
			open = -1
		}
	}
	if open >= 0 {
		return url[:open]
	}
	return url
}

// withoutPunctuation returns a URL without the punctuation of the sentence around it, and without
// parentheses at its end that were opened before it.
func withoutPunctuation(url string) string {
	extra := strings.Count(url, ")") - strings.Count(url, "(")
	for url != "" {
		switch url[len(url)-1] {
		case '?', '!', '.', ',', ':', ';', '*', '_', '~', '"', '\'':
		case ')':
			if extra--; extra < 0 {
				return url
			}
		default:
			return url
		}
		url = url[:len(url)-1]
	}
	return url
}
