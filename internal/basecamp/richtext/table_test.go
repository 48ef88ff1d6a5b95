package richtext

import (
	"strings"
	"testing"
)

func TestMarkdown_ConvertsTables(t *testing.T) {
	check(t, []example{
		{"a header", "<table><thead><tr><th>Part</th><th>Kg</th></tr></thead><tbody><tr><td>fork</td><td>2</td></tr></tbody></table>", lines(
			"| Part | Kg |", "|---|---|", "| fork | 2 |")},
		{"without a header, the first row becomes the header", "<table><tr><td>a<td>b<tr><td>c<td>d</table>", lines("| a | b |", "|---|---|", "| c | d |")},
		{"rows stay in their order", "<table><tr><td>a<td>b<tr><th>c<th>d</table>", lines("| a | b |", "|---|---|", "| c | d |")},
		{"pipes and formatting", "<table><tr><td>a|b<td><b>c</b> <code>d|e</code></table>", lines(`| a\|b | **c** `+"`d\\|e`"+` |`, "|---|---|")},
		{"a cell is one line", "<table><tr><td>a<br>b<td><p>c</p><p>d</p></table>", lines("| a / b | c / d |", "|---|---|")},
		{"spans leave places empty", "<table><tr><td colspan=2>a<td>b<tr><td rowspan=2>c<td>d<td>e<tr><td>f</table>", lines(
			"| a |  | b |", "|---|---|---|", "| c | d | e |", "|  | f |  |")},
		{"a caption comes first", "<table><caption>Weights</caption><tr><td>a<td>b</table>", "**Weights**\n\n| a | b |\n|---|---|"},
		{"empty ones disappear", "<table><tr><td></td><td> </td></tr></table>", ""},
		{"in an item", "<ul><li>x<table><tr><td>a<td>b</table></li></ul>", "- x\n\n  | a | b |\n  |---|---|"},
		{"one column", "<table><tr><th>a</th></tr><tr><td><p>b</p></td></tr></table>", "| a |\n|---|\n| b |"},
		{"one column of paragraphs only arranges", "<table><tr><td>a</td></tr><tr><td>b<br>c</td></tr></table>", "a\n\nb  \nc"},
		{"a single cell only arranges", "<table><tr><td>a</td></tr></table>", "a"},
		{"a table with the role presentation only arranges", `<table role="presentation"><tr><td>a<td>b</table>`, "a\n\nb"},
		{"lists in its cells keep their marks", "<table><tr><td>a<td>x<ul><li>b<li><b>c</b><ol start=3><li>d<li>e</ol><li></ul><tr><td>f<td>g</table>", lines(
			"| a | x / - b / - **c** / 3. d / 4. e |", "|---|---|", "| f | g |")},
		{"a list in a separate item", "<table><tr><td>a<td><ol><li>b<li><ul><li>c</ul><li>d</ol></table>", "| a | 1. b / - c / 2. d |\n|---|---|"},
		{"a list with a table in it", "<table><tr><td>a<td><table><tr><td>b<td>c</table></table>", "a\n\n| b | c |\n|---|---|"},
	})
}

func TestMarkdown_AnOversizedTableBecomesLines(t *testing.T) {
	wide := "<table><tr>" + strings.Repeat("<td>x", maxColumns+1) + "<tr><td>---<td>---</table>"
	check(t, []example{
		{"spans that ask for a million places", "<table><tr><td colspan=1000 rowspan=1000>a</td><td>b</td></tr></table>", "a | b"},
		{"too many columns", wide, strings.TrimSuffix(strings.Repeat("x | ", maxColumns+1), " | ") + "\n\n\\--- | ---"},
		{"ragged rows", "<table>" + strings.Repeat("<tr><td>a<td>b", 100) + "<tr>" + strings.Repeat("<td>c", 40) + "</table>",
			strings.Repeat("a | b\n\n", 100) + strings.TrimSuffix(strings.Repeat("c | ", 40), " | ")},
	})
}
