package richtext

import (
	"strings"

	"golang.org/x/net/html"
)

// plain converts HTML of any size and shape to Markdown. It keeps all the text, with its lines,
// paragraphs, list items, rows, mentions, files and links.
func plain(field string) string {
	markdown, err := convert(field, func(field string) (*html.Node, error) {
		parsed := &html.Node{Type: html.DocumentNode}
		err := parseAttachments(parsed, flat(field), 0)
		return rebuilt(parsed), err
	})
	if err != nil {
		return Plain(textOf(field))
	}
	return markdown
}

// flattener writes a field as paragraphs, code, and lists of them.
type flattener struct {
	strings.Builder
	list, item  bool   // in a list, in its item
	begun       bool   // a paragraph has begun, and has no content yet
	link, words bool   // in a link, which has words
	cells       bool   // after the first cell of a row
	pre         string // the start tag of the code around, or ""
}

// flat returns a field in which nothing is nested but what lists and attachments hold.
func flat(field string) string {
	var f flattener
	closed, all := attachmentsOf(field)
	f.Grow(len(closed))
	done := 0 // the end of what is written
	for t := range tokens(closed) {
		raw := closed[t.from:t.to]
		switch {
		case t.starts() && t.Data == bcAttachment:
			if t.from >= done {
				done = f.attachment(all)
			}
			all = all[1:]
		case t.from < done:
		case t.shows() && strings.TrimSpace(t.Data) == "" && f.pre == "":
			f.WriteString(" ")
		case t.shows():
			f.words = true
			f.write(html.EscapeString(t.Data))
		case t.name() == "pre":
			f.code(t.starts(), raw)
		case f.pre != "" && (t.name() == "br" || isBlock(t.name())):
			f.WriteByte('\n')
		case f.pre != "":
		case t.name() == "a":
			f.link, f.words = t.starts(), false
			f.write(raw)
		case t.name() == "br", t.name() == "hr", t.name() == "img":
			f.write(raw)
		case t.name() == "td", t.name() == "th":
			f.cell(t.starts())
		case isBlock(t.name()):
			f.edge(t)
		}
	}
	return f.String()
}

// write writes what is not in a list without an item.
func (f *flattener) write(content string) {
	if f.list && !f.item {
		f.WriteString("</ul>")
		f.list = false
	}
	f.WriteString(content)
	f.begun = false
}

// attachment writes the first attachment, and returns the end of the part of the field that it has
// written. Code goes on after it.
func (f *flattener) attachment(all []embeddedElement) (done int) {
	if isGallery(all) {
		return all[0].begin
	}
	pre := f.pre
	f.code(false, "")
	f.write(all[0].raw)
	f.code(pre != "", pre)
	return all[0].to
}

// code writes the start or the end tag of code.
func (f *flattener) code(starts bool, tag string) {
	if f.pre != "" {
		f.WriteString("</pre>")
		f.pre = ""
	}
	if starts {
		f.write(tag)
		f.pre = tag
	}
}

// cell begins or ends a cell of a row.
func (f *flattener) cell(starts bool) {
	if starts && f.cells {
		f.write(" | ")
	}
	f.cells = true
}

// edge writes the beginning or the end of a block. A link ends with the first block that has words.
func (f *flattener) edge(t token) {
	if f.link && f.words {
		f.WriteString("</a>")
		f.link = false
	}
	f.cells = f.cells && t.Data != "tr"
	switch {
	case isList(t.Data):
		f.item = false
	case t.Data == "li" && t.starts():
		if !f.list {
			f.WriteString("<ul>")
		}
		f.list, f.item = true, true
		f.WriteString("<li>")
	case !f.begun:
		f.write("<p>")
		f.begun = true
	}
}
