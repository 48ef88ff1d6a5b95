package richtext

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
)

// plain converts HTML of any size and shape to Markdown in one pass, without building a tree. It
// keeps all the text, with its lines, paragraphs, list items, mentions, files and link targets. It
// escapes the text as Markdown requires.
func plain(field string) string {
	p := &plainText{ink: ink{before: '\n'}}
	field, _ = attachmentsOf(field)
	for t := range tokens(field) {
		switch {
		case t.shows():
			p.text(t.Data)
		case t.starts():
			p.start(t.node())
		case t.ends():
			p.end(t.Data)
		}
	}
	p.settle('\n', false, false)
	return string(p.out)
}

type plainText struct {
	ink

	space  bool   // a blank must be written before the next word
	breaks int    // line feeds to write before the next word
	bullet bool   // the next word begins a list item
	cells  bool   // the current row already has a cell
	pre    int    // open pre elements, in which line feeds count
	href   string // target of the open link

	mention  bool   // the next text is a name
	mentions bool   // inside a mention, which stays on its line
	file     string // name of the open file attachment
	preview  bool   // inside a file, whose pictures are its previews
}

func (p *plainText) start(n *html.Node) {
	switch n.Data {
	case "br":
		p.breaks = min(p.breaks+1, 2)
	case "img":
		p.image(n)
	case "a":
		p.href = webTarget(attr(n, "href"))
	case bcAttachment:
		p.attachment(n)
	case "td", "th":
		if p.cells && p.breaks == 0 {
			p.text(" | ")
		}
		p.cells = true
	case "tr":
		p.cells = false
		p.boundary(n.Data)
	case "li":
		p.boundary(n.Data)
		p.bullet = true
	case "pre":
		p.pre++
		p.boundary(n.Data)
	default:
		p.boundary(n.Data)
	}
}

func (p *plainText) end(name string) {
	switch name {
	case "a":
		if p.href != "" && !bytes.HasSuffix(p.raw, []byte(p.href)) {
			p.verbatim(" (" + p.href + ")")
		}
		p.href = ""
	case bcAttachment:
		p.mention, p.mentions, p.file, p.preview = false, false, "", false
	case "pre":
		p.pre = max(p.pre-1, 0)
	}
	if name != "td" && name != "th" {
		p.boundary(name)
	}
}

// boundary marks the beginning or end of a block. A block inside another one starts a new line,
// other blocks start a new paragraph.
func (p *plainText) boundary(name string) {
	if p.mentions && (name == "figure" || name == "figcaption") {
		return
	}
	switch name {
	case "li", "tr", "div", "dt", "dd", "option", "summary", "figure", "figcaption":
		p.breaks = max(p.breaks, 1)
	default:
		if isBlock(name) {
			p.breaks = 2
		}
	}
}

func (p *plainText) attachment(n *html.Node) {
	kind := contentType(n)
	switch {
	case kind == mentionType:
		p.mention, p.mentions = true, true
	case attr(n, "filename") != "":
		p.file, p.preview = squeeze(attr(n, "filename")), true
		p.breaks = max(p.breaks, 1)
		p.label("Attachment: ", fileLabel(p.file, kind))
		p.breaks = 1
	case !isEmbed(kind):
		p.preview = true
	}
}

func (p *plainText) image(n *html.Node) {
	alt := squeeze(attr(n, "alt"))
	src := webTarget(attr(n, "src"))
	if src == "" || p.mentions || p.preview {
		return
	}
	p.writeDue()
	label := escape(nil, alt, place{before: '*', after: '*', label: true})
	p.verbatim("![" + string(label) + "](" + src + ")")
}

func (p *plainText) label(kind, name string) {
	p.writeDue()
	p.settle('[', false, false)
	p.ink.label(kind, name, false)
}

func (p *plainText) verbatim(s string) {
	p.settle('*', false, false)
	p.out, p.before = append(p.out, s...), '*'
}

func (p *plainText) text(s string) {
	if p.named(s) {
		return
	}
	for i, line := range strings.Split(cleanText(s), "\n") {
		switch {
		case i > 0 && p.pre > 0:
			p.breaks = min(p.breaks+1, 2)
		case i > 0:
			p.space = true
		}
		p.words(line)
	}
}

// named handles a text that is the name of the open attachment, and reports whether it is. The name
// of a person becomes the label. The label of a file contains its name already.
func (p *plainText) named(s string) bool {
	if !p.mention && p.file == "" {
		return false
	}
	name := squeeze(s)
	if p.mention && name != "" && len(name) <= maxName {
		p.mention = false
		p.label("@", mentionName(name))
		return true
	}
	return p.file != "" && name == p.file
}

func (p *plainText) words(s string) {
	for word := range pieces(s) {
		if word == "" {
			p.space = true
			continue
		}
		p.writeDue()
		p.raw = append(p.raw, word...)
	}
}

// writeDue writes the breaks, blanks and markers that are due before the next word.
func (p *plainText) writeDue() {
	fresh := len(p.out) == 0 && len(p.raw) == 0
	if p.breaks > 0 && !fresh {
		p.settle('\n', false, false)
		p.out = append(p.out, "\n\n"[:p.breaks]...)
		p.before = '\n'
		fresh = true
	}
	if p.bullet {
		p.out = append(p.out, "- "...)
	}
	if p.space && !fresh {
		p.raw = append(p.raw, ' ')
	}
	p.space, p.breaks, p.bullet = false, 0, false
}
