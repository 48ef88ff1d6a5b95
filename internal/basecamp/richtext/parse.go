package richtext

import (
	"fmt"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"basecamp-mcp/internal/plaintext"
)

// markdownParser reads Markdown as GitHub does, but for what would make text vanish or pass HTML on: tags are text, and so are
// "[x]: y" and "[ ]".
var markdownParser = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewSetextHeadingParser(), 100),
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(parser.NewListParser(), 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500),
			util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(parser.NewBlockquoteParser(), 800),
			util.Prioritized(parser.NewParagraphParser(), 1000),
		),
		parser.WithInlineParsers(
			util.Prioritized(parser.NewCodeSpanParser(), 100),
			util.Prioritized(labelParser{}, 150),
			util.Prioritized(parser.NewLinkParser(), 200),
			util.Prioritized(parser.NewAutoLinkParser(), 300),
			util.Prioritized(mentionParser{}, 400),
			util.Prioritized(emphasisParser{parser.NewEmphasisParser()}, 500),
			util.Prioritized(strikeParser{}, 500),
			util.Prioritized(bareLinkParser{}, 900),
		),
		parser.WithParagraphTransformers(
			util.Prioritized(extension.NewTableParagraphTransformer(), 200),
		),
	)
})

var keptKey = parser.NewContextKey()

// parse reads a Markdown text that may contain labels of kept. It fails where the text would cost too much.
func parse(markdown string, old kept) (doc ast.Node, err error) {
	if err := tame(markdown); err != nil {
		return nil, err
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("parse Markdown: %v", r)
		}
	}()
	pc := parser.NewContext()
	pc.Set(keptKey, old)
	return markdownParser().Parse(text.NewReader([]byte(markdown)), parser.WithContext(pc)), nil
}

const (
	maxMarkdown = maxHTML    // the longest text, in bytes, whose formatting counts
	maxDepth    = 100        // the deepest quotes and lists
	maxAsked    = 2_000_000  // open blocks, summed over the lines: the parser asks each about every line
	maxCells    = 100_000    // of tables: the parser gives a short row all the columns of its header
	maxSearched = 70_000_000 // marks times marks, links times bytes or lines: the parser looks for the other end of each
)

// tame refuses texts on which the parser would take more than linear time or memory.
func tame(markdown string) error {
	if len(markdown) > maxMarkdown {
		return fmt.Errorf("parse Markdown: %d bytes are too many", len(markdown))
	}
	lines, open, asked, cells, searched := 0, 0, 0, 0, 0
	var c chunk
	for line := range strings.Lines(markdown) {
		lines++
		open = openBlocks(open, line)
		asked += open
		if strings.TrimSpace(line) == "" {
			cells += c.cells()
			searched += c.searched()
			c = chunk{}
		}
		c.add(line)
		if open > maxDepth || asked > maxAsked || cells+c.cells() > maxCells || searched+c.searched() > maxSearched {
			return fmt.Errorf("parse Markdown: line %d costs too much", lines)
		}
	}
	return nil
}

// openBlocks returns how many quotes and lists are open at most after a line, of those that were open before it. A line without
// marks may belong to all of them; what is indented under an item stands at least two columns further in.
func openBlocks(open int, line string) int {
	_, marks, blanks := plaintext.Markers(line)
	if marks == 0 {
		return open
	}
	return min(open, blanks/2) + marks
}

// chunk counts what lies between two blank lines, which no search of the parser crosses.
type chunk struct {
	size, lines, columns  int
	marks, ticks, targets int
	open, closed, pairs   int // brackets, and how many a closing one may be that of
}

func (c *chunk) cells() int { return c.lines * c.columns }

func (c *chunk) searched() int {
	return c.pairs + c.closed*c.lines + c.marks*c.marks + (c.ticks+c.targets)*c.size
}

func (c *chunk) add(line string) {
	c.size += len(line)
	c.lines++
	if strings.Trim(line, "|-: \t\n") == "" {
		c.columns = max(c.columns, strings.Count(line, "|")+1)
	}
	for i := range len(line) {
		switch line[i] {
		case '*', '_', '~':
			c.marks++
		case '`':
			c.ticks++
		case '[':
			c.open++
		case ']':
			c.closed++
			c.pairs += c.open
			c.open = max(c.open-1, 0)
		case '(':
			if i > 0 && line[i-1] == ']' {
				c.targets++
			}
		}
	}
}
