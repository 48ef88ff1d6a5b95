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
	pre.Attr = []html.Attribute{{Key: "language", Val: language(n)}}
	pre.AppendChild(&html.Node{Type: html.TextNode, Data: strings.Trim(text, "\n")})
}

// language returns the language of a piece of code, if it or the code element in it names one.
func language(n *html.Node) string {
	for ; n != nil; n = find(n, named("code")) {
		names := []string{}
		for name := range strings.FieldsSeq(attr(n, "class")) {
			for _, prefix := range []string{"language-", "lang-"} {
				if lang, ok := strings.CutPrefix(name, prefix); ok {
					names = append(names, lang)
				}
			}
		}
		names = append(names, attr(n, "data-language"), attr(n, "language"), attr(n, "data-lang"))
		for _, lang := range names {
			if lang = strings.TrimSpace(lang); isLanguage(lang) {
				return lang
			}
		}
	}
	return ""
}

func isLanguage(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool { return !isAlnum(byte(min(r, 0x7f))) && !strings.ContainsRune("+#-_.", r) })
}
