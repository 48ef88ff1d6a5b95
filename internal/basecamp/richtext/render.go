package richtext

import (
	"bytes"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"basecamp-mcp/internal/plaintext"
)

// writeBlock writes a block of a tidy tree as Markdown.
func writeBlock(w *bytes.Buffer, n *html.Node) {
	switch n.Data {
	case "ul", "ol":
		list(w, n)
	case "blockquote":
		prefixed(w, blocks(n), "> ", "> ")
	case "hr":
		w.WriteString("***")
	case "pre":
		fence := strings.Repeat("`", max(3, ticks(n.FirstChild.Data)+1))
		w.WriteString(fence + strings.TrimPrefix(attr(n, "class"), "language-") + "\n" + n.FirstChild.Data + "\n" + fence)
	case "table":
		table(w, n)
	case "p":
		inline(w, n)
	default:
		heading(w, n)
	}
}

// inline writes the content of a block, whose texts are already escaped.
func inline(w *bytes.Buffer, n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.TextNode {
			w.WriteString(c.Data)
			continue
		}
		writeSpan(w, c)
	}
}

func writeSpan(w *bytes.Buffer, n *html.Node) {
	switch n.Data {
	case "strong":
		delimited(w, n, "**")
	case "em":
		delimited(w, n, "*")
	case "del":
		delimited(w, n, "~~")
	case "code":
		inlineCode(w, n)
	case "br":
		w.WriteString("  \n")
	case "a":
		link(w, n)
	case "img":
		w.WriteString("![" + attr(n, "alt") + "](" + attr(n, "src") + ")")
	}
}

// delimited writes the content of formatting with marks around each line.
func delimited(w *bytes.Buffer, n *html.Node, mark string) {
	var content bytes.Buffer
	inline(&content, n)
	for line := range bytes.Lines(content.Bytes()) {
		words := bytes.TrimSpace(line)
		if len(words) == 0 {
			w.Write(line)
			continue
		}
		before, after, _ := bytes.Cut(line, words)
		w.Write(before)
		w.WriteString(mark)
		w.Write(words)
		w.WriteString(mark)
		w.Write(after)
	}
}

func inlineCode(w *bytes.Buffer, n *html.Node) {
	code := ""
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		code += c.Data
	}
	fence := strings.Repeat("`", ticks(code)+1)
	if strings.HasPrefix(code, "`") {
		code = " " + code
	}
	if strings.HasSuffix(code, "`") {
		code += " "
	}
	w.WriteString(fence + code + fence)
}

// ticks returns the length of the longest sequence of backticks.
func ticks(code string) (most int) {
	for run := range strings.FieldsFuncSeq(code, func(r rune) bool { return r != '`' }) {
		most = max(most, len(run))
	}
	return most
}

// table writes rows of the same length, the first as the header.
func table(w *bytes.Buffer, n *html.Node) {
	for row := n.FirstChild; row != nil; row = row.NextSibling {
		w.WriteByte('|')
		columns := 0
		for cell := row.FirstChild; cell != nil; cell = cell.NextSibling {
			var content bytes.Buffer
			inline(&content, cell)
			w.WriteString(" " + string(bytes.TrimSpace(content.Bytes())) + " |")
			columns++
		}
		if row == n.FirstChild {
			w.WriteString("\n|" + strings.Repeat("---|", columns))
		}
		w.WriteByte('\n')
	}
}

// blocks returns the blocks of a container with a blank line between them. A list that belongs to
// the line above it in an item follows that line directly.
func blocks(n *html.Node) []byte {
	var all, one bytes.Buffer
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		one.Reset()
		writeBlock(&one, c)
		written := loneMark(c, bytes.Trim(one.Bytes(), "\n"))
		if len(written) == 0 {
			continue
		}
		if all.Len() > 0 {
			all.WriteByte('\n')
			if n.Data != "li" || c.PrevSibling.Data != "p" || !interrupts(c) {
				all.WriteByte('\n')
			}
		}
		all.Write(written)
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

func heading(w *bytes.Buffer, n *html.Node) {
	var buf bytes.Buffer
	inline(&buf, n)
	text := buf.String()
	w.WriteString("######"[:n.Data[1]-'0'] + " ")
	if kept := strings.TrimRight(text, "#"); kept == "" || kept[len(kept)-1] == ' ' && len(kept) < len(text) {
		text = kept + `\` + text[len(kept):] // Markdown hides "#" at the end of a heading
	}
	w.WriteString(text)
}

func list(w *bytes.Buffer, n *html.Node) {
	number, _ := strconv.Atoi(attr(n, "start"))
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		content := blocks(c)
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
func prefixed(w *bytes.Buffer, content []byte, first, rest string) {
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

// link writes "[text](target)". It writes only the URL or address if that is the text and Markdown
// recognises it there.
func link(w *bytes.Buffer, n *html.Node) {
	var text bytes.Buffer
	inline(&text, n)
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
