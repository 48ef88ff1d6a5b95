package richtext

import (
	"slices"
	"strings"

	"golang.org/x/net/html"

	"basecamp-mcp/internal/text/lazyregexp"
	"basecamp-mcp/internal/text/plaintext"
)

// change is a text to find and its replacement, both Markdown.
type change struct {
	find, with string
	block      string // the element that the mark at the beginning of find writes, or ""
	as         string // the only element that the replacement writes, or ""
	inline     bool   // the replacement can be part of a line
	marks      int    // signs of formatting that the replacement shows
}

// blockText matches a text that is one block with a mark, such as an item.
var blockText = lazyregexp.New("(?s)^\\s*(?:(?:#{1,6}|[-*+]|\\d{1,9}[.)]|>)[ \t]+(.+)|```[^\n]*\n(.*?)\n?```\\s*)$")

// changes returns the ways to understand an edit: find as it is, and without the mark of its block.
func changes(find, with string) []change {
	find, with = plaintext.Clean(find), plaintext.Clean(with)
	written := Writing{}.HTML(with)
	c := change{find: find, with: with, marks: marks(written)}
	c.as, _ = whole(written)
	_, c.inline = bare(written)
	all := []change{c}
	if c.find = contentOf(find); c.find != find {
		c.block, _ = whole(Writing{}.HTML(find))
		all = append(all, c)
	}
	return all
}

// contentOf returns a text without the mark of its block.
func contentOf(text string) string {
	if m := blockText.FindStringSubmatch(text); m != nil {
		return m[1] + m[2]
	}
	return text
}

// lineMark matches what would be a mark at the beginning of a line.
var lineMark = lazyregexp.New(`^(\d*)([-+*#.)=_~|]+(?:\s|$)|>)`)

// apply returns the text of a block with the replacement in each place. A replacement that is a
// block ends the line before it, and begins one after it.
func (c change) apply(text string, places []part, code bool) string {
	with := c.with
	switch {
	case code && c.block == "pre" && c.as == "pre":
		with = contentOf(with)
	case !code && c.ends():
		with = "\n\n" + with + "\n\n"
	}
	for _, p := range slices.Backward(places) {
		before, after := text[:p.from]+with, text[p.to:]
		if line := strings.TrimRight(before, " "); !code && (line == "" || strings.HasSuffix(line, "\n")) {
			after = lineMark.ReplaceAllString(strings.TrimLeft(after, " "), `$1\$2`)
		}
		text = before + after
	}
	return text
}

// ends reports whether the replacement is a block of another kind than find.
func (c change) ends() bool { return !c.inline && (c.block == "" || c.as != c.block) }

// put returns a field with the new HTML of a block.
func (c change) put(field string, parts []token, b block, written string) string {
	text := written
	if is, inside := whole(written); c.block != "" && is == c.block && (is == b.around.Data || is == "h1" && isHeading(b.around.Data)) {
		text = inside
	}
	items := b.around.Data == "li" && text != written
	text, inline := bare(text)
	if b.code || inline || items || !isTextBlock(b.around.Data) {
		return field[:b.from] + text + field[b.to:]
	}
	start, end := b.around, parts[b.around.partner]
	before, after := field[:b.from]+"</"+start.Data+">", field[start.from:start.to]+field[b.to:]
	if start.to == b.from {
		before = field[:start.from]
	}
	if end.from == b.to {
		after = field[end.to:]
	}
	return before + text + after
}

// marks returns how many signs of formatting a field (Basecamp HTML) shows.
func marks(field string) (n int) {
	for _, c := range []byte(wordsOf(field)) {
		if strings.IndexByte("*~`]", c) >= 0 {
			n++
		}
	}
	return n
}

// rewritten returns the new HTML of a block with the content old. It is not whole if a replacement
// has split formatting, whose signs would be text, or a heading, or has emptied a link.
func (c change) rewritten(b block, old, text string, places []part, write func(old, markdown string) (string, error)) (written string, whole bool, err error) {
	now := c.apply(text, places, b.code)
	if b.code {
		return html.EscapeString(now), true, nil
	}
	if isHeading(b.around.Data) && c.ends() && places[0] != (part{0, len(text)}) || strings.Count(now, "[](") > strings.Count(text, "[](") {
		return "", false, nil
	}
	written, err = write(old, now)
	return written, marks(written) <= marks(old)+len(places)*c.marks, err
}

// bare returns a text made by Writing.HTML without the div of its only paragraph, and reports
// whether the result can be part of a line.
func bare(text string) (inside string, inline bool) {
	if name, all := whole(text); name == "div" {
		text = all
	}
	parts, _ := partsOf(text)
	return text, !slices.ContainsFunc(parts, func(t token) bool { return isBlock(t.name()) && t.Data != "figure" && t.Data != "figcaption" })
}

// whole returns the name and the content of the only element of a text made by Writing.HTML. For a
// list, it returns the items without the outermost tags. Every heading counts as h1.
func whole(text string) (name, inside string) {
	parts, _ := partsOf(text)
	last := len(parts) - 1
	if last < 0 || parts[0].partner != last {
		return "", text
	}
	name, inside = parts[0].Data, text[parts[0].to:parts[last].from]
	switch name {
	case "ul", "ol":
		return "li", strings.TrimSuffix(strings.TrimPrefix(inside, "<li>"), "</li>")
	case "h2", "h3", "h4", "h5", "h6":
		return "h1", inside
	}
	return name, inside
}

func isHeading(name string) bool { return len(name) == 2 && name[0] == 'h' && name != "hr" }

// isTextBlock reports whether an element is a block that contains only text.
func isTextBlock(name string) bool { return name == "p" || isHeading(name) }
