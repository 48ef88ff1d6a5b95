package richtext

import (
	"cmp"
	"slices"
	"sort"
	"strings"
)

// Replace puts replacement, made by Writing.HTML, where find (Markdown) stands in field (Basecamp HTML), and gives how many places
// there are. Unless that is one, the field comes back unchanged. Text is found as a reader sees it, formatting aside and blanks
// collapsed, within a paragraph, item, cell, heading or piece of code; never in or across an attachment. All outside the place
// stays as it is, byte for byte. Where find has formatting, the formatting of just that place goes with it.
func Replace(field, find, replacement string) (edited string, places int) {
	closed := closeAttachments(field)
	found := occurrences(stretches(closed), find)
	if len(found) != 1 {
		return field, len(found)
	}
	return put(closed, found[0], replacement), 1
}

// occurrence is a place in a field where the text looked for stands.
type occurrence struct {
	part
	shown string // what the text looked for is as HTML
}

// occurrences are the places of the text that find is, and, where those leave room, of the text that it shows.
func occurrences(in []stretch, find string) (found []occurrence) {
	shown := Writing{}.HTML(find)
	for _, field := range []string{plainly(find), shown} {
		phrase := stretches(field)
		if len(phrase) != 1 {
			continue
		}
		before := found
		for _, s := range in {
			for _, at := range s.find(phrase[0].text) {
				next, _ := slices.BinarySearchFunc(before, at.from, func(o occurrence, from int) int { return cmp.Compare(o.to, from+1) })
				if next == len(before) || before[next].from >= at.to {
					found = append(found, occurrence{at, shown})
				}
			}
		}
	}
	return found
}

// put replaces a part of a field. Elements that begin or end in it go on around it. A block ends the inline elements, paragraphs
// and headings that it stands in, and a link ends the link: they begin anew behind it.
func put(field string, o occurrence, replacement string) string {
	tags, _, _ := elements(field)
	text, inline := bare(likewise(replacement, o.shown, blockAround(tags, o.part)))
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
		case len(before) == 0 && t.to == at.from: // nothing of it is left before the place
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
	return field[:at.from] + strings.Join(before, "") + text + strings.Join(after, "") + field[at.to:]
}

// bare is a text made by Writing.HTML less the div of its only paragraph, and whether it can stand in a line.
func bare(text string) (inside string, inline bool) {
	if name, all := whole(text); name == "div" {
		text = all
	}
	tags, _, _ := elements(text)
	return text, !strings.Contains(text, "<hr>") && !slices.ContainsFunc(tags, func(t tag) bool { return isBlock(t.name) && t.name != "figure" && t.name != "figcaption" })
}

// whole is the name and content of the only element that a text made by Writing.HTML is. A list is its items, less the tags around them all; every
// heading is an h1.
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

// likewise is a replacement less the element that it and the text it replaces both are, and in which that text stands: an item for
// an item, a heading for a heading. Of several items the first takes the place, and the others follow.
func likewise(replacement, shown, block string) string {
	was, _ := whole(shown)
	is, inside := whole(replacement)
	if is != was || is != block && !(is == "h1" && isHeading(block)) {
		return replacement
	}
	return inside
}

func isHeading(name string) bool { return len(name) == 2 && name[0] == 'h' && name != "hr" }

// blockAround is the name of the innermost block around a part, empty if there is none.
func blockAround(tags []tag, at part) string {
	for _, t := range slices.Backward(around(tags, at)) {
		if !isInline(t.name) {
			return t.name
		}
	}
	return ""
}

// widen is the part with the tags next to it of inline elements that would be left empty, and with those of elements that are
// wanted and have no other content.
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

// cutOff are the tags in a part that belong to elements that go on: end tags of those before it, and start tags of those behind
// it, the last first.
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

// around are the start tags of the elements around a part, the outermost first.
func around(tags []tag, at part) (all []tag) {
	for _, t := range tags {
		if !t.end && t.to <= at.from && t.partner >= 0 && tags[t.partner].from >= at.to {
			all = append(all, t)
		}
	}
	return all
}

// split are those around a part from the outermost that what is put there cannot stand in.
func split(tags []tag, at part, splits func(name string) bool) []tag {
	all := around(tags, at)
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

// isTextBlock names the blocks that hold no others.
func isTextBlock(name string) bool {
	switch name {
	case "p", "pre", "h1", "h2", "h3", "h4", "h5", "h6":
		return true
	}
	return false
}
