package richtext

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"golang.org/x/net/html"
)

// kept are the attachments of the field that a text replaces: its mentions, files, rules and previews.
type kept struct {
	all      []*attachment    // in order
	labelled map[string][]int // those of a label, in order; files without a name also as those of filePrefix
	called   map[string]int   // mentions by their label, for as often as the text has it
	missed   *[]string        // when set, is told of the labels of mentions that are not here
}

type attachment struct {
	html string // byte for byte
	kind attachmentKind
	sgid string
	used bool

	called   bool   // it is none of the field's, but of somebody whom the text calls
	label    string // of a mention or file: what Markdown shows in its brackets, unescaped; of a rule: ruleLabel
	caption  string // of a file: what Markdown shows behind its brackets
	markdown string // of a preview: what Markdown shows, which is no label
}

type attachmentKind int

const (
	fileKind attachmentKind = iota
	mentionKind
	ruleKind
	previewKind
)

// filePrefix begins the label of a file, and is none by itself.
const filePrefix = "Attachment: "

// ruleLabel is no text between brackets that Markdown writes.
const ruleLabel = "***"

func keep(field string) kept {
	k := kept{labelled: map[string][]int{}}
	for i, e := range embedded(field) {
		a := newAttachment(e)
		k.all = append(k.all, a)
		k.labelled[a.label] = append(k.labelled[a.label], i)
		if a.kind == fileKind && squeeze(attr(e.tag, "filename")) == "" {
			k.labelled[filePrefix] = append(k.labelled[filePrefix], i)
		}
	}
	return k
}

// embeddedElement is a bc-attachment: its start tag, and all of it as it stands in its field.
type embeddedElement struct {
	tag *html.Node
	raw string
}

// embedded finds those of a field, none inside another. One that only holds others, a gallery, is none itself.
func embedded(field string) []embeddedElement {
	type start struct {
		at     int
		tag    *html.Node
		inside int // how many were found before it
	}
	var open []start
	var found []embeddedElement
	field = closeAttachments(field)
	z := html.NewTokenizer(strings.NewReader(field))
	for end := 0; ; {
		kind := z.Next()
		if kind == html.ErrorToken {
			return found
		}
		at := end
		end += len(z.Raw())
		token := z.Token()
		switch {
		case token.Data != "bc-attachment":
		case kind == html.StartTagToken || kind == html.SelfClosingTagToken:
			open = append(open, start{at, &html.Node{Type: html.ElementNode, Data: token.Data, Attr: token.Attr}, len(found)})
		case kind == html.EndTagToken && len(open) > 0:
			s := open[len(open)-1]
			open = open[:len(open)-1]
			if kindOf(s.tag) != fileKind || attr(s.tag, "filename") != "" || len(found) == s.inside {
				found = append(found[:s.inside], embeddedElement{s.tag, field[s.at:end]})
			}
		}
	}
}

func kindOf(tag *html.Node) attachmentKind {
	switch kind := contentType(tag); {
	case kind == mentionType:
		return mentionKind
	case strings.Contains(kind, "horizontal-rule"):
		return ruleKind
	case isEmbed(kind):
		return previewKind
	}
	return fileKind
}

func newAttachment(e embeddedElement) *attachment {
	a := &attachment{html: e.raw, kind: kindOf(e.tag), sgid: attr(e.tag, "sgid")}
	switch a.kind {
	case ruleKind:
		a.label = ruleLabel
	case previewKind:
		a.markdown = Markdown(e.raw)
	default:
		shown := []byte(Markdown(e.raw))
		label, size := bracketed(shown)
		caption, _, _ := bytes.Cut(shown[size:], []byte("\n"))
		a.label, a.caption = label, string(caption)
		if name, ok := strings.CutPrefix(label, filePrefix); ok && squeeze(attr(e.tag, "filename")) == "" {
			name = strings.TrimSuffix(name, " ("+contentType(e.tag)+")") // its caption
			a.caption = " *" + reveal(escape(nil, name, place{before: '*', after: '*'})) + "*"
		}
	}
	return a
}

// take is the first attachment of a label that is not used so far. It is used from now on.
func (k kept) take(label string) (i int, ok bool) {
	if i, ok = k.unused(label); !ok && strings.HasPrefix(label, filePrefix) {
		i, ok = k.unused(filePrefix) // the text was read with the names of NameFiles
	}
	if ok {
		k.all[i].used = true
	}
	return i, ok
}

func (k kept) unused(label string) (i int, ok bool) {
	some := k.labelled[label]
	for len(some) > 0 && k.all[some[0]].used {
		some = some[1:]
	}
	if len(some) < len(k.labelled[label]) {
		k.labelled[label] = some
	}
	if len(some) == 0 {
		return 0, false
	}
	return some[0], true
}

// call adds those whom the text calls by name, in the way Markdown shows a mention.
func (k *kept) call(called map[string]Person) {
	k.called = map[string]int{}
	for name, p := range called {
		if p.SGID != "" {
			k.called["@"+name] = len(k.all)
			k.all = append(k.all, &attachment{html: mentionOf(p), kind: mentionKind, sgid: p.SGID, label: "@" + name, called: true})
		}
	}
}

// whom is the mention of who is called by a label.
func (k kept) whom(label string) (i int, ok bool) {
	if i, ok = k.called[label]; !ok && k.missed != nil && strings.HasPrefix(label, "@") {
		*k.missed = append(*k.missed, label[1:])
	}
	return i, ok
}

// label is a place where Markdown shows an attachment.
type label struct {
	ast.BaseInline
	attachment int
	file       bool
}

var kindLabel = ast.NewNodeKind("Label")

func (*label) Kind() ast.NodeKind { return kindLabel }

func (n *label) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

type labelParser struct{}

func (labelParser) Trigger() []byte { return []byte{'['} }

func (labelParser) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	old, _ := pc.Get(keptKey).(kept)
	line, _ := block.PeekLine()
	if len(line) < 2 || line[1] != '@' && line[1] != 'A' {
		return nil
	}
	inside, size := bracketed(line)
	if size == 0 {
		return nil
	}
	i, ok := old.take(inside)
	if !ok && !bytes.HasPrefix(line[size:], []byte("(")) { // which would make it a link
		i, ok = old.whom(inside)
	}
	if !ok {
		return nil
	}
	if bytes.HasPrefix(line[size:], []byte(old.all[i].caption)) {
		size += len(old.all[i].caption)
	}
	block.Advance(size)
	return &label{attachment: i, file: old.all[i].kind == fileKind}
}

// previewMark encloses, in a Markdown text, the number of a preview that stands there; placeMark does so in HTML, for any
// attachment. No text contains them: Clean removes them.
const (
	previewMark = "\x04"
	placeMark   = "\x03"
)

// markPreviews puts marks for what Markdown made of previews, where that stands in their order as blocks of its own.
func (k kept) markPreviews(markdown string) string {
	text := "\n\n" + markdown + "\n\n"
	var b strings.Builder
	for i, a := range k.all {
		if a.kind != previewKind || a.markdown == "" {
			continue
		}
		if at := strings.Index(text, "\n\n"+a.markdown+"\n\n"); at >= 0 {
			a.used = true
			b.WriteString(text[:at] + "\n\n" + previewMark + strconv.Itoa(i) + previewMark)
			text = text[at+len("\n\n")+len(a.markdown):]
		}
	}
	b.WriteString(text)
	return strings.Trim(b.String(), "\n")
}

// marked is the preview that a paragraph stands for.
func (k kept) marked(n ast.Node, source []byte) (i int, ok bool) {
	if n.Lines().Len() != 1 {
		return 0, false
	}
	line := n.Lines().At(0)
	number, ok := strings.CutPrefix(strings.TrimSpace(string(line.Value(source))), previewMark)
	if !ok {
		return 0, false
	}
	i, err := strconv.Atoi(strings.TrimSuffix(number, previewMark))
	return i, err == nil
}

// unmark puts what Markdown made of previews back: in code it is but text.
func (k kept) unmark(markdown string) string {
	return k.expand(markdown, previewMark, func(a *attachment) string { return a.markdown })
}

// expand replaces numbers between marks by what they stand for.
func (k kept) expand(text, mark string, meaning func(*attachment) string) string {
	parts := strings.Split(text, mark)
	for i := 1; i < len(parts); i += 2 {
		n, _ := strconv.Atoi(parts[i])
		parts[i] = meaning(k.all[n])
	}
	return strings.Join(parts, "")
}
