package richtext

import (
	"bytes"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// looseParser reads pairs of stars or tildes. Unlike standard Markdown, it lets a pair open before
// punctuation, and close after punctuation, if a word touches the other side, as in
// "note**(new)**". Standard Markdown shows the stars there, and Basecamp's editor has no such rule.
// Any other number of tildes stays text: a single "~" means "about".
type looseParser struct {
	parser.InlineParser
	open parser.ContextKey // holds whether a pair is open in the current block
}

var strongKey, strikeKey = parser.NewContextKey(), parser.NewContextKey()

func (p looseParser) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	before := block.PrecendingCharacter()
	line, segment := block.PeekLine()
	if tildes := len(line) - len(bytes.TrimLeft(line, "~")); tildes == 1 || tildes > 2 {
		block.Advance(tildes)
		return ast.NewTextSegment(segment.WithStop(segment.Start + tildes))
	}
	n := p.InlineParser.Parse(parent, block, pc)
	if d, ok := n.(*parser.Delimiter); ok && d.Char != '_' && d.OriginalLength == 2 {
		loosen(d, before, block, pc, p.open)
	}
	return n
}

func (p looseParser) CloseBlock(_ ast.Node, _ text.Reader, pc parser.Context) { pc.Set(p.open, nil) }

// loosen decides whether the delimiter d, which block has just passed, opens or closes an element.
// If characters touch both sides of d, and standard Markdown allows only one of the two, then d
// closes an open element of its kind. If no such element is open, d opens one.
func loosen(d *parser.Delimiter, before rune, block text.Reader, pc parser.Context, key parser.ContextKey) {
	line, _ := block.PeekLine()
	after, _ := utf8.DecodeRune(line)
	open := pc.Get(key) != nil
	touches := !util.IsSpaceRune(before) && len(line) > 0 && !util.IsSpaceRune(after)
	if touches && d.CanOpen != d.CanClose {
		d.CanOpen, d.CanClose = !open, open
	}
	switch {
	case d.CanClose && open:
		pc.Set(key, nil)
	case d.CanOpen:
		pc.Set(key, true)
	}
}
