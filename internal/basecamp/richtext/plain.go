package richtext

import (
	"strings"

	"golang.org/x/net/html"
)

// plain converts HTML of any size and shape to Markdown in one pass, without a parser. It keeps all
// the text, with its lines, paragraphs, list items, rows, mentions, files and links.
func plain(field string) string {
	markdown, err := convert(field, flat)
	if err != nil {
		return Plain(textOf(field))
	}
	return markdown
}

// flattener builds the document of [plain] from the tags of a field: paragraphs, code, and lists of
// them.
type flattener struct {
	tree
	root  *html.Node
	cells bool            // the current row already has a cell
	pre   *html.Node      // the open block of code, or nil
	code  strings.Builder // its text
}

func flat(field string) (*html.Node, error) {
	root := &html.Node{Type: html.DocumentNode}
	f := &flattener{tree: tree{at: root}, root: root}
	closed, all := attachmentsOf(field)
	done := 0
	for t := range tokens(closed) {
		switch {
		case t.starts() && t.Data == bcAttachment:
			if t.from >= done {
				done = f.attached(all)
			}
			all = all[1:]
		case t.from < done:
		case t.shows() && f.pre != nil:
			f.code.WriteString(cleanText(t.Data))
		case t.shows():
			f.text(t.Data)
		case t.name() == "pre":
			f.endCode()
			f.edge("pre")
			f.pre = nil
			if t.starts() {
				f.pre = t.node()
			}
		case f.pre != nil && (t.name() == "br" || isBlock(t.name())):
			f.code.WriteByte('\n')
		case f.pre != nil:
		case t.starts():
			f.start(t.node())
		case t.ends():
			f.end(t.Data)
		}
	}
	f.endCode()
	f.closeLeaf()
	return root, nil
}

// endCode adds the code since the start of the open block of code or the last attachment in it.
func (f *flattener) endCode() {
	if f.pre != nil {
		f.fence(f.pre, f.code.String())
		f.code.Reset()
	}
}

// A simple attachment has at most so many bytes and tags. Of another one, the content follows it.
const (
	maxSimple     = 4096
	maxSimpleTags = 50
)

// attached adds the first attachment, and returns the end of the part of the field that it has
// added.
func (f *flattener) attached(all []embeddedElement) (done int) {
	f.endCode()
	e := all[0]
	root := &html.Node{Type: html.DocumentNode}
	switch {
	case len(e.raw) <= maxSimple && strings.Count(e.raw, "<") <= maxSimpleTags && parseAttachments(root, e.raw, 0) == nil:
		f.children(root)
		return e.to
	case !isGallery(all):
		f.attachment(e.tag)
		f.preview = true
	}
	return e.begin
}

func (f *flattener) start(n *html.Node) {
	switch n.Data {
	case "br":
		f.lineBreak()
	case "hr":
		f.rule()
	case "img":
		f.image(n)
	case "a":
		f.wanted = nil
		if href := target(attr(n, "href")); href != "" {
			f.wanted = []format{{name: "a", href: href, link: n}}
		}
	case "td", "th":
		if f.cells && f.leaf != nil {
			f.space = true
			f.text("| ")
		}
		f.cells = true
	case "li":
		f.item()
	default:
		f.edge(n.Data)
	}
}

func (f *flattener) end(name string) {
	switch name {
	case "a":
		f.wanted = nil
	case bcAttachment:
		f.preview = false
	case "td", "th":
	default:
		f.edge(name)
	}
}

// edge adds the beginning or the end of a block. A link ends with the first block that has words.
func (f *flattener) edge(name string) {
	if name == "tr" {
		f.cells = false
	}
	if isBlock(name) {
		if f.inLink() {
			f.wanted = nil
		}
		f.closeLeaf()
	}
	if isList(name) {
		f.at = f.root
	}
}

// item begins an item of the list before it, or of a new one.
func (f *flattener) item() {
	f.edge("ul")
	if last := f.root.LastChild; last == nil || last.Data != "ul" {
		f.block("ul")
	}
	f.at = &html.Node{Type: html.ElementNode, Data: "li"}
	f.root.LastChild.AppendChild(f.at)
}
