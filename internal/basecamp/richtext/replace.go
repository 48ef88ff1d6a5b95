package richtext

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"golang.org/x/net/html"
)

// occurrence is a match in a field.
type occurrence struct {
	part
	in         stretch
	begin, end int    // in the text of the stretch
	shown      string // HTML of the text that was searched for
	plain      bool   // whether that text has no formatting
}

// narrowed returns an occurrence and its replacement without the words with which both begin or
// end, if they are plain. At least one word of each remains.
func (o occurrence) narrowed(r Replacement) (occurrence, string) {
	shown := Writing{}.HTML(r.Markdown)
	text, inline := bare(shown)
	phrase := stretches(shown)
	if !o.plain || !inline || strings.Contains(text, "<") || len(phrase) != 1 {
		return o, r.HTML
	}
	whole := o
	old, now := o.in.text[o.begin:o.end], phrase[0].text
	for {
		first, rest, more := strings.Cut(old, " ")
		begins, after, follows := strings.Cut(now, " ")
		if !more || !follows || first != begins {
			break
		}
		old, now, o.begin = rest, after, o.begin+len(first)+1
	}
	for {
		i, j := strings.LastIndexByte(old, ' '), strings.LastIndexByte(now, ' ')
		if i < 0 || j < 0 || old[i:] != now[j:] {
			break
		}
		old, now, o.end = old[:i], now[:j], o.begin+i
	}
	if strings.Contains(now, "@") && strings.Contains(r.HTML, "<bc-attachment") { // a mention remains
		return whole, r.HTML
	}
	o.part = part{o.in.from[o.begin], o.in.to[o.end-1]}
	return o, "<div>" + html.EscapeString(now) + "</div>"
}

// occurrences returns the places of find as literal text. It adds those of the text that find shows
// as Markdown, if they do not overlap the former.
func occurrences(in []stretch, find string) (found []occurrence) {
	shown := Writing{}.HTML(find)
	inside, inline := bare(shown)
	plain := inline && !strings.Contains(inside, "<")
	for _, field := range []string{plainHTML(find), shown} {
		phrase := stretches(field)
		if len(phrase) != 1 {
			continue
		}
		before := found
		for _, s := range in {
			for _, begin := range s.find(phrase[0].text) {
				end := begin + len(phrase[0].text)
				at := part{s.from[begin], s.to[end-1]}
				next, _ := slices.BinarySearchFunc(before, at.from, func(o occurrence, from int) int { return cmp.Compare(o.to, from+1) })
				if next == len(before) || before[next].from >= at.to {
					found = append(found, occurrence{at, s, begin, end, shown, plain})
				}
			}
		}
	}
	return found
}

// put returns a field with a replaced part, and where the replacement is. Elements that begin or
// end in the part continue around it. A block closes the inline elements, paragraphs and headings
// around it, and a link closes the link around it. put opens these elements again after the
// replacement.
func put(field string, o occurrence, replacement string) (edited string, where part) {
	tags, _, _ := elements(field)
	text, inline := bare(withoutSharedBlock(replacement, o.shown, blockAround(tags, o.part)))
	splits := func(name string) bool {
		return !inline && (isInline(name) || isTextBlock(name)) || name == "a" && strings.Contains(text, "<a ")
	}
	shown, plain := bare(o.shown)
	formatted := !plain || strings.Contains(strings.ReplaceAll(shown, "<br>", ""), "<")
	at := widen(tags, o.part, func(name string) bool { return splits(name) || formatted && isInline(name) })
	before, after := cutOff(field, tags, at)
	for _, t := range slices.Backward(split(tags, at, splits)) {
		start, end := field[t.from:t.to], tags[t.partner]
		switch {
		case len(before) == 0 && t.to == at.from: // the element has no content before the place
			at.from = t.from
			after = append(after, start)
		case len(after) == 0 && end.from == at.to:
			before = append(before, "</"+t.name+">")
			at.to = end.to
		default:
			before = append(before, "</"+t.name+">")
			after = append(after, start)
		}
	}
	slices.Reverse(after)
	begun := field[:at.from] + strings.Join(before, "")
	return begun + text + strings.Join(after, "") + field[at.to:], part{len(begun), len(begun) + len(text)}
}

// bare returns a text made by Writing.HTML without the div of its only paragraph, and reports
// whether the result can be part of a line.
func bare(text string) (inside string, inline bool) {
	if name, all := whole(text); name == "div" {
		text = all
	}
	tags, _, _ := elements(text)
	return text, !strings.Contains(text, "<hr>") && !slices.ContainsFunc(tags, func(t tag) bool { return isBlock(t.name) && t.name != "figure" && t.name != "figcaption" })
}

// whole returns the name and the content of the only element of a text made by Writing.HTML. For a
// list, it returns the items without the outermost tags. Every heading counts as h1.
func whole(text string) (name, inside string) {
	tags, _, _ := elements(text)
	last := len(tags) - 1
	if last < 0 || tags[0].partner != last {
		return "", text
	}
	name, inside = tags[0].name, text[tags[0].to:tags[last].from]
	switch name {
	case "ul", "ol":
		return "li", strings.TrimSuffix(strings.TrimPrefix(inside, "<li>"), "</li>")
	case "h2", "h3", "h4", "h5", "h6":
		return "h1", inside
	}
	return name, inside
}

// withoutSharedBlock returns the content of a replacement if the replacement, the replaced text and
// the block around it are the same element, such as an item or a heading. Otherwise it returns the
// whole replacement. The first of several items takes the place, and the others follow.
func withoutSharedBlock(replacement, shown, block string) string {
	was, _ := whole(shown)
	is, inside := whole(replacement)
	if is != was || is != block && !(is == "h1" && isHeading(block)) {
		return replacement
	}
	return inside
}

func isHeading(name string) bool { return len(name) == 2 && name[0] == 'h' && name != "hr" }

// blockAround returns the name of the innermost block around a part, or "".
func blockAround(tags []tag, at part) string {
	for _, t := range slices.Backward(enclosing(tags, at)) {
		if !isInline(t.name) {
			return t.name
		}
	}
	return ""
}

// widen extends a part by adjacent tags of inline elements that would become empty. It also
// includes the tags of wanted elements that have no other content.
func widen(tags []tag, at part, wanted func(name string) bool) part {
	i := sort.Search(len(tags), func(i int) bool { return tags[i].to > at.from }) - 1
	j := sort.Search(len(tags), func(j int) bool { return tags[j].from >= at.to })
	for {
		opens := i >= 0 && tags[i].to == at.from && !tags[i].end && tags[i].partner >= 0
		closes := j < len(tags) && tags[j].from == at.to && tags[j].end && tags[j].partner >= 0
		switch {
		case opens && closes && tags[i].partner == j && wanted(tags[i].name):
			at = part{tags[i].from, tags[j].to}
			i, j = i-1, j+1
		case opens && tags[i].partner < j && isInline(tags[i].name):
			at.from = tags[i].from
			i--
		case closes && tags[j].partner > i && isInline(tags[j].name):
			at.to = tags[j].to
			j++
		default:
			return at
		}
	}
}

// cutOff returns the tags in a part whose elements continue outside it: end tags of elements that
// start before the part, and start tags of elements that end after it, the last first.
func cutOff(field string, tags []tag, at part) (ends, starts []string) {
	for _, t := range tags {
		if t.from < at.from || t.to > at.to || t.partner < 0 {
			continue
		}
		switch other := tags[t.partner]; {
		case t.end && other.from < at.from:
			ends = append(ends, field[t.from:t.to])
		case !t.end && other.from >= at.to:
			starts = append(starts, field[t.from:t.to])
		}
	}
	slices.Reverse(starts)
	return ends, starts
}

// enclosing returns the start tags of the elements around a part, the outermost first.
func enclosing(tags []tag, at part) (all []tag) {
	for _, t := range tags {
		if !t.end && t.to <= at.from && t.partner >= 0 && tags[t.partner].from >= at.to {
			all = append(all, t)
		}
	}
	return all
}

// split returns the elements around a part that cannot contain the replacement, and those inside
// them, the outermost first.
func split(tags []tag, at part, splits func(name string) bool) []tag {
	all := enclosing(tags, at)
	first := len(all)
	for i, t := range slices.Backward(all) {
		if splits(t.name) {
			first = i
		} else if !isInline(t.name) {
			break
		}
	}
	return all[first:]
}

func isInline(name string) bool { return !isBlock(name) }

// isTextBlock reports whether an element is a block that contains only text.
func isTextBlock(name string) bool {
	switch name {
	case "p", "pre", "h1", "h2", "h3", "h4", "h5", "h6":
		return true
	}
	return false
}
