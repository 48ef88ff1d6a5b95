package richtext

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"

	"basecamp-mcp/internal/plaintext"
)

// stretch is text that a reader sees as one: a paragraph, item, cell or heading, or what stands between attachments in one. Blanks
// and line breaks are single spaces.
type stretch struct {
	text     string
	from, to []int // where in the field each byte of it comes from
}

// stretches are those of a field. Its attachments are closed.
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

	blank  bool // one is due
	breaks int  // line breaks since the last word
	inside int  // open attachments
	code   int  // open elements of code

	script    script // shows the text of an open sup or sub
	scripting bool
}

func (w *stretcher) tag(name string, end bool, from, to int) {
	switch {
	case name == "sup" || name == "sub":
		w.scriptTag(name, end, from, to)
	case name == "code" || name == "pre":
		w.codeTag(name, end)
	case name == "bc-attachment" && end:
		w.inside = max(w.inside-1, 0)
		w.cut()
	case name == "bc-attachment":
		w.inside++
		w.cut()
	case name == "br":
		w.blank = true
		if w.breaks++; w.breaks == 2 {
			w.cut()
		}
	case isBlock(name) || isObject(name):
		w.cut()
	}
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

// scriptTag begins or ends what Markdown shows as super- or subscript.
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

// textUntil returns the text from there to the end tag of that name, if it is near and no block or attachment comes before it.
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

// isObject names the elements that show something other than text.
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

// reference is the "&", and what may belong to an entity that begins with it.
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

// word adds text that stands between from and to.
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
		w.add(" ", -1, -1) // what is looked for neither begins nor ends with one
	}
	w.blank, w.breaks = false, 0
	w.add(text, from, to)
}

// visible drops what Clean may drop: it is no part of what is looked for either.
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

// isEdge reports whether byte i begins what stands in one piece in the field, such as an entity.
func (s stretch) isEdge(i int) bool {
	return i == 0 || i == len(s.text) || s.from[i] != s.from[i-1]
}

// find is where the text is in the field, without overlaps.
func (s stretch) find(text string) (places []part) {
	for at := 0; ; {
		i := strings.Index(s.text[at:], text)
		if i < 0 {
			return places
		}
		i += at
		end := i + len(text)
		if s.isEdge(i) && s.isEdge(end) {
			places = append(places, part{s.from[i], s.to[end-1]})
			at = end
		} else {
			at = i + 1
		}
	}
}

// part is a part of a field.
type part struct{ from, to int }
