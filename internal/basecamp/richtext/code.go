package richtext

import (
	"strings"

	"golang.org/x/net/html"
)

// code adds inline code. Code with several lines becomes a code block. Code around lists or tables
// has lost its end tag, so only its content is added.
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
	t.writeDue()
	t.flush('*')
	n := t.top().LastChild
	if n == nil || n.Type != html.ElementNode || n.Data != "code" { // Markdown reads "`a``b`" as one piece of code
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

// language returns the language of a piece of code, if it or the code element in it names one.
func language(n *html.Node) string {
	named := []*html.Node{n}
	if inner := find(n, func(name string) bool { return name == "code" }); inner != nil {
		named = append(named, inner)
	}
	for _, n := range named {
		for name := range strings.FieldsSeq(attr(n, "class")) {
			lang, ok := strings.CutPrefix(name, "language-")
			if !ok {
				lang, ok = strings.CutPrefix(name, "lang-")
			}
			if ok && lang != "" && isLanguage(lang) {
				return lang
			}
		}
		for _, key := range []string{"data-language", "language", "data-lang"} {
			if lang := strings.TrimSpace(attr(n, key)); lang != "" && isLanguage(lang) {
				return lang
			}
		}
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
