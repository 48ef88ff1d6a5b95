package richtext

import (
	"fmt"
	"strings"

	"golang.org/x/net/html"

	"basecamp-mcp/internal/plaintext"
)

// Lost names the parts of a field (Basecamp HTML) that a changed field no longer has and that
// Markdown cannot write: mentions, files, merged cells, pictures, underlines. Each name is one line,
// with words of the part in quotation marks. It does not name what Markdown shows and
// writes: a client that removes that has seen it.
func Lost(old, changed string) []string {
	if old == changed {
		return nil
	}
	had := features(old)
	if len(had) == 0 {
		return nil
	}
	has, same := map[string]int{}, map[feature]int{}
	for _, f := range features(changed) {
		has[f.key]++
		same[f]++
	}
	missing := map[string]int{}
	for _, f := range had {
		missing[f.key]++
	}
	var names []string
	for _, f := range had {
		switch {
		case same[f] > 0:
			same[f]--
		case missing[f.key] > has[f.key]:
			missing[f.key]--
			names = append(names, f.name)
		}
	}
	return names
}

// feature is a part of a field that Markdown cannot write. Parts with one key are equal except for
// their words.
type feature struct{ key, name string }

// unwritten names what an element is that Markdown shows only as text, or as something similar.
var unwritten = map[string]string{
	"u": "the underline of", "ins": "the underline of", "mark": "the highlight of", "kbd": "the key", "samp": "the sample output", "var": "the variable",
	"tt": "the typewriter text", "q": "the quotation", "small": "the size of", "big": "the size of", "font": "the font of", "ruby": "the reading aids of",
	"details": "the folded part", "dl": "the definition list", "dt": "the defined term", "dd": "the definition", "figcaption": "the caption", "caption": "the table's caption",
	"h7": "the heading", "h8": "the heading", "img": "the picture", "video": "the video", "audio": "the recording", "iframe": "the embedded page",
	"embed": "the embedded object", "object": "the embedded object",
}

// features returns the parts of a field that Markdown cannot write, in order.
func features(field string) []feature {
	if !strings.Contains(field, "<") {
		return nil
	}
	field = closeAttachments(field)
	s := featureScan{field: field, z: html.NewTokenizer(strings.NewReader(field))}
	for s.next() {
	}
	for _, e := range embedded(field) {
		switch a := newAttachment(e); a.kind {
		case mentionKind:
			s.add(a.html, "the mention of", strings.TrimPrefix(a.label, "@"))
		case fileKind:
			s.add(a.html, "the file", strings.TrimPrefix(a.label, filePrefix))
		case previewKind:
			s.add(a.html, "the preview", a.markdown)
		}
	}
	return s.found
}

// featureScan reads the tags of a field, outside attachments.
type featureScan struct {
	field string
	z     *html.Tokenizer
	at    int // index after the last token
	found []feature

	attachments, code, tables int // open elements
	table                     int // index of the open outermost table
	blocks                    int // blocks so far in the last cell that was opened
}

func (s *featureScan) add(key, what, words string) {
	s.found = append(s.found, feature{key, what + " " + plaintext.Quote(squeeze(words))})
}

func (s *featureScan) next() bool {
	kind := s.z.Next()
	from := s.at
	s.at += len(s.z.Raw())
	switch kind {
	case html.ErrorToken:
		return false
	case html.StartTagToken, html.SelfClosingTagToken:
		token := s.z.Token()
		s.start(&html.Node{Type: html.ElementNode, Data: token.Data, Attr: token.Attr}, from)
	case html.EndTagToken:
		name, _ := s.z.TagName()
		s.end(string(name))
	}
	return true
}

func (s *featureScan) start(n *html.Node, from int) {
	if n.Data == "bc-attachment" {
		s.attachments++
	}
	if s.attachments > 0 {
		return
	}
	if what, ok := unwritten[n.Data]; ok {
		s.add(keyOf(n, isObject(n.Data)), what, s.words(n))
	} else if style := attr(n, "style"); style != "" {
		s.add(n.Data+" style "+style, "the style of", s.words(n))
	}
	switch n.Data {
	case "code", "pre":
		s.code++
	case "b", "strong", "i", "em", "s", "strike", "del", "a":
		if s.code > 0 {
			s.add("code "+n.Data, "the formatting in code of", s.words(n))
		}
	case "sup", "sub":
		if shown, ok := scriptOf(n.Data, s.words(n)); ok && (shown.table == nil || s.code > 0) {
			s.add(n.Data, "the raised or lowered text", s.words(n))
		}
	case "table":
		if s.tables++; s.tables == 1 {
			s.table = from
		} else {
			s.add("table in a table", "the table in a cell", s.words(n))
		}
	case "td", "th":
		s.blocks = 0
		if span(n, "colspan") > 1 || span(n, "rowspan") > 1 {
			s.add(fmt.Sprint("cell ", span(n, "colspan"), span(n, "rowspan")), "the merged cells", s.words(n))
		}
	case "li", "br", "p", "div":
		s.inCell(n)
	}
}

// inCell notes the lines in a cell, which Markdown writes as one.
func (s *featureScan) inCell(n *html.Node) {
	s.blocks++
	if s.tables > 0 && (n.Data == "li" || n.Data == "br" || s.blocks > 1) {
		s.add("cell "+n.Data, "the lines of a cell at", s.words(n))
	}
}

func (s *featureScan) end(name string) {
	switch {
	case name == "bc-attachment":
		s.attachments = max(s.attachments-1, 0)
	case s.attachments > 0:
	case name == "code" || name == "pre":
		s.code = max(s.code-1, 0)
	case name == "table" && s.tables > 0:
		if s.tables--; s.tables == 0 && !strings.Contains(Markdown(s.field[s.table:s.at]), "|---") {
			s.add("table", "the table", Markdown(s.field[s.table:s.at]))
		}
	}
}

// keyOf returns the key of an element. An object is its address and its size.
func keyOf(n *html.Node, object bool) string {
	if object {
		return fmt.Sprint(n.Data, n.Attr)
	}
	return n.Data + attr(n, "style")
}

// words returns the beginning of the text after the tag that was read, up to the element's end.
func (s *featureScan) words(n *html.Node) string {
	if isObject(n.Data) {
		return strings.TrimSpace(attr(n, "alt") + " " + attr(n, "src"))
	}
	inside := s.field[s.at:min(len(s.field), s.at+10*maxScript)]
	for end, name := range tags(inside) {
		if strings.EqualFold(name, "/"+n.Data) {
			inside = inside[:end-len(name)-1]
			break
		}
	}
	nodes, err := parseFragment(inside)
	if err != nil {
		return ""
	}
	all := &html.Node{Type: html.ElementNode, Data: "div"}
	for _, c := range nodes {
		all.AppendChild(c)
	}
	return words(all)
}
