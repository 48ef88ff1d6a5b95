// Package richtext converts Basecamp's rich text (HTML) to Markdown for language models, and
// Markdown to rich text. When a text replaces another one, the mentions and files of the old text
// are kept. Users of Basecamp write both formats, and a running conversion cannot be interrupted.
// The package therefore limits the cost before it starts.
//
// To Markdown (Markdown): the HTML is parsed; tidy rebuilds it as a small tree, and loses elements
// and attributes without a meaning in Markdown: colors, sizes, merged cells; renderer writes the
// tree with the converter. Attachments become labels such as [Attachment: photo.jpg]. Of HTML that
// is too large or too deep, plain builds a tree without formatting.
//
// To rich text (Writing.HTML): parse reads a text of limited cost with the labels of the old
// field, and composer writes it. Titles of links and the alignment of columns are lost, pictures
// become links. Markdown that takes too long to parse becomes plain paragraphs. kept puts the
// attachments of the old field back in the places of their labels.
//
// Editing writes the paragraph, item or cell of a change anew, and Append adds one: the bytes
// around it stay. Lost names what a change would lose.
package richtext

import (
	"fmt"
	"strings"
	"sync"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/strikethrough"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
)

// maxHTML is the longest field and the longest Markdown text, in bytes, whose formatting is
// converted. A longer one becomes plain text.
const maxHTML = 256 << 10

// Markdown converts one rich-text field of Basecamp (HTML) to Markdown. It never fails and keeps
// all text. If a field is too long, too deep or too costly, the result is plain text with the
// paragraphs, list items and attachments.
func Markdown(field string) string {
	if strings.TrimSpace(field) == "" {
		return ""
	}
	markdown, err := convert(field, tidy)
	if err != nil {
		return plain(field)
	}
	return markdown
}

// convert converts a field with the tree that build makes of it.
func convert(field string, build func(field string) (*html.Node, error)) (markdown string, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("convert rich text: %v", r)
		}
	}()
	root, err := build(field)
	if err != nil {
		return "", err
	}
	conv := converters.Get().(*converter.Converter)
	out, err := conv.ConvertNode(&html.Node{Type: html.DocumentNode}, withTree(root))
	if err != nil {
		return "", fmt.Errorf("convert rich text: %w", err)
	}
	converters.Put(conv)
	return strings.TrimSpace(string(out)), nil
}

// converters is a pool because a converter takes its own lock for every node. With a single
// converter, calls could not run in parallel.
var converters = sync.Pool{New: func() any {
	return converter.NewConverter(
		// The library would search the rest of the text for the end of every "[". The tree is escaped
		// already.
		converter.WithEscapeMode(converter.EscapeModeDisabled),
		converter.WithPlugins(
			renderer{},
			commonmark.NewCommonmarkPlugin(commonmark.WithHorizontalRule("***"), commonmark.WithListEndComment(false)),
			strikethrough.NewStrikethroughPlugin(),
			table.NewTablePlugin(table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal)),
		),
	)
}}
