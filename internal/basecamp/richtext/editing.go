package richtext

import (
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// Editing is a field (Basecamp HTML) during several edits, which apply one after the other.
type Editing struct {
	steps []string          // the field before the first edit and after each
	done  int               // places that were replaced
	texts map[string]string // the Markdown of blocks by their content
}

// Edit begins to edit a field.
func Edit(field string) *Editing {
	return &Editing{steps: []string{field}, texts: map[string]string{}}
}

// HTML returns the field after the edits so far. Without any, it is the old field, byte for byte.
func (e *Editing) HTML() string { return e.steps[len(e.steps)-1] }

// Match says where an edit found its text.
type Match struct {
	Places int      // their number
	Near   []string // the texts around the first few; empty if the edit was applied
	Over   int      // the index of an earlier edit that has changed the place, or -1
	Quote  string   // the Markdown of a block that shows the text, but not with this formatting

	TooMany bool // the edits would change more than MaxPlaces places
}

// MaxPlaces is the number of places that the edits of a field change in all.
const MaxPlaces = 1000

// Replace makes the next edit: it replaces the text find by another one, both Markdown. It looks
// for find in the Markdown of each block, with single blanks and whether or not signs have a
// backslash. Unless there is 1 place, or all places are meant, and unless an earlier edit wrote or
// removed the text, the field stays as it is. Each block with a place is written anew from its
// Markdown by write, which receives its old HTML; the bytes outside the block do not change. In
// code, all text is literal.
func (e *Editing) Replace(find, with string, all bool, write func(old, markdown string) (string, error)) (Match, error) {
	field, in, parts := blocksOf(e.HTML())
	c, places, m := e.places(field, in, find, with)
	if m.TooMany = e.done+m.Places > MaxPlaces && all; m.TooMany {
		return m, nil
	}
	m.Over = e.over(find, m.Places)
	if m.Places == 0 {
		m.Quote = e.quote(field, in, find)
	}
	if m.Over >= 0 || m.Places == 0 || m.Places > 1 && !all {
		return m, nil
	}
	m.Near = nil
	for i, b := range slices.Backward(in) {
		if len(places[i]) == 0 {
			continue
		}
		text := e.text(field, b)
		written, whole, err := c.rewritten(b, field[b.from:b.to], text, places[i], write)
		if err != nil {
			return m, err
		}
		if !whole {
			return Match{Over: -1, Quote: near(text, places[i][0].from)}, nil
		}
		field = c.put(field, parts, b, written)
	}
	e.done += m.Places
	e.steps = append(e.steps, field)
	return m, nil
}

// places returns where each block has the text, in the first way to understand it that is found.
func (e *Editing) places(field string, in []block, find, with string) (c change, places [][]part, m Match) {
	for _, c = range changes(find, with) {
		places = make([][]part, len(in))
		words := map[bool]*regexp.Regexp{false: pattern(c.find, false), true: pattern(c.find, true)}
		for i, b := range in {
			text := e.text(field, b)
			places[i] = b.find(text, words[b.code])
			if c.block != "" && len(places[i]) > 0 { // the mark is at the beginning of the block
				places[i] = slices.DeleteFunc(places[i][:1], func(p part) bool { return p.from > 0 && !b.code })
			}
			m.Places += len(places[i])
			for _, p := range places[i][:min(len(places[i]), maxNear-len(m.Near))] {
				m.Near = append(m.Near, strings.ToValidUTF8(text[max(0, p.from-nearBytes):min(len(text), p.to+nearBytes)], ""))
			}
		}
		if m.Places > 0 {
			break
		}
	}
	return c, places, m
}

func (e *Editing) text(field string, b block) string {
	if b.code {
		return b.read(field)
	}
	content := field[b.from:b.to]
	if _, ok := e.texts[content]; !ok {
		e.texts[content] = b.read(field)
	}
	return e.texts[content]
}

// quote returns the Markdown of a block that shows the words of find, from a little before them, or
// "".
func (e *Editing) quote(field string, in []block, find string) string {
	words := wordsOf(Writing{}.HTML(find))
	for _, b := range in {
		text := e.text(field, b)
		if words != "" && !b.code && strings.Contains(wordsOf(Writing{}.HTML(text)), words) {
			longest := slices.MaxFunc(strings.Fields(words), func(a, b string) int { return len(a) - len(b) })
			return near(text, strings.Index(text, longest))
		}
	}
	return ""
}

// near returns a text from a little before a place.
func near(text string, at int) string { return strings.ToValidUTF8(text[max(0, at-nearBytes):], "") }

// over returns the index of the first edit that changed how often the field has the text, if an
// edit has written it or if it is gone, or -1.
func (e *Editing) over(find string, now int) int {
	count := func(field string) int {
		field, in, _ := blocksOf(field)
		_, _, m := e.places(field, in, find, "")
		return m.Places
	}
	if len(e.steps) == 1 {
		return -1
	}
	old := count(e.steps[0])
	if now > old || now == 0 && old > 0 {
		for i, field := range e.steps[1:] {
			if count(field) != old {
				return i
			}
		}
	}
	return -1
}

const (
	maxNear   = 3  // places of which Match has the text around
	nearBytes = 30 // of that text, on each side
)

// Append returns field (Basecamp HTML) with addition, made by Writing.HTML, after it as a separate
// block. The bytes of the field do not change. Append closes elements that the field left open, and
// drops an incomplete tag at its end.
func Append(field, addition string) string {
	if strings.TrimSpace(field) == "" || addition == "" {
		return field + addition
	}
	field, _ = attachmentsOf(field)
	parts, open := partsOf(field)
	var b strings.Builder
	for _, t := range parts {
		b.WriteString(field[t.from:t.to])
	}
	for _, i := range slices.Backward(open) {
		b.WriteString("</" + parts[i].Data + ">")
	}
	if strings.HasPrefix(addition, "<div>") && endsInText(b.String()) {
		b.WriteString("<div><br></div>") // Basecamp shows paragraphs without space between them
	}
	b.WriteString(addition)
	return b.String()
}

// endsInText reports whether a field ends with a paragraph of Basecamp's editor, or with text
// outside any block.
func endsInText(field string) bool {
	field = strings.TrimRight(field, " \n")
	name, isTag := strings.CutSuffix(field, ">")
	name = name[strings.LastIndexByte(name, '<')+1:]
	return !isTag || name == "/div" || !isBlock(strings.TrimPrefix(name, "/"))
}

// FromPlain returns a plain text as a field to edit. ToPlain returns it unchanged.
func FromPlain(text string) string {
	return "<div>" + strings.ReplaceAll(html.EscapeString(text), "\n", "<br>") + "</div>"
}

// Verbatim returns a plain text as a field in which an edit changes nothing else. ToPlain returns
// it unchanged.
func Verbatim(text string) string { return "<pre>" + html.EscapeString(text) + "</pre>" }

// ToPlain returns the plain text of a field that FromPlain or Verbatim made.
func ToPlain(field string) string {
	text := strings.NewReplacer("<br>", "\n", "<div>", "", "</div>", "", "<pre>", "", "</pre>", "").Replace(field)
	return html.UnescapeString(text)
}
