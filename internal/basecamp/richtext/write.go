package richtext

import (
	"bytes"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"golang.org/x/net/html"

	"basecamp-mcp/internal/text/lazyregexp"
	"basecamp-mcp/internal/text/naming"
	"basecamp-mcp/internal/text/plaintext"
)

// Person is a person that a text can mention. SGID is Basecamp's attachable_sgid.
type Person struct {
	ID   int64
	Name string
	SGID string
}

func (p Person) name() string { return plaintext.Clean(p.Name) }

// Writing holds the people and the old field that a text may refer to.
type Writing struct {
	// Inline are the people that the text may mention with "@[Name](person:ID)". A mention of any
	// other person becomes the text "@Name".
	Inline []Person

	// Called are the people that the text may mention with "[@Name]", the form that Markdown shows.
	// The keys are the names in [Refs.Called].
	Called map[string]Person

	// Named are the people that the text may mention with "@" and a name. The keys are the names.
	Named map[string]Person

	// Files are the SGIDs of new files, by the lines in [Refs.Files].
	Files map[FileLine]string

	// Mention are the people that must be mentioned. HTML mentions them where the text has "@Full
	// Name" or "@First", or the same without the "@". It mentions the others at the beginning or, if
	// Last is set or the text begins with a salutation, in a last line. It does not mention a person
	// twice.
	Mention []Person
	Last    bool

	// Old is the field (Basecamp HTML) that the text replaces. It is empty for a new field. In the
	// text, labels such as "[@Victor]" and "[Attachment: plan.pdf (application/pdf)]" represent its
	// mentions and files. Each label becomes its original element, byte for byte, once and in order.
	// Files without a label in the text are added at the end.
	Old string
}

// salutation matches the beginning of a letter, before which no name stands.
var salutation = lazyregexp.New(`(?i)^\W*(?:(?:dear|liebe[rs]?|chère?s?|sehr geehrte[rs]?)\s|(?:hi|hello|hallo|bonjour|good \w+|guten \w+)\b[^\n.!?]*,)`)

// HTML converts Markdown to a rich-text field of Basecamp. It never fails and keeps all words. Tags
// in the text are text. A text that is too long, too deep or too costly becomes plain paragraphs.
// Pictures become links. Details that Basecamp does not support (titles of links, the alignment of
// columns) are left out.
func (w Writing) HTML(markdown string) string {
	c := w.composed(markdown)
	c.mentionNamed(w.Named)
	others := strings.Join(c.mentionPeople(w.Mention), " ")
	document := c.document()
	switch {
	case others == "":
	case w.Last, salutation.MatchString(markdown):
		document = Append(document, "<div>"+others+"</div>")
	default:
		document = prepend(others, document)
	}
	return c.old.expand(document, placeMark, func(a *attachment) string { return a.html })
}

// composed returns a composer that has written the text, without the mentions by name.
func (w Writing) composed(markdown string) *composer {
	markdown = strings.Trim(plaintext.Clean(markdown), "\n")
	c := &composer{people: w.Inline, named: len(w.Mention) > 0, old: keep(w.Old)}
	c.old.addMentions(w.Called)
	c.old.addFiles(w.Files)
	marked := c.old.markPreviews(markdown)
	doc, err := parse(marked, c.old)
	root := &flow{div: true}
	if err == nil {
		c.source = []byte(marked)
		c.blocks(doc, root)
	} else {
		for _, a := range c.old.all { // no label shows one
			a.used = false
		}
		c.plain(markdown, root)
	}
	c.files(root)
	c.end(root)
	c.flush()
	return c
}

// literal writes Markdown without formatting. As in [composer.unescaped], an "@" after a backslash
// mentions no one.
func (c *composer) literal(markdown string) {
	for i, text := range strings.Split(markdown, `\@`) {
		if i > 0 {
			c.markup("@")
		}
		c.text(text)
	}
}

// plain writes source as lines and paragraphs without formatting.
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
		c.literal(line)
		blank = false
	}
}

// files writes the attachments that the text does not show. Mentions and rules are part of the
// text, so they are removed with it.
func (c *composer) files(in *flow) {
	for i, a := range c.old.all {
		if !a.used && a.kind != mentionKind && a.kind != ruleKind {
			c.begin(in, true)
			c.place(i)
		}
	}
}

// document returns the written HTML.
func (c *composer) document() string {
	var b strings.Builder
	for _, p := range c.pieces {
		b.WriteString(p.html)
		b.WriteString(html.EscapeString(p.words))
	}
	b.Write(c.html)
	return b.String()
}

// IsPlain reports whether a Markdown text has no formatting and mentions no one. HTML would then
// only write its text, line breaks and links for its URLs.
func IsPlain(markdown string) bool {
	markdown = strings.Trim(plaintext.Clean(markdown), "\n")
	doc, err := parse(markdown, kept{})
	source := []byte(markdown)
	return err != nil || len(ReadRefs(markdown, "").Called) == 0 && walk(doc, func(n ast.Node) bool {
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

// mentionPeople mentions people where the text has their names. It returns mentions for the other
// people.
func (c *composer) mentionPeople(people []Person) []string {
	isDue := func(p Person) bool { return p.SGID != "" && !slices.Contains(c.mentioned, p.SGID) }
	names := naming.NamesOf(people, Person.name)
	c.mentionAt(names, isDue)
	c.mentionPlain(names, isDue)
	var others []string
	for _, p := range people {
		if isDue(p) {
			c.mentioned = append(c.mentioned, p.SGID)
			others = append(others, mentionOf(p))
		}
	}
	return others
}

// prepend puts mentions at the beginning: in the first paragraph, or in a new one if the document
// starts with another block.
func prepend(mentions, document string) string {
	if rest, ok := strings.CutPrefix(document, "<div>"); ok {
		return "<div>" + mentions + " " + rest
	}
	return "<div>" + mentions + "</div>" + document
}
