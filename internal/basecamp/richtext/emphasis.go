package richtext

import (
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	extension "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// emphasisParser reads "*" and "_". Two stars also open before, or close behind, punctuation that touches a word on their other
// side, as in "note**(new)**": Markdown proper leaves the stars there, and Basecamp's editor knows no such rule.
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

// strikeParser reads "~~". One "~" is a sign for "about".
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

// strikes makes an element of two "~~".
type strikes struct{}

func (strikes) IsDelimiter(c byte) bool { return c == '~' }

func (strikes) CanOpenCloser(opener, closer *parser.Delimiter) bool {
	return opener.Char == closer.Char
}

func (strikes) OnMatch(int) ast.Node { return extension.NewStrikethrough() }

// Whether two stars, or two tildes, are open in the current block.
var (
	strongKey = parser.NewContextKey()
	strikeKey = parser.NewContextKey()
)

// loosen lets d, which block has just passed, do what it is for where the characters around it leave that open: close what is
// open, or else open.
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
