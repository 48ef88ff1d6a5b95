package richtext

import (
	"bytes"
	"errors"
	"fmt"
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
	if len(markdown) > maxHTML || plaintext.TakesLong(markdown) {
		return nil, errors.New("parse Markdown: the text takes too long to parse")
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
