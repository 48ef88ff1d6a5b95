package richtext

import (
	"fmt"
	"strings"

	"golang.org/x/net/html"

	"basecamp-mcp/internal/text/plaintext"
)

// Lost returns names for the parts of a field (Basecamp HTML) that a changed field no longer has,
// and that Markdown cannot write: mentions, files, merged cells, pictures, underlines. Each name is
// one line, with words of the part in quotation marks. Lost does not name what Markdown shows and
// writes: a client that removes that has seen it.
func Lost(old, changed string) []string {
	if old == changed {
		return nil
	}
	had := features(old)
	if len(had) == 0 {
		return nil
	}
	more, same := map[string]int{}, map[feature]int{} // more: how many of a key the old field has more
	for _, f := range had {
		more[f.key]++
	}
	for _, f := range features(changed) {
		more[f.key]--
		same[f]++
	}
	var names []string
	for _, f := range had {
		switch {
		case same[f] > 0:
			same[f]--
		case more[f.key] > 0:
			more[f.key]--
			if names = append(names, f.name()); len(names) == maxLost {
				return names
			}
		}
	}
	return names
}

// maxLost is the number of parts that Lost names.
const maxLost = 10

// feature is a part of a field that Markdown cannot write. Parts with one key are equal except for
// their words.
type feature struct {
	key   string
	what  string
	words string // Markdown, or the beginning of its content in HTML
	html  bool
}

// name returns what the part is, with its first words.
func (f feature) name() string {
	shown := f.words
	if f.html {
		shown = wordsOf(shown)
	}
	return f.what + " " + plaintext.Quote(squeeze(shown))
}

// features returns the parts of a field that Markdown cannot write, in order.
func features(field string) []feature {
	if !strings.Contains(field, "<") {
		return nil
	}
	closed, all := attachmentsOf(field)
	s := featureScan{field: closed}
	for t := range tokens(without(closed, all, embeddedElement.blank)) {
		switch s.at = t.to; {
		case t.starts():
			s.start(t.node(), t.from)
		case t.ends():
			s.end(t.Data)
		}
	}
	for _, e := range topmost(all) {
		switch a := newAttachment(e); a.kind {
		case mentionKind:
			s.add("mention "+a.sgid, "the mention of", strings.TrimPrefix(a.label, "@"))
		case fileKind:
			key := a.html
			if attr(e.tag, "filename")+contentType(e.tag) == "" { // it may be a mention: HTML writes no more
				key = "mention " + a.sgid
			}
			s.add(key, "the file", strings.TrimPrefix(a.label, filePrefix))
		case previewKind:
			s.add(a.html, "the preview", a.markdown)
		}
	}
	return s.found
}

// featureScan reads the tags of a field, outside attachments.
type featureScan struct {
	field string
	at    int // index after the last token
	found []feature

	code, tables int // open elements
	table        int // index of the open outermost table
	blocks       int // blocks so far in the last cell that was opened
}

// add adds a part whose words are Markdown.
func (s *featureScan) add(key, what, markdown string) {
	s.found = append(s.found, feature{key: key, what: what, words: markdown})
}

// addElement adds the element whose start tag was read.
func (s *featureScan) addElement(key, what string, n *html.Node) {
	if is(n.Data, showsObject) {
		s.add(key, what, strings.TrimSpace(attr(n, "alt")+" "+attr(n, "src")))
		return
	}
	inside, _, _ := strings.Cut(s.field[s.at:min(len(s.field), s.at+4*maxScript)], "</"+n.Data)
	s.found = append(s.found, feature{key, what, inside, true})
}

func (s *featureScan) start(n *html.Node, from int) {
	if what := elements[n.Data].lost; what != "" {
		s.addElement(keyOf(n), what, n)
	} else if style := attr(n, "style"); style != "" {
		s.addElement(n.Data+" style "+style, "the style of", n)
	}
	switch n.Data {
	case "code", "pre":
		s.code++
	case "b", "strong", "i", "em", "s", "strike", "del", "a":
		if s.code > 0 {
			s.addElement("code "+n.Data, "the formatting in code of", n)
		}
	case "sup", "sub":
		inside, _, ends := strings.Cut(s.field[s.at:min(len(s.field), s.at+10*maxScript)], "</"+n.Data)
		if shown, ok := scriptOf(n.Data, squeeze(textOf(inside))); ends && ok && (shown.table == nil || s.code > 0) {
			s.addElement(n.Data, "the raised or lowered text", n)
		}
	case "table":
		if s.tables++; s.tables == 1 {
			s.table = from
		} else {
			s.addElement("table in a table", "the table in a cell", n)
		}
	case "td", "th":
		s.blocks = 0
		if span(n, "colspan") > 1 || span(n, "rowspan") > 1 {
			s.addElement(fmt.Sprint("cell ", span(n, "colspan"), span(n, "rowspan")), "the merged cells", n)
		}
	case "li", "br", "p", "div":
		s.inCell(n)
	}
}

// inCell notes the lines in a cell, which Markdown writes as one.
func (s *featureScan) inCell(n *html.Node) {
	s.blocks++
	if s.tables > 0 && (n.Data == "li" || n.Data == "br" || s.blocks > 1) {
		s.addElement("cell "+n.Data, "the lines of a cell at", n)
	}
}

func (s *featureScan) end(name string) {
	switch {
	case name == "code" || name == "pre":
		s.code = max(s.code-1, 0)
	case name == "table" && s.tables > 0:
		if s.tables--; s.tables == 0 && !strings.Contains(Markdown(s.field[s.table:s.at]), "|---") {
			s.add("table", "the table", Markdown(s.field[s.table:s.at]))
		}
	}
}

// keyOf returns the key of an element. An object is its address and its size.
func keyOf(n *html.Node) string {
	if is(n.Data, showsObject) {
		return fmt.Sprint(n.Data, n.Attr)
	}
	return n.Data + attr(n, "style")
}

// wordsOf returns the words of HTML.
func wordsOf(field string) string {
	all := &html.Node{Type: html.ElementNode, Data: "div"}
	if parseInto(all, field) != nil {
		return ""
	}
	return words(all)
}
