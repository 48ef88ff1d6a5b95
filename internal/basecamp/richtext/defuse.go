package richtext

import (
	"strings"

	"basecamp-mcp/internal/text/lazyregexp"
)

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

// anyTag matches everything that looks like a tag, up to its name. In comments and attributes, it
// matches too, where a renamed element is harmless.
var anyTag = lazyregexp.New(`</?[0-9A-Za-z-]+`)

// defuse renames formatting elements if the parser could multiply them. The parser opens every
// unclosed one again in each block that follows, so 5 KB of "<b x1><b x2>..." before 250 KB of
// "<p>x" would take gigabytes. Renamed elements keep their meaning; only wrongly nested ones end at
// another place.
func defuse(field string) string {
	if n := strings.Count(field, "<"); n*n <= maxReopened {
		return field
	}
	var places []int
	starts, all := 0, anyTag.FindAllStringIndex(field, -1)
	for _, tag := range all {
		name, ends := strings.CutPrefix(field[tag[0]+1:tag[1]], "/")
		if !is(strings.ToLower(name), reopens) {
			continue
		}
		places = append(places, tag[1]-len(name))
		if !ends {
			starts++
		}
	}
	if starts*len(all) <= maxReopened {
		return field
	}
	return insert(field, defused, places)
}
