// Package richtext turns Basecamp's rich text into Markdown that reads well to a language model, cuts Markdown without breaking
// it, and turns Markdown back into rich text, with mentions and without losing what the old text held. Both are written by
// strangers and a running conversion cannot be stopped, so everything that could make one slow is bounded before it starts: the
// parsed HTML is rebuilt as a small tidy tree, and only that tree reaches the converter; Markdown that a parser would take long
// over is written as plain paragraphs.
package richtext

import (
	"fmt"
	"strings"
	"sync"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/strikethrough"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
)

// maxHTML is the longest field, in bytes, that is converted with its formatting; a longer one becomes plain text.
const maxHTML = 256 << 10

// Markdown converts one rich-text field of Basecamp (HTML) to Markdown. It never fails and never loses text: what cannot be
// converted (too long, too deep, too costly) falls back to plain text with its paragraphs, list items and attachments.
func Markdown(html string) string {
	if strings.TrimSpace(html) == "" {
		return ""
	}
	html = closeAttachments(html)
	if len(html) > maxHTML {
		return plain(html)
	}
	markdown, err := convert(defuse(html))
	if err != nil {
		return plain(html)
	}
	return markdown
}

func convert(field string) (markdown string, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("convert rich text: %v", r)
		}
	}()
	nodes, err := parseHTML(field)
	if err != nil {
		return "", err
	}
	conv := converters.Get().(*converter.Converter)
	out, err := conv.ConvertNode(&html.Node{Type: html.DocumentNode}, withTree(tidy(nodes)))
	if err != nil {
		return "", fmt.Errorf("convert rich text: %w", err)
	}
	converters.Put(conv)
	return reveal(out), nil
}

// converters are pooled, not shared: each takes its own lock for every node, and a shared one leaves the second core idle.
var converters = sync.Pool{New: func() any {
	return converter.NewConverter(
		// The library looks for the end of every "[" to the end of the text; the tidy tree arrives escaped.
		converter.WithEscapeMode(converter.EscapeModeDisabled),
		converter.WithPlugins(
			base.NewBasePlugin(),
			commonmark.NewCommonmarkPlugin(commonmark.WithHorizontalRule("***"), commonmark.WithListEndComment(false)),
			strikethrough.NewStrikethroughPlugin(),
			table.NewTablePlugin(table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal)),
			renderer{},
		),
	)
}}
