package richtext

import (
	"slices"

	"golang.org/x/net/html"
)

// tree builds the small document for the converter. Its root, quotes and list items contain only
// blocks (p, h1-h6, pre, hr, table, ul, ol, blockquote). A block contains text and strong, em, del,
// a, code, img and br. Texts are escaped and have single blanks. Formatting is opened before its
// first word, in the block of that word. So formatting around blocks moves inside each of them, and
// empty elements disappear.
type tree struct {
	at   *html.Node // receives the next block: root, blockquote, li, or ul and ol between items
	nest int        // open lists and quotes

	preview bool // inside a file, whose pictures are previews with private addresses

	leaf   *html.Node // open paragraph, heading or cell; nil between blocks
	joiner string     // the text for a line break in a heading or cell; "" in a paragraph
	cell   bool       // inside a Markdown table
	empty  bool       // leaf has no content yet

	scripted script // how the next words are shown

	wanted []format     // formatting of the next words
	opened []format     // formatting open in leaf, outermost first
	inline []*html.Node // its elements

	mark   string // marker of an item in a cell, or a check box; due before the next word
	space  bool   // a blank is due before the next word
	breaks int    // line breaks are due before the next word

	ink // text of the current run
}

// format is an inline element. Equal neighbours are merged. The field link keeps two links to the
// same target separate.
type format struct {
	name, href string
	link       *html.Node
}

// maxNest is the deepest nesting of lists and quotes. Every level copies and indents its content
// again, so deeper ones become plain blocks of the level above.
const maxNest = 10

// block appends an element without text.
func (t *tree) block(name string) *html.Node {
	n := &html.Node{Type: html.ElementNode, Data: name}
	t.parent().AppendChild(n)
	return n
}

// parent returns the node that receives a block. Blocks directly inside a list belong to its last
// item, or to a new item.
func (t *tree) parent() *html.Node {
	if t.at.Data != "ul" && t.at.Data != "ol" {
		return t.at
	}
	if t.at.LastChild == nil {
		t.at.AppendChild(&html.Node{Type: html.ElementNode, Data: "li"})
	}
	return t.at.LastChild
}

// within lets fill add blocks to n, a new container. It removes n if n stays empty.
func (t *tree) within(n *html.Node, fill func()) {
	outer := t.at
	t.at = n
	fill()
	t.closeLeaf()
	t.at = outer
	if n.FirstChild == nil {
		n.Parent.RemoveChild(n)
	}
}

// hold directs all text to n, a heading or cell, until fill returns. Blocks inside fill do not
// start new blocks.
func (t *tree) hold(n *html.Node, joiner string, fill func()) {
	t.openLeaf(n)
	t.joiner, t.before = joiner, ' ' // no text can start a block here
	fill()
	t.joiner = ""
	t.closeLeaf()
}

func (t *tree) held() bool { return t.joiner != "" }

func (t *tree) openLeaf(n *html.Node) {
	t.leaf, t.empty, t.before = n, true, '\n'
	t.space, t.breaks = false, 0
}

func (t *tree) closeLeaf() {
	if t.leaf == nil {
		return
	}
	t.closeInline(0)
	t.flush('\n')
	t.leaf = nil
	t.space, t.breaks = false, 0
}

// boundary marks the beginning or end of a block.
func (t *tree) boundary() {
	if !t.held() {
		t.closeLeaf()
		return
	}
	t.breaks = max(t.breaks, 1)
}

func (t *tree) lineBreak() {
	t.breaks++
	t.space = false
}

// format runs fill, which adds words with this formatting. Formatting inside the same kind adds
// nothing.
func (t *tree) format(f format, fill func()) {
	if has(t.wanted, f.name) {
		fill()
		return
	}
	t.wanted = append(t.wanted, f)
	fill()
	t.wanted = t.wanted[:len(t.wanted)-1]
}

func (t *tree) inLink() bool { return has(t.opened, "a") }

// has reports whether a kind of formatting is among some.
func has(some []format, name string) bool {
	return slices.ContainsFunc(some, func(f format) bool { return f.name == name })
}

// text adds a text between two tags.
func (t *tree) text(s string) {
	for word := range pieces(t.scripted.show(cleanText(s))) {
		if word == "" {
			t.space = true
			continue
		}
		t.writeDue()
		t.raw = append(t.raw, word...)
	}
}

// label adds the label of a mention or file.
func (t *tree) label(kind, name string) {
	t.writeDue()
	t.escapeRaw('[')
	t.ink.label(kind, name, t.cell)
}

// insert adds an inline element without text.
func (t *tree) insert(n *html.Node, after byte) {
	t.writeDue()
	t.flush(after)
	t.top().AppendChild(n)
	t.before = '*'
}

// writeDue writes everything that is due before the next word: the block, line breaks, a blank, and
// changes of formatting.
func (t *tree) writeDue() {
	if t.leaf == nil {
		t.openLeaf(t.block("p"))
	}
	if t.empty {
		t.space, t.breaks = false, 0
	}
	if t.breaks > 0 || !slices.Equal(t.opened, t.wanted) {
		t.writeBreaks()
	}
	if t.space {
		t.raw = append(t.raw, ' ')
		t.space = false
	}
	t.raw = append(t.raw, t.mark...)
	t.mark = ""
	t.openInline()
	t.empty = false
}

// writeBreaks closes the formatting that ends here and writes the line breaks that are due. Two
// line breaks open a new paragraph.
func (t *tree) writeBreaks() {
	if t.breaks >= 2 && !t.held() {
		t.closeLeaf()
		t.openLeaf(t.block("p"))
		return
	}
	t.closeInline(t.shared())
	switch {
	case t.breaks == 0:
		return
	case t.held():
		t.raw = append(t.raw, t.joiner...)
	case t.inLink():
		t.raw = append(t.raw, ' ')
	default:
		t.flush('\n')
		t.top().AppendChild(&html.Node{Type: html.ElementNode, Data: "br"})
		t.before = '\n'
	}
	t.space, t.breaks = false, 0
}

// shared returns the number of open formats that continue.
func (t *tree) shared() int {
	n := 0
	for n < len(t.opened) && n < len(t.wanted) && t.opened[n] == t.wanted[n] {
		n++
	}
	return n
}

func (t *tree) closeInline(keep int) {
	if keep == len(t.opened) {
		return
	}
	t.flush('*')
	t.opened, t.inline = t.opened[:keep], t.inline[:keep]
	t.before = '*'
}

func (t *tree) openInline() {
	for _, f := range t.wanted[len(t.opened):] {
		after := byte('*')
		n := &html.Node{Type: html.ElementNode, Data: f.name}
		if f.href != "" {
			n.Attr = []html.Attribute{{Key: "href", Val: f.href}}
			after = '['
		}
		t.flush(after)
		t.top().AppendChild(n)
		t.opened, t.inline = append(t.opened, f), append(t.inline, n)
		t.before = '*'
	}
}

// top returns the innermost open inline element, or the block.
func (t *tree) top() *html.Node {
	if n := len(t.inline); n > 0 {
		return t.inline[n-1]
	}
	return t.leaf
}

func (t *tree) escapeRaw(after byte) { t.settle(after, t.inLink(), t.cell) }

// flush ends the current run of text, which becomes one text node: the converter joins neighbouring
// text nodes in quadratic time.
func (t *tree) flush(after byte) {
	t.escapeRaw(after)
	if len(t.out) > 0 {
		t.top().AppendChild(&html.Node{Type: html.TextNode, Data: string(t.out)})
		t.out = t.out[:0]
	}
}
