package richtext

import (
	"strings"

	"golang.org/x/net/html"
)

// The marks of mentions in a spoken text: the first mention is mentionMark, the next one is the
// character after it.
const (
	mentionMark  = '\uE000'
	mostMentions = 1000
)

// Mention returns the number of the mention that a character of a spoken text stands for, or -1.
func Mention(r rune) int {
	if r < mentionMark || r >= mentionMark+mostMentions {
		return -1
	}
	return int(r - mentionMark)
}

// Spoken returns the lines that the writer of a field (Basecamp HTML) says: without what is quoted,
// code and files. Each mention is one character, see [Mention]; mentioned are the people.
func Spoken(field string) (text string, mentioned []Person) {
	s := &spoken{}
	root, err := parseHTML(field)
	if err != nil {
		return strings.Map(unmarked, plain(field)), nil
	}
	s.node(root)
	return s.text.String(), s.mentioned
}

type spoken struct {
	text      strings.Builder
	mentioned []Person
}

func (s *spoken) node(n *html.Node) {
	switch {
	case n.Type == html.TextNode:
		s.text.WriteString(strings.Map(unmarked, strings.ReplaceAll(n.Data, "\n", " ")))
		return
	case is(n.Data, hides), n.Data == "pre", n.Data == "blockquote":
		s.text.WriteByte('\n')
		return
	case n.Data == "code", n.Data == "q":
		s.text.WriteByte(' ')
		return
	case n.Data == bcAttachment && contentType(n) == mentionType:
		s.mention(n)
		return
	case n.Data == bcAttachment || n.Data == "figure":
		return
	}
	breaks := n.Data == "br" || isBlock(n.Data)
	if breaks {
		s.text.WriteByte('\n')
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		s.node(c)
	}
	if breaks {
		s.text.WriteByte('\n')
	}
}

func (s *spoken) mention(n *html.Node) {
	if len(s.mentioned) == mostMentions {
		return
	}
	s.text.WriteRune(mentionMark + rune(len(s.mentioned)))
	name, _ := mentionedIn(n)
	s.mentioned = append(s.mentioned, Person{Name: strings.TrimPrefix(name, "@"), SGID: attr(n, "sgid")})
}

// unmarked leaves out what would look like a mention.
func unmarked(r rune) rune {
	if Mention(r) >= 0 {
		return -1
	}
	return r
}
