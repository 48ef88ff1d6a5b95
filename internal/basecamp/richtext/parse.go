package richtext

import (
	"bytes"
	"fmt"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"basecamp-mcp/internal/text/plaintext"
)

// markdownParser reads GitHub's Markdown, with exceptions where text would disappear or HTML would
// pass through: tags, "[x]: y" and "[ ]" are text.
var markdownParser = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewSetextHeadingParser(), 100),
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(parser.NewListParser(), 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(indentedParser{parser.NewCodeBlockParser()}, 500),
			util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(parser.NewBlockquoteParser(), 800),
			util.Prioritized(outlineParser{parser.NewParagraphParser()}, 1000),
		),
		parser.WithInlineParsers(
			util.Prioritized(parser.NewCodeSpanParser(), 100),
			util.Prioritized(labelParser{}, 150),
			util.Prioritized(parser.NewLinkParser(), 200),
			util.Prioritized(parser.NewAutoLinkParser(), 300),
			util.Prioritized(looseParser{parser.NewEmphasisParser(), strongKey}, 500),
			util.Prioritized(looseParser{extension.NewStrikethroughParser(), strikeKey}, 500),
			util.Prioritized(bareLinkParser{}, 900),
		),
		parser.WithParagraphTransformers(
			util.Prioritized(extension.NewTableParagraphTransformer(), 200),
		),
	)
})

// indentedParser reads code that is indented by spaces. Tabs indent an outline.
type indentedParser struct{ parser.BlockParser }

func (p indentedParser) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	if line, _ := reader.PeekLine(); bytes.HasPrefix(bytes.TrimLeft(line, " "), []byte("\t")) {
		return nil, parser.NoChildren
	}
	return p.BlockParser.Open(parent, reader, pc)
}

// outlineParser reads the lines that indentedParser leaves as paragraphs.
type outlineParser struct{ parser.BlockParser }

func (outlineParser) CanAcceptIndentedLine() bool { return true }

// own is the part of the package's inline nodes that goldmark asks for.
type own struct{ ast.BaseInline }

var kindOwn = ast.NewNodeKind("Own")

func (*own) Kind() ast.NodeKind { return kindOwn }

func (n *own) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

var keptKey = parser.NewContextKey()

// parse reads a Markdown text that may contain labels of attachments in old. It returns an error if
// the text would take too long to parse.
func parse(markdown string, old kept) (doc ast.Node, err error) {
	if err := checkCost(markdown); err != nil {
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
	maxMarkdown   = maxHTML    // the longest text, in bytes, that is parsed
	maxDepth      = 100        // the deepest nesting of quotes and lists
	maxOpenChecks = 2_000_000  // open blocks, summed over the lines: each line is checked against each open block
	maxCells      = 100_000    // cells of tables: short rows get all columns
	maxSearched   = 70_000_000 // pairs of brackets or marks, and links times bytes or lines
)

// checkCost returns an error for a text on which the parser would need more than linear time or
// memory.
func checkCost(markdown string) error {
	if len(markdown) > maxMarkdown {
		return fmt.Errorf("parse Markdown: text has %d bytes, which is too long", len(markdown))
	}
	lines, open, openChecks, cells, searched := 0, 0, 0, 0, 0
	var c chunk
	for line := range strings.Lines(markdown) {
		lines++
		open = openBlocks(open, line)
		openChecks += open
		if strings.TrimSpace(line) == "" {
			cells += c.cells()
			searched += c.searched()
			c = chunk{}
		}
		c.add(line)
		if open > maxDepth || openChecks > maxOpenChecks || cells+c.cells() > maxCells || searched+c.searched() > maxSearched {
			return fmt.Errorf("parse Markdown: text takes too long to parse, at line %d", lines)
		}
	}
	return nil
}

// openBlocks returns the largest number of quotes and lists that can be open after a line, given
// the number before it. A line without marks may belong to all of them. A line inside an item is
// indented by at least two more columns.
func openBlocks(open int, line string) int {
	_, marks, blanks := plaintext.Markers(line)
	if marks == 0 {
		return open
	}
	return min(open, blanks/2) + marks
}

// chunk counts the contents between two blank lines. The parser never searches beyond them.
type chunk struct {
	size, lines, columns  int
	marks, ticks, targets int
	open, closed          int // brackets; open counts those that are not closed yet
	pairs                 int // for each closing bracket, the opening brackets that it may match
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
