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

// kept holds the attachments of the field that a text replaces: its mentions, files, rules and
// previews.
type kept struct {
	all      []*attachment    // in the order of the field
	labelled map[string][]int // indexes by label, in order; files without a name also under filePrefix
	called   map[string]int   // index of a new mention by its label; the text may use it several times
	unknown  *[]string        // if set, receives the labels of unknown mentions
	copied   map[FileLine]int // index of a new file by its line; the text may use it several times
	foreign  *[]FileLine      // if set, receives the lines of unknown files
}

type attachment struct {
	html string // the original bytes
	kind attachmentKind
	sgid string
	used bool

	called   bool   // a new mention, not one of the field
	label    string // unescaped text in the brackets of a mention or file in Markdown, or ruleLabel
	caption  string // Markdown after the brackets of a file
	markdown string // Markdown of a preview, which has no label
}

type attachmentKind int

const (
	fileKind attachmentKind = iota
	mentionKind
	ruleKind
	previewKind
)

// filePrefix begins the label of a file. It is never a whole label.
const filePrefix = "Attachment: "

// ruleLabel is the label of a rule. Markdown never writes it in brackets.
const ruleLabel = "***"

func keep(field string) kept {
	k := kept{labelled: map[string][]int{}}
	_, all := embedded(field)
	for i, e := range all {
		a := newAttachment(e)
		k.all = append(k.all, a)
		k.labelled[a.label] = append(k.labelled[a.label], i)
		if a.kind == fileKind && squeeze(attr(e.tag, "filename")) == "" {
			k.labelled[filePrefix] = append(k.labelled[filePrefix], i)
		}
	}
	return k
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
			name = strings.TrimSuffix(name, " ("+contentType(e.tag)+")") // Markdown shows its caption as its name
			a.caption = " *" + string(escape(nil, name, place{before: '*', after: '*'})) + "*"
		}
	}
	return a
}

// take returns the first unused attachment with a label, and marks it as used.
func (k kept) take(label string) (i int, ok bool) {
	if i, ok = k.unused(label); !ok && strings.HasPrefix(label, filePrefix) {
		i, ok = k.unused(filePrefix) // the caller read the text with the names of NameFiles
	}
	if ok {
		k.all[i].used = true
	}
	return i, ok
}

func (k kept) unused(label string) (i int, ok bool) {
	for ; len(k.labelled[label]) > 0; k.labelled[label] = k.labelled[label][1:] {
		if i = k.labelled[label][0]; !k.all[i].used {
			return i, true
		}
	}
	return 0, false
}

// addMentions adds the people that the text mentions by name, in the form that Markdown shows
// mentions.
func (k *kept) addMentions(called map[string]Person) {
	k.called = map[string]int{}
	for name, p := range called {
		if p.SGID != "" {
			k.called["@"+name] = len(k.all)
			k.all = append(k.all, &attachment{html: mentionOf(p), kind: mentionKind, sgid: p.SGID, label: "@" + name, called: true})
		}
	}
}

// newMention returns the index of the new mention with a label.
func (k kept) newMention(label string) (i int, ok bool) {
	if i, ok = k.called[label]; !ok && k.unknown != nil && strings.HasPrefix(label, "@") {
		*k.unknown = append(*k.unknown, label[1:])
	}
	return i, ok
}

// addFiles adds new files by the lines that stand for them in the text.
func (k *kept) addFiles(files map[FileLine]string) {
	k.copied = map[FileLine]int{}
	for line, sgid := range files {
		k.copied[line] = len(k.all)
		k.all = append(k.all, &attachment{html: Attach(sgid, ""), kind: fileKind, sgid: sgid, used: true})
	}
}

// newFile returns the index of the new file for which a label and the text after it stand, and the
// length of the part of that text that belongs to it.
func (k kept) newFile(label string, rest []byte) (i, length int, ok bool) {
	name, ok := strings.CutPrefix(label, filePrefix)
	if !ok {
		return 0, 0, false
	}
	line := FileLine{Label: name}
	if found := fileTarget.FindSubmatch(rest); found != nil {
		line.Address, length = string(found[1]), len(found[0])
	}
	if i, ok = k.copied[line]; !ok && k.foreign != nil {
		*k.foreign = append(*k.foreign, line)
	}
	return i, length + len(sizeCaption.Find(rest[length:])), ok
}

// label is a node where Markdown shows an attachment.
type label struct {
	own
	attachment int
	file       bool
}

// labelParser reads "[@Name]", "@[Name]" and "[Attachment: name]", and the forms of a mention with
// a target.
type labelParser struct{}

func (labelParser) Trigger() []byte { return []byte{'[', '@'} }

func (labelParser) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	line, _ := block.PeekLine()
	rest, addressed := bytes.CutPrefix(line, []byte("@"))
	inside, size := bracketed(rest)
	if size == 0 {
		return nil
	}
	first, rest := rest[1], rest[size:]
	before := len(line) - len(rest)
	// "\@[Name](person:ID)" is text.
	if m, length := targeted(inside, rest); m != nil && (addressed || block.PrecendingCharacter() != '@') {
		block.Advance(before + length)
		return m
	}
	old, _ := pc.Get(keptKey).(kept)
	i, length, found := 0, 0, false
	switch {
	case addressed:
		inside = "@" + strings.TrimPrefix(inside, "@")
	case first == '@' || first == 'A':
		if i, found = old.take(inside); !found {
			i, length, found = old.newFile(inside, rest)
		}
	default:
		return nil
	}
	if !found && !bytes.HasPrefix(rest, []byte("(")) { // a "(" makes it a link
		i, found = old.newMention(inside)
	}
	if !found {
		return nil
	}
	a := old.all[i]
	if bytes.HasPrefix(rest, []byte(a.caption)) {
		length += len(a.caption)
	}
	block.Advance(before + length)
	return &label{attachment: i, file: a.kind == fileKind}
}

// previewMark encloses the number of a preview in a Markdown text. placeMark encloses the number of
// any attachment in HTML. No text contains these marks, because Clean removes them.
const (
	previewMark = "\x04"
	placeMark   = "\x03"
)

// markPreviews replaces the Markdown of previews by their marks. A preview must be a block of its
// own, and the previews must be in their original order.
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

// marked returns the index of the preview that a paragraph marks.
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

// unmark replaces the marks of previews by their Markdown. In code, the Markdown of a preview is
// only text.
func (k kept) unmark(markdown string) string {
	return k.expand(markdown, previewMark, func(a *attachment) string { return a.markdown })
}

// expand replaces each number between two marks by the meaning of its attachment.
func (k kept) expand(text, mark string, meaning func(*attachment) string) string {
	parts := strings.Split(text, mark)
	for i := 1; i < len(parts); i += 2 {
		n, _ := strconv.Atoi(parts[i])
		parts[i] = meaning(k.all[n])
	}
	return strings.Join(parts, "")
}
