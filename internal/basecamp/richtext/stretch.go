package richtext

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"

	"basecamp-mcp/internal/plaintext"
)

// stretch is text without a break for the reader: a paragraph, item, cell or heading, or a part of
// one between files. A mention is a word in it, such as "[@Victor]". Blanks and line breaks are
// single spaces.
type stretch struct {
	text     string
	from, to []int // position in the field of each byte of text
}

// stretches returns the stretches of a field in which every attachment has an end tag.
func stretches(field string) []stretch {
	w := &stretcher{field: field}
	scan(field, w.words, w.tag)
	w.cut()
	return w.all
}

type stretcher struct {
	field string
	all   []stretch

	text     []byte
	from, to []int

	blank  bool // a blank is due
	breaks int  // line breaks since the last word
	inside int  // the number of open attachments
	start  int  // where the outermost of them begins
	code   int  // open elements of code

	script    script // how the open sup or sub element shows its text
	scripting bool
}

func (w *stretcher) tag(name string, end bool, from, to int) {
	switch {
	case name == "bc-attachment":
		w.attachmentTag(end, from, to)
	case w.inside > 0:
	case name == "sup" || name == "sub":
		w.scriptTag(name, end, from, to)
	case name == "code" || name == "pre":
		w.codeTag(name, end)
	case name == "br":
		w.blank = true
		if w.breaks++; w.breaks == 2 {
			w.cut()
		}
	case isBlock(name) || isObject(name):
		w.cut()
	}
}

// attachmentTag starts or ends an attachment. A mention is a word as Markdown shows it; any other
// attachment ends the stretch.
func (w *stretcher) attachmentTag(end bool, from, to int) {
	if !end {
		if w.inside++; w.inside == 1 {
			w.start = from
		}
		return
	}
	if w.inside = max(w.inside-1, 0); w.inside > 0 {
		return
	}
	if label := mentionIn(w.field[w.start:to]); label != "" {
		w.word(label, w.start, to)
		return
	}
	w.cut()
}

// mentionIn returns the mention that an attachment is, as Markdown shows it without escapes, or "".
func mentionIn(raw string) string {
	if !strings.Contains(raw, mentionType) {
		return ""
	}
	if all := embedded(raw); len(all) == 1 && kindOf(all[0].tag) == mentionKind {
		return "[" + newAttachment(all[0]).label + "]"
	}
	return ""
}

func (w *stretcher) codeTag(name string, end bool) {
	if end {
		w.code = max(w.code-1, 0)
	} else {
		w.code++
	}
	if isBlock(name) {
		w.cut()
	}
}

// scriptTag starts or ends text that Markdown shows as superscript or subscript.
func (w *stretcher) scriptTag(name string, end bool, from, to int) {
	if end {
		if w.scripting && w.script.table == nil {
			w.blank = false
			w.word(")", from, to)
		}
		w.script, w.scripting = script{}, false
		return
	}
	if w.code > 0 || w.scripting || w.inside > 0 {
		return
	}
	text, whole := w.textUntil(name, to)
	if !whole {
		return
	}
	if w.script, w.scripting = scriptOf(name, text); w.scripting && w.script.table == nil {
		w.word(w.script.mark+"(", from, to)
	}
}

// textUntil returns the text from the index to the next end tag with the name. whole is false if
// the tag is too far away or follows a block or attachment.
func (w *stretcher) textUntil(name string, from int) (text string, whole bool) {
	near := w.field[from:min(len(w.field), from+10*maxScript)]
	var b strings.Builder
	at := 0
	for end, tag := range tags(near) {
		bare := strings.ToLower(strings.TrimPrefix(tag, "/"))
		if start := end - len(tag) - 1; start >= at { // not inside the last tag
			b.WriteString(html.UnescapeString(near[at:start]))
			at = min(tagEnd(near, end)+1, len(near))
		}
		switch {
		case bare == name:
			return squeeze(b.String()), true
		case isBlock(bare) || bare == "bc-attachment":
			return "", false
		}
	}
	return "", false
}

// isObject reports whether an element shows something other than text.
func isObject(name string) bool {
	switch name {
	case "img", "video", "audio", "iframe", "embed", "object", "svg", "math", "input", "button":
		return true
	}
	return false
}

// cut ends the stretch.
func (w *stretcher) cut() {
	if len(w.text) > 0 {
		w.all = append(w.all, stretch{string(w.text), w.from, w.to})
	}
	w.text, w.from, w.to = w.text[:0], nil, nil
	w.script, w.scripting = script{}, false
	w.blank, w.breaks = false, 0
}

func (w *stretcher) words(from, to int) {
	if w.inside > 0 {
		return
	}
	for at := from; at < to; {
		_, size := utf8.DecodeRuneInString(w.field[at:to])
		text := w.field[at : at+size]
		if text == "&" {
			size = len(reference(w.field[at:to]))
			text = html.UnescapeString(w.field[at : at+size])
		}
		w.word(text, at, at+size)
		at += size
	}
}

// reference returns the "&" at the start of text and the characters after it that may belong to an
// entity.
func reference(text string) string {
	n := 1
	if n < len(text) && text[n] == '#' {
		n++
	}
	for n < len(text) && n < 40 && isAlnum(text[n]) {
		n++
	}
	if n < len(text) && text[n] == ';' {
		n++
	}
	return text[:n]
}

// word adds the text between two positions of the field.
func (w *stretcher) word(text string, from, to int) {
	if blankPrefix(text) == len(text) {
		w.blank = true
		return
	}
	text = strings.Map(visible, w.script.show(text))
	if text == "" {
		return
	}
	if w.blank && len(w.text) > 0 {
		w.add(" ", -1, -1) // a search text neither begins nor ends with a blank
	}
	w.blank, w.breaks = false, 0
	w.add(text, from, to)
}

// visible drops characters that Clean may drop: the search text does not contain them either.
func visible(r rune) rune {
	if plaintext.Invisible(r) || plaintext.IsVariation(r) {
		return -1
	}
	return r
}

func (w *stretcher) add(text string, from, to int) {
	w.text = append(w.text, text...)
	for range len(text) {
		w.from, w.to = append(w.from, from), append(w.to, to)
	}
}

// isEdge reports whether a character or entity of the field begins at byte i.
func (s stretch) isEdge(i int) bool {
	return i == 0 || i == len(s.text) || s.from[i] != s.from[i-1]
}

// find returns the indexes at which the stretch has the text, without overlaps.
func (s stretch) find(text string) (places []int) {
	for at := 0; ; {
		i := strings.Index(s.text[at:], text)
		if i < 0 {
			return places
		}
		i += at
		end := i + len(text)
		if s.isEdge(i) && s.isEdge(end) {
			places = append(places, i)
			at = end
		} else {
			at = i + 1
		}
	}
}

// around returns the text around a place that find has found in one of the stretches.
func around(in []stretch, at part) string {
	for _, s := range in {
		begin := slices.Index(s.from, at.from)
		if begin < 0 {
			continue
		}
		end := begin
		for end < len(s.to) && s.to[end] <= at.to {
			end++
		}
		return strings.ToValidUTF8(s.text[max(0, begin-nearBytes):min(len(s.text), end+nearBytes)], "")
	}
	return ""
}

// part is a part of a field.
type part struct{ from, to int }

// Has reports whether a Markdown text shows the words of another one in a paragraph, item or cell,
// as Editing finds them. Fold makes texts equal that differ only in ways that do not matter.
func Has(markdown, words string, fold func(string) string) bool {
	wanted := stretches(plainHTML(words))
	if len(wanted) != 1 {
		return false
	}
	is := func(s stretch) bool { return strings.Contains(fold(s.text), fold(wanted[0].text)) }
	return slices.ContainsFunc(stretches(Writing{}.HTML(markdown)), is)
}
