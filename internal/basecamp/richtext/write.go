package richtext

import (
	"bytes"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"golang.org/x/net/html"

	"basecamp-mcp/internal/plaintext"
)

// Person is somebody a text can mention. SGID is Basecamp's attachable_sgid.
type Person struct {
	ID   int64
	Name string
	SGID string
}

// Writing is what a text may refer to besides itself.
type Writing struct {
	// Inline are those whom "@[Name](person:ID)" in the text names. One that is not here stays the text "@Name".
	Inline []Person

	// Called are those whom "[@Name]" in the text calls, as Markdown shows a mention, by that name (see [Called]).
	Called map[string]Person

	// Mention are those who must be mentioned: where the text says "@Full Name" or "@First", or else at its very beginning. Who
	// is mentioned already is not mentioned again.
	Mention []Person

	// Old is the field (Basecamp HTML) that the text replaces, empty for a new one. What Markdown makes of its mentions and
	// files, such as "[@Victor]" and "[Attachment: plan.pdf (application/pdf)]", stands for them in the text: each becomes the
	// element it was, byte for byte, once and in order. Files that the text does not show stand at its end.
	Old string
}

// HTML converts Markdown to a rich-text field of Basecamp. It never fails and never loses words: tags in the text are text, and
// a text that is too long, too deep or too costly becomes plain paragraphs. Pictures become links, and what Basecamp has no
// place for (titles of links, the alignment of columns) is left out.
func (w Writing) HTML(markdown string) string {
	markdown = strings.Trim(plaintext.Clean(markdown), "\n")
	c := &composer{people: w.Inline, old: keep(w.Old)}
	c.old.call(w.Called)
	marked := c.old.markPreviews(markdown)
	doc, err := parse(marked, c.old)
	root := &flow{div: true}
	if err == nil {
		c.source = []byte(marked)
		c.blocks(doc, root)
	} else {
		c.old = keep(w.Old) // none of them is used
		c.plain(markdown, root)
	}
	c.files(root)
	c.end(root)
	c.flush()
	front := c.call(w.Mention)
	document := c.document()
	if len(front) > 0 {
		document = prepend(strings.Join(front, " "), document)
	}
	return c.old.expand(document, placeMark, func(a *attachment) string { return a.html })
}

// plain writes lines and paragraphs.
func (c *composer) plain(source string, in *flow) {
	blank := true
	for line := range strings.Lines(source) {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
			blank = true
			continue
		case blank:
			c.begin(in, false)
		default:
			c.markup("<br>")
		}
		c.text(line)
		blank = false
	}
}

// plainly is a text as HTML without formatting.
func plainly(text string) string {
	c, root := &composer{}, &flow{div: true}
	c.plain(text, root)
	c.end(root)
	return c.document()
}

// files writes the attachments that the text does not show. Mentions and rules are part of the text, and go with it.
func (c *composer) files(in *flow) {
	for i, a := range c.old.all {
		if !a.used && a.kind != mentionKind && a.kind != ruleKind {
			c.begin(in, true)
			c.place(i)
		}
	}
}

// document is all that was written.
func (c *composer) document() string {
	var b strings.Builder
	for _, p := range c.pieces {
		b.WriteString(p.html)
		b.WriteString(html.EscapeString(p.words))
	}
	b.Write(c.html)
	return b.String()
}

// IsPlain reports whether a Markdown text has no formatting and refers to nobody: HTML would be its text and line breaks, with
// its URLs made links.
func IsPlain(markdown string) bool {
	markdown = strings.Trim(plaintext.Clean(markdown), "\n")
	doc, err := parse(markdown, kept{})
	if err != nil {
		return true
	}
	source := []byte(markdown)
	return len(Called(markdown, "")) == 0 && walk(doc, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Document, *ast.Paragraph, *bareLink:
			return true
		case *ast.Text:
			written := n.Segment.Value(source)
			return unescape(written) == string(written) && !bytes.HasPrefix(source[n.Segment.Stop:], []byte("\\\n"))
		}
		return false
	})
}

// call mentions people where the text calls them. It gives the mentions of the others.
func (c *composer) call(people []Person) []string {
	isDue := func(p Person) bool { return p.SGID != "" && !slices.Contains(c.mentioned, p.SGID) }
	for _, name := range callNames(people) {
		if isDue(name.person) && c.callByName(name) {
			c.mentioned = append(c.mentioned, name.person.SGID)
		}
	}
	var front []string
	for _, p := range people {
		if isDue(p) {
			c.mentioned = append(c.mentioned, p.SGID)
			front = append(front, mentionOf(p))
		}
	}
	return front
}

// callByName mentions somebody in the first place where the text says the name behind an "@".
func (c *composer) callByName(name callName) bool {
	for i, p := range c.pieces {
		from, to := findCall(p.words, name.folded)
		if to == 0 {
			continue
		}
		c.pieces[i].words = p.words[:from]
		c.pieces = slices.Insert(c.pieces, i+1, piece{mentionOf(name.person), p.words[to:]})
		return true
	}
	return false
}

// prepend puts mentions at the very beginning: in the first paragraph, or in one of their own before what is none.
func prepend(mentions, document string) string {
	if rest, ok := strings.CutPrefix(document, "<div>"); ok {
		return "<div>" + mentions + " " + rest
	}
	return "<div>" + mentions + "</div>" + document
}
