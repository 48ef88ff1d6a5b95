package richtext

import (
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	extension "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// emphasisParser reads "*" and "_". Unlike standard Markdown, it lets two stars open before
// punctuation, and close after punctuation, if a word touches their other side, as in
// "note**(new)**". Standard Markdown shows the stars there, and Basecamp's editor has no such rule.
type emphasisParser struct{ parser.InlineParser }

func (p emphasisParser) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	before := block.PrecendingCharacter()
	n := p.InlineParser.Parse(parent, block, pc)
	if d, ok := n.(*parser.Delimiter); ok && d.Char == '*' && d.OriginalLength == 2 {
		loosen(d, before, block, pc, strongKey)
	}
	return n
}

func (emphasisParser) CloseBlock(_ ast.Node, _ text.Reader, pc parser.Context) {
	pc.Set(strongKey, nil)
}

// strikeParser reads "~~". A single "~" means "about" and stays text.
type strikeParser struct{}

func (strikeParser) Trigger() []byte { return []byte{'~'} }

func (strikeParser) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	before := block.PrecendingCharacter()
	line, segment := block.PeekLine()
	d := parser.ScanDelimiter(line, before, 1, strikes{})
	block.Advance(d.OriginalLength)
	segment = segment.WithStop(segment.Start + d.OriginalLength)
	if d.OriginalLength != 2 {
		return ast.NewTextSegment(segment)
	}
	d.Segment = segment
	pc.PushDelimiter(d)
	loosen(d, before, block, pc, strikeKey)
	return d
}

func (strikeParser) CloseBlock(_ ast.Node, _ text.Reader, pc parser.Context) { pc.Set(strikeKey, nil) }

// strikes makes an element of text between two "~~".
type strikes struct{}

func (strikes) IsDelimiter(c byte) bool { return c == '~' }

func (strikes) CanOpenCloser(opener, closer *parser.Delimiter) bool {
	return opener.Char == closer.Char
}

func (strikes) OnMatch(int) ast.Node { return extension.NewStrikethrough() }

// These keys hold whether two stars, or two tildes, are open in the current block.
var (
	strongKey = parser.NewContextKey()
	strikeKey = parser.NewContextKey()
)

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
