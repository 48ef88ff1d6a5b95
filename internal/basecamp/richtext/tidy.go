package richtext

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// tidy parses a field and rebuilds it as the document for the converter.
func tidy(field string) (*html.Node, error) {
	parsed, err := parseHTML(field)
	if err != nil {
		return nil, err
	}
	return rebuilt(parsed), nil
}

// rebuilt returns the document of what was parsed.
func rebuilt(parsed *html.Node) *html.Node {
	t := &tree{at: &html.Node{Type: html.DocumentNode}}
	t.children(parsed)
	t.closeLeaf()
	return t.at
}

func (t *tree) children(n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		t.add(c)
	}
}

// add adds a parsed node.
func (t *tree) add(n *html.Node) {
	switch n.Type {
	case html.TextNode:
		t.text(n.Data)
	case html.ElementNode:
		t.element(strings.TrimPrefix(n.Data, defused), n)
	}
}

// element adds an element. Of an element without a meaning in Markdown, it adds only the content.
func (t *tree) element(name string, n *html.Node) {
	switch name {
	case "br":
		t.lineBreak()
	case "hr":
		t.rule()
	case "a":
		t.link(n)
	case "code", "kbd", "samp", "tt", "var":
		t.code(n)
	case "pre", "listing", "xmp", "plaintext":
		t.pre(n)
	case "q":
		t.quotation(n)
	case "sup", "sub":
		t.script(name, n)
	case "input":
		t.checkBox(n)
	case "img":
		t.image(n)
	case "video", "audio", "iframe", "embed", "object":
		t.media(n)
	case "ul", "ol", "menu", "dir":
		t.list(n)
	case "li":
		t.item(n)
	case "blockquote":
		t.container("blockquote", n)
	case "h1", "h2", "h3", "h4", "h5", "h6":
		t.heading(n)
	case "table":
		t.table(n)
	case bcAttachment:
		t.attachment(n)
	default:
		t.other(elements[name], n)
	}
}

// other adds an element of which Markdown shows only the content, perhaps with formatting.
func (t *tree) other(e element, n *html.Node) {
	switch {
	case e.is&hides != 0:
	case e.becomes == "":
		t.flow(n)
	case e.is&startsLine != 0:
		t.boundary()
		t.around(e.becomes, n)
		t.boundary()
	default:
		t.around(e.becomes, n)
	}
}

// flow adds only the content of an element, on separate lines if the element is a block.
func (t *tree) flow(n *html.Node) {
	if !isBlock(n.Data) {
		t.children(n)
		return
	}
	t.boundary()
	t.children(n)
	t.boundary()
}

func (t *tree) around(name string, n *html.Node) {
	t.format(format{name: name}, func() { t.children(n) })
}

func (t *tree) link(n *html.Node) {
	t.linked(target(attr(n, "href")), n, func() { t.children(n) })
}

// linked adds words that are a link if there is a target.
func (t *tree) linked(href string, n *html.Node, fill func()) {
	if href == "" {
		fill()
		return
	}
	t.format(format{name: "a", href: href, link: n}, fill)
}

func (t *tree) quotation(n *html.Node) {
	t.text(`"`)
	t.children(n)
	t.space = false
	t.text(`"`)
}

func (t *tree) rule() {
	t.boundary()
	if !t.held() {
		t.block("hr")
	}
}

func (t *tree) image(n *html.Node) {
	alt := attr(n, "alt")
	src := webTarget(attr(n, "src"))
	if src == "" || t.preview {
		t.text(alt)
		return
	}
	label := escape(nil, squeeze(alt), place{before: '*', after: '*', label: true, cell: t.cell})
	t.insert(&html.Node{Type: html.ElementNode, Data: "img", Attr: []html.Attribute{
		{Key: "src", Val: src}, {Key: "alt", Val: string(label)},
	}}, '*')
}

// media adds a link to the media file. An iframe has no text of its own.
func (t *tree) media(n *html.Node) {
	src := attr(n, "src") + attr(n, "data")
	if source := find(n, named("source")); src == "" && source != nil {
		src = attr(source, "src")
	}
	if href := webTarget(src); href != "" && !t.preview {
		label := cmp.Or(squeeze(attr(n, "title")), n.Data)
		t.linked(href, n, func() { t.text(label) })
		t.space = true
	}
	if n.Data != "iframe" {
		t.children(n)
	}
}

func (t *tree) heading(n *html.Node) {
	if t.held() || find(n, isStructure) != nil {
		t.flow(n)
		return
	}
	t.boundary()
	h := t.block(n.Data)
	t.hold(h, " ", func() { t.children(n) })
	if h.FirstChild == nil {
		h.Parent.RemoveChild(h)
	}
}

func (t *tree) list(n *html.Node) {
	name := "ul"
	if n.Data == "ol" {
		name = "ol"
	}
	if !t.cell {
		t.container(name, n)
		return
	}
	t.boundary()
	t.cellList(n)
	t.boundary()
}

// container adds a list or quote.
func (t *tree) container(name string, n *html.Node) {
	if t.held() || t.nest == maxNest {
		t.flow(n)
		return
	}
	t.boundary()
	c := t.block(name)
	if name == "ol" {
		c.Attr = []html.Attribute{{Key: "start", Val: listStart(n)}}
	}
	t.nest++
	t.within(c, func() { t.children(n) })
	t.nest--
}

// maxStart is the highest number at which an ordered list may start. The number's digits indent all
// lines of its items.
const maxStart = 99_999

// listStart returns the number of an ordered list's first item.
func listStart(n *html.Node) string {
	number := attr(n, "start")
	if first := find(n, named("li")); number == "" && first != nil && first.Parent == n {
		number = attr(first, "value")
	}
	start, err := strconv.Atoi(strings.TrimSpace(number))
	if err != nil || start < 0 || start > maxStart {
		start = 1
	}
	return strconv.Itoa(start)
}

// item adds a list item. Basecamp's editor puts a nested list into a separate item after the item
// that it belongs to.
func (t *tree) item(n *html.Node) {
	t.boundary()
	switch {
	case t.held() || t.at.Data != "ul" && t.at.Data != "ol":
		t.flow(n)
	case onlyLists(n) && t.at.LastChild != nil:
		t.within(t.at.LastChild, func() { t.children(n) })
	case t.at.PrevSibling != nil && t.at.Parent.Data == "li" && onlyLists(n):
		t.items(n)
	default:
		li := &html.Node{Type: html.ElementNode, Data: "li"}
		t.at.AppendChild(li)
		t.within(li, func() { t.itemContent(n) })
	}
}

// items adds the items of the lists in n to the open list, which is nested itself and has no item
// to which they could belong.
func (t *tree) items(n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if isList(c.Data) {
			t.children(c)
			continue
		}
		t.items(c)
	}
}

// onlyLists reports whether an element contains one or more lists and no other content.
func onlyLists(n *html.Node) bool {
	return find(n, isList) != nil && noneBesideLists(n)
}

func noneBesideLists(n *html.Node) bool {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.Type == html.TextNode && blankPrefix(c.Data) == len(c.Data), c.Type == html.CommentNode:
		case c.Type != html.ElementNode:
			return false
		case isList(c.Data), c.Data == "br":
		case c.Data != "div" && c.Data != "p" && c.Data != "span" || !noneBesideLists(c):
			return false
		}
	}
	return true
}

// itemContent adds the content of an item, after a check box if its attributes describe one.
func (t *tree) itemContent(n *html.Node) {
	if checked, ok := checkState(n); ok && find(n, named("input")) == nil {
		t.check(checked)
	}
	t.children(n)
	t.mark = ""
}

// checkState returns whether an item is checked, according to the attributes that editors write. ok
// is false if the item has no check box.
func checkState(n *html.Node) (checked, ok bool) {
	for _, key := range []string{"aria-checked", "data-checked", "data-list"} {
		switch strings.ToLower(attr(n, key)) {
		case "true", "checked":
			return true, true
		case "false", "unchecked":
			return false, true
		}
	}
	return false, false
}

func (t *tree) checkBox(n *html.Node) {
	if strings.EqualFold(attr(n, "type"), "checkbox") {
		t.check(slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "checked" }))
	}
}

// check puts a check box before the next word.
func (t *tree) check(checked bool) {
	switch {
	case strings.HasSuffix(t.mark, "] "):
	case checked:
		t.mark += "[x] "
	default:
		t.mark += "[ ] "
	}
}

// cellList adds a list inside a table cell, which is one line: the items follow each other with
// their marks.
func (t *tree) cellList(n *html.Node) {
	number, _ := strconv.Atoi(listStart(n))
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type != html.ElementNode || c.Data != "li" || onlyLists(c) {
			t.add(c)
			continue
		}
		t.boundary()
		if t.mark = "- "; n.Data == "ol" {
			t.mark = strconv.Itoa(number) + ". "
			number++
		}
		t.itemContent(c)
		t.boundary()
	}
}
