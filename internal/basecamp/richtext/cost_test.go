package richtext

import (
	"slices"
	"testing"
	"time"

	"basecamp-mcp/internal/text/plaintext"
)

// These tokens have a meaning in Markdown or HTML. No repeated combination of them may take long.
var (
	markdownTokens = []string{
		"- ", "-\t", "* ", "> ", ">\t", "+ \t", "1. ", "1.\t", "\t", " ", "\n", "\n\n", "\r", "*", "_", "**", "~~", "`", "```", "[", "]", "](", "(", ")",
		"![", "|", "-|", "-", "=", "#", "# ", "<", ">", "<a", "<!--", "&", "&amp;", "&#", "\\", "a", ":", "@", "@[", "](person:1)", "[@", "[Attachment: ",
		"https://", "www.", "a@b.c", "\u00a0", "\f", "    ", "~~~", "~", "\"", "[x] ", "0", "é", "@Mette",
	}
	htmlTokens = []string{
		"<p>", "</p>", "<b>", "</b>", "<div>", "</div>", "<ul>", "<li>", "</li>", "</ul>", "<ol>", "<blockquote>", "<table>", "<tr>", "<td>", "</table>",
		"<a href=u>", "</a>", "<br>", "<pre>", "<code>", "</code>", "<h1>", "<bc-attachment>", "<bc-attachment filename=a>",
		"<bc-attachment content-type=application/vnd.basecamp.mention>", "<bc-attachment content-type=application/vnd.basecamp.x>", "</bc-attachment>",
		"<bc-attachment/>", "<figure>", "<figcaption>", "</figure>", "<img src=https://x>", "x", " ", "\n", "*", "[", "]", "`", "|", "&amp;", "<", "<!--",
		"<svg>", "<select>", "<template>", "<input type=checkbox>", "<sup>", "</sup>", "<sub>", "<hr>", "<span>", "<i>", "- ", "é", "2", "<textarea>",
		"<nobr>", "<th colspan=9 rowspan=9>", "<dl>", "<dt>", "<option>", "_", "#", "(", "!", "\\", "~",
	}
)

// costs returns the operations of this package on a text, in both directions, and the tokens to
// test them with.
func costs() map[string]struct {
	tokens []string
	do     func(text string)
} {
	type cost = struct {
		tokens []string
		do     func(text string)
	}
	mette := Person{ID: 1, Name: "Mette Lund", SGID: "m"}
	writing := Writing{Inline: []Person{mette}, Named: map[string]Person{"Mette": mette}, Mention: []Person{{ID: 2, Name: "Ann Lundgren", SGID: "n"}}}
	files := []File{{SGID: "s", Name: "s.pdf"}}
	return map[string]cost{
		"HTML":        {markdownTokens, func(text string) { writing.HTML(text) }},
		"ReadRefs":    {markdownTokens, func(text string) { ReadRefs(text, "") }},
		"Addressed":   {markdownTokens, func(text string) { writing.Addressed(text) }},
		"Unmentioned": {append([]string{"@", "@a", "a@b.c", "."}, htmlTokens...), func(text string) { Unmentioned(text) }},
		"IsPlain":     {markdownTokens, func(text string) { IsPlain(text) }},
		"Excerpt":     {markdownTokens, func(text string) { plaintext.Excerpt(text, len(text)/2) }},
		"Slice":       {markdownTokens, func(text string) { plaintext.Slice(text, len(text)/4, len(text)/4) }},
		"Markdown":    {htmlTokens, func(text string) { Markdown(text) }},
		"Old":         {htmlTokens, func(text string) { Writing{Old: text}.HTML("[@A] [Attachment: a] *x*") }},
		"Replace":     {htmlTokens, func(text string) { replaceIn(text+"<p>here</p>", "here", "- x") }},
		"Append":      {htmlTokens, func(text string) { Append(text, "<div>x</div>") }},
		"NameFiles":   {htmlTokens, func(text string) { NameFiles(text, files) }},
	}
}

// slowest repeats every pair of tokens, and returns the pairs on which short texts take longest.
func slowest(tokens []string, do func(text string), count int) []string {
	const short = 1000
	took := map[string]time.Duration{}
	var pairs []string
	for _, first := range tokens {
		for _, second := range tokens {
			pair := first + second
			text := fill(pair, short)
			start := time.Now()
			do(text)
			took[pair] = time.Since(start)
			pairs = append(pairs, pair)
		}
	}
	slices.SortFunc(pairs, func(a, b string) int { return int(took[b] - took[a]) })
	return slices.Compact(pairs)[:count]
}

// longText is the length, in bytes, of the texts whose cost is measured.
const longText = 200_000

// worst takes the pairs that are slowest in a short text. It returns the pair that needs the most
// processor time in a long text, and that time.
func worst(tokens []string, do func(text string), count int) (pair string, most time.Duration) {
	for _, candidate := range slowest(tokens, do, count) {
		text := fill(candidate, longText)
		start := processorTime()
		do(text)
		if took := processorTime() - start; took > most {
			pair, most = candidate, took
		}
	}
	return pair, most
}

// TestCost_NoPairOfTokensTakesLong allows five times what the slowest pair takes. A cost that grows
// faster than the text exceeds this limit by far.
func TestCost_NoPairOfTokensTakesLong(t *testing.T) {
	takesSeconds(t)
	for name, cost := range costs() {
		t.Run(name, func(t *testing.T) {
			if pair, took := worst(cost.tokens, cost.do, 3); took > 1500*time.Millisecond {
				t.Errorf("%q, repeated to %d bytes, took %v of processor time", pair, longText, took)
			}
		})
	}
}
