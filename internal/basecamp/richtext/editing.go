package richtext

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// Editing is a field (Basecamp HTML) during several edits, which apply one after the other.
type Editing struct {
	old   string
	field string       // every attachment has an end tag
	done  []editedPart // what the edits so far have written
	edits int
}

// editedPart is a part of a field that an edit wrote, and the index of that edit.
type editedPart struct {
	part
	edit int
}

// Edit begins to edit a field.
func Edit(field string) *Editing { return &Editing{old: field, field: closeAttachments(field)} }

// HTML returns the field after the edits so far. Without any, it is the old field, byte for byte.
func (e *Editing) HTML() string {
	if len(e.done) == 0 {
		return e.old
	}
	return e.field
}

// Match says where an edit found its text.
type Match struct {
	Places int      // their number
	Near   []string // the texts around the first few; empty if the edit was applied
	Over   int      // the index of an earlier edit that has changed the place, or -1

	TooMany bool // the edits would change more than MaxPlaces places
}

// MaxPlaces is the number of places that the edits of a field change in all. Each one costs the
// time of a whole field.
const MaxPlaces = 1000

// Replacement is the new text of an edit: HTML is what Writing.HTML made of Markdown.
type Replacement struct{ Markdown, HTML string }

// Replace makes the next edit: it replaces the text find (Markdown) by a replacement. Unless there
// is 1 place, or all places are meant, and unless no earlier edit has changed them, the field stays
// as it is. Replace compares visible text, without formatting and with single blanks. A match is
// within one paragraph, item, cell, heading or piece of code, and contains no file. The bytes
// outside the matches do not change. If find has formatting, the formatting of exactly that place
// is replaced too. If find and replacement are plain, the words with which both begin or end stay,
// with their formatting.
func (e *Editing) Replace(find string, replacement Replacement, all bool) Match {
	in := stretches(e.field)
	found := occurrences(in, find)
	slices.SortFunc(found, func(a, b occurrence) int { return cmp.Compare(a.from, b.from) })
	m := Match{Places: len(found), Over: -1}
	if m.TooMany = len(e.done)+m.Places > MaxPlaces && all; m.TooMany {
		return m
	}
	m.Over = e.over(found, find)
	if m.Places == 0 || m.Places > 1 && !all {
		for _, o := range found[:min(len(found), maxNear)] {
			m.Near = append(m.Near, around(in, o.part))
		}
		return m
	}
	if m.Over >= 0 {
		return m
	}
	old := Attached(e.field)
	narrows := !slices.ContainsFunc(Attached(replacement.HTML), func(sgid string) bool { return !slices.Contains(old, sgid) })
	for _, o := range slices.Backward(found) {
		if narrows {
			e.put(o.narrowed(replacement))
		} else {
			e.put(o, replacement.HTML)
		}
	}
	e.edits++
	return m
}

// over returns the index of an earlier edit that wrote a part of the places, or that has replaced
// the text, or -1.
func (e *Editing) over(found []occurrence, find string) int {
	for _, o := range found {
		for _, d := range e.done {
			if o.from < d.to && d.from < o.to {
				return d.edit
			}
		}
	}
	if len(found) == 0 && len(e.done) > 0 && len(occurrences(stretches(closeAttachments(e.old)), find)) > 0 {
		return e.done[len(e.done)-1].edit
	}
	return -1
}

// put replaces a part of the field.
func (e *Editing) put(o occurrence, replacement string) {
	field, at := put(e.field, o, replacement)
	grown := len(field) - len(e.field)
	for i := range e.done {
		if e.done[i].from >= o.to {
			e.done[i].from += grown
			e.done[i].to += grown
		}
	}
	e.field, e.done = field, append(e.done, editedPart{at, e.edits})
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
	field = closeAttachments(field)
	tags, open, until := elements(field)
	var b strings.Builder
	b.WriteString(field[:until])
	for _, i := range slices.Backward(open) {
		b.WriteString("</" + tags[i].name + ">")
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

// ToPlain returns the plain text of a field that FromPlain made, after edits whose replacements
// FromPlain made.
func ToPlain(field string) string {
	text := strings.NewReplacer("<br>", "\n", "<div>", "", "</div>", "").Replace(field)
	return html.UnescapeString(text)
}
