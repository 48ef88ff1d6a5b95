package richtext

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	extension "github.com/yuin/goldmark/extension/ast"
	"golang.org/x/net/html"

	"basecamp-mcp/internal/text/plaintext"
)

// composer writes a parsed Markdown text as HTML. Like Basecamp's own editor, it writes paragraphs
// as lines of one div with an empty line between them. In items and quotes, paragraphs need no div.
type composer struct {
	source []byte
	people []Person // the people that the text may mention inline
	named  bool     // names without an "@" count too
	old    kept

	pieces []piece
	html   []byte // markup of the last piece
	run    []byte // text after html
	words  bool   // whether names in run count as mentions

	inside    []string // open inline elements
	nest      int      // open lists and quotes
	mentioned []string // SGIDs of the people already mentioned
}

// piece is markup followed by unescaped text, in which names may become mentions.
type piece struct{ html, words string }

// maxSearchedTexts is the largest number of texts that are searched for names. Only the first half
// of them need no "@".
const maxSearchedTexts = 10_000

// flow is the state of a container that is being written.
type flow struct {
	div   bool // paragraphs need a div
	open  bool // the last block is a paragraph
	files bool // the open paragraph contains only files
}

func (c *composer) text(s string) {
	words := !c.isInside("a") && !c.isInside("code") && !c.isInside("pre")
	if words != c.words {
		c.flush()
		c.words = words
	}
	c.run = append(c.run, s...)
}

func (c *composer) flush() {
	if len(c.run) == 0 {
		return
	}
	text := plaintext.Clean(string(c.run))
	c.run = c.run[:0]
	if n := len(c.pieces); c.words && (c.named && n < maxSearchedTexts/2 || n < maxSearchedTexts && strings.Contains(text, "@")) {
		c.pieces = append(c.pieces, piece{string(c.html), text})
		c.html = c.html[:0]
		return
	}
	c.html = append(c.html, html.EscapeString(text)...)
}

func (c *composer) markup(s string) {
	c.flush()
	c.html = append(c.html, s...)
}

func (c *composer) isInside(name string) bool { return slices.Contains(c.inside, name) }

// format writes an inline element. Inside an element of the same name, it writes only the content.
func (c *composer) format(name, attributes string, fill func()) {
	if c.isInside(name) {
		fill()
		return
	}
	c.markup("<" + name + attributes + ">")
	c.within(name, fill)
	c.markup("</" + name + ">")
}

// within writes the content of an inline element.
func (c *composer) within(name string, fill func()) {
	c.inside = append(c.inside, name)
	fill()
	c.flush()
	c.inside = c.inside[:len(c.inside)-1]
}

// begin starts a paragraph. Between two files it writes no line break, so that Basecamp shows
// pictures side by side.
func (c *composer) begin(in *flow, files bool) {
	switch {
	case !in.open && in.div:
		c.markup("<div>")
	case in.open && !(in.files && files):
		c.markup("<br><br>")
	}
	in.open, in.files = true, files
}

// end closes the div of the paragraphs before another block.
func (c *composer) end(in *flow) {
	if in.open && in.div {
		c.markup("</div>")
	}
	in.open = false
}

func (c *composer) blocks(parent ast.Node, in *flow) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		c.block(n, in)
	}
}

func (c *composer) block(n ast.Node, in *flow) {
	list, isList := n.(*ast.List)
	switch {
	case n.Kind() == ast.KindParagraph, n.Kind() == ast.KindTextBlock:
		c.paragraph(n, in)
		return
	case isList && isMarks(list):
		c.marks(list, in)
		return
	case n.Kind() == ast.KindListItem, c.nest == maxNest && (isList || n.Kind() == ast.KindBlockquote):
		c.blocks(n, in)
		return
	}
	c.end(in)
	switch n := n.(type) {
	case *ast.List:
		c.list(n)
	case *ast.Blockquote:
		c.container("blockquote", n)
	case *ast.Heading:
		c.format("h"+strconv.Itoa(n.Level), "", func() { c.inline(n) })
	case *ast.ThematicBreak:
		c.rule()
	case *ast.FencedCodeBlock:
		c.pre(n, string(n.Language(c.source)))
	case *ast.CodeBlock:
		c.pre(n, "")
	case *extension.Table:
		c.table(n)
	}
}

func (c *composer) container(name string, n ast.Node) {
	c.markup("<" + name + ">")
	c.nest++
	c.blocks(n, &flow{})
	c.nest--
	c.markup("</" + name + ">")
}

func (c *composer) list(n *ast.List) {
	name, attributes := "ul", ""
	if n.IsOrdered() {
		name = "ol"
		if n.Start != 1 {
			attributes = ` start="` + strconv.Itoa(n.Start) + `"`
		}
	}
	c.markup("<" + name + attributes + ">")
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		c.container("li", item)
	}
	c.markup("</" + name + ">")
}

// isMarks reports whether a list has no content. Its author wrote the markers as text, for example
// a single dash.
func isMarks(n *ast.List) bool {
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		if item.HasChildren() {
			return false
		}
	}
	return true
}

func (c *composer) marks(n *ast.List, in *flow) {
	number := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		c.begin(in, false)
		if n.IsOrdered() {
			c.text(strconv.Itoa(number))
			number++
		}
		c.text(string(rune(n.Marker)))
	}
}

func (c *composer) rule() {
	if i, ok := c.old.take(ruleLabel); ok {
		c.place(i)
		return
	}
	c.markup("<hr>")
}

func (c *composer) pre(n ast.Node, language string) {
	attributes := ""
	if isLanguage(language) {
		attributes = ` data-language="` + language + `"`
	}
	var code bytes.Buffer
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		code.Write(line.Value(c.source))
	}
	c.format("pre", attributes, func() { c.text(c.old.unmark(strings.TrimSuffix(code.String(), "\n"))) })
}

func (c *composer) table(n ast.Node) {
	c.markup("<table><thead>")
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		name := "td"
		if row == n.FirstChild() {
			name = "th"
		}
		c.markup("<tr>")
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			c.format(name, "", func() { c.inline(cell) })
		}
		c.markup("</tr>")
		switch next := row.NextSibling(); {
		case name == "th" && next != nil:
			c.markup("</thead><tbody>")
		case next == nil && name == "th":
			c.markup("</thead>")
		case next == nil:
			c.markup("</tbody>")
		}
	}
	c.markup("</table>")
}

func (c *composer) paragraph(n ast.Node, in *flow) {
	if i, ok := c.old.marked(n, c.source); ok {
		c.begin(in, true)
		c.place(i)
		return
	}
	c.begin(in, onlyFiles(n, c.source))
	c.inline(n)
}

// onlyFiles reports whether a paragraph contains only labels of files and blanks.
func onlyFiles(n ast.Node, source []byte) bool {
	found := false
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		switch child := child.(type) {
		case *label:
			found = child.file
		case *ast.Text:
			found = found && len(bytes.TrimSpace(child.Segment.Value(source))) == 0
		default:
			return false
		}
		if !found {
			return false
		}
	}
	return found
}

func (c *composer) inline(parent ast.Node) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		c.span(n)
	}
}

func (c *composer) span(n ast.Node) {
	switch n := n.(type) {
	case *ast.Text:
		if next, ok := n.NextSibling().(*ast.Text); ok && n.Segment.Stop == next.Segment.Start {
			next.Segment.Start = n.Segment.Start // the parser has split a text at an "@"
			return
		}
		c.unescaped(n.Segment.Value(c.source))
		if n.SoftLineBreak() || n.HardLineBreak() {
			c.markup("<br>")
		}
	case *ast.CodeSpan:
		c.format("code", "", func() { c.text(c.code(n)) })
	case *ast.Emphasis:
		c.format([]string{1: "em", 2: "strong"}[n.Level], "", func() { c.inline(n) })
	case *extension.Strikethrough:
		c.format("strike", "", func() { c.inline(n) })
	case *ast.Link:
		c.link(unescape(n.Destination), n)
	case *ast.Image:
		c.link(unescape(n.Destination), n)
	case *ast.AutoLink:
		c.angleLink(n)
	case *bareLink:
		c.format("a", href(n.href), func() { c.text(n.label) })
	case *mention:
		c.mention(n)
	case *label:
		if a := c.old.all[n.attachment]; a.called && c.isInside("a") {
			c.text("[" + a.label + "]")
			return
		}
		c.place(n.attachment)
	default:
		c.inline(n)
	}
}

// unescaped writes Markdown text without its escapes. An "@" in "\@" or "\[@" mentions no one.
func (c *composer) unescaped(markdown []byte) {
	from := 0
	for i := 0; i+1 < len(markdown); i++ {
		if markdown[i] != '\\' {
			continue
		}
		i++
		switch {
		case markdown[i] == '@':
			c.text(unescape(markdown[from : i-1]))
		case bytes.HasPrefix(markdown[i:], []byte("[@")):
			i++
			c.text(unescape(markdown[from:i]))
		default:
			continue
		}
		c.markup("@") // text in markup is not searched for names
		from = i + 1
	}
	c.text(unescape(markdown[from:]))
}

// code returns the text of inline code. A table's row is split before code is found, so "|" in code
// still has its backslash there, and code removes it.
func (c *composer) code(n ast.Node) string {
	var b strings.Builder
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		if t, ok := child.(*ast.Text); ok {
			b.Write(t.Segment.Value(c.source))
		}
	}
	code := strings.TrimSpace(strings.ReplaceAll(b.String(), "\n", " "))
	if c.isInside("td") || c.isInside("th") {
		code = strings.ReplaceAll(code, `\|`, "|")
	}
	return code
}

func (c *composer) mention(n *mention) {
	at := slices.IndexFunc(c.people, func(p Person) bool { return p.ID == n.id && p.SGID != "" })
	if at < 0 || c.isInside("a") {
		c.text("@" + n.name)
		return
	}
	c.mentioned = append(c.mentioned, c.people[at].SGID)
	c.markup(mentionOf(c.people[at]))
}

func mentionOf(p Person) string { return Attach(plaintext.Clean(p.SGID), "") }

// place writes an attachment of the replaced field.
func (c *composer) place(i int) {
	c.mentioned = append(c.mentioned, c.old.all[i].sgid)
	c.markup(placeMark + strconv.Itoa(i) + placeMark)
}
