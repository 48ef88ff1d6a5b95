package richtext

import (
	"iter"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// tags yields everything that looks like a tag: the index after its name, and the name, with a
// leading "/" for an end tag. It reads bytes and not HTML, so it also finds tags in comments and
// attributes. The callers' changes to those are harmless.
func tags(field string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for i := 0; ; {
			open := strings.IndexByte(field[i:], '<')
			if open < 0 {
				return
			}
			start := i + open + 1
			i = start
			if i < len(field) && field[i] == '/' {
				i++
			}
			for i < len(field) && (isAlnum(field[i]) || field[i] == '-') {
				i++
			}
			if i > start && !yield(i, field[start:i]) {
				return
			}
		}
	}
}

// closeAttachments adds the missing end tag to every bc-attachment. HTML does not know the element
// and allows no self-closing form of it, so a parser would put everything after an unclosed one
// inside it. A malformed end tag, such as "</figcaption</bc-attachment>", closes nothing, for a
// parser and for closeAttachments.
func closeAttachments(field string) string {
	if !mayHoldAttachment(field) {
		return field
	}
	var open, unclosed []int // indexes after start tags
	for t := range tokens(field) {
		switch {
		case t.Data != bcAttachment:
		case t.Type == html.StartTagToken:
			open = append(open, t.to)
		case t.Type == html.SelfClosingTagToken:
			unclosed = append(unclosed, t.to)
		case t.ends() && len(open) > 0:
			open = open[:len(open)-1]
		}
	}
	unclosed = append(unclosed, open...)
	slices.Sort(unclosed)
	return insert(field, "</bc-attachment>", unclosed)
}

// insert puts piece into field at each of the ascending places. It ignores places after the end.
func insert(field, piece string, places []int) string {
	if len(places) == 0 {
		return field
	}
	var b strings.Builder
	from := 0
	for _, at := range places {
		if at > len(field) {
			break
		}
		b.WriteString(field[from:at])
		b.WriteString(piece)
		from = at
	}
	b.WriteString(field[from:])
	return b.String()
}

// defused is a prefix that turns a name into that of an element without a meaning for the parser.
const defused = "defused-"

// maxReopened bounds the number of elements that a parser may add by itself.
const maxReopened = 150_000

// defuse renames formatting elements if the parser could multiply them. The parser opens every
// unclosed one again in each block that follows, so 5 KB of "<b x1><b x2>..." before 250 KB of
// "<p>x" would take gigabytes. Renamed elements keep their meaning; only wrongly nested ones end at
// another place.
func defuse(field string) string {
	var places []int
	starts, all := 0, 0
	for at, name := range tags(field) {
		all++
		bare := strings.TrimPrefix(name, "/")
		if !isFormatting(bare) {
			continue
		}
		if bare == name {
			starts++
		}
		places = append(places, at-len(bare))
	}
	if starts*all <= maxReopened {
		return field
	}
	return insert(field, defused, places)
}

// isFormatting reports whether a parser opens an element again. "a" is not included, because the
// parser opens at most one again.
func isFormatting(name string) bool {
	switch len(name) {
	case 1:
		return strings.IndexByte("bBiIsSuU", name[0]) >= 0
	case 2:
		return strings.EqualFold(name, "em") || strings.EqualFold(name, "tt")
	case 3, 4, 5, 6:
		switch strings.ToLower(name) {
		case "big", "code", "font", "nobr", "small", "strike", "strong":
			return true
		}
	}
	return false
}
