package richtext

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"

	"basecamp-mcp/internal/text/lazyregexp"
	"basecamp-mcp/internal/text/naming"
	"basecamp-mcp/internal/text/plaintext"
)

// part is a part of a text.
type part struct{ from, to int }

// block is the content of a paragraph, item, cell, heading or piece of code, or of a part of one
// between files. Formatting that goes on in the next block joins both.
type block struct {
	part
	around token // the start tag of the innermost block around it, if that has an end tag
	code   bool  // inside pre
}

// blocksOf returns a field in which every attachment has an end tag, its blocks and its parts.
func blocksOf(field string) (closed string, all []block, parts []token) {
	closed, attachments := embedded(field)
	field = without(closed, attachments, masked)
	parts, _ = partsOf(field)
	s := blockScan{block: block{part: part{from: -1}}, open: []token{{}}}
	for _, t := range parts {
		if t.shows() {
			s.text(field, t)
		} else {
			s.tag(t)
		}
	}
	s.cut()
	return closed, s.all, parts
}

// blockScan finds the blocks of a field. Its own block is the one that it has not finished.
type blockScan struct {
	block
	all           []block
	open          []token // the blocks around, after none
	begun         bool    // the block has words
	depth, breaks int
}

func (s *blockScan) cut() {
	if s.depth > 0 {
		return
	}
	if s.begun {
		s.all = append(s.all, s.block)
	}
	s.from, s.begun, s.breaks = -1, false, 0
}

func (s *blockScan) text(field string, t token) {
	from, to := t.from, t.to
	if !s.code {
		if strings.TrimSpace(t.Data) == "" {
			return
		}
		from, to = trimmed(field, from, to)
	}
	if s.from < 0 {
		s.from = from
	}
	s.to, s.begun, s.breaks = to, true, 0
}

func (s *blockScan) tag(t token) {
	switch {
	case t.name() == "":
	case t.Data == "br" && !s.code:
		if s.breaks++; s.breaks == 2 || !s.begun {
			s.cut()
		}
	case isBlock(t.Data) || is(t.Data, showsObject):
		s.cut()
		if t.ends() && t.partner >= 0 {
			s.open = s.open[:len(s.open)-1]
		} else if t.partner >= 0 {
			s.open = append(s.open, t)
		}
		s.around = s.open[len(s.open)-1]
		s.code = s.around.Data == "pre"
	case t.partner < 0:
	case t.ends():
		s.depth--
		s.to = t.to
	default:
		if s.depth++; s.from < 0 {
			s.from = t.from
		}
	}
}

// trimmed returns the part of a field without the blanks at its ends.
func trimmed(field string, from, to int) (begin, end int) {
	text := field[from:to]
	return from + len(text) - len(strings.TrimLeft(text, blanks)), to - len(text) + len(strings.TrimRight(text, blanks))
}

const blanks = " \t\r\n\f"

// masked returns a word in place of a mention, and a picture in place of another attachment.
func masked(e embeddedElement) string {
	if kindOf(e.tag) == mentionKind {
		return strings.Repeat("x", len(e.raw))
	}
	return "<img" + strings.Repeat(" ", len(e.raw)-len("<img>")) + ">"
}

// read returns the Markdown of a block, or the text of code.
func (b block) read(field string) string {
	if b.code {
		return textOf(field[b.from:b.to])
	}
	return Markdown(field[b.from:b.to])
}

// textOf returns a field without its tags.
func textOf(field string) string {
	var text strings.Builder
	for t := range tokens(field) {
		switch {
		case t.shows():
			text.WriteString(html.UnescapeString(field[t.from:t.to]))
		case t.name() == "br":
			text.WriteByte('\n')
		}
	}
	return text.String()
}

// pattern returns what matches words in the text of a block, with any blanks. Outside code, signs
// may have a backslash.
func pattern(words string, code bool) *regexp.Regexp {
	var b strings.Builder
	for i, word := range strings.Fields(words) {
		if i > 0 {
			b.WriteString(`[\s\x{a0}]+`)
		}
		escaped := false
		for j, r := range word {
			if r == '\\' && j+1 < len(word) && isPunct(word[j+1]) && !escaped {
				escaped = true
				continue
			}
			if r < utf8.RuneSelf && isPunct(byte(r)) && (!code || escaped) {
				b.WriteString(`\\?`)
			}
			escaped = false
			if !plaintext.IsVariation(r) {
				b.WriteString(regexp.QuoteMeta(string(r)))
			}
			if r >= utf8.RuneSelf {
				b.WriteString(`[\x{fe00}-\x{fe0f}]*`)
			}
		}
	}
	return regexp.MustCompile(b.String())
}

// opaque matches the targets of links, mentions, and the marks of formatting: an edit replaces all
// of one or nothing.
var opaque = lazyregexp.New("\\]\\((?:\\\\.|[^\\\\()]|\\([^()]*\\))*\\)|\\[@(?:\\\\.|[^\\\\\\]])*\\]|\\*+|~+|`+")

// find returns the places in the text of a block that match, without overlaps.
func (b block) find(text string, words *regexp.Regexp) (places []part) {
	found := words.FindAllStringIndex(text, -1)
	if len(found) == 0 {
		return nil
	}
	whole := opaque.FindAllStringIndex(text, -1)
	for _, p := range found {
		for len(whole) > 0 && whole[0][1] <= p[0] {
			whole = whole[1:]
		}
		splits := p[0] == p[1]
		for i := 0; i < len(whole) && whole[i][0] < p[1] && !b.code; i++ {
			splits = splits || whole[i][0] < p[0] || whole[i][1] > p[1]
		}
		if !splits {
			places = append(places, part{p[0], p[1]})
		}
	}
	return places
}

// Has reports whether a Markdown text shows words in a paragraph, item or cell.
func Has(markdown, words string) bool {
	field := Writing{}.HTML(markdown)
	wanted := naming.Fold(squeeze(words))
	_, all, _ := blocksOf(field)
	return wanted != "" && slices.ContainsFunc(all, func(b block) bool {
		return strings.Contains(naming.Fold(wordsOf(field[b.from:b.to])), wanted)
	})
}
