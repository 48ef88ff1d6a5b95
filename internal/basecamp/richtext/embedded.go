package richtext

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// embeddedElement is a bc-attachment of a field, in which each has an end tag.
type embeddedElement struct {
	tag        *html.Node // without content
	raw        string     // the source
	from, to   int        // of the source in the field
	begin, end int        // of the content in the field
}

// attachmentsOf adds the missing end tag to every bc-attachment of a field. It returns the field
// and these elements in the order of their start tags. HTML does not know the element and allows no
// self-closing form of it, so a parser would put everything after an unclosed one inside it. A
// malformed end tag, such as "</figcaption</bc-attachment>", closes nothing, for a parser and for
// attachmentsOf.
func attachmentsOf(field string) (closed string, all []embeddedElement) {
	// Most fields have no attachment, and a search takes a tenth of the time of a tokenizer.
	if !strings.Contains(strings.ToLower(field), bcAttachment) {
		return field, nil
	}
	all, places := paired(field, true)
	if len(places) > 0 && strings.Contains(field, "/>") {
		if ended, none := paired(field, false); len(none) == 0 { // each has an end tag nevertheless
			all, places = ended, nil
		}
	}
	const endTag = "</bc-attachment>"
	closed = insert(field, endTag, places)
	moved := func(at int) int { // the end tags before a place have moved it
		before, _ := slices.BinarySearch(places, at+1)
		return at + before*len(endTag)
	}
	for i := range all {
		e := &all[i]
		e.from, e.begin, e.end = moved(e.from), moved(e.begin-1)+1, moved(e.end)
		if e.to = moved(e.to); e.to == 0 {
			e.end, e.to = e.begin, e.begin+len(endTag)
		}
		e.raw = closed[e.from:e.to]
	}
	return closed, all
}

// paired returns the attachments of a field, and the ends of the start tags that have no end tag. A
// self-closing one has none if alone is set.
func paired(field string, alone bool) (all []embeddedElement, unclosed []int) {
	var open []int
	for t := range tokens(field) {
		switch last := len(open) - 1; {
		case t.Data != bcAttachment:
		case t.starts():
			all = append(all, embeddedElement{tag: t.node(), from: t.from, begin: t.to})
			if t.Type == html.SelfClosingTagToken && alone {
				unclosed = append(unclosed, t.to)
				continue
			}
			open = append(open, len(all)-1)
		case t.ends() && last >= 0:
			all[open[last]].end, all[open[last]].to = t.from, t.to
			open = open[:last]
		}
	}
	for _, i := range open {
		unclosed = append(unclosed, all[i].begin)
	}
	slices.Sort(unclosed)
	return all, unclosed
}

// embedded returns a field like attachmentsOf, and the topmost of its attachments.
func embedded(field string) (closed string, found []embeddedElement) {
	closed, all := attachmentsOf(field)
	return closed, topmost(all)
}

// topmost returns the attachments that are not inside another one. A gallery, which only contains
// other attachments, does not count as one.
func topmost(all []embeddedElement) (found []embeddedElement) {
	end := 0
	for i, e := range all {
		if e.from >= end && !isGallery(all[i:]) {
			found, end = append(found, e), e.to
		}
	}
	return found
}

// isGallery reports whether the first of the attachments only contains others.
func isGallery(all []embeddedElement) bool {
	e := all[0]
	return len(all) > 1 && all[1].from < e.to && kindOf(e.tag) == fileKind && attr(e.tag, "filename") == ""
}

// without returns a field with a text of the same length in place of each attachment.
func without(field string, all []embeddedElement, mask func(e embeddedElement) string) string {
	var b strings.Builder
	from := 0
	for _, e := range all {
		if e.from >= from {
			b.WriteString(field[from:e.from] + mask(e))
			from = e.to
		}
	}
	return b.String() + field[from:]
}

// blank returns blanks in place of an attachment.
func (e embeddedElement) blank() string { return strings.Repeat(" ", len(e.raw)) }
