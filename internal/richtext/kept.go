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

// kept are the attachments of the field that a text replaces, in order: its mentions, files, rules and previews.
type kept []*attachment

type attachment struct {
	html string // byte for byte
	kind attachmentKind
	sgid string
	used bool

	label    string // of a mention or file: what Markdown shows in its brackets, unescaped
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

// attachments finds those of a field. One that only holds others, a gallery, is none itself.
func attachments(field string) kept {
	type start struct {
		at     int
		tag    *html.Node
		inside int // how many were found before it
	}
	var open []start
	var found kept
	field = closeAttachments(field)
	z := html.NewTokenizer(strings.NewReader(field))
	for end := 0; ; {
		kind := z.Next()
		if kind == html.ErrorToken {
			return found
		}
		at := end
		end += len(z.Raw())
		tag := z.Token()
		switch {
		case tag.Data != "bc-attachment":
		case kind == html.StartTagToken || kind == html.SelfClosingTagToken:
			open = append(open, start{at, &html.Node{Type: html.ElementNode, Data: tag.Data, Attr: tag.Attr}, len(found)})
		case kind == html.EndTagToken && len(open) > 0:
			s := open[len(open)-1]
			open = open[:len(open)-1]
			if a := newAttachment(field[s.at:end], s.tag); a.kind != fileKind || attr(s.tag, "filename") != "" || len(found) == s.inside {
				found = append(found[:s.inside], a)
			}
		}
	}
}

func newAttachment(raw string, tag *html.Node) *attachment {
	a := &attachment{html: raw, sgid: attr(tag, "sgid")}
	switch kind := contentType(tag); {
	case kind == mentionType:
		a.kind = mentionKind
	case strings.Contains(kind, "horizontal-rule"):
		a.kind = ruleKind
		return a
	case isEmbed(kind):
		a.kind = previewKind
		a.markdown = Markdown(raw)
		return a
	}
	shown := []byte(Markdown(raw))
	label, size := bracketed(shown)
	caption, _, _ := bytes.Cut(shown[size:], []byte("\n"))
	a.label, a.caption = label, string(caption)
	return a
}

// take is the first attachment not used so far that is wanted, nil if none; it is used from now on.
func (k kept) take(wanted func(*attachment) bool) (i int, ok bool) {
	for i, a := range k {
		if !a.used && wanted(a) {
			a.used = true
			return i, true
		}
	}
	return 0, false
}

func (k kept) labelled(label string) (i int, ok bool) {
	return k.take(func(a *attachment) bool { return a.label == label && label != "" })
}

func (k kept) rule() (i int, ok bool) {
	return k.take(func(a *attachment) bool { return a.kind == ruleKind })
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
	if len(old) == 0 || len(line) < 2 || line[1] != '@' && line[1] != 'A' {
		return nil
	}
	inside, size := bracketed(line)
	i, ok := old.labelled(inside)
	if !ok {
		return nil
	}
	if bytes.HasPrefix(line[size:], []byte(old[i].caption)) {
		size += len(old[i].caption)
	}
	block.Advance(size)
	return &label{attachment: i, file: old[i].kind == fileKind}
}

// previewMark encloses, in a Markdown text, the number of a preview that stands there; placeMark does so in HTML, for any
// attachment. No text contains them: Clean removes them.
const (
	previewMark = "\x04"
	placeMark   = "\x03"
)

// markPreviews puts marks for what Markdown made of previews, where that stands as blocks of its own.
func (k kept) markPreviews(markdown string) string {
	for i, a := range k {
		if a.kind != previewKind || a.markdown == "" {
			continue
		}
		text := "\n\n" + markdown + "\n\n"
		if at := strings.Index(text, "\n\n"+a.markdown+"\n\n"); at >= 0 {
			a.used = true
			text = text[:at] + "\n\n" + previewMark + strconv.Itoa(i) + previewMark + text[at+2+len(a.markdown):]
			markdown = strings.Trim(text, "\n")
		}
	}
	return markdown
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
		parts[i] = meaning(k[n])
	}
	return strings.Join(parts, "")
}
