package richtext

import (
	"bytes"
	"context"
	"strconv"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"golang.org/x/net/html"

	"basecamp-mcp/internal/text/plaintext"
)

// renderer is the plugin that replaces some of the library's renderers. Those encode URLs again,
// drop the last letter of "## C#", quote only the first line of code and put blank lines into
// nested lists. It also takes the place of the library's plugin "base", which turns every "<" and
// ">" of a text into an entity.
type renderer struct{}

func (renderer) Name() string { return "base" }

func (renderer) Init(conv *converter.Converter) error {
	conv.Register.Renderer(render, converter.PriorityEarly)
	return nil
}

type treeKey struct{}

// withTree passes a tidy tree to the renderer, and the library converts an empty document. The
// library's fourteen passes over a document would take time without effect, and would merge bold
// and italic neighbours.
func withTree(root *html.Node) converter.ConvertOptionFunc {
	return converter.WithContext(context.WithValue(context.Background(), treeKey{}, root))
}

func render(ctx converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
	if n.Type == html.DocumentNode {
		w.Write(blocks(ctx, ctx.Value(treeKey{}).(*html.Node)))
		return converter.RenderSuccess
	}
	switch n.Data {
	case "p", "th", "td":
		ctx.RenderChildNodes(ctx, w, n)
	case "h1", "h2", "h3", "h4", "h5", "h6":
		heading(ctx, w, n)
	case "ul", "ol":
		list(ctx, w, n)
	case "pre":
		fenced(w, attr(n, "language"), n.FirstChild.Data)
	case "blockquote":
		prefixed(w, blocks(ctx, n), "> ", "> ")
	case "a":
		link(ctx, w, n)
	case "img":
		w.WriteString("![" + attr(n, "alt") + "](" + attr(n, "src") + ")")
	default:
		return converter.RenderTryNext
	}
	return converter.RenderSuccess
}

// blocks renders the blocks of a container with a blank line between them. A list that belongs to
// the line above it in an item follows that line directly.
func blocks(ctx converter.Context, n *html.Node) []byte {
	var all, one bytes.Buffer
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		one.Reset()
		ctx.RenderNodes(ctx, &one, c)
		block := loneMark(c, bytes.Trim(one.Bytes(), "\n"))
		if len(block) == 0 {
			continue
		}
		if all.Len() > 0 {
			all.WriteByte('\n')
			if n.Data != "li" || c.PrevSibling.Data != "p" || !interrupts(c) {
				all.WriteByte('\n')
			}
		}
		all.Write(block)
	}
	return all.Bytes()
}

// loneMark removes the backslash before a list marker that is the only text of a paragraph, such as
// a dash for an empty value. Without text after it, the marker makes no item. Next to a list it
// would, so the backslash stays there.
func loneMark(n *html.Node, block []byte) []byte {
	at := bytes.IndexByte(block, '\\')
	if n.Data != "p" || at < 0 || len(block) > len(`123456789\.`) || isNextToList(n) {
		return block
	}
	mark := append(append([]byte(nil), block[:at]...), block[at+1:]...)
	if !isListMark(string(mark)) {
		return block
	}
	return mark
}

func isNextToList(n *html.Node) bool {
	prev, next := n.PrevSibling, n.NextSibling
	return prev != nil && isList(prev.Data) || next != nil && isList(next.Data)
}

// isListMark reports whether text is a list marker without content.
func isListMark(text string) bool {
	return text != "" && text != ">" && plaintext.MarkerSize(text) == len(text)
}

// interrupts reports whether a list can follow a paragraph without a blank line. An ordered list
// can only if it starts at 1.
func interrupts(n *html.Node) bool {
	return n.Data == "ul" || n.Data == "ol" && attr(n, "start") == "1"
}

func heading(ctx converter.Context, w converter.Writer, n *html.Node) {
	var buf bytes.Buffer
	ctx.RenderChildNodes(ctx, &buf, n)
	text := buf.String()
	w.WriteString("######"[:n.Data[1]-'0'] + " ")
	if kept := strings.TrimRight(text, "#"); kept == "" || kept[len(kept)-1] == ' ' && len(kept) < len(text) {
		text = kept + `\` + text[len(kept):] // Markdown hides "#" at the end of a heading
	}
	w.WriteString(text)
}

func list(ctx converter.Context, w converter.Writer, n *html.Node) {
	number, _ := strconv.Atoi(attr(n, "start"))
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		content := blocks(ctx, c)
		if len(content) == 0 {
			continue
		}
		mark := "- "
		if n.Data == "ol" {
			mark = strconv.Itoa(number) + ". "
			number++
		}
		prefixed(w, content, mark, strings.Repeat(" ", len(mark)))
		w.WriteByte('\n')
	}
}

// prefixed writes content with first before its first line and rest before the other lines.
func prefixed(w converter.Writer, content []byte, first, rest string) {
	prefix := first
	for line := range bytes.Lines(content) {
		if line[0] == '\n' {
			prefix = strings.TrimRight(prefix, " ")
		}
		w.WriteString(prefix)
		w.Write(line)
		prefix = rest
	}
}

// fenced writes a block of code between fences that are longer than any inside.
func fenced(w converter.Writer, language, code string) {
	longest := 2
	for run := range strings.FieldsFuncSeq(code, func(r rune) bool { return r != '`' }) {
		longest = max(longest, len(run))
	}
	fence := strings.Repeat("`", longest+1)
	w.WriteString(fence + language + "\n" + code + "\n" + fence)
}

// link renders "[text](target)". It renders only the URL or address if that is the text and
// Markdown recognises it there.
func link(ctx converter.Context, w converter.Writer, n *html.Node) {
	var text bytes.Buffer
	ctx.RenderChildNodes(ctx, &text, n)
	href := attr(n, "href")
	if beginsWord(n) && bareable(text.String(), href, following(n)) {
		w.Write(text.Bytes())
		return
	}
	w.WriteString("[" + text.String() + "](" + href + ")")
}

// beginsWord reports whether a URL without brackets can start after the node before n.
func beginsWord(n *html.Node) bool {
	prev := n.PrevSibling
	switch {
	case prev == nil:
		return true
	case prev.Type == html.TextNode:
		return strings.HasSuffix(prev.Data, " ") || strings.HasSuffix(prev.Data, "(")
	}
	return prev.Data == "br" || prev.Data == "strong" || prev.Data == "em" || prev.Data == "del"
}

// following returns the text right after n. Any other node ends a URL, so the result for it is "".
func following(n *html.Node) string {
	if next := n.NextSibling; next != nil && next.Type == html.TextNode {
		return next.Data[:min(len(next.Data), 64)]
	}
	return ""
}
