package richtext

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// tidy rebuilds parsed HTML as the document the converter gets.
func tidy(nodes []*html.Node) *html.Node {
	root := &html.Node{Type: html.DocumentNode}
	t := &tree{at: root}
	for _, n := range nodes {
		t.add(n)
	}
	t.closeLeaf()
	return root
}

func (t *tree) children(n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		t.add(c)
	}
}

// add takes over one parsed node.
func (t *tree) add(n *html.Node) {
	switch n.Type {
	case html.TextNode:
		t.text(n.Data)
	case html.ElementNode:
		t.element(strings.TrimPrefix(n.Data, defused), n)
	}
}

// element takes over an element. What has no meaning in Markdown is transparent: its content stays.
func (t *tree) element(name string, n *html.Node) {
	switch name {
	case "script", "style", "noembed", "noframes":
	case "br":
		t.lineBreak()
	case "hr":
		t.rule()
	case "b", "strong", "i", "em", "s", "strike", "del":
		t.around(formats[name], n)
	case "a":
		t.link(n)
	case "code", "kbd", "samp", "tt", "var":
		t.code(n)
	case "pre", "listing", "xmp", "plaintext":
		t.pre(n)
	case "q":
		t.quotation(n)
	case "img":
		t.image(n)
	case "video", "audio", "iframe", "embed", "object":
		t.media(n)
	case "ul", "ol", "menu", "dir":
		t.list(n)
	case "li":
		t.item(n)
	case "blockquote":
		t.quote(n)
	case "h1", "h2", "h3", "h4", "h5", "h6":
		t.heading(n)
	case "dt", "summary", "caption":
		t.boundary()
		t.around("strong", n)
		t.boundary()
	case "table":
		t.table(n)
	case "bc-attachment":
		t.attachment(n)
	default:
		t.flow(n)
	}
}

// flow takes over an element for its content alone, on lines of its own if it is a block.
func (t *tree) flow(n *html.Node) {
	if !isBlock(n.Data) {
		t.children(n)
		return
	}
	t.boundary()
	t.children(n)
	t.boundary()
}

// formats names what stands for each element that formats.
var formats = map[string]string{"b": "strong", "strong": "strong", "i": "em", "em": "em", "s": "del", "strike": "del", "del": "del"}

func (t *tree) around(name string, n *html.Node) {
	t.format(format{name: name}, func() { t.children(n) })
}

func (t *tree) link(n *html.Node) {
	href := target(attr(n, "href"))
	if href == "" {
		t.children(n)
		return
	}
	t.format(format{name: "a", href: href, link: n}, func() { t.children(n) })
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

// media becomes a link named for what it plays; iframes hold no text of their own.
func (t *tree) media(n *html.Node) {
	src := attr(n, "src") + attr(n, "data")
	if source := find(n, named("source")); src == "" && source != nil {
		src = attr(source, "src")
	}
	if href := webTarget(src); href != "" && !t.preview {
		label := squeeze(attr(n, "title"))
		if label == "" {
			label = n.Data
		}
		t.format(format{name: "a", href: href, link: n}, func() { t.text(label) })
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

func (t *tree) quote(n *html.Node) {
	if t.held() || t.nest == maxNest {
		t.flow(n)
		return
	}
	t.boundary()
	t.nest++
	t.within(t.block("blockquote"), func() { t.children(n) })
	t.nest--
}

func (t *tree) list(n *html.Node) {
	if t.held() || t.nest == maxNest {
		t.flow(n)
		return
	}
	t.boundary()
	list := t.block("ul")
	if n.Data == "ol" {
		list.Data = "ol"
		list.Attr = []html.Attribute{{Key: "start", Val: listStart(n)}}
	}
	t.nest++
	t.within(list, func() { t.children(n) })
	t.nest--
}

// maxStart is where an ordered list may start at most: its digits indent all lines of its items.
const maxStart = 99_999

// listStart is the number of an ordered list's first item.
func listStart(n *html.Node) string {
	start, err := strconv.Atoi(strings.TrimSpace(attr(n, "start")))
	if err != nil || start < 0 || start > maxStart {
		start = 1
	}
	return strconv.Itoa(start)
}

func (t *tree) item(n *html.Node) {
	t.boundary()
	if t.held() || t.at.Data != "ul" && t.at.Data != "ol" {
		t.flow(n)
		return
	}
	li := &html.Node{Type: html.ElementNode, Data: "li"}
	t.at.AppendChild(li)
	t.within(li, func() { t.children(n) })
}

// code is inline. With lines it is what pre makes of it, and around lists or tables it means nothing: its end tag was lost.
func (t *tree) code(n *html.Node) {
	text := code(n, false)
	switch {
	case strings.TrimSpace(text) == "" || find(n, isStructure) != nil && find(n, named("pre")) == nil:
		t.children(n)
	case strings.Contains(strings.TrimSpace(text), "\n") && !t.held():
		t.fence(n, squeezeLines(text))
	default:
		t.space = t.space || strings.HasPrefix(text, " ")
		t.inlineCode(squeeze(text))
		t.space = t.space || strings.HasSuffix(text, " ")
	}
}

func (t *tree) pre(n *html.Node) {
	text := code(n, true)
	if t.held() {
		t.inlineCode(squeeze(text))
		return
	}
	t.fence(n, text)
}

func (t *tree) inlineCode(text string) {
	if text == "" {
		return
	}
	if t.cell {
		text = strings.ReplaceAll(text, "|", `\|`)
	}
	t.settle()
	t.flush('*')
	n := t.top().LastChild
	if n == nil || n.Type != html.ElementNode || n.Data != "code" { // "`a``b`" would be one piece of code, with the backticks
		n = &html.Node{Type: html.ElementNode, Data: "code"}
		t.insert(n, '*')
	}
	n.AppendChild(&html.Node{Type: html.TextNode, Data: text})
}

func (t *tree) fence(n *html.Node, text string) {
	t.boundary()
	if strings.TrimSpace(text) == "" {
		return
	}
	pre := t.block("pre")
	if lang := language(n); lang != "" {
		pre.Attr = []html.Attribute{{Key: "class", Val: "language-" + lang}}
	}
	pre.AppendChild(&html.Node{Type: html.TextNode, Data: strings.Trim(text, "\n")})
}

// language is the language of a piece of code, if it or the code element in it names one.
func language(n *html.Node) string {
	names := strings.Fields(attr(n, "class"))
	if inner := find(n, named("code")); inner != nil {
		names = append(names, strings.Fields(attr(inner, "class"))...)
	}
	for _, name := range names {
		lang, ok := strings.CutPrefix(name, "language-")
		if !ok {
			lang, ok = strings.CutPrefix(name, "lang-")
		}
		if ok && isLanguage(lang) {
			return lang
		}
	}
	if lang := attr(n, "data-language"); isLanguage(lang) {
		return lang
	}
	return ""
}

func isLanguage(name string) bool {
	for i := range len(name) {
		if !isAlnum(name[i]) && strings.IndexByte("+#-_.", name[i]) < 0 {
			return false
		}
	}
	return true
}
