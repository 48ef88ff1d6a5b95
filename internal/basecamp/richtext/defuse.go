package richtext

import "strings"

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
// another place. What looks like a tag in a comment or an attribute is renamed too, where it is
// harmless.
func defuse(field string) string {
	if n := strings.Count(field, "<"); n*n <= maxReopened {
		return field
	}
	var places []int
	starts, all, at := 0, 0, 0
	for tag := range strings.SplitSeq(field, "<") {
		name, ends := strings.CutPrefix(tag, "/")
		from := at + len(tag) - len(name)
		rest := strings.TrimLeft(name, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-")
		name = name[:len(name)-len(rest)]
		isTag := at > 0 && name != ""
		at += len(tag) + 1
		if isTag {
			all++
		}
		if !isTag || !is(strings.ToLower(name), reopens) {
			continue
		}
		places = append(places, from)
		if !ends {
			starts++
		}
	}
	if starts*all <= maxReopened {
		return field
	}
	return insert(field, defused, places)
}
