package richtext

import (
	"iter"
	"slices"
	"strings"
)

// tags yields what looks like a tag: the index behind its name, and the name, with a "/" before that of an end tag. It reads
// bytes, not HTML, and so also finds the "tags" in comments and attributes; what is done to those does no harm.
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

// closeAttachments gives every bc-attachment its end tag. HTML knows neither the element nor a self-closing form of it, so a
// parser would put all that follows an unclosed one inside it.
func closeAttachments(field string) string {
	var open, unclosed []int // indexes behind start tags
	end := 0
	for at, name := range tags(field) {
		switch {
		case at < end: // inside the last start tag
		case strings.EqualFold(name, "bc-attachment"):
			end = tagEnd(field, at)
			if field[end-1] != '/' {
				open = append(open, end+1)
			} else {
				unclosed = append(unclosed, end+1)
			}
		case strings.EqualFold(name, "/bc-attachment") && len(open) > 0:
			open = open[:len(open)-1]
		}
	}
	unclosed = append(unclosed, open...)
	slices.Sort(unclosed)
	return insert(field, "</bc-attachment>", unclosed)
}

// tagEnd is the index of the ">" that ends the tag whose name ends at i, or the length.
func tagEnd(field string, i int) int {
	for i < len(field) && field[i] != '>' {
		i++
		if field[i-1] != '=' {
			continue
		}
		for i < len(field) && blank(field[i:]) > 0 {
			i++
		}
		if i == len(field) || field[i] != '"' && field[i] != '\'' {
			continue
		}
		end := strings.IndexByte(field[i+1:], field[i])
		if end < 0 {
			return len(field)
		}
		i += end + 2
	}
	return i
}

// insert puts piece into field at each of the ascending places, those beyond the end left out.
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

// defused before a name makes it that of an element without meaning to the parser.
const defused = "defused-"

// maxReopened bounds how many elements a parser may make that no tag asked for.
const maxReopened = 150_000

// defuse renames formatting elements where the parser could multiply them: it reopens every one that was left open in every
// block that follows, so that 5 KB of "<b x1><b x2>..." before 250 KB of "<p>x" would take gigabytes. Renamed, the elements
// keep their meaning; only wrongly nested ones end elsewhere.
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

// isFormatting names the elements that a parser reopens. It reopens no more than one "a".
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
