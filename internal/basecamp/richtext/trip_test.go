package richtext

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRoundTrip_MarkdownReturnsUnchanged(t *testing.T) {
	for _, c := range []struct{ name, markdown string }{
		{"words", "The frames are back."},
		{"paragraphs and lines", "one  \ntwo\n\nthree\n\nfour"},
		{"emphasis", "**a** *b* ~~c~~ **d *e* f** ***g***"},
		{"emphasis that touches words", "re**paint**ed un~~do~~ne **Note:**now note**(new)**"},
		{"code", "run `make check` and ``a`b`` in `x | y`"},
		{"fences", "```\na < b\n\n  *c*\n```\n\n```go\nfunc main() {}\n```\n\n````\n```\n````"},
		{"links", "see [the *spring* plan](https://fernhill.example/plan?a=1&b=2#c) or [Mette](mailto:mette@fernhill.example)"},
		{"bare links", "https://fernhill.example/a_b, www.fernhill.example. (https://fernhill.example/(x)) **mette@fernhill.example**"},
		{"links with another text than their target", "[https://fernhill.example/](https://fernhill.example/plan)"},
		{"a line with a break", "=== **a**"},
		{"lists", "- a\n- b  \n  c\n  - d\n    1. e\n    2. f\n- g\n\n  h"},
		{"numbers from elsewhere", "9. a\n10. b\n\n    7. c"},
		{"quotes", "> a  \n> b\n>\n> > c\n>\n> - d"},
		{"headings", "# a\n\n## b *c*\n\n###### d\n\n# C#\n\n# F \\#"},
		{"rules", "a\n\n***\n\nb"},
		{"tables", "| part | torque |\n|---|---|\n| **fork** \\| stem | `9 Nm \\| dry` |\n|  | [x](https://fernhill.example/) |"},
		{"text that could be markup", "\\# a  \n\\- b  \n1\\. c  \n\\> d  \n\\---  \n\\===  \n\\+ e  \n[ ] f"},
		{"stars, tildes and brackets", `\*a\* 3 * 4 \_b\_ snake_case \~\~c\~\~ ~5 [x] [a\](b) ![c\](d) \[@Mette]`},
		{"tags and entities", `a < b > c \<div> \</p> \&lt; AT&T \<mette@fernhill.example>`},
		{"backslashes and backticks", "C:\\bikes \\\\\\* \\`d\\` `\\*`"},
		{"a check box", "- [ ] paint\n- [x] weld"},
		{"super- and subscript", `x² H₂O a\_(i,j) 2^(n\*m)`},
		{"marks without text", "-\n\n> 1.\n\n+\n\n| - | 1. |\n|---|---|"},
		{"one column", "| a |\n|---|\n| b |"},
		{"lists in cells", "| a | - b / - c |\n|---|---|"},
		{"definitions", "[e\\]: https://fernhill.example/"},
		{"emoji and other scripts", "🚲 👩\u200d🔧 **größe** مرحبا 日本語の**文字**です"},
	} {
		t.Run(c.name, func(t *testing.T) {
			html := Writing{}.HTML(c.markdown)
			if diff := cmp.Diff(c.markdown, Markdown(html)); diff != "" {
				t.Errorf("-want +got:\n%s\n%s", diff, html)
			}
		})
	}
}

func TestRoundTrip_NestedConstructsReturnUnchanged(t *testing.T) {
	for seed := range uint64(200) {
		g := generator{rand.New(rand.NewPCG(seed, 0))}
		markdown := g.blocks(3, false)
		html := Writing{}.HTML(markdown)
		if diff := cmp.Diff(markdown, Markdown(html)); diff != "" {
			t.Fatalf("seed %d, -want +got:\n%s\n%s", seed, diff, html)
		}
	}
}

// generator makes random Markdown as this package writes it.
type generator struct{ *rand.Rand }

func (g generator) pick(from ...string) string { return from[g.IntN(len(from))] }

func (g generator) words() string {
	words := []string{g.pick("frames", "größe", "🚲", "مرحبا", "a < b", "snake_case", "3 * 4", `\*x`, `\_x\_`, "[y]", `\<div>`, "AT&T", `\&lt;`, "e.g.", `C:\bikes`, "(see)")}
	for g.IntN(3) > 0 {
		words = append(words, g.pick("fork", "and", "12 kg", "#7", "it's", "“so”", "—", `\[@Mette]`, "~5", "a\\*b", "3.", "- or", "1. or", "# or", "> or", "@ or", "end"))
	}
	return strings.Join(append(words, g.pick("wheel", "ride", "bell")), " ")
}

// line returns text with formatting, with words between any two formatted pieces.
func (g generator) line(depth int) string {
	pieces := []string{g.words()}
	for depth > 0 && g.IntN(3) > 0 {
		pieces = append(pieces, g.formatted(depth-1), g.words())
	}
	return strings.Join(pieces, " ")
}

func (g generator) formatted(depth int) string {
	switch g.IntN(8) {
	case 0:
		return "**" + g.line(0) + "**"
	case 1:
		return "*" + g.line(0) + "*"
	case 2:
		return "~~" + g.line(0) + "~~"
	case 3:
		return "`" + g.pick("x := 1", "a *b*", "<div>", `\`) + "`"
	case 4:
		return "**" + g.words() + " *" + g.words() + "* ~~" + g.words() + "~~ " + g.words() + "**"
	case 5:
		return g.pick("https://fernhill.example/a?b=1&c=2", "www.fernhill.example/x_y", "mette@fernhill.example")
	case 6:
		return "[**" + g.pick("a", "b c") + "** d](https://fernhill.example/" + fmt.Sprint(g.IntN(100)) + ")"
	}
	return "[" + g.pick("the plan", "a `b`", `\[x\]`) + "](https://fernhill.example/p_q)"
}

func (g generator) paragraph(depth int) string {
	lines := []string{g.pick("", "", "", `\# `, `\- `, `1\. `, `\> `, `\+ `) + g.line(depth)}
	for g.IntN(3) == 0 {
		lines = append(lines, g.line(depth))
	}
	return strings.Join(lines, "  \n")
}

// blocks returns several blocks. In an item, the first one is a paragraph. Lists never follow each
// other directly, because they would become one list.
func (g generator) blocks(depth int, item bool) string {
	all := g.paragraph(2)
	last := "paragraph"
	for range g.IntN(4) {
		kind := g.pick("paragraph", "heading", "fence", "rule", "table", "quote", "list", "list")
		if depth == 0 && (kind == "quote" || kind == "list") || kind == "list" && last == "list" {
			kind = "paragraph"
		}
		block := g.block(kind, depth)
		separator := "\n\n"
		if item && last == "paragraph" && (strings.HasPrefix(block, "- ") || strings.HasPrefix(block, "1. ")) && kind == "list" {
			separator = "\n"
		}
		all, last = all+separator+block, kind
	}
	return all
}

func (g generator) block(kind string, depth int) string {
	switch kind {
	case "heading":
		return g.pick("# ", "## ", "### ", "###### ") + g.line(1)
	case "fence":
		return "```" + g.pick("", "go", "c++") + "\n" + g.words() + "\n\n  " + g.words() + "\n```"
	case "rule":
		return "***"
	case "table":
		row := func() string { return "| " + g.cell() + " | " + g.cell() + " |" }
		return row() + "\n|---|---|\n" + row() + "\n" + row()
	case "quote":
		return indent(g.blocks(depth-1, false), "> ", "> ")
	case "list":
		return g.list(depth)
	}
	return g.paragraph(2)
}

func (g generator) cell() string { return strings.ReplaceAll(g.line(1), "|", `\|`) }

func (g generator) list(depth int) string {
	number := 0
	if g.IntN(2) == 0 {
		number = g.IntN(3)*4 + 1
	}
	var items []string
	for range 1 + g.IntN(3) {
		mark := "- "
		if number > 0 {
			mark = fmt.Sprintf("%d. ", number)
			number++
		}
		items = append(items, indent(g.blocks(depth-1, true), mark, strings.Repeat(" ", len(mark))))
	}
	return strings.Join(items, "\n")
}

func indent(text, first, rest string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(rest+lines[i], " ") + strings.Repeat(" ", len(lines[i])-len(strings.TrimRight(lines[i], " ")))
	}
	return first + strings.TrimPrefix(strings.Join(lines, "\n"), rest)
}
