package richtext

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
)

func fill(unit string, size int) string { return strings.Repeat(unit, size/len(unit)) }

func numbered(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// K is slightly less than the length up to which formatting is converted.
const K = maxHTML - 1024

// hostile returns fields that could make a parser or converter slow, large or recursive.
func hostile() map[string]string {
	return map[string]string{
		"specials":           fill("\\`*_{}[]()#+-.!|<>~&", K),
		"pre backticks":      "<pre>" + fill("` ", K),
		"code":               fill("<code>`</code> ", K),
		"pb":                 fill("<p>x<b>y</b>", K),
		"bi":                 fill("<b>x</b><i>y</i>", K),
		"a":                  fill(`<a href="u">x</a>`, K),
		"ul unclosed li":     "<ul>" + fill("<li>x", K),
		"font":               fill("<font><i><b><p>x", K),
		"li nested":          strings.Repeat("<ul><li>a", 250) + fill("x<br>", K/2),
		"li nested 500":      strings.Repeat("<ul><li>", 250) + fill("x<br>", K-4000),
		"quote nested":       strings.Repeat("<blockquote>", 16) + fill("x<br>", K-4000),
		"ol nested":          strings.Repeat("<ol start=900000000><li>", 16) + fill("x<br>", K-4000),
		"quote nested 500":   strings.Repeat("<blockquote>", 500) + fill("x<br>", K-10000),
		"li nested pre":      strings.Repeat("<ul><li>", 16) + "<pre>" + fill("x\n", K-4000),
		"many nests":         fill(strings.Repeat("<ul><li>", 16)+"x"+strings.Repeat("</ul>", 16), K),
		"many nests2":        fill(strings.Repeat("<blockquote>", 16)+"x<br>x"+strings.Repeat("</blockquote>", 16), K),
		"span1000":           "<table><tr><td colspan=1000 rowspan=1000>x</td><td>y</table>",
		"span 1e6":           "<table><tr><td colspan=1000000>x</td><td>y</table>",
		"spans":              "<table>" + fill("<tr><td colspan=60 rowspan=60>x<td>y", K),
		"spans2":             "<table>" + fill("<tr><td colspan=8>x<td>y", K),
		"ragged":             "<table>" + fill("<tr><td>a<td>b", K/2) + "<tr>" + fill("<td>a", K/2),
		"onecell":            "<table>" + fill("<tr><td>a<td>b", K/2) + "<tr><td>a<td>" + fill("a", K/2),
		"bigtable":           "<table>" + fill("<tr>"+strings.Repeat("<td>a", 10), K),
		"nested tables":      fill("<table><tr><td>", K),
		"nested tables 100":  strings.Repeat("<table><tr><td>", 100) + fill("x<br>", K-4000),
		"nested tables 100b": strings.Repeat("<table><tr><td>a<td>", 100) + fill("x<b>y</b>", K-4000),
		"headings":           fill("<h1>x</h1>", K),
		"heading nested":     strings.Repeat("<div><h1>", 250) + fill("<b>x</b>", K-4000),
		"images":             fill(`<img src="https://x/y" alt="z">`, K),
		"attrs":              "<div " + numbered("a%d=1 ", 30000) + ">x",
		"comments":           fill("<!-- x -->y", K),
		"afe":                "<p>" + numbered("<b a%d>", 480) + fill("<p>x", K-4000),
		"afe2":               "<p><b><big><code><em><font><i><nobr><s><small><strike><strong><tt><u><b><big><code><em><font><i><s><small><strike><strong><tt><u>" + fill("<p>x", K-4000),
		"afe small":          "<p>" + numbered("<b a%d>", 250) + fill("<p>x", 1000),
		"afe table":          "<p>" + numbered("<b a%d>", 400) + "<table><td>" + fill("</b>", 4*400) + "</table>" + fill("<p>x", K-14000),
		"afe a":              "<p>" + numbered("<a href=%d><table><td>", 80) + fill("<p>x", K-4000),
		"close b":            strings.Repeat("<b><div>", 240) + fill("</b>", K-4000),
		"close b2":           strings.Repeat("<b>", 3) + strings.Repeat("<div>", 400) + fill("</b><b>", K-4000),
		"p deep":             strings.Repeat("<div>", 490) + fill("<p>", K-4000),
		"unknown ends":       strings.Repeat("<span>", 490) + fill("</z>", K-4000),
		"spans deep":         strings.Repeat("<span>", 490) + fill("x<br>", K-4000),
		"b div":              strings.Repeat("<b><i><s><a href=u>", 1) + fill("<div>x</div>", K),
		"foster":             "<table>" + fill("x<b>y", K),
		"foster2":            "<table>" + fill("<br>x", K),
		"attach quote":       fill(`<bc-attachment a="`, K),
		"attach nested":      strings.Repeat("<bc-attachment>", 500) + fill("x<br>", K-15000),
		"attach nested2":     strings.Repeat("<bc-attachment>", 400) + strings.Repeat("</bc-attachment>", 1) + fill("x<i>y</i>", K-15000) + strings.Repeat("</bc-attachment>", 400),
		"mentions":           fill(`<bc-attachment content-type="application/vnd.basecamp.mention">A</bc-attachment>`, K),
		"opens2":             fill("<a b='", K),
		"cdata":              fill("<![CDATA[", K),
		"svg":                "<svg>" + fill("<g>", K),
		"svg2":               fill("<svg><p>", K),
		"math":               fill("<math><mi>x", K),
		"select":             fill("<select><option>x", K),
		"forms":              fill("<form><input><button>x", K),
		"ruby":               fill("<ruby><rt>x", K),
		"nul":                fill("\x00", K),
		"invis":              fill("\u200b", K),
		"zalgo":              fill("\u0301", K),
		"invalid":            fill("\xff", K),
		"zwj":                fill("👩\u200d", K),
		"a block":            "<a href=u>" + fill("<div>x</div>", K),
		"dl":                 fill("<dl><dt>x<dd>y", K),
		"pre nested":         strings.Repeat("<pre>", 500) + fill("x\n", K-5000),
		"ol big":             "<ol>" + fill("<li>x</li>", K),
		"ul in ul":           strings.Repeat("<ul>", 250) + fill("<li>x", K-4000),
		"links bare":         fill(`<a href="https://x.y/">https://x.y/</a> `, K),
		"long href":          `<a href="` + fill("(", K) + `">x</a>`,
		"dashline":           fill("- | ", K/2) + "<br>" + fill("-| <br>", K/2),
	}
}

// TestMarkdown_NoFieldTakesLong limits every field under 1 MB to one second of processor time and
// 200 MB of allocations in total. Processor time makes the test independent of other load on the
// machine.
func TestMarkdown_NoFieldTakesLong(t *testing.T) {
	takesSeconds(t)
	for name, field := range hostile() {
		t.Run(name, func(t *testing.T) {
			withinLimits(t, func() { Markdown(field) })
			if len(field) > K/2 {
				withinLimits(t, func() { Markdown(fill(field, 1<<20-1)) })
			}
		})
	}
}

// takesSeconds skips a test in short runs, and under the race detector, which slows it down too
// much.
func takesSeconds(t *testing.T) {
	t.Helper()
	if testing.Short() || underRace {
		t.Skip("takes seconds")
	}
}

func withinLimits(t *testing.T, convert func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := processorTime()
	convert()
	took := processorTime() - start
	runtime.ReadMemStats(&after)
	if took > 3*time.Second { // a cost that grows faster than the text exceeds this limit by far
		t.Errorf("took %v of processor time", took)
	}
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 200<<20 {
		t.Errorf("allocated %d MB", allocated>>20)
	}
}
